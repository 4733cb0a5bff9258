"""Code with a field in which words to find in it are typed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pruner_studio.widgets.code import CodeView
from pruner_studio.widgets.search import SearchField


class SearchableCode(QWidget):
    """A CodeView with a search field above it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        self.view = CodeView(name)
        self.search = SearchField(name, lambda text, back: self.view.find_next(text, back=back), self.view.marked)
        column.addWidget(self.search, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.view, 1)
