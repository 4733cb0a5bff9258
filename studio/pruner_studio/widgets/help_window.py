"""The window that explains symbols, penalties, scores and figures; it stays open beside the work."""

from __future__ import annotations

from html import escape

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
                parts.append(f"<h3>{escape(title)}</h3>" + "".join(map(_told, own)))
        family = escape(self.font().family())  # the style sheet gives text areas a fixed width
        told = "".join(parts) or escape(tr("Nothing is called so."))
        self.text.setHtml(f'<div style="font-family: {family}">{told}</div>')


def _matches(term: Term, words: list[str]) -> bool:
    searched = f"{term.title} {term.text} {term.formula} {term.name}".lower()
    return all(word in searched for word in words)


def _told(term: Term) -> str:
    lines = [f"<b>{escape(term.title)}</b>", escape(term.text)]
    if term.formula:
        lines.append(f"= <code>{escape(term.formula)}</code>")
    lines.append(f"<i>{escape(term.source)}</i>")
    return f"<p>{'<br>'.join(lines)}</p>"
