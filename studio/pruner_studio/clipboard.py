"""The clipboard: texts and pictures that are copied, and told in the status bar."""

from __future__ import annotations

from PySide6.QtGui import QClipboard, QGuiApplication, QPixmap

from pruner_studio.announcing import remarks
from pruner_studio.translation import tr
from pruner_studio.widgets.elided import BLANK, BREAK, JOIN


def copy(text: str) -> None:
    """Put a text on the clipboard; its first line is told."""
    QGuiApplication.clipboard().setText(text)
    first, _, more = text.strip().partition("\n")
    remarks.made.emit(tr("Copied: {line}").format(line=f"{first} …" if more else first))


def copy_picture(picture: QPixmap, name: str) -> None:
    """Put a picture on the clipboard, told by its name."""
    QGuiApplication.clipboard().setPixmap(picture)
    remarks.made.emit(tr("Copied: {line}").format(line=name))


def take_out_breaks(mode: QClipboard.Mode) -> None:
    """Remove the zero-width marks, where words may break or may not, from a text that was copied from a label."""
    clipboard = QGuiApplication.clipboard()
    own = clipboard.ownsSelection() if mode == QClipboard.Mode.Selection else clipboard.ownsClipboard()
    if own and (BREAK in (text := clipboard.text(mode)) or JOIN in text):
        clipboard.setText(text.replace(BLANK, " ").replace(BREAK, "").replace(JOIN, ""), mode)
