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


@pytest.fixture(autouse=True)
def large(qapp: QApplication) -> Iterator[float]:
    """How many times as large as usual they are."""
    usual = qapp.font()
    large = qapp.font()
    large.setPixelSize(21)
    qapp.setFont(large)
    theme.start(qapp)
    yield 21 / 13
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
