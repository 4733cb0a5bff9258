"""Finds the terms that explain a widget, by the tool tips that hold their explanations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from pruner_studio.help import Term, terms


@runtime_checkable
class Explains(Protocol):
    """A widget that shows several figures: its tips are those of its parts."""

    def tips(self) -> Iterable[str]:
        """Of all its parts."""

    def tips_in_focus(self) -> Iterable[str]:
        """Of the part that the keyboard is at."""


def terms_at(widget: QWidget | None, page: QWidget) -> list[Term]:
    """What explains a widget on a page; what is inside something that has an explanation shares it."""
    while widget is not None and widget is not page:
        tips = widget.tips_in_focus() if isinstance(widget, Explains) else (widget.toolTip(),)
        if found := _found(tips):
            return found
        widget = widget.parentWidget()
    return []


def terms_on(page: QWidget) -> list[Term]:
    """What explains all that is in sight on a page."""
    tips: list[str] = []
    for widget in (page, *page.findChildren(QWidget)):
        if widget.isVisibleTo(page):
            tips += widget.tips() if isinstance(widget, Explains) else (widget.toolTip(),)
    return _found(tips)


def _found(tips: Iterable[str]) -> list[Term]:
    told = dict.fromkeys(filter(None, tips))
    return list(dict.fromkeys(term for tip in told for term in terms().values() if term.tip in tip))
