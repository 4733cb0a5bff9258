"""Letters are as large as the desktop's, and what holds them is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea, QToolButton
from test_cut_texts import cut, plots_by_page

from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.theme import theme
from pruner_studio.widgets.preferences import Preferences
from pruner_studio.widgets.shortcuts import Shortcuts


@pytest.fixture(params=[21])
def pixels(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(autouse=True)
def large(qapp: QApplication, pixels: int) -> Iterator[float]:
    """How many times as large as usual they are."""
    usual = qapp.font()
    large = qapp.font()
    large.setPixelSize(pixels)
    qapp.setFont(large)
    theme.start(qapp)
    yield pixels / 13
    qapp.setFont(usual)
    theme.start(qapp)


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_no_text_is_cut(window: MainWindow, rested, answered, finished_project: Path, large: float, key: str) -> None:
    window.resize(1500, 900)
    window.workspace.open(finished_project, 3)
    page = window.show_page(key)
    rested(page)
    assert QFontInfo(page.title_label.font()).pixelSize() == round(20 * large)
    assert cut(window) == []
    for _, pane in getattr(page, "panes", ()):
        page.tabs.setCurrentWidget(pane)
        answered(window)
        rested(page)
        assert cut(pane) == []


def test_rows_hold_their_letters(window: MainWindow, rested, finished_project: Path) -> None:
    window.workspace.open(finished_project, 3)
    page = window.show_page("tasks")
    rested(page)
    assert page.table.rowHeight(0) > 1.5 * page.table.fontMetrics().height()
    for button in window.sidebar._buttons.values():
        assert button.width() >= button.sizeHint().width()


@pytest.mark.parametrize("pixels", [20], indirect=True)
def test_the_side_bar_tells_names_whole_or_shows_pictures(window: MainWindow, rested, finished_project: Path) -> None:
    window.workspace.open(finished_project, 3)
    page = window.show_page("schedule")
    widths = {}
    for width in (1500, 1200, 900, 1200):
        window.resize(width, 900)
        rested(page)
        bar, pictures = window.sidebar, Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in bar.findChildren(QToolButton):
            assert button.width() >= button.sizeHint().width() and button.toolTip()
            assert (button.toolButtonStyle() == pictures) is (width == 900)
        assert any(part.isVisible() for part in bar.findChildren(QLabel) if part.text()) is (width > 900)
        widths[width] = bar.width()
    assert widths[900] < widths[1200] / 2 and widths[1200] == widths[1500]


@pytest.mark.parametrize("pixels", [20], indirect=True)
@pytest.mark.parametrize("size", [(900, 600), (1024, 700)])
def test_a_schedule_fits_a_small_window(
    window: MainWindow, rested, finished_project: Path, size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.workspace.open(finished_project, 3)
    page = window.show_page("schedule")
    rested(page)
    for _, pane in page.panes:
        page.tabs.setCurrentWidget(pane)
        rested(page)
        assert window.pages.currentWidget().horizontalScrollBar().maximum() == 0
    for button in window.sidebar._buttons.values():
        assert button.width() >= button.sizeHint().width()


def test_what_a_field_takes_is_told_in_full(window: MainWindow, rested, finished_project: Path) -> None:
    window.resize(1500, 900)
    window.workspace.open(finished_project, 3)
    for key, *_ in PAGES:
        page = window.show_page(key)
        rested(page)
        for field in page.findChildren(QLineEdit):
            told = field.fontMetrics().horizontalAdvance(field.placeholderText())
            assert told < field.width() or not field.isVisible(), (key, field.placeholderText())


@pytest.mark.parametrize("pixels", [26], indirect=True)
def test_a_list_of_keys_is_no_larger_than_the_screen(window: MainWindow) -> None:
    window.show_shortcuts()
    shown, room = window.findChild(Shortcuts), window.screen().availableGeometry()
    assert shown.width() < room.width() and shown.height() < room.height()
    area = shown.findChild(QScrollArea)
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() > 0, "the rest is scrolled to"


def test_a_legend_of_two_lines_pushes_no_axis_out_of_sight(window: MainWindow, rested, finished_project: Path) -> None:
    window.resize(1270, 690)
    window.workspace.open(finished_project, 3)
    page = window.show_page("tasks")
    rested(page)
    plot = page.roofline
    assert plot.legend.height() > 1.8 * plot.legend.fontMetrics().height()
    assert plot.rect().contains(plot._view.geometry()) and plot.parentWidget().rect().contains(plot.geometry())


@pytest.mark.parametrize("pixels", [20], indirect=True)
@pytest.mark.parametrize("size", [(900, 600), (1100, 700)])
def test_the_names_of_axes_are_whole(window: MainWindow, rested, finished_project: Path, size: tuple[int, int]) -> None:
    window.resize(*size)
    window.workspace.open(finished_project, 3)
    for _, plots in plots_by_page(window, rested):
        axes = [plot._view.getAxis(side) for plot in plots for side in ("left", "bottom")]
        told = [axis for axis in axes if axis.isVisible() and axis.labelText]
        assert told and [axis.label.toPlainText().split() for axis in told] == [axis.labelText.split() for axis in told]


@pytest.mark.parametrize("pixels", [20], indirect=True)
@pytest.mark.parametrize("size", [(900, 600), (1100, 700)])
def test_neither_a_table_nor_a_title_takes_a_plot_its_axis(
    window: MainWindow, rested, finished_project: Path, size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.workspace.open(finished_project, 3)
    for key, plots in plots_by_page(window, rested):
        for plot in plots:
            assert plot.rect().contains(plot._view.geometry()), key


@pytest.mark.parametrize("pixels", [20], indirect=True)
def test_the_preferences_are_as_high_as_their_lines_need(qtbot, window: MainWindow, tmp_path: Path) -> None:
    shown = Preferences(window)
    qtbot.addWidget(shown)
    with qtbot.waitExposed(shown):
        shown.show()
    QApplication.processEvents()
    assert cut(shown) == []
    shown.projects.line.setText(str(tmp_path / "file" / "below"))
    (tmp_path / "file").touch()
    shown._keep_folder()
    QApplication.processEvents()
    assert shown.refusal.isVisible() and cut(shown) == []
