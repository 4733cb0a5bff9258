"""When was each run as good as the stock search: of the sample project, checked by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from databases import connected
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.store.figures.comparison import compare
from pruner_engine.store.file.lock import WriterLock
from pruner_engine.store.reader import ProjectReader

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "sample.pruner"))


def first_point(project: Path, run: int, goal_s: float) -> tuple[int, float] | None:
    with connected(project) as db:
        points = db.execute("SELECT trials, elapsed_s, latency_s FROM progress WHERE run_id = ? ORDER BY id", (run,))
        return next(((n, s) for n, s, latency in points if latency is not None and latency <= goal_s), None)


def test_the_goal_is_where_the_stock_search_ended(project: Path) -> None:
    with ProjectReader(project) as reader:
        found = compare(reader, reader.run())
    assert found.base["strategy"] == "metaschedule" and found.goal_s == found.base["latency_s"]
    _, base_s = first_point(project, found.base["id"], found.goal_s)
    for run in found.runs:
        expected = first_point(project, run["id"], found.goal_s)
        assert expected is None or (run["goal_trials"], run["goal_s"]) == expected
        assert run["goal_gain"] == (base_s / expected[1] if expected else None)


def test_without_the_stock_search_the_chosen_run_sets_the_goal(project: Path) -> None:
    with connected(project) as db:
        db.execute("UPDATE runs SET strategy = 'random' WHERE strategy = 'metaschedule'")
    with ProjectReader(project) as reader:
        found = compare(reader, reader.run(2))
    assert found.base["id"] == 2
    slow = [run for run in found.runs if run["latency_s"] > found.goal_s]
    assert slow and all(run["goal_s"] is None and run["goal_gain"] is None for run in slow)


def test_a_run_of_ones_choice_sets_the_goal(project: Path) -> None:
    told = json.loads(CliRunner().invoke(cli, ["compare", str(project), "--goal", "2", "--json"]).stdout)
    (second,) = (run for run in told["runs"] if run["id"] == 2)
    assert told["goal_of"] == 2 and told["goal_s"] == second["latency_s"] and second["goal_gain"] == 1
    with ProjectReader(project) as reader, pytest.raises(UserError, match="no run 9"):
        compare(reader, reader.run(), goal_of=9)


@pytest.mark.parametrize("change", ["target_id = 99", """settings = '{"dtype": "float16"}'"""])
def test_a_run_on_another_device_or_of_another_float_type_sets_no_goal(project: Path, change: str) -> None:
    with ProjectReader(project) as reader:
        assert compare(reader, reader.run()).base["id"] == 1
    with connected(project) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(f"UPDATE runs SET {change} WHERE id = 1")
    with ProjectReader(project) as reader:
        found = compare(reader, reader.run(2))
        assert found.base["id"] == 2 and "1" not in found.progress
        assert [run["id"] for run in compare(reader, reader.run(1)).runs] == [1]


def test_the_terminal_tells_the_same(project: Path) -> None:
    told = json.loads(CliRunner().invoke(cli, ["compare", str(project), "--json"]).stdout)
    with ProjectReader(project) as reader:
        found = compare(reader, reader.run())
        points = reader.progress(2)
    assert told["goal_s"] == found.goal_s and told["goal_of"] == found.base["id"]
    assert [run["goal_s"] for run in told["runs"]] == [run["goal_s"] for run in found.runs]
    assert len(told["runs"][1]["progress"]) == len(points)
    table = CliRunner().invoke(cli, ["compare", str(project)]).stdout
    assert "moa-pruner" in table and "Goal:" in table and table.rstrip().endswith(") ended.")


def test_a_goal_of_a_run_at_work_has_not_ended_and_none_is_told_where_nothing_was_measured(project: Path) -> None:
    with connected(project) as db:
        db.execute("UPDATE runs SET state = 'tuning', pid = 1 WHERE id = 1")
    lock = WriterLock(project)
    table = CliRunner().invoke(cli, ["compare", str(project)]).stdout
    lock.release()
    assert "Goal:" in table and table.rstrip().endswith(") is so far.")
    with connected(project) as db:
        db.execute("DELETE FROM progress")
    assert "Goal:" not in CliRunner().invoke(cli, ["compare", str(project)]).stdout


@pytest.fixture
def other(project: Path) -> Path:
    """A file of the same model on the same device, whose runs were all a little slower; in a folder of its own."""
    folder = project.parent / "yesterday"
    folder.mkdir()
    made = Path(shutil.copy(SAMPLE, folder / "sample.pruner"))
    with connected(made) as db:
        db.execute("UPDATE progress SET latency_s = latency_s * 1.5, elapsed_s = elapsed_s * 2")
    return made


def test_runs_of_another_project_stand_beside_those_of_the_chosen_one(project: Path, other: Path) -> None:
    with ProjectReader(project) as reader, ProjectReader(other) as more:
        alone, found = compare(reader, reader.run()), compare(reader, reader.run(), others=[more])
        assert [run["name"] for run in found.runs] == ["1", "2", "3", "sample:1", "sample:2", "sample:3"]
        assert (found.base["name"], found.goal_s) == ("1", alone.goal_s)
        assert found.progress["sample:2"] == more.progress(2) and found.progress["2"] == reader.progress(2)
        by_name = {run["name"]: run for run in found.runs}
        expected = first_point(other, 2, found.goal_s)
        assert (by_name["sample:2"]["goal_trials"], by_name["sample:2"]["goal_s"]) == (expected or (None, None))
        theirs = compare(reader, reader.run(), "sample:1", [more])
        assert theirs.goal_s == more.run(1)["latency_s"] and theirs.base["project"] == str(other)


def test_projects_that_share_a_name_are_told_apart_by_their_folders(project: Path, other: Path) -> None:
    folder = project.parent / "before"
    folder.mkdir()
    third = shutil.copy(other, folder / "sample.pruner")
    with ProjectReader(project) as reader, ProjectReader(other) as more, ProjectReader(third) as most:
        names = {run["of"] for run in compare(reader, reader.run(), others=[more, most]).runs}
    assert names == {"", "yesterday/sample", "before/sample"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE models SET sha256 = 'ab'", "of another model"),
        ("UPDATE models SET inputs = '[]'", "of other input shapes"),
        ("UPDATE targets SET fingerprint = 'ab'", "on another device or target"),
        ("""UPDATE runs SET settings = '{"dtype": "float16"}'""", "of another float type"),
    ],
)
def test_a_project_that_does_not_compare_is_refused_with_what_differs(
    project: Path, other: Path, change: str, told: str
) -> None:
    with connected(other) as db:
        db.execute(change)
    answer = CliRunner().invoke(cli, ["compare", str(project), str(other)])
    assert isinstance(answer.exception, UserError) and told in answer.exception.message


def test_the_terminal_compares_projects(project: Path, other: Path) -> None:
    words = ["compare", str(project), str(other), str(other), "--goal", "sample:3", "--json"]
    told = json.loads(CliRunner().invoke(cli, words).stdout)
    assert told["goal_of"] == "sample:3" and [run["name"] for run in told["runs"]][3:] == [
        "sample:1",
        "sample:2",
        "sample:3",
    ]
    assert {run["project"] for run in told["runs"]} == {str(project), str(other)}
    table = CliRunner().invoke(cli, ["compare", str(project), str(other)]).stdout
    assert "sample:2" in table and "where run 1 (" in table
