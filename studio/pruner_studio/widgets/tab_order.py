"""Corrects the order of the Tab key: Qt puts parts that are made later last, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def lead_to(part: QWidget, others: Iterable[QWidget]) -> None:
    """Let the Tab key come to these, in their order, before it comes to a part."""
    for other in others:
        before = part.previousInFocusChain()
        while (
            before is not None and before.focusPolicy() == Qt.FocusPolicy.NoFocus
        ):  # Qt puts nothing behind such a one
            before = before.previousInFocusChain()
        if before is not None:
            QWidget.setTabOrder(before, other)


def follow(part: QWidget, others: Iterable[QWidget]) -> None:
    """Let the Tab key come to these, in their order, after it has come to a part."""
    for other in others:
        QWidget.setTabOrder(part, other)
        part = other


def stops_in(whole: QWidget) -> list[QWidget]:
    """Where the Tab key comes to in it, in the order in which they were made; lists that pop up are no part of it."""
    # not by walking Qt's chain: it leads through parts of Qt's own all over the window, whose wrappers outlive them
    return [
        part
        for part in whole.findChildren(QWidget)
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and part.focusProxy() is None
        and part.window() is whole.window()
    ]
