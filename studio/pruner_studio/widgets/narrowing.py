"""What narrows a page, and the way out of it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import paint_icon
from pruner_studio.workspace import Workspace


class NarrowedBy(QPushButton):
    """Names the filter of the tasks while there is one; a press takes it away."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.setToolTip(tr("Show all tasks again"))
        self.setProperty("role", "chip")
        paint_icon(self, "cross", "accent", 13)
        self.clicked.connect(lambda _=False: workspace.narrow(""))
        for signal in (workspace.selected, workspace.opened):
            signal.connect(self._show)
        self._show()

    def _show(self) -> None:
        words = self._workspace.filter
        self.setVisible(bool(words))
        self.setText(tr("Only tasks with “{words}”").format(words=words))
        self.setAccessibleName(tr("Show all tasks, not only those with {words}").format(words=words))
