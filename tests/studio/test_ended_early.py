"""A run that ended before it had anything to show says so, and what its failures were comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtWidgets import QPushButton

from databases import connected
from pruner_studio.main_window import MainWindow


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """Stopped while the model was prepared: not even its tasks are known."""
    made = make_project(tmp_path / "stopped.pruner", runs=1, rounds=0, state="stopped")
    with connected(made) as db:
        for table in ("sketches", "tasks"):
            db.execute(f"DELETE FROM {table}")
    return made


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    """Not one candidate compiled, nor did the untuned kernels."""
    made = make_project(tmp_path / "failed.pruner", runs=1, rounds=2, state="failed")
    with connected(made) as db:
        db.execute("UPDATE measurements SET stage = 'build', error = 'timeout', seconds = NULL")
        db.execute("UPDATE tasks SET untuned_s = NULL")
        db.execute("DELETE FROM progress")
    return made


@pytest.mark.parametrize("key", ["tasks", "schedule", "draft"])
def test_a_run_without_rounds_leads_to_where_it_goes_on(window: MainWindow, rested, stopped: Path, key: str) -> None:
    window.workspace.open(stopped)
    page = window.show_page(key)
    rested(page)
    assert "This run ended before its first round." in page.empty._text.text()
    assert "Resume" in page.empty._text.text() and window.run_bar.resume_button.isVisible()
    assert not any(made.isVisible() for made in page.empty.findChildren(QPushButton)), "Start would make another run"
    window.workspace.leave()
    rested(window.show_page(key))
    assert [made.text() for made in page.empty.findChildren(QPushButton) if made.isVisible()] == ["Go to Start"]


@pytest.mark.parametrize("key", ["overview", "compare"])
def test_a_curve_that_will_not_come_is_not_announced(
    window: MainWindow, rested, stopped: Path, failed: Path, key: str
) -> None:
    for project, told in ((stopped, "ended before its first round"), (failed, "No candidate could be measured")):
        window.workspace.open(project)
        page = window.show_page(key)
        rested(page)
        plot = page.curve if key == "overview" else page.plot
        assert plot._nothing.isVisible() and told in plot._nothing.text()


def test_failures_come_first_where_nothing_else_came_of_a_run(
    window: MainWindow, rested, failed: Path, finished_project: Path
) -> None:
    page = window.show_page("overview")
    for project, first in ((failed, True), (finished_project, False), (failed, True)):
        window.workspace.open(project)
        rested(page)
        assert (page.failures.y() < page.time_card.y()) is first


def test_nothing_is_counted_among_candidates_that_all_failed(window: MainWindow, rested, failed: Path) -> None:
    window.workspace.open(failed)
    page = window.show_page("draft")
    window.workspace.select(1)
    rested(page)
    assert page.scatter._nothing.isVisible() and page.scatter._nothing.text() == "No candidate was valid."
    remarks = {name: tile.accessibleDescription() for name, tile in page.tiles.items()}
    assert remarks["place", "draft_score"] == "– no candidate was valid"
    card = window.show_page("schedule").candidate_card
    rested(window.show_page("schedule"))
    assert card.heading.text() == "Untuned kernel" and not card.note.isVisible()
