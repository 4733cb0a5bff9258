"""Settings out of range are refused before anything is done; what each means is told where a user looks for it."""

import inspect
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings, described_settings, settings_from
from pruner_engine.search.settings_table import markdown

DOCUMENT = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")


WHOLE, SHARE = "a whole number of {} or more", "a number from 0.0 to 1.0"
SECONDS = "a number above 0.0 and up to 1000000.0"


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("round_trials", -5, WHOLE.format(1)), ("round_trials", 1.5, WHOLE.format(1)),
        ("draft_set", 0, WHOLE.format(1)),
        ("fresh_samples", -1, WHOLE.format(0)), ("refresh", 0, WHOLE.format(1)), ("adapt_every", 0, WHOLE.format(1)),
        ("patience", -1, WHOLE.format(0)), ("repeats", "three", WHOLE.format(1)), ("eps_greedy", 1.5, SHARE),
        ("momentum", "most", SHARE), ("build_timeout_s", 0, SECONDS), ("run_timeout_s", 1e300, SECONDS),
        ("calibrated", "yes", "true or false"), ("model", 3, "text"), ("without_rules", "rows", "a list of names"),
        ("without_rules", [1], "a list of names"), ("check", "some", "one of all, best, none"),
        ("layout", "x", "one of auto, measured, channels-last, own"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("written", [False, True])
def test_what_cannot_be_meant_is_a_sentence(name, value, takes, written):
    values = {name: value}
    with pytest.raises(UserError) as refused:
        settings_from(json.dumps(values) if written else values)
    assert refused.value.message == f"The setting {name} takes {takes}, not {json.dumps(value)}."


@pytest.mark.parametrize("values", ["[1]", "{", '{"nothing": 1}'])
def test_what_are_no_settings_is_a_sentence(values):
    with pytest.raises(UserError, match=r"^(A setting is not understood: |There is no setting \"nothing\").*\."):
        settings_from(values)


def test_the_hint_leads_to_the_names_of_the_settings():
    with pytest.raises(UserError) as refused:
        settings_from({"nothing": 1})
    assert "`pruner tune --help`" in refused.value.hint
    told = CliRunner().invoke(cli, ["tune", "--help"]).output
    assert [name for name in SearchSettings.__struct_fields__ if name not in told] == []


@pytest.mark.parametrize("rpc", ["board", "board:", ":9190", "board:port", "board:99999"])
def test_what_is_no_address_of_a_tracker_is_a_sentence(rpc):
    with pytest.raises(UserError, match="is not the address of a tracker"):
        _ = SearchSettings(rpc=rpc).tracker


def test_the_address_of_a_tracker_is_host_and_port():
    assert SearchSettings(rpc="[::1]:9190").tracker == ("[::1]", 9190) and SearchSettings().tracker is None


def test_what_is_by_default_is_in_range():
    assert settings_from(SearchSettings().as_json()) == SearchSettings()


def test_every_setting_is_explained_in_one_line_and_nothing_else_is():
    described = described_settings()
    assert tuple(described) == SearchSettings.__struct_fields__
    assert all(setting.meaning.endswith(".") and "\n" not in setting.meaning for setting in described.values())
    explained = inspect.cleandoc(SearchSettings.__doc__).partition("Attributes:")[2]
    assert [line.split(":")[0].strip() for line in explained.splitlines() if line[4:5].strip()] == list(described)
    assert described["draft_set"] == (96, "candidates that the draft hands to verification.")


def test_the_documentation_and_the_help_list_the_settings():
    assert DOCUMENT.split("<!-- settings, by make docs-settings -->\n")[1].startswith(markdown() + "<!-- end")
    told = " ".join(CliRunner().invoke(cli, ["tune", "--help"], terminal_width=1000).output.split())
    for name, setting in described_settings().items():
        assert f"{name}={setting.default_text}".rstrip("=") + f" {setting.meaning}" in told
