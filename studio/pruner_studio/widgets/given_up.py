"""Which columns of a table give way where there is no room for all, and the button that tells of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QTableView, QToolButton

from pruner_studio.literal import plain_tip
from pruner_studio.models.rows import Column
from pruner_studio.translation import tr

ROOM = 32  # pixels right of the headings that it takes to tell of those that have gone


def give_way(
    columns: Sequence[Column], room: int, roomy: Mapping[int, int], least: Mapping[int, int], kept: Container[int]
) -> frozenset[int]:
    """The columns that have to go until the others fit: what can be spared first, of equals the last.

    Those that can be spared go before names are cut short, others only before names are cut to a few letters.

    Args:
        room: pixels that there are.
        roomy: pixels that each column likes to have; what is left out does not count.
        least: pixels without which each is of no use.
        kept: columns that stay in any room.
    """
    gone: list[int] = []
    order = sorted((at for at in least if at not in kept), key=lambda at: (columns[at].spare, at), reverse=True)
    for widths, going in ((roomy, [at for at in order if columns[at].spare]), (least, order)):
        for at in going:
            if sum(widths.values()) - sum(widths[at] for at in gone) <= room - (ROOM if gone else 0):
                break
            if at not in gone:
                gone.append(at)
    return frozenset(gone)


class MoreColumns(QToolButton):
    """How many columns have given way, at the right end of the headings; a press opens the menu of all columns."""

    def __init__(self, view: QTableView, fill: Callable[[QMenu], None]) -> None:
        super().__init__(view)
        self._view, self._fill = view, fill
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("role", "more-columns")
        self.clicked.connect(self._open)
        view.horizontalHeader().installEventFilter(self)
        self.tell(())

    def tell(self, names: Sequence[str]) -> None:
        """Name the columns that have given way; there is nothing to tell of where none has."""
        self.setText(f"+{len(names)}")
        told = tr("Columns without room: {columns}").format(columns=", ".join(names))
        self.setAccessibleName(told)
        self.setToolTip(plain_tip(told))
        self.setVisible(bool(names))

    def eventFilter(self, header: QObject, event: QEvent) -> bool:
        """Stay right of the headings, wherever they go."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            box = self._view.horizontalHeader().geometry()
            self.setGeometry(box.right() + 1 - ROOM, box.y(), ROOM, box.height())
        return super().eventFilter(header, event)

    def _open(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill(menu)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))
