"""An export for another device is told as what it is: timed on boards, or by nobody."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from project_factory import make_project
from PySide6.QtWidgets import QApplication, QLabel

from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.export_result import ExportResult

WHY_NOT = "Kernels for aarch64 cannot run on this x86_64 processor."


def changed(folder: Path, **more: Any) -> str:
    """A project whose exports are others."""
    path = str(make_project(folder / "p.pruner"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for number, text in db.execute("SELECT id, summary FROM exports").fetchall():
            summary = {**json.loads(text), **more}
            db.execute("UPDATE exports SET summary = ? WHERE id = ?", (json.dumps(summary), number))
    return path


def told(widget: Any) -> str:
    return "\n".join(made.text() for made in widget.findChildren(QLabel))


def shown(window: MainWindow, path: str) -> ExportResult:
    window.workspace.open(path)
    page = window.show_page("export")
    page.refresh()
    return page.result


def test_what_nothing_here_runs_has_neither_figures_nor_a_verdict(window: MainWindow, tmp_path: Path) -> None:
    functions = [{"name": "f", "task": "t", "state": "applied", "calls": 2, "seconds": None, "share": None}]
    coverage = {
        "functions": functions,
        "summary": {"applied": {"functions": 1, "share": None}, "fallback": {"functions": 0, "share": 0.0}},
        "estimated": True,
    }
    place = {"where": "nowhere", "device": "", "why_not": WHY_NOT}
    result = shown(window, changed(tmp_path, latency={}, checks=[], coverage=coverage, place=place, on_device=False))
    assert result.latency_bars.isHidden() and result.latency_note.text() == f"Not measured. {WHY_NOT}"
    assert result.check_state.text() == "not checked" and "compare its outputs on the device" in told(result.check)
    assert result.run_line.text() == "python run.py --bench" and "on the device" in result.run_where.text()
    note = result.coverage_note.text()
    assert "1 applied, 0 fallback (0 % of the time)." in note and "was not profiled" in note
    assert window.show_page("overview") is not None, "which tells no measured latency"


def test_cards_side_by_side_have_their_headings_on_one_line(window: MainWindow, tmp_path: Path) -> None:
    window.resize(1400, 900)
    result = shown(window, changed(tmp_path))
    QApplication.processEvents()
    heads = [card.heading for card in result.findChildren(Card) if card.isVisible() and card.y() == result.check.y()]
    assert len(heads) == 3
    assert len({head.mapTo(result, head.rect().center()).y() for head in heads}) == 1


def test_the_figures_of_a_board_are_told_as_such(window: MainWindow, tmp_path: Path) -> None:
    place = {"where": "boards", "device": "boards of arm", "why_not": ""}
    result = shown(window, changed(tmp_path, place=place))
    assert "Measured on boards of arm." in result.latency_note.text() and result.latency_bars.bars
    assert result.run_line.text() == "python run.py --bench"


@pytest.mark.parametrize("place", [{}, {"place": {"where": "here", "device": "This CPU", "why_not": ""}}])
def test_what_ran_here_runs_here(place: dict[str, Any], window: MainWindow, tmp_path: Path) -> None:
    result = shown(window, changed(tmp_path, **place))
    assert result.run_line.text().endswith("/run.py --bench") and result.run_where.text() == "Run and time it:"
    assert "Measured on" not in result.latency_note.text() and "profiled" not in result.coverage_note.text()
