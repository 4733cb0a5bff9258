"""Letters are as large as the desktop's, and what holds them is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication
from test_cut_texts import cut

from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.theme import theme


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
def test_a_schedule_fits_a_small_window(window: MainWindow, rested, finished_project: Path) -> None:
    window.resize(1024, 700)
    window.workspace.open(finished_project, 3)
    page = window.show_page("schedule")
    rested(page)
    for _, pane in page.panes:
        page.tabs.setCurrentWidget(pane)
        rested(page)
        assert window.pages.currentWidget().horizontalScrollBar().maximum() == 0
