"""The clipboard: texts and pictures that are copied, and a signal that tells of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QPixmap

from pruner_studio.widgets.elided import BLANK, BREAK, JOIN


class _Copies(QObject):
    """Tells of what is copied.

    Signals:
        made: a text was put on the clipboard.
    """

    made = Signal(str)


copies = _Copies()


def copy(text: str) -> None:
    """Put a text on the clipboard; `copies` tells."""
    QGuiApplication.clipboard().setText(text)
    copies.made.emit(text)


def copy_picture(picture: QPixmap, name: str) -> None:
    """Put a picture on the clipboard, told by its name."""
    QGuiApplication.clipboard().setPixmap(picture)
    copies.made.emit(name)


def take_out_breaks(mode: QClipboard.Mode) -> None:
    """Remove the zero-width marks, where words may break or may not, from a text that was copied from a label."""
    clipboard = QGuiApplication.clipboard()
    own = clipboard.ownsSelection() if mode == QClipboard.Mode.Selection else clipboard.ownsClipboard()
    if own and (BREAK in (text := clipboard.text(mode)) or JOIN in text):
        clipboard.setText(text.replace(BLANK, " ").replace(BREAK, "").replace(JOIN, ""), mode)
