"""The window's own dialog of files, where the desktop has none."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QTreeView, QWidget

from pruner_studio.widgets.file_dialog import ask_for_file


def test_all_columns_of_files_are_read_whole(qtbot, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "small-cnn.onnx").write_bytes(b"x" * 123_456)
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    ask_for_file(parent, "Open", str(tmp_path), print, "Models (*.onnx)")
    (dialog,) = parent.findChildren(QFileDialog)
    listed = dialog.findChild(QTreeView)
    model = listed.model()
    qtbot.waitUntil(lambda: model.rowCount(listed.rootIndex()) == 2)
    header = listed.header()
    qtbot.waitUntil(lambda: header.length() == listed.viewport().width())
    for column in range(model.columnCount()):
        heading = model.headerData(column, Qt.Orientation.Horizontal)
        assert header.fontMetrics().horizontalAdvance(heading) < header.sectionSize(column)
        for row in range(2):
            text = model.index(row, column, listed.rootIndex()).data() or ""
            assert listed.fontMetrics().horizontalAdvance(text) < listed.columnWidth(column)
    dialog.reject()
