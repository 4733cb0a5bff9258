"""What narrows a page, and the way out of it."""

from __future__ import annotations

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import paint_icon
from pruner_studio.widgets.elided import ElidedButton
from pruner_studio.workspace import Workspace


class NarrowedBy(ElidedButton):
    """Names the filter of the tasks while there is one; a press takes it away."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
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
        again = tr("Show all tasks again")  # a line of its own: lupdate looks into no f-string
        self.setToolTip(f"{self.text()}\n{again}")
        self.setAccessibleName(tr("Show all tasks, not only those with {words}").format(words=words))
