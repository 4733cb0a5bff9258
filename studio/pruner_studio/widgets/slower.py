"""A card that says of an exported model that something beats it, and what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from pruner_engine.store.figures.slower import Slower
from pruner_studio.models.slower import remedy, told_slower
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.pill import Pill


class SlowerCard(Card):
    """Hidden where nothing is faster. Signals: asked: the tasks are to be shown."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Not the fastest"))
        self.head.addWidget(Pill(tr("slower"), "warn"))
        self.text, self.remedy = label("", wrap=True), label("", "muted", wrap=True)
        for part in (self.text, self.remedy):
            self.body.addWidget(part)
        self.body.addWidget(button(tr("Show the tasks"), self.asked.emit, "link"), 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_found(self, found: Slower | None) -> None:
        self.setVisible(found is not None)
        if found is not None:
            self.text.setText(told_slower(found))
            self.remedy.setText(remedy(found))
