"""Name, version and licence of the product."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from pruner_engine import __version__
from pruner_studio.theme import theme
from pruner_studio.translation import tr


def show_about(window: QWidget) -> None:
    """Open a box beside which the window goes on."""
    box = QMessageBox(window)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(tr("About Pruner Studio"))
    box.setIconPixmap(theme.pixmap("pruner-studio", size=48))
    box.setText(tr("Pruner Studio {version}").format(version=__version__))
    box.setInformativeText(
        tr("Tunes neural networks with Apache TVM by draft, then verify (Pruner, ASPLOS 2025). Apache License 2.0.")
    )
    box.open()
