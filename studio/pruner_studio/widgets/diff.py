"""Two schedules side by side, both named, with what differs marked."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from pruner_engine.inspect.diff import DiffRow
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.code import CodeView


class DiffView(QWidget):
    """The reference at the left, the shown candidate at the right; both scroll together."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        self.told = label("", "muted", wrap=True)
        column.addWidget(self.told)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.sides: list[tuple[QLabel, CodeView]] = []
        for name in (tr("Reference"), tr("Shown candidate")):
            side = QVBoxLayout()
            head, view = label(name, "heading", wrap=True), CodeView(name)
            side.addWidget(head)
            side.addWidget(view, 1)
            row.addLayout(side, 1)
            self.sides.append((head, view))
        column.addLayout(row, 1)
        (_, left), (_, right) = self.sides
        for source, target in ((left, right), (right, left)):
            source.verticalScrollBar().valueChanged.connect(target.verticalScrollBar().setValue)

    def tell(self, text: str) -> None:
        self.told.setText(text)
        for _, view in self.sides:
            view.show_text("", "")

    def show_diff(self, form: str, names: tuple[str, str], rows: list[DiffRow], decisions: list[str] | None) -> None:
        """Show two texts that are lined up.

        Args:
            form: of both, for the highlighting.
            decisions: sentences about decisions that differ; None where the two are of different sketches.
        """
        changed = [at for at, row in enumerate(rows) if row.kind != "equal"]
        shown = (row.left for row in rows), (row.right for row in rows)
        for (head, view), name, lines in zip(self.sides, names, shown, strict=True):
            head.setText(name[:1].upper() + name[1:])
            view.show_text(form, "\n".join(lines))
            view.link(changed, scroll=False)
        differ = tr("{changed} of {all} lines differ.").format(changed=len(changed), all=len(rows))
        sketches = tr("The two are of different sketches.")
        changes = tr("Decisions that differ: {changes}.").format(changes="; ".join(decisions or ()) or "–")
        self.told.setText(f"{differ} {sketches if decisions is None else changes}")
