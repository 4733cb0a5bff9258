"""The window that explains symbols, penalties, scores and figures; it stays open beside the work."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from pruner_studio.help import GROUPS, Term, terms
from pruner_studio.translation import tr
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.side_window import SideWindow


class HelpWindow(SideWindow):
    """Explains what the keyboard was at, what the page shows, or everything: whichever is chosen on top."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("What the figures mean"), parent)
        self.resize(640, 680)
        self._of: dict[str, Sequence[Term]] = {"here": (), "page": (), "all": list(terms().values())}
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        self.scope = Segments(
            tr("Explained is"), (("here", tr("Where you were")), ("page", tr("This page")), ("all", tr("Everything")))
        )
        self.scope.chosen.connect(lambda _: self._fill())
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Search names, meanings and formulas"))
        self.filter.setAccessibleName(tr("Search the explanations"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textEdited.connect(self._search)
        self.text = QTextBrowser()
        self.text.setAccessibleName(tr("Explanations"))
        self.text.setTabChangesFocus(True)
        column.addWidget(self.scope)
        column.addWidget(self.filter)
        column.addWidget(self.text, 1)
        QShortcut(QKeySequence.StandardKey.Find, self, self.filter.setFocus)
        self.explain((), ())

    def explain(self, here: Sequence[Term], page: Sequence[Term]) -> None:
        """Show the nearest that there is: of where the keyboard was, else of the page, else everything."""
        self._of |= {"here": here, "page": page}
        for key, found in self._of.items():
            self.scope.part(key).setEnabled(bool(found))
        self.scope.choose(next(key for key, found in self._of.items() if found))
        self.filter.clear()
        self._fill()
        self.text.setFocus()

    def _search(self) -> None:
        """Who searches does so among all."""
        self.scope.choose("all")
        self._fill()

    def _fill(self) -> None:
        words = self.filter.text().lower().split()
        shown = [term for term in self._of[self.scope.current] if _matches(term, words)]
        parts = []
        for group, title in GROUPS.items():
            own = [term for term in shown if term.name.startswith(f"{group}.")]
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
