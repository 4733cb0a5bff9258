"""The window that explains symbols, penalties, scores and figures; it stays open beside the work."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from pruner_studio.help import GROUPS, Term, terms
from pruner_studio.translation import tr


class HelpWindow(QDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("What the figures mean"))
        self.resize(640, 680)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Search names, meanings and formulas"))
        self.filter.setAccessibleName(tr("Search the explanations"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._fill)
        self.text = QTextBrowser()
        self.text.setAccessibleName(tr("Explanations"))
        column.addWidget(self.filter)
        column.addWidget(self.text, 1)
        QShortcut(QKeySequence.StandardKey.Find, self, self.filter.setFocus)
        self._fill("")

    def _fill(self, wanted: str) -> None:
        words = wanted.lower().split()
        parts = []
        for group, title in GROUPS.items():
            own = [term for term in terms().values() if term.name.startswith(f"{group}.") and _matches(term, words)]
            if own:
                parts.append(f"## {title}\n\n" + "\n\n".join(map(_told, own)))
        self.text.setMarkdown("\n\n".join(parts) or tr("Nothing is called so."))


def _matches(term: Term, words: list[str]) -> bool:
    searched = f"{term.title} {term.text} {term.formula} {term.name}".lower()
    return all(word in searched for word in words)


def _told(term: Term) -> str:
    formula = f"  \n`{term.formula}`" if term.formula else ""
    return f"**{term.title}**  \n{term.text}{formula}  \n*{term.source}*"
