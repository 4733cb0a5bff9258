"""On the smallest usual screen every text is there in full, and an empty page leads on."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget

from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.widgets.basic import EmptyState


def cut(root: QWidget) -> list[str]:
    """Texts that are wider than their widget; lines that a tool tip tells in full may be."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.toolTip():
            continue
        if isinstance(widget, QAbstractButton) and widget.text():
            room = widget.width() - (widget.iconSize().width() if not widget.icon().isNull() else 0)
            if widget.fontMetrics().horizontalAdvance(widget.text().replace("&", "")) > room:
                found.append(widget.text())
        plain = isinstance(widget, QLabel) and widget.textFormat() == Qt.TextFormat.PlainText
        if (
            plain
            and not widget.wordWrap()
            and not widget.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
        ):
            widest = max(widget.fontMetrics().horizontalAdvance(line) for line in widget.text().split("\n"))
            if widest > widget.contentsRect().width() + 1:
                found.append(widget.text())
    return found


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_no_text_is_cut_on_a_small_screen(window: MainWindow, rested, finished_project: Path, key: str) -> None:
    window.resize(1280, 800)
    window.workspace.open(finished_project, 3)
    page = window.show_page(key)
    panes = getattr(page, "panes", ())
    rested(page)
    assert cut(window) == []
    for _, pane in panes:
        page.tabs.setCurrentWidget(pane)
        rested(page)
        assert cut(pane) == []


@pytest.mark.parametrize("key", ["overview", "tasks", "schedule", "draft", "adaptation", "compare"])
def test_an_empty_page_leads_to_where_it_begins(qtbot, window: MainWindow, key: str) -> None:
    page = window.show_page(key)
    (empty,) = [found for found in page.findChildren(EmptyState) if found.isVisible()]
    (go,) = empty.findChildren(QPushButton)
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert window.current_page == "start"


def test_nothing_is_offered_that_would_do_nothing(window: MainWindow) -> None:
    assert not window.show_page("start").copy.isEnabled()
    tasks = window.show_page("tasks")
    tasks.refresh()
    assert not tasks.open_button.isEnabled()
