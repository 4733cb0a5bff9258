"""Latencies with cold caches are told apart from those with warm ones wherever runs are laid over each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from project_factory import make_project
from PySide6.QtCore import Qt

from databases import connected
from pruner_engine.cli.main import cli
from pruner_studio.main_window import MainWindow

COLD = 3


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Three runs, the last one with cold caches."""
    path = make_project(tmp_path / "mixed.pruner", rounds=12)
    with connected(path) as db:
        db.execute("UPDATE runs SET settings = ? WHERE id = ?", (json.dumps({"caches": "cold"}), COLD))
    return path


def cells(page, title: str) -> dict[int, str]:
    column = next(column for column in page.model.columns if column.title == title)
    return {row["run_id"]: page.model.text_of(row, column) for row in page.model.rows}


def test_runs_of_both_kinds_are_named_and_warned_of(qtbot, window: MainWindow, mixed: Path, rested) -> None:
    window.workspace.open(mixed, 2)
    page = window.show_page("compare")
    rested(page)
    assert page.caches.isVisible() and "do not compare" in page.caches.text()
    assert cells(page, "Strategy") == {1: "metaschedule", 2: "pruner", 3: "moa-pruner, cold caches"}
    assert "3 moa-pruner, cold caches" in {series.name for series in page.plot.series}
    assert cells(page, "Time to goal")[COLD] == "–" and cells(page, "Speed-up")[COLD] == "–"
    row = next(at for at, found in enumerate(page.model.rows) if found["run_id"] == COLD)
    page.table.setCurrentIndex(page.model.index(row, 0))
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Space)  # its curve is hidden
    rested(page)
    assert not page.caches.isVisible()
    overview = window.show_page("overview")
    rested(overview)
    assert not any("cold" in series.name for series in overview.curve.series)


def test_the_goal_is_of_a_run_with_such_caches_as_the_chosen_one(window: MainWindow, mixed: Path, rested) -> None:
    window.workspace.open(mixed, COLD)
    page = window.show_page("compare")
    rested(page)
    assert "run 3 (moa-pruner, cold caches)" in page.goal.text(), "the stock search was measured with warm ones"
    assert cells(page, "Time to goal")[COLD] != "–" and {cells(page, "Time to goal")[run] for run in (1, 2)} == {"–"}
    told = CliRunner().invoke(cli, ["compare", str(mixed), "--run", str(COLD)]).output
    assert "moa-pruner, cold caches" in told and "do not compare" in told


def test_runs_of_one_kind_are_not_warned_of(window: MainWindow, finished_project: Path, rested) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("compare")
    rested(page)
    assert not page.caches.isVisible()
    told = CliRunner().invoke(cli, ["compare", str(finished_project)]).output
    assert "Goal:" in told and "cold" not in told
