"""Names and messages shown as they are, where Qt takes signs in a text for markup or for orders."""

from __future__ import annotations

import html
import re

from PySide6.QtGui import Qt

# Signs without a picture, and those that turn the text behind them round: a project or a model may come from anybody
_ORDERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BREAKS = re.compile("[\t\n\r\u2028\u2029]+")


def legible(text: str) -> str:
    """A text whose signs do nothing to what stands beside it."""
    return text if text.isprintable() else _ORDERS.sub("\ufffd", text)


def one_line(name: str) -> str:
    """The same of a name that has one line for itself."""
    return name if name.isprintable() else _BREAKS.sub(" ", legible(name))


def literal(name: str) -> str:
    """A name for a button or a menu: an ampersand would underline the letter behind it, and be its key."""
    return one_line(name).replace("&", "&&")


def plain_tip(text: str) -> str:
    """A text for a tool tip or a message box: Qt reads one that looks like HTML, as a file's name may, as such."""
    text = legible(text)
    return f"<p>{html.escape(text)}</p>".replace("\n", "<br>") if Qt.mightBeRichText(text) else text
