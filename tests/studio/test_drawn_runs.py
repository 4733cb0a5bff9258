"""Which runs are drawn is chosen by clicks and keys in the table of Compare, and a run keeps its colour meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from painted import cell
from pointer import double_click
from project_factory import make_project
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible

from databases import connected
from pruner_studio.main_window import MainWindow
from pruner_studio.workspace import Workspace


@pytest.fixture
def compare(window: MainWindow, tmp_path: Path, rested):
    """Nine runs, the first one shown."""
    window.workspace.open(make_project(tmp_path / "many.pruner", runs=9, rounds=1), 1)
    page = window.show_page("compare")
    rested(page)
    return page


def colors(plot) -> dict[int, str]:
    """Of the runs that are drawn, by number."""
    return {int(series.name.split()[0]): series.color for series in plot.series}


def box_of(table, run_id: int) -> QPoint:
    """Where the box of a run is, scrolled to."""
    table.scrollTo(table.table.index(table.table.row_of(run_id), 0))
    box = cell(table, run_id, 0)
    return QPoint(box.left() + 15, box.center().y())


def tick(qtbot, page, *run_ids: int) -> None:
    for run_id in run_ids:
        qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=box_of(page.table, run_id))


def test_runs_are_ticked_by_the_mouse_and_keep_their_colours(
    qtbot, window: MainWindow, compare, rested, tmp_path: Path
) -> None:
    before = colors(compare.plot)
    assert set(before) == {1, 4, 5, 6, 7, 8, 9}
    tick(qtbot, compare, 5, 2)
    now = colors(compare.plot)
    assert set(now) == {1, 2, 4, 6, 7, 8, 9}
    assert all(now[run_id] == before[run_id] for run_id in now.keys() & before.keys())
    assert now[2] == before[5], "the only colour that is free"
    told = {row["id"]: compare.model.columns[0].tone(row) for row in compare.model.rows}
    assert {run_id: color for run_id, color in told.items() if color} == now

    overview = window.show_page("overview")
    rested(overview)
    assert colors(overview.curve) == now and "7 of 9 runs drawn" in window._drawn.text()
    with connected(window.workspace.path) as db:
        db.execute("UPDATE progress SET latency_s = latency_s / 2 WHERE run_id = 9")
    window.show_page("compare")
    rested(compare)
    assert colors(compare.plot) == now

    tick(qtbot, compare, 1)  # the run shown is a run of many here, and what the Overview is about
    assert set(colors(compare.plot)) == set(now) - {1} and "6 of 9 runs drawn" in window._drawn.text()
    rested(window.show_page("overview"))
    assert colors(overview.curve) == now

    window.workspace.open(make_project(tmp_path / "other.pruner", runs=9, rounds=1), 1)
    window.show_page("compare")
    rested(compare)
    assert colors(compare.plot) == before


def test_space_hides_a_run_and_draws_it_again(qtbot, compare) -> None:
    before = colors(compare.plot)
    compare.table.setFocus()
    qtbot.keyClick(compare.table, Qt.Key.Key_Down)
    (row,) = {index.row() for index in compare.table.selectionModel().selectedRows()}
    run_id = compare.model.rows[row]["id"]
    assert run_id not in before
    qtbot.keyClick(compare.table, Qt.Key.Key_Space)
    assert set(colors(compare.plot)) == {*before, run_id} and compare.table.chosen_id == run_id
    cell_told = QAccessible.queryAccessibleInterface(compare.table).childAt(*_center(compare.table, run_id))
    assert cell_told.state().checkable and cell_told.state().checked
    qtbot.keyClick(compare.table, Qt.Key.Key_Space)
    assert colors(compare.plot) == before


def _center(table, run_id: int) -> tuple[int, int]:
    place = table.viewport().mapToGlobal(cell(table, run_id, 0).center())
    return place.x(), place.y()


def test_two_of_many_have_colours_of_their_own(qtbot, compare) -> None:
    tick(qtbot, compare, 4, 5, 6, 7, 8)
    tick(qtbot, compare, 2, 3)
    drawn = colors(compare.plot)
    assert set(drawn) == {1, 2, 3, 9} and len(set(drawn.values())) == 4
    tick(qtbot, compare, 1, 2, 3, 9)
    assert compare.plot.series == [] and compare.plot.levels == []


def test_a_row_is_opened_by_its_number_and_not_by_its_box(qtbot, window: MainWindow, compare) -> None:
    before = colors(compare.plot)
    view, box = compare.table.viewport(), box_of(compare.table, 3)
    number = QPoint(cell(compare.table, 3, 0).right() - 10, box.y())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=number)
    assert colors(compare.plot) == before and compare.table.chosen_id == 3
    double_click(view, box)
    assert window.workspace.run_id == 1 and window.current_page == "compare"
    assert set(colors(compare.plot)) == {*before, 3}
    double_click(view, number)
    assert window.workspace.run_id == 3 and window.current_page == "overview"


def test_curves_go_over_what_was_chosen_last_on_either_page(qtbot, window: MainWindow, compare, rested) -> None:
    overview = window.show_page("overview")
    rested(overview)
    assert overview.curve.axis.current == compare.plot.axis.current == "trials"
    qtbot.mouseClick(overview.curve.axis.part("elapsed_s"), Qt.MouseButton.LeftButton)
    rested(window.show_page("compare"))
    assert compare.plot.axis.current == "elapsed_s"
    assert compare.plot.series[-1].x.tolist() == overview.curve.series[-1].x.tolist()
    assert Workspace(window).curves_over == "elapsed_s", "a window that is opened next draws them so from the start"
    qtbot.mouseClick(compare.plot.axis.part("trials"), Qt.MouseButton.LeftButton)
    rested(window.show_page("overview"))
    assert overview.curve.axis.current == "trials"
    assert compare.plot.series[-1].x.tolist() == overview.curve.series[-1].x.tolist()
