"""Places that cannot be written are told in a sentence, and nothing is written over that is of another kind."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from chosen_runs import make_project
from pruner_engine.cli.collect import _write
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.reports.page import render, write_page
from pruner_engine.verify.dataset import DataSet, write_dataset


def test_a_comparison_below_a_file(tmp_path):
    (tmp_path / "file").touch()
    done = CliRunner().invoke(cli, ["bench", "search", "matmul:16,16,16", "--out", str(tmp_path / "file" / "x")])
    assert isinstance(done.exception, UserError) and "cannot be made" in str(done.exception)


@pytest.mark.parametrize("place", ["file/x.safetensors", "folder"])
def test_a_data_set_that_cannot_be_kept(tmp_path, place):
    """Below a file the write fails, in the place of a folder what comes after it."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    with pytest.raises(UserError, match="cannot be written") as raised:
        _write(tmp_path / "p.pruner", tmp_path / place, lambda _text: None)
    assert "nothing twice" in raised.value.hint
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    "command",
    [
        ["report", "p.pruner", "--html", "p.pruner"],
        ["bench", "search", "matmul:16,16,16", "--out", "cmp", "--html", "p.pruner"],
        ["bench", "e2e", "p.pruner", "--html", "p.pruner"],
        ["collect", "matmul:16,16,16", "--project", "p.pruner", "--out", "p.pruner"],
        ["train", "data.safetensors", "--out", "p.pruner"],
        ["train", "data.safetensors", "--out", "data.safetensors"],
    ],
)
def test_what_is_of_another_kind_is_never_written_over(tmp_path, monkeypatch, command):
    """A project in the place of a page, completed by mistake, was lost."""
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    write_dataset(DataSet(), tmp_path / "data.safetensors")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = CliRunner().invoke(cli, command)
    assert isinstance(done.exception, UserError) and "would be lost" in str(done.exception)
    assert {path: path.read_bytes() for path in before} == before


def test_a_page_is_written_over_a_page(tmp_path):
    write_page(tmp_path / "page.html", render("page.html") + "first")
    write_page(tmp_path / "page.html", render("page.html"))
    assert (tmp_path / "page.html").read_text() == render("page.html")
