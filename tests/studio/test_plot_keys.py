"""Plots by keys: along curves and between them, chosen, zoomed; and a zoom that outlasts new points."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pointer import double_click, point_of
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pruner_engine import units
from pruner_studio.main_window import MainWindow
from pruner_studio.models.runs import step_points
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Series

X = np.array([3.0, 1.0, 2.0])


@pytest.fixture
def plot(qtbot) -> Plot:
    made = Plot("Times", Scale("trials", units.count), Scale("latency", units.latency))
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show_data(curves(X))
    with qtbot.waitExposed(made):
        made.show()
    made._view.setFocus()
    return made


def curves(x: np.ndarray) -> list[Series]:
    first = Series("first", x, x * 1e-3, points=True, ids=[int(10 * one) for one in x])
    return [first, Series("empty", x[:0], x[:0]), Series("second", x[:2], x[:2] * 2e-3)]


def press(plot: Plot, *keys: Qt.Key) -> str:
    """What is told of the point after these keys."""
    for key in keys:
        QTest.keyClick(plot._view, key)
    assert plot._view.accessibleDescription() == plot._hovered.text()
    return plot._hovered.text()


def visible(plot: Plot) -> list[float]:
    return plot._view.getPlotItem().getViewBox().viewRange()[0]


def test_arrows_go_from_left_to_right_and_to_the_next_curve(plot: Plot) -> None:
    key = Qt.Key
    assert press(plot, key.Key_Right) == "first  1 · 1.00 ms"
    assert press(plot, key.Key_Right) == "first  2 · 2.00 ms"
    assert press(plot, key.Key_End) == "first  3 · 3.00 ms"
    assert press(plot, key.Key_Right) == "first  3 · 3.00 ms", "there is nothing beyond the end"
    assert press(plot, key.Key_Down) == "second  3 · 6.00 ms"
    assert press(plot, key.Key_Left) == "second  1 · 2.00 ms"
    assert press(plot, key.Key_Up, key.Key_Home) == "first  1 · 1.00 ms"


def test_enter_chooses_where_the_keys_are(qtbot, plot: Plot) -> None:
    picked: list[int] = []
    plot.picked.connect(picked.append)
    press(plot, Qt.Key.Key_Return)
    assert picked == [], "the keys are nowhere yet"
    press(plot, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return)
    press(plot, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert picked == [20], "the second curve has nothing to choose"


def test_keys_zoom_and_what_they_go_to_comes_into_sight(plot: Plot) -> None:
    whole = visible(plot)
    press(plot, Qt.Key.Key_Home, *[Qt.Key.Key_Plus] * 5)
    low, high = visible(plot)
    assert high - low < (whole[1] - whole[0]) / 2 and low < 1.0 < high < 3.0
    press(plot, Qt.Key.Key_End)
    assert visible(plot)[0] < 3.0 < visible(plot)[1]
    press(plot, Qt.Key.Key_0)
    plot._view.getPlotItem().getViewBox().updateAutoRange()
    assert visible(plot) == pytest.approx(whole, abs=0.05)


def test_a_double_click_beside_all_points_shows_all_of_them(plot: Plot) -> None:
    opened: list[int] = []
    plot.opened.connect(opened.append)
    whole = visible(plot)
    press(plot, Qt.Key.Key_Plus)
    closer, view = visible(plot), plot._view.viewport()
    double_click(view, point_of(plot, plot.series[0], 2))
    assert opened == [20] and visible(plot) == closer, "what is opened there is left as it is"
    double_click(view, (point_of(plot, plot.series[0], 0) + point_of(plot, plot.series[2], 1)) / 2)
    plot._view.getPlotItem().getViewBox().updateAutoRange()
    assert opened == [20] and visible(plot) == pytest.approx(whole, abs=0.05)


def test_new_points_leave_the_zoom_and_another_subject_ends_it(plot: Plot) -> None:
    press(plot, Qt.Key.Key_Home, Qt.Key.Key_Plus, Qt.Key.Key_Plus)
    zoomed = visible(plot)
    plot.show_data(curves(np.append(X, 9.0)))
    assert visible(plot) == pytest.approx(zoomed)
    assert press(plot, Qt.Key.Key_End) == "first  9 · 9.00 ms"
    plot.show_data(curves(np.array([100.0, 200.0])))
    assert visible(plot)[0] < 100 and visible(plot)[1] > 200
    assert press(plot, Qt.Key.Key_Right) == "first  100 · 100 ms", "from the start again"


def test_a_curve_that_only_goes_on_leaves_the_zoom(plot: Plot) -> None:
    """The last point of a curve of steps moves with the run until the next improvement."""
    rows = [{"trials": at, "latency_s": 9e-3 if at < 4 else 5e-3} for at in range(1, 9)]

    def show(until: int) -> None:
        plot.show_data([Series("best", *step_points(rows[:until], "trials"), steps=True)])

    show(6)
    press(plot, Qt.Key.Key_Home, Qt.Key.Key_Plus, Qt.Key.Key_Plus)
    zoomed = visible(plot)
    for until in (7, 8):
        show(until)
        assert visible(plot) == pytest.approx(zoomed)
    assert plot.series[0].x[-1] == 8


def test_a_candidate_is_chosen_by_keys(qtbot, window: MainWindow, rested, finished_project: Path) -> None:
    window.workspace.open(finished_project, 3)
    page = window.show_page("draft")
    rested(page)
    page.scatter._view.setFocus()
    press(page.scatter, Qt.Key.Key_Right)
    spot = page.scatter._pointing.spot
    assert spot is not None and spot.id is not None
    row = window.workspace.reader.candidate(spot.id)
    task = window.workspace.reader.task(row["task_id"])["name"]
    assert page.scatter._hovered.text().startswith(f"candidate {spot.id} of {task}  ")
    press(page.scatter, Qt.Key.Key_Space)
    assert window.workspace.candidate_id == spot.id and window.current_page == "draft"
    press(page.scatter, Qt.Key.Key_Return)
    assert window.workspace.candidate_id == spot.id and window.current_page == "schedule"


def test_saved_points_tell_their_units(plot: Plot, tmp_path: Path) -> None:
    plot.figure.save(str(tmp_path / "times.csv"))
    assert (tmp_path / "times.csv").read_text().splitlines()[0] == 'series,trials,"latency, s",id'
