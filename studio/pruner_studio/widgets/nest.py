"""A loop nest as a tree: extents, how each loop runs, where each block computes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from pruner_studio.literal import plain_tip
from pruner_studio.models.stages import Node, stages
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.quiet import Quiet

_NODE = int(Qt.ItemDataRole.UserRole)
_TOUCHED = _NODE + 1
_TITLE = int(Qt.ItemDataRole.DisplayRole)
_KINDS = {
    "serial": "faint",
    "parallel": "series2",
    "vectorized": "series4",
    "unrolled": "series3",
    "thread_binding": "series1",
}


def title(node: Node, stage: str = "") -> str:
    """A node in words: loop, block with the cache that it works on, or branch."""
    if node["type"] == "loop":
        how = node["thread"] or ("" if node["kind"] == "serial" else node["kind"])
        return f"{node['name']}  {_extent(node)}" + (f"  {how}" if how else "")
    if node["type"] == "block":
        return tr("block {name}").format(name=node["name"]) + (f"  {stage}" if stage else "")
    return f"if {node['condition']}"


def _extent(loop: Node) -> str:
    """How often a loop runs; a question mark where only the run knows."""
    return "?" if loop["extent"] is None else str(loop["extent"])


class _Delegate(QStyledItemDelegate):
    def __init__(self, tree: NestTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(option.fontMetrics.horizontalAdvance(index.data(_TITLE)) + 26, theme.pixels(24))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        node, touched = index.data(_NODE), index.data(_TOUCHED)
        box = QRectF(option.rect).adjusted(1, 2, -2, -2)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tone = _KINDS.get(node.get("kind", ""), "faint") if node["type"] == "loop" else "accent"
        pointed = node["id"] in self._tree.pointed
        fill = theme.color(tone, 110 if pointed else 46 if node["type"] == "loop" else 22)
        painter.setPen(theme.color("accent") if touched else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("selection") if chosen and not pointed else fill)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(tone))
        painter.drawRoundedRect(QRectF(box.left(), box.top(), 3, box.height()), 1.5, 1.5)
        painter.setPen(theme.color("text"))
        painter.drawText(box.adjusted(11, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, index.data(_TITLE))
        painter.restore()


class NestTree(QTreeWidget):
    """A nest to choose from and to point at.

    Signals:
        node_chosen: the node that the user chose.
        node_pointed: id of the node under the pointer, or None.
    """

    node_chosen = Signal(object)
    node_pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Loop nest"))
        self.setHeaderHidden(True)
        # As wide as the deepest node: what is too wide for the view is scrolled to
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.setIndentation(14)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setItemDelegate(_Delegate(self))
        self._roots: list[Node] | None = None
        self._items: dict[int, QTreeWidgetItem] = {}
        self._quiet = Quiet()
        self.pointed: frozenset[int] = frozenset()
        self.currentItemChanged.connect(lambda current, _: self._chosen(current))
        self.itemClicked.connect(lambda item, _: self._chosen(item))  # also one that stayed current meanwhile
        self.setMouseTracking(True)
        self.itemEntered.connect(lambda item, _: self.node_pointed.emit(item.data(0, _NODE)["id"]))
        self.viewportEntered.connect(lambda: self.node_pointed.emit(None))

    def show_nest(self, roots: list[Node], touched: Iterable[int] = ()) -> None:
        """Show a tree of nodes and frame those that an instruction worked on."""
        with self._quiet:
            if roots is not self._roots:
                self._roots = roots
                self.clear()
                self._items, self.pointed = {}, frozenset()
                told = stages(roots)
                self.addTopLevelItems([self._item(node, told) for node in roots])
                self.expandAll()
            marked = set(touched)
            for number, item in self._items.items():
                item.setData(0, _TOUCHED, number in marked)
            if marked and (first := self._items.get(min(marked))) is not None:
                self.scrollToItem(first)

    def copied(self) -> str:
        """The chosen node, or all, with what is inside; each level farther right."""
        every = [item for at in range(self.topLevelItemCount()) if (item := self.topLevelItem(at)) is not None]
        return "\n".join(line for item in self.selectedItems() or every for line in _lines(item))

    def point_at(self, numbers: Collection[int]) -> None:
        """Mark nodes, as while the pointer is on what belongs to them elsewhere."""
        if self.pointed != frozenset(numbers):
            self.pointed = frozenset(numbers)
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first node current where none is: nobody chose it."""
        with self._quiet:
            super().focusInEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.node_pointed.emit(None)

    def choose(self, number: int | None) -> None:
        """Select a node without telling anybody."""
        item = self._items.get(-1 if number is None else number)
        with self._quiet:
            self.setCurrentItem(item) if item is not None else self.clearSelection()

    def _item(self, node: Node, told: dict[int, str]) -> QTreeWidgetItem:
        item = QTreeWidgetItem([title(node, told.get(node["id"], ""))])
        item.setData(0, _NODE, node)
        item.setToolTip(0, plain_tip(_about(node)))
        item.addChildren([self._item(child, told) for child in node["children"]])
        self._items[node["id"]] = item
        return item

    def _chosen(self, current: QTreeWidgetItem | None) -> None:
        if current is not None and not self._quiet:
            self.node_chosen.emit(current.data(0, _NODE))


def _lines(item: QTreeWidgetItem, depth: int = 0) -> Iterator[str]:
    yield "  " * depth + item.text(0)
    for child in (item.child(at) for at in range(item.childCount())):
        if child is not None:
            yield from _lines(child, depth + 1)


def _about(node: Node) -> str:
    if node["type"] == "loop":
        notes = [f"{key}: {value}" for key, value in (node.get("annotations") or {}).items()]
        told = tr("{kind} loop {name}, iterations: {extent}")
        return "\n".join([told.format(kind=node["kind"], name=node["name"], extent=_extent(node)), *notes])
    if node["type"] == "block":
        lines = [
            tr("reads {buffers}").format(buffers=", ".join(node["reads"])),
            tr("writes {buffers}").format(buffers=", ".join(node["writes"])),
        ]
        lines += [tr("allocates {name} {dtype} in {scope}").format(**buffer) for buffer in node["allocs"]]
        return "\n".join(lines)
    return str(node["condition"])
