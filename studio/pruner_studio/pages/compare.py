"""Compare: runs of the project on one plot, and when each reached a given quality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from pruner_engine import units
from pruner_engine.caches import caches_of
from pruner_engine.errors import UserError
from pruner_engine.jobs import lines
from pruner_engine.store.figures.comparison import Comparison, compare
from pruner_engine.store.reader import ProjectReader
from pruner_studio.help import tip_of
from pruner_studio.literal import plain_tip
from pruner_studio.models.drawn_runs import SHOWN
from pruner_studio.models.rows import Column
from pruner_studio.models.runs import short_name, strategy_of, told_state
from pruner_studio.models.ticked_rows import TickedRows
from pruner_studio.models.words import gain_tone
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label, paint_icon
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.elided import Choice, ElidedButton
from pruner_studio.widgets.file_dialog import ask_for_file
from pruner_studio.widgets.run_curves import RunCurves
from pruner_studio.widgets.ticked_table import TickedTable


def _name(place: tuple[str, int]) -> str:
    """A run's number, and the project where it is another one."""
    of, run_id = place
    return f"{of}:{run_id}" if of else str(run_id)


COLUMNS = (
    Column(
        tr("Run"),
        lambda row: (row["of"], row["run_id"]),
        _name,
        tr("A run that is ticked is drawn, in the colour of its number: click on the box, or press Space."),
        right=True,
        tone=lambda row: row["color"],
    ),
    Column(tr("Strategy"), strategy_of),
    Column(tr("Seed"), lambda row: row["seed"], right=True, spare=1),
    Column(tr("State"), told_state, spare=1),
    Column(tr("Latency"), lambda row: row["latency_s"], units.latency, tip_of("figure.latency"), right=True),
    Column(
        tr("Gain"),
        lambda row: row["gain"],
        units.ratio,
        tip_of("figure.gain"),
        right=True,
        tone=lambda row: gain_tone(row["gain"]),
    ),
    Column(
        tr("Trials to goal"),
        lambda row: row["goal_trials"],
        units.count,
        tip_of("figure.trials_to_goal"),
        right=True,
    ),
    Column(
        tr("Time to goal"),
        lambda row: row["goal_s"],
        units.duration,
        tip_of("figure.time_to_goal"),
        right=True,
    ),
    Column(
        tr("Speed-up"),
        lambda row: row["goal_gain"],
        units.ratio,
        tip_of("figure.speed_up"),
        right=True,
        spare=1,
        tone=lambda row: gain_tone(row["goal_gain"]),
    ),
    Column(tr("Trials"), lambda row: row["trials"], units.count, tip_of("figure.trials"), right=True, spare=2),
    Column(tr("Failed"), lambda row: row["failed"], units.count, tip_of("figure.failed"), right=True, spare=2),
    Column(tr("Worked"), lambda row: row["elapsed_s"], units.duration, tip_of("figure.worked"), right=True, spare=2),
)


