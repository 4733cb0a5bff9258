"""The measured profile of a device of this machine: its figures, when they were measured, and measuring it now."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_studio import clipboard
from pruner_studio.said import all_said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, label
from pruner_studio.widgets.device_facts import SOURCES, facts_grid
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.rooms import Columns
from pruner_studio.workspace import Workspace

_FIGURES = (
    "peak_flops", "peak_flops_core", "matrix_flops", "dram_bandwidth", "dram_bandwidth_core", "caches",
    "parallel_overhead_s",
)  # fmt: skip
_TICK_MS = 500


class DeviceProfile(QWidget):
    """Asks the engine what is known of the device when it is first shown, and has it measured at a click.

    Signals:
        told: the answer of the engine.

    Args:
        target: what `--target` calls the device.
    """

    told = Signal(object)

    def __init__(self, workspace: Workspace, target: str) -> None:
        super().__init__()
        self.workspace, self.target = workspace, target
        self.reply: msg.Profiled | None = None
        self._asked = False
        self._began: float | None = None  # while it is measured
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(8)
        parts, head, buttons = Columns(0), QHBoxLayout(), QHBoxLayout()
        for row in (parts.row, head, buttons):
            row.setSpacing(8)
        self.state = Pill()
        self.when = label("", "muted", cut=True)
        self.measure_button = button(tr("Measure now"), self.measure, icon="play")
        head.addWidget(label(tr("Profile"), "heading"))
        head.addWidget(self.state)
        head.addWidget(self.when, 1)
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Copy as command"), lambda: clipboard.copy(self.command_line()), icon="copy"))
        buttons.addWidget(self.measure_button)
        parts.row.addLayout(head, 1)
        parts.row.addLayout(buttons)
        column.addWidget(parts)
        self.progress = QProgressBar()
        self.progress.setAccessibleName(tr("The device is being measured"))
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        column.addWidget(self.progress)
        self.note = label("", "faint", wrap=True, selectable=True)
        column.addWidget(self.note)
        self.figures = QVBoxLayout()
        column.addLayout(self.figures)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._tell_progress)
        workspace.job_changed.connect(self._job_changed)
        self.progress.hide()
        self._enable()

    def command_line(self) -> str:
        return lines.line_of(msg.Profile(target=self.target))

    def measure(self) -> None:
        """Have the device measured now."""
        if self._began is None:
            self._began = time.monotonic()
            self._tick.start()
            self._tell_progress()
            self._enable()
            self._ask(measure=True)

    def _ask(self, *, measure: bool) -> None:
        self.workspace.helpers.ask(msg.Profile(target=self.target, measure=measure), self._answered, self._failed)

    def _answered(self, reply: msg.Profiled) -> None:
        self._end()
        self.reply, profile = reply, reply.profile
        source = profile["source"]
        self.state.show_state(SOURCES.get(source, source), "good" if source == "measured" else "warn")
        self.when.setText(units.moment(reply.measured_at) if reply.measured_at else "")
        disturbed = source == "measured" and not reply.quiet
        self.note.setText(_DISTURBED if disturbed else "" if source == "measured" else _ROUGH)
        clear(self.figures)
        self.figures.addWidget(facts_grid({name: profile[name] for name in _FIGURES}))
        self._enable()
        self.told.emit(reply)

    def _failed(self, failure: msg.Failed) -> None:
        """Told here, beside the button that asks again."""
        self._end()
        self.note.setText(all_said(failure.message, failure.hint))
        self._enable()

    def _end(self) -> None:
        self._began = None
        self._tick.stop()
        self.progress.hide()

    def _tell_progress(self) -> None:
        if self._began is not None:
            self.progress.show()
            passed = units.duration(time.monotonic() - self._began)
            self.note.setText(
                tr("Arithmetic, caches and memory are being measured: {time} so far.").format(time=passed)
            )

    def _enable(self) -> None:
        busy = self.workspace.job.running
        self.measure_button.setEnabled(self._began is None and not busy)
        self.measure_button.setToolTip(_BUSY if busy else _ABOUT)
        self.note.setVisible(bool(self.note.text()))

    def _job_changed(self) -> None:
        if self.workspace.job.running:
            self._asked = False  # a run measures a device that was not measured yet
        elif self.isVisible():
            self._look()
        self._enable()

    def _look(self) -> None:
        if not self._asked:
            self._asked = True
            self._ask(measure=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()


_ABOUT = tr("Some seconds. Later runs reckon with the new figures; those of this project keep theirs.")
_BUSY = tr("A job is running: it and the measurement would make each other slower.")
_ROUGH = tr("Not measured yet: the first run on this device measures it, or do it now.")
_DISTURBED = tr("Other programs worked meanwhile. It is measured again, when they do not, by the next run.")
