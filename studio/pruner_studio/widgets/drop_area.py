"""Takes a dropped model or project file."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from pruner_studio.dropping import files_in, take_as_copy
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label, restyle

KINDS = tr("ONNX (.onnx), torch.export (.pt2), TensorFlow Lite (.tflite), TVMScript (.py), or a project (.pruner)")


class DropArea(QFrame):
    """Tells `on_files` the paths that were dropped; its button calls `on_choose`."""

    def __init__(self, on_files: Callable[[list[str]], object], on_choose: Callable[[], object]) -> None:
        super().__init__()
        self._on_files = on_files
        self.setProperty("role", "drop")
        self.setAcceptDrops(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 18, 16, 18)
        column.setSpacing(6)
        self.name = label(tr("Drop a model here"), "heading", cut=True)
        self.about = label(KINDS, "faint", wrap=True)
        row = QHBoxLayout()
        self.choose = button(tr("Choose a file…"), on_choose, icon="folder")
        row.addStretch(1)
        row.addWidget(self.choose)
        row.addStretch(1)
        for part in (self.name, self.about):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part)
        column.addLayout(row)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if files_in(event.mimeData()):
            restyle(self, over=True)
            take_as_copy(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        restyle(self, over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        restyle(self, over=False)
        if files := files_in(event.mimeData()):
            take_as_copy(event)
            self._on_files(files)
