"""Names and messages shown as they are, where Qt takes signs in a text for markup."""

from __future__ import annotations

import html

from PySide6.QtGui import Qt


def literal(name: str) -> str:
    """A name for a button or a menu: an ampersand would underline the letter behind it, and be its key."""
    return name.replace("&", "&&")


def plain_tip(text: str) -> str:
    """A text for a tool tip: Qt reads one that looks like HTML, as the name of a file may, as such."""
    return f"<p>{html.escape(text)}</p>".replace("\n", "<br>") if Qt.mightBeRichText(text) else text