class ComparePage(Page):
    """Curves and a table of all runs that compare with the shown one, those of added projects too."""

    title = tr("Compare")
    subtitle = tr(
        "Runs of this model on one plot, and when each was as good as the stock search, or as a run of your choice."
    )

    def build(self) -> Iterator[None]:
        self._goal_of: str | None = None
        self._chosen: tuple[ProjectReader, int] | None = None  # the run that the table was told to mark
        self.workspace.opened.connect(self._forget_goal)
        self._add_choice_of_projects()
        self.pages, column = self.add_column(
            self.nothing(
                "compare",
                tr("Nothing to compare yet"),
                tr("Tune a model or open a project: its runs and those of other projects are laid over each other."),
            )
        )
        curves = Card(tr("Estimated end-to-end latency"))
        column.addWidget(curves, 3)
        self._fill_curves(curves)
        yield
        self.caches = label(
            tr("Latencies that were measured with other caches do not compare: look at curves of one kind only."),
            "warn",
            wrap=True,
        )
        curves.body.addWidget(self.caches)
        runs = Card(tr("Time to quality"), " ")
        column.addWidget(runs, 2)
        self._fill_runs(runs)

    def _add_choice_of_projects(self) -> None:
        """Buttons that lay the runs of another project over these, or leave them out again."""
        self.only_own = ElidedButton()
        self.only_own.setProperty("role", "chip")
        paint_icon(self.only_own, "cross", "accent", 13)
        self.only_own.clicked.connect(lambda _=False: self.workspace.leave_beside())
        self.header.addWidget(self.only_own)
        self._show_beside()
        self.add_button = button(
            tr("Add runs…"), self.ask_for_runs, icon="compare", tip=tr("Lay the runs of another project over these")
        )
        self.header.addWidget(self.add_button)

    def _fill_curves(self, card: Card) -> None:
        self.whole_runs = card.note
        self.plot = RunCurves(tr("Runs compared"))
        self.plot.axis.chosen.connect(self.draw_over)
        card.head.addWidget(self.plot.axis)
        card.body.addWidget(self.plot, 1)

    def _fill_runs(self, card: Card) -> None:
        self.goal = card.note
        self.goal_of = Choice()
        self.goal_of.setAccessibleName(tr("Run that sets the goal"))
        self.goal_of.setMinimumContentsLength(22)
        self.goal_of.activated.connect(lambda _: self._goal_chosen())
        card.head.addWidget(self.goal_of)
        self.model = TickedRows(COLUMNS, lambda row: bool(row["color"]), self)
        self.model.pressed.connect(self._ticked)
        self.table = TickedTable(
            tr("Runs"),
            self.model,
            self._open,
            sort_by=(0, Qt.SortOrder.AscendingOrder),
            stretch=1,
            hint=tr("Tune this model again, or add the runs of another project."),
        )
        card.body.addWidget(self.table)

    def steps(self) -> Iterator[None]:
        reader, chosen = self.workspace.reader, self.workspace.run()
        self._show_beside()
        self.add_button.setVisible(chosen is not None)
        if reader is None or chosen is None:
            self.pages.setCurrentIndex(0)
            return
        self.pages.setCurrentIndex(1)
        found = self._compared(reader, chosen)
        self._fill_goals(found)
        drawn = self._drawn(found)
        self.caches.setVisible(len({caches_of(run) for run, _ in drawn}) > 1)
        self.whole_runs.setText(tr("of all tasks, whatever the filter") if self.workspace.filter else "")
        self.plot.choose_axis(self.workspace.curves_over)
        self.plot.show_runs(
            drawn, len(found.runs), lambda run: found.progress[run["name"]], reader.baselines(chosen["id"])
        )
        yield
        self._show_goal(found)
        self._show_runs(found, {run["name"]: color for run, color in drawn})
        if self._chosen != (reader, chosen["id"]):  # the reader's own choice stays otherwise
            self._chosen = (reader, chosen["id"])
            self.table.choose(chosen["id"])

    def _compared(self, reader: ProjectReader, chosen: dict[str, Any]) -> Comparison:
        """The comparison with the chosen goal; with the usual one where that is a run of another model."""
        others = self.workspace.beside.readers
        try:
            return compare(reader, chosen, self._goal_of, others)
        except UserError:
            self._goal_of = None
            return compare(reader, chosen, others=others)

    def _show_goal(self, found: Comparison) -> None:
        if len(found.runs) == 1:
            self.goal.setText(tr("There is no other run yet: tune this model again, or add runs of another project."))
            self.goal.show()
            return
        self.goal.setVisible(found.goal_s is not None)  # until then no run has a latency
        ended = tr("Goal: {latency}, where run {run} ({strategy}) ended.")
        told = tr("Goal: {latency}, where run {run} ({strategy}) is so far.") if found.base["alive"] else ended
        goal = told.format(
            latency=units.latency(found.goal_s), run=found.base["name"], strategy=strategy_of(found.base)
        )
        self.goal.setText(" ".join((goal, tr("Enter opens one, Space draws or hides it."))))

    def _show_runs(self, found: Comparison, colors: dict[str, str]) -> None:
        """The rows of the table; those of other projects are known by their names, which hold the project's."""
        self.model.show_rows(
            [
                {
                    **run,
                    "id": run["name"] if run["of"] else run["id"],
                    "run_id": run["id"],
                    "color": colors.get(run["name"], ""),
                }
                for run in found.runs
            ]
        )

    def command_line(self) -> str:
        if not self.workspace.path:
            return ""
        others = [str(reader.path) for reader in self.workspace.beside.readers]
        return lines.compare_line(self.workspace.path, self.workspace.run_id, self._goal_of, others)

    def ask_for_runs(self) -> None:
        """Ask for another project whose runs are laid over these."""
        place = str(Path(self.workspace.path).parent)
        title, kinds = tr("Runs of another project"), tr("Projects (*.pruner)")
        ask_for_file(self, title, place, self.workspace.add_beside, kinds)

    def _show_beside(self) -> None:
        """Name the projects whose runs are here too; a press takes them away."""
        paths = [reader.path for reader in self.workspace.beside.readers]
        self.only_own.setVisible(bool(paths))
        self.only_own.setText(tr("With {projects}").format(projects=", ".join(path.stem for path in paths)))
        again = tr("Show only the runs of this project again")
        self.only_own.setToolTip(plain_tip("\n".join([*map(str, paths), again])))
        self.only_own.setAccessibleName(again)

    def left_out(self) -> Iterable[str]:
        return (self.plot.thinned, self.plot.left_out)

    def _fill_goals(self, found: Comparison) -> None:
        """Offer the runs that may set the goal; one alone has nothing to reach."""
        runs = ((short_name(run), run["name"]) for run in found.runs)
        stock = found.usual["strategy"] == "metaschedule"
        usual = tr("Goal of the stock search") if stock else tr("Goal of the shown run")
        self.goal_of.offer([(usual, None), *runs], self._goal_of)
        self.goal_of.setVisible(len(found.runs) > 1 and any(run["latency_s"] for run in found.runs))

    def _forget_goal(self) -> None:
        """A run of another project may have the same number."""
        self._goal_of = None

    def _goal_chosen(self) -> None:
        self._goal_of = self.goal_of.currentData()
        self.refresh()
        self.line_changed.emit()

    def _drawn(self, found: Comparison) -> list[tuple[dict[str, Any], str]]:
        """The runs that are drawn with their colours, the one shown last."""
        shown = next(run for run in found.runs if not run["of"] and run["id"] == self.workspace.run_id)
        others = self.workspace.drawn.others(found.runs, shown)
        return others if self.workspace.drawn.hides(shown) else [*others, (shown, SHOWN)]

    def _ticked(self, row_id: int | str, drawn: bool) -> None:
        self.workspace.draw_run(str(row_id), drawn)
        self.refresh()

    def _open(self, row: dict[str, Any]) -> None:
        if row["of"]:
            self.workspace.open(row["project"], row["run_id"])
            return
        self.workspace.choose_run(row["run_id"])
        self.go_to.emit("overview")
