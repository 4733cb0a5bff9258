"""The window's own dialog of files, where the desktop has none."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QTreeView, QWidget

from pruner_studio.main_window import MainWindow
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


def test_a_model_is_asked_for_where_the_last_one_was_chosen(qtbot, window: MainWindow, tmp_path: Path) -> None:
    """Also at the next start, and wherever other files were chosen since."""
    (models := tmp_path / "models").mkdir()
    (models / "a.txt").write_text("no model")
    card = window.start_page().model_card

    def asked() -> QFileDialog:
        card.ask_for_model()
        return next(made for made in card.findChildren(QFileDialog) if made.isVisible())

    dialog = asked()
    dialog.setNameFilter("All files (*)")
    dialog.selectFile(str(models / "a.txt"))
    dialog.accept()
    qtbot.waitUntil(lambda: not card.findChildren(QFileDialog))
    ask_for_file(card, "Choose a plugin", str(tmp_path), print, "Python files (*.py)")
    card.findChild(QFileDialog).reject()
    qtbot.waitUntil(lambda: not card.findChildren(QFileDialog))
    dialog = asked()
    assert dialog.directory().absolutePath() == str(models)
    dialog.reject()
