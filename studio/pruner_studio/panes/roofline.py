"""Where the candidates of a task stand under the roofline of their device."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.candidates import told_of_best
from pruner_studio.widgets.roofline import Kernels, Roofline
from pruner_studio.workspace import Workspace

_SHOWN = 500  # candidates, the fastest


class RooflinePane(Pane):
    """A click on a point chooses that candidate: `picked` tells its id."""

    picked = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.left_out = ""  # says so where not every candidate is drawn
        self.told = label("", "muted", wrap=True, name=tr("Place under the roofline"))
        self.column.addWidget(self.told)
        self.plot = Roofline(tr("Roofline of the candidates"))
        self.plot.picked.connect(self.picked.emit)
        self.column.addWidget(self.plot, 1)

    def words(self) -> list[str]:
        """The share of the roof that each task reaches stands in the table of tasks."""
        return [] if self.subject is None else lines.tasks_words(self.subject.project, self.subject.run_id)

    def show_news(self, subject: Subject) -> None:
        self.show_subject(subject)

    def show_subject(self, subject: Subject) -> None:
        tasks = self.reader.tasks(subject.run_id)
        task = next(row for row in tasks if row["id"] == subject.task_id)
        profile = self.reader.profile(subject.run_id)
        rows = self.reader.best_candidates(subject.run_id, subject.task_id, limit=_SHOWN, kept=subject.candidate_id)
        timed = [row for row in rows if row["stage"] == "ok" and not row["censored"] and row["seconds"]]
        self.left_out = told_of_best(len(timed), task["valid"]) if len(rows) >= _SHOWN else ""
        others = [row for row in tasks if row is not task and row["intensity"] is not None and row["best_s"]]
        groups = [
            Kernels(
                tr("best of other tasks"),
                [row["intensity"] for row in others],
                [row["flops"] / row["best_s"] for row in others],
                [row["best_candidate_id"] for row in others],
                [tr("best of {task}").format(task=row["name"]) for row in others],
                "faint",
            )
        ]
        if task["intensity"] is not None:
            groups.append(
                Kernels(
                    tr("this task"),
                    [task["intensity"]] * len(timed),
                    [task["flops"] / row["seconds"] for row in timed],
                    [row["id"] for row in timed],
                    [tr("Candidate {number}").format(number=row["id"]) for row in timed],
                )
            )
        self.plot.show_kernels(profile, groups, subject.candidate_id)
        shown = next((row for row in timed if row["id"] == subject.candidate_id), None)
        self.told.setText(sentence(task, shown["seconds"] if shown else None))


def sentence(task: dict[str, Any], seconds: float | None) -> str:
    """What the device allows at this intensity, and what is reached of it.

    Args:
        seconds: of one call of the shown candidate; None where it was not timed.
    """
    if task["roof"] is None:
        return tr("The device has no profile, or the kernel counts no floating-point operations.")
    limit = tr("its peak")
    if task["bound"] != "peak":
        limit = tr("the bandwidth of {level}, which its arguments come from").format(level=task["bound"])
    allowed = tr("At {intensity} FLOP a byte the device allows {rate}: {limit}.").format(
        intensity=units.significant(task["intensity"]), rate=units.rate(task["roof"], "FLOP"), limit=limit
    )
    if seconds is None:
        return allowed
    rate = task["flops"] / seconds
    reached = tr("This candidate reaches {rate}, {share} of it.")
    return f"{allowed} {reached.format(rate=units.rate(rate, 'FLOP'), share=units.percent(rate / task['roof']))}"
