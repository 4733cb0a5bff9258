"""Arguments that make no sense are told in a sentence, before anything is done."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pruner_engine.cli.main import cli
from pruner_engine.cli.options import PathType
from pruner_engine.errors import UserError
from terminal import carried_out


def parameters(command, name="pruner"):
    """Every parameter of every command, with the command's words."""
    for parameter in command.params:
        yield name, parameter
    for word, one in getattr(command, "commands", {}).items():
        yield from parameters(one, f"{name} {word}")


def test_no_command_takes_an_empty_name_of_a_file_or_folder():
    """As a script has it whose variable is not set: it would be the current folder."""
    paths = [(name, one) for name, one in parameters(cli) if isinstance(one.type, click.Path)]
    assert len(paths) > 30
    assert [f"{name} {one.name}" for name, one in paths if not isinstance(one.type, PathType)] == []
    for _, one in paths:
        with pytest.raises(click.BadParameter, match=r"The name is empty\."):
            one.type.convert("", one, None)


def test_a_share_that_is_no_number():
    done = CliRunner().invoke(cli, ["train", "x.safetensors", "--out", "y.safetensors", "--hold", "nan"])
    assert done.exit_code == 2 and "nan is no share" in done.output


def test_a_data_set_in_the_place_of_its_project(tmp_path):
    """It would be written over the measurements that it is made of."""
    project = str(tmp_path / "p.pruner")
    done = CliRunner().invoke(cli, ["collect", "matmul:8,8,8", "--project", project, "--out", project])
    assert isinstance(done.exception, UserError) and "is the project, and would be lost" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_the_draft_is_held_against_no_device_that_is_not_here():
    done = CliRunner().invoke(
        cli, ["bench", "draft", "--quality", "--operator", "matmul:8,8,8", "--target", "raspberry-pi-3"]
    )
    assert isinstance(done.exception, UserError) and "cannot run" in str(done.exception)


@pytest.mark.parametrize("option", ["--candidates", "--seed", "--keep"])
def test_what_says_how_quality_is_measured_needs_quality(option):
    done = CliRunner().invoke(cli, ["bench", "draft", "--operator", "matmul:8,8,8", option, "64"])
    assert done.exit_code == 2 and f"{option} says how" in done.output


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("strategy", ["metaschedule", "random"])
def test_the_largest_seed(strategy, tmp_path):
    """TVM takes smaller ones."""
    line = ["tune", "matmul:8,8,8", "--trials", "1", "--project", tmp_path / "p.pruner", "--strategy", strategy]
    few = ["--set", "population=16", "--set", "generations=1"]
    assert carried_out(*line, *few, "--seed", 2**63 - 1).returncode == 0


@pytest.mark.usefixtures("warm")
def test_minutes_that_are_over_before_anything_is_measured_are_told_as_such_and_can_be_made_more(tmp_path):
    project, few = tmp_path / "p.pruner", ["--set", "population=16"]
    done = carried_out("tune", "matmul:8,8,8", "--project", project, "--minutes", "1e-9", *few)
    assert done.returncode == 1 and "The time was over before a candidate was measured" in done.stderr
    assert carried_out("resume", project, "--trials", 1, "--minutes", 1).returncode == 0
