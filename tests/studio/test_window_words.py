"""What engines advise by a terminal's options is told by the window's fields and pages."""

from __future__ import annotations

import json
import re

import click
import pytest
from PySide6.QtWidgets import QApplication

from pruner_engine.cli.main import cli
from pruner_engine.measure.advice import ADVICE, advice
from pruner_engine.resources import resource_dir
from pruner_studio import translation
from pruner_studio.help import terms
from pruner_studio.said import said
from pruner_studio.window_words import advice_of, in_the_window

_OF_TERMINALS_ALONE = {"candidate", "run"}  # of commands whose answers the window asks for otherwise


@pytest.fixture(params=["en", "de"])
def language(qapp: QApplication, request: pytest.FixtureRequest):
    translation.install(qapp, request.param)
    said.cache_clear()
    yield request.param
    translation.install(qapp, "none")
    said.cache_clear()


def test_a_limit_is_called_as_its_field_is() -> None:
    title = terms()["setting.build_timeout_s"].title
    told = advice_of("build", "timeout")
    assert told.endswith(f"give a new run more time: 120 for “{title}” in the settings on Start.")
    assert "--set build_timeout_s=120" in advice("build", "timeout"), "the terminal keeps its own words"


def test_no_advice_or_sentence_of_an_engine_names_options_of_a_terminal(language: str) -> None:
    stored = json.loads((resource_dir() / "translations" / "engine.json").read_text(encoding="utf-8"))
    group = cli.commands["tune"]
    known = {name for param in group.params if isinstance(param, click.Option) for name in param.opts}
    assert {"--set", "--rpc", "--dtype"} <= known
    for sentence in (*ADVICE.values(), *stored):
        told = re.sub(r"`[^`]+`", "", in_the_window(translation.tr(sentence)))  # but in a line for a terminal
        found = {word for word in re.findall(r"--[a-z-]+", told) if word[2:] not in _OF_TERMINALS_ALONE}
        assert not found & known, told


def test_a_project_that_another_engine_works_on_is_let_go_by_a_button() -> None:
    stored = json.loads((resource_dir() / "translations" / "engine.json").read_text(encoding="utf-8"))
    (sentence,) = (one for one in stored if "`pruner steer" in one)
    assert "stop it (“Stop”)" in in_the_window(sentence)


def test_what_stands_in_a_sentence_stays(language: str) -> None:
    told = said("The model chooses by sr: tune it for one value, such as --fix sr=1.")
    assert "sr=1" in told and "--fix" not in told and "`" not in told
    foreign = "nvcc fatal: unknown option --target of `pruner doctor`"
    assert said(foreign) == foreign, "what is no sentence of ours"
