"""Dialogs that ask for a path beside the window, which goes on, and hand over what was chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFileDialog, QHeaderView, QTreeView, QWidget

from pruner_studio.theme import theme

Take = Callable[[str], object]

_SIZE = QSize(920, 560)
_BORDER = QSize(16, 48)  # that a window manager may add


def ask_for_file(parent: QWidget, title: str, place: str, take: Take, kinds: str) -> None:
    """Ask for a file that is there."""
    dialog = _dialog(parent, title, place, take)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilter(kinds)
    dialog.open()


def ask_for_folder(parent: QWidget, title: str, place: str, take: Take) -> None:
    """Ask for a folder."""
    dialog = _dialog(parent, title, place, take)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.open()


def ask_where_to_write(
    parent: QWidget,
    title: str,
    place: str,
    take: Take,
    kinds: str = "",
    *,
    suffix: str,
    goes_on: bool = False,
) -> None:
    """Ask for a file to write.

    Args:
        suffix: of a file that is named without one.
        goes_on: a file that is there is gone on with: its choice is no question.
    """
    dialog = _dialog(parent, title, place, take)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilter(kinds)
    dialog.setDefaultSuffix(suffix)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, goes_on)
    dialog.open()


def _dialog(parent: QWidget, title: str, place: str, take: Take) -> QFileDialog:
    made = QFileDialog(parent, title, place)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    made.fileSelected.connect(take)
    # Where the desktop has none of its own: long names and the dates beside them are read whole
    room = parent.screen().availableGeometry().size() - _BORDER
    made.resize(QSize(theme.pixels(_SIZE.width()), theme.pixels(_SIZE.height())).boundedTo(room))
    if (listed := made.findChild(QTreeView)) is not None:
        header = listed.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)  # names, which are cut where they have to be
    return made
