"""What the terminal prints is what was said, wherever it goes."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from rich.console import Console
from rich.table import Table

from chosen_runs import add_run, make_project
from pruner_engine.cli.bench import bench
from pruner_engine.cli.main import cli
from pruner_engine.cli.output import print_table, progress_line
from pruner_engine.cli.records import records
from pruner_engine.store.project import Project


def test_brackets_in_names_are_no_styles(tmp_path):
    path = tmp_path / "net[v2].pruner"
    make_project(path, {"conv[/a]": (1, 1.0)}, model="net[/a]")
    with Project(path) as project, project.transaction() as db:
        run = {"model_id": 1, "target_id": 1, "strategy": "pruner", "seed": 0, "settings": "{}", "state": "failed",
               "reason": "it said [/red]", "versions": "{}", "host": "{}", "created": 0.0, "updated": 0.0}  # fmt: skip
        run_id = db["runs"].insert(run).last_pk
        db["run_tasks"].insert({"run_id": run_id, "task_id": 1})
    told = CliRunner().invoke(cli, ["status", str(path)])
    assert told.exit_code == 0 and "net[/a]" in told.output and "it said [/red]" in told.output
    assert "conv[/a]" in CliRunner().invoke(cli, ["tasks", str(path)]).output


def test_a_line_of_progress_takes_any_words():
    with progress_line(quiet=False) as tell:
        tell("measure conv[/a]")


def test_a_table_in_a_pipe_is_whole(capsys):
    table = Table("task", "hint")
    names = ["conv2d_" * 30, "take the [other] one " * 12]
    table.add_row(*names)
    print_table(table)
    printed = capsys.readouterr().out
    assert all(name.strip() in printed for name in names)
    assert max(map(len, printed.splitlines())) < 600


@pytest.mark.parametrize("command", ["status", "tasks", "candidates", "rounds", "compare"])
def test_a_table_begins_with_its_heads(command, tmp_path):
    """So that `| head -1` shows them."""
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    add_run(tmp_path / "p.pruner", "pruner", [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("end", 5.0)])
    lines = CliRunner().invoke(cli, [command, str(tmp_path / "p.pruner")]).output.splitlines()
    assert {"run", "operator", "id", "round"} & set(lines[0].split())
    assert all(line.strip() for line in lines)


@pytest.mark.parametrize("width", [50, 90])
def test_on_a_narrow_terminal_no_figure_is_cut(monkeypatch, capsys, width):
    """Columns that do not fit stand below, each beside its row's first; long texts are broken between words."""
    narrow = Console(force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr("pruner_engine.cli.output.console", lambda **_: narrow)
    figures = [f"{number}.25 ms" for number in range(100, 110)]
    table = Table("id", *(f"column {number}" for number in range(10)), "hint")
    table.add_row("7", *figures, "take the other one " * 6)
    print_table(table)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert all(any(figure.split()[0] in line for line in lines) for figure in figures)
    parts = [line for line in lines if "id" in line]
    assert len(parts) > 1 and sum(line[:1] == ["7"] for line in lines) == len(parts)
    assert sum(word == "other" for line in lines for word in line) == 6


@pytest.mark.parametrize("group", [cli, bench, records], ids=lambda group: group.name)
def test_the_help_of_a_group_tells_in_full_what_each_command_does(group):
    told = " ".join(CliRunner().invoke(group, ["--help"]).output.split())
    for name, command in group.commands.items():
        assert f"{name} {' '.join(command.help.split()).partition('. ')[0]}" in told


def test_the_help_of_tasks_promises_no_more_than_their_table_has(tmp_path):
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    add_run(tmp_path / "p.pruner", "pruner", [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("end", 5.0)])
    told = CliRunner().invoke(cli, ["tasks", str(tmp_path / "p.pruner")]).output.splitlines()
    heads = next(line for line in told if "GFLOP/s" in line)
    promised = {"operator", "calls", "share", "untuned", "best", "gain", "roof", "trials"}
    said = set(re.findall(r"\w+", cli.commands["tasks"].help))
    assert promised - said == promised - set(heads.split()) == set()
    assert said - promised == {"Tasks", "of", "a", "run", "the", "time", "and", "latency"}


def test_the_help_of_a_tuning_names_every_strategy():
    told = CliRunner().invoke(cli, ["tune", "--help"]).output
    names = "from pruner_engine.search.strategies import strategy_names; print(*strategy_names())"
    # asked elsewhere: in this process other tests may have registered some
    own = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True).stdout.split()
    assert own and [name for name in own if f"{name}," not in told] == []


def test_where_only_json_is_wanted_what_native_code_says_is_dropped(capfd):
    for quiet in (True, False):
        with progress_line(quiet=quiet):
            os.write(2, b"TVM warns")
        os.write(2, b"; ")
    assert capfd.readouterr().err == "; TVM warns; "
