"""Overview: how fast the model is now, against what, and how the run got there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.store.figures.comparison import comparable
from pruner_engine.store.queries.lookups import measurement
from pruner_engine.store.queries.results import is_disturbed
from pruner_engine.store.reader import Row
from pruner_studio.help import tip_of
from pruner_studio.models.drawn_runs import SHOWN
from pruner_studio.models.narrowing import narrowed
from pruner_studio.models.runs import BASELINES, budget_text, state_name
from pruner_studio.models.words import PHASES, gain_tone
from pruner_studio.pages.page import Page
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.cards import Card, StatTile
from pruner_studio.widgets.drawn import Bar, Bars
from pruner_studio.widgets.failures import FailureCard
from pruner_studio.widgets.figure import SaveButton
from pruner_studio.widgets.messages import MessageCard
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.noise import NoiseCard
from pruner_studio.widgets.rooms import Columns, Tiles
from pruner_studio.widgets.run_curves import RunCurves

_SIDE_BY_SIDE = 760  # pixels from which on the curve stands beside what else there is to tell


class OverviewPage(Page):
    """The latency of the shown run over time, its figures, and where its time goes."""

    title = tr("Overview")
    subtitle = tr("How fast the model is now, against what, and how the run got there.")

    def build(self) -> Iterator[None]:
        self.export_button = button(tr("Export…"), lambda: self.go_to.emit("export"), icon="export")
        self.header.addWidget(self.export_button)
        empty = self.nothing(
            "overview",
            tr("No run to show"),
            tr("Tune a model on the Start page, or open a project: its progress is shown here, live and afterwards."),
        )
        self.pages, column = self.add_column(empty)
        self._add_tiles(column)
        yield
        parts = Columns(_SIDE_BY_SIDE)
        column.addWidget(parts, 1)
        curve = Card(tr("Estimated end-to-end latency"))
        parts.row.addWidget(curve, 3)
        self._fill_curve(curve)
        yield
        side = QScrollArea()
        parts.row.addWidget(side, 2)
        self._fill_side(side)

    def _add_tiles(self, column: QVBoxLayout) -> None:
        names = {
            "latency": tr("Estimated latency"),
            "exported": tr("Measured latency"),
            **{name: text for name, (text, _) in BASELINES.items()},
            "trials": tr("Trials"),
            "worked": tr("Worked"),
            "left": tr("Time left"),
        }
        self.tiles = {key: StatTile(name) for key, name in names.items()}
        for key, tile in self.tiles.items():
            tile.setToolTip(tip_of(f"figure.{key}"))
        self.tile_row = Tiles(self.tiles.values())
        column.addWidget(self.tile_row)

    def _fill_curve(self, card: Card) -> None:
        self.whole_run = card.note
        self.curve = RunCurves(tr("Latency over the run"))
        self.curve.axis.chosen.connect(self.draw_over)
        card.head.addWidget(self.curve.axis)
        card.body.addWidget(self.curve, 1)

    def _fill_side(self, scroll: QScrollArea) -> None:
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Facts of the run"))
        scroll.setMinimumSize(300, 220)
        inside = QWidget()
        inside.setObjectName("pageBody")
        scroll.setWidget(inside)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        self.time_card = Card(tr("Where the time went"))
        self.time_bars = Bars(tr("Share of time per stage"), "seconds")
        self.time_card.head.addWidget(SaveButton(self.time_bars.figure))
        self.time_card.body.addWidget(self.time_bars)
        column.addWidget(self.time_card)
        self._side = column
        self.failures = FailureCard()
        for narrowed_card in (self.time_card, self.failures):  # the other figures are of the whole run
            narrowed_card.body.insertWidget(0, NarrowedBy(self.workspace), 0, Qt.AlignmentFlag.AlignLeft)
        self.failures.opened.connect(self._open_failure)
        column.addWidget(self.failures)
        self.noise = NoiseCard()
        column.addWidget(self.noise)
        self.events = MessageCard()
        column.addWidget(self.events)
        self.facts = Card(tr("This run"))
        self.fact_text = label("", "muted", wrap=True, selectable=True)
        self.facts.body.addWidget(self.fact_text)
        column.addWidget(self.facts)
        column.addStretch(1)
        for card in (self.time_card, self.failures, self.noise, self.events, self.facts):
            card.hide()  # until there is something in it

    # ------------------------------------------------------------ showing

    def steps(self) -> Iterator[None]:
        run, reader = self.workspace.run(), self.workspace.reader
        self.export_button.setVisible(run is not None and run["valid"] > 0)
        if run is None or reader is None:
            self._nothing()
            return
        self.pages.setCurrentIndex(1)
        self.subtitle_label.setText(
            tr("{model} on {device} · {strategy} · seed {seed}").format(
                model=run["model"],
                device=run["device"] or tr("this machine"),
                strategy=run["strategy"],
                seed=run["seed"],
            )
        )
        baselines = {row["name"]: row for row in reader.baselines(run["id"])}
        exported = reader.exported(run["id"])
        self._show_tiles(run, baselines, exported)
        yield
        self._show_curve(run, baselines, exported)
        yield
        trials, kept = run["trials"], None
        if self.workspace.filter.strip():  # the tasks of a long run take a while to read
            tasks = narrowed(reader.tasks(run["id"]), self.workspace.filter)
            trials, kept = sum(row["trials"] for row in tasks), {row["id"] for row in tasks}
        self._show_time(reader.worked(run["id"], kept))
        self._show_failures(reader.failures(run["id"], kept), trials, first=not run["valid"])
        self.noise.show_probes(reader.probes(run["id"]), in_turns=not run["settings"].get("rpc"))
        self.events.show_messages(reader.events(run["id"]))
        self._show_facts(run)

    def _nothing(self) -> None:
        self.pages.setCurrentIndex(0)
        self.subtitle_label.setText(self.subtitle)
        if self.workspace.tuning and self.workspace.job.work.run_id is None:
            told = tr(
                "The model is read, its kernels are found and the libraries are timed. Then the first round begins."
            )
            self.empty.tell(tr("Preparing"), told, act=False)
        else:
            self.empty.tell(tr("No run to show"), self.without_run())

    def _show_tiles(self, run: Row, baselines: dict[str, Row], exported: Row | None) -> None:
        self._show_own(run, exported)
        for name in BASELINES:
            measured = baselines.get(name)
            seconds = measured["seconds"] if measured else None
            remark = said(measured["note"]) if measured and seconds is None else ""
            if seconds:
                disturbed = measured is not None and is_disturbed(measured)
                beside = tr("timed beside other programs") if disturbed else ""
                told = _against(seconds, run, exported), _in_turns(name, seconds, exported), beside
                remark = " · ".join(filter(None, told)) or remark
            elif name == "untuned":  # a sum over kernels is held against the other one
                seconds, remark = run["untuned_s"], tr("sum over kernels")
                remark = (_against(seconds, run, None) if seconds else "") or remark
            self.tiles[name].show_value(units.latency(seconds), remark)
        without = {name for name in BASELINES if name != "untuned" and name not in baselines}
        if exported is None:
            without.add("exported")
        self.tile_row.show_only(tile for name, tile in self.tiles.items() if name not in without)
        self.tiles["trials"].show_value(
            units.count(run["trials"]),
            " · ".join(filter(None, (budget_text(run), _failed(run), _untried(run)))),
        )
        self.tiles["worked"].show_value(
            units.duration(run["elapsed_s"]), tr("since {moment}").format(moment=units.moment(run["created"]))
        )
        left, state = run["left_s"] if run["alive"] else None, self.workspace.state_shown(run)
        estimated = tr("the engine's estimate") if left and state != "paused" else ""
        self.tiles["left"].show_value(units.duration(left), estimated or state_name(state))

    def _show_own(self, run: Row, exported: Row | None) -> None:
        """The run's own latency, as it is estimated and, once the model was exported, as it is."""
        gain = tr("{gain} over untuned").format(gain=units.ratio(run["gain"])) if run["gain"] else ""
        ready = run["latency_s"] and not exported and not run["alive"]
        hint = tr("an export measures it") if ready else ""
        remark = " · ".join(filter(None, (gain or tr("sum over kernels"), hint)))
        self.tiles["latency"].show_value(units.latency(run["latency_s"]), remark, good=gain_tone(run["gain"]) == "good")
        if exported is not None:
            when = tr("exported {moment}").format(moment=units.moment(exported["at"]))
            since = tr("before the latest trials") if exported["tuned_since"] else ""
            told = " · ".join(filter(None, (when, since)))
            self.tiles["exported"].show_value(units.latency(exported["seconds"]), told)

    def left_out(self) -> Iterable[str]:
        return (self.curve.thinned, self.curve.left_out)

    def _show_curve(self, run: Row, baselines: dict[str, Row], exported: Row | None) -> None:
        reader = self.workspace.reader
        assert reader is not None
        runs = [row for row in reader.runs() if comparable(row, run)]
        self.whole_run.setText(tr("of all tasks, whatever the filter") if self.workspace.filter else "")
        drawn = [*self.workspace.drawn.others(runs, run), (run, SHOWN)]
        self.curve.choose_axis(self.workspace.curves_over)
        self.curve.show_runs(
            drawn,
            len(runs),
            lambda row: reader.progress(row["id"]),
            baselines.values(),
            exported["seconds"] if exported else None,
        )

    def _show_time(self, times: dict[str, float]) -> None:
        total = sum(times.values())
        self.time_card.setVisible(total > 0)
        if total:
            self.time_bars.show_bars(
                [
                    Bar(
                        PHASES[name.removesuffix("_s")],
                        time,
                        time / total,
                        f"{units.duration(time)}  {units.percent(time / total)}",
                        tip=tip_of(f"figure.{name}"),
                    )
                    for name, time in times.items()
                ]
            )

    def _show_failures(self, failures: list[Row], trials: int, *, first: bool) -> None:
        """Where nothing else came of the run, they are what there is to read first."""
        if first != (self._side.indexOf(self.failures) == 0):
            self._side.removeWidget(self.failures)
            self._side.insertWidget(0 if first else 1, self.failures)
        self.failures.setVisible(bool(failures) or bool(self.workspace.filter))
        self.failures.show_failures(failures, trials)

    def _open_failure(self, measurement_id: int) -> None:
        assert self.workspace.reader is not None
        row = measurement(self.workspace.reader, measurement_id)
        if row is not None:
            self.workspace.select(row["task_id"], row["candidate_id"])
            self.go_to.emit("schedule")

    def _show_facts(self, run: Row) -> None:
        shapes = ", ".join(f"{spec['name']} {units.shape(spec['shape'])} {spec['dtype']}" for spec in run["inputs"])
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        lines = [
            tr("Inputs: {shapes}").format(shapes=shapes),
            tr("Source: {source}").format(source=run["source"]),
            tr("Versions: {versions}").format(versions=versions),
        ]
        if run["reason"]:
            lines.insert(0, tr("Ended: {reason}").format(reason=said(run["reason"])))
        self.fact_text.setText("\n".join(lines))
        self.facts.show()


def _failed(run: Row) -> str:
    return tr("{count} failed").format(count=units.count(run["failed"]))


def _untried(run: Row) -> str:
    """How many of the tasks wait for their first trial; empty where none does."""
    counts = {name: units.count(run[name]) for name in ("untried", "tasks")}
    return tr("{untried} of {tasks} tasks untried").format(**counts) if run["untried"] else ""


def _in_turns(name: str, seconds: float, exported: Row | None) -> str:
    """How a library compared in turns with the tuned model; empty if the latency shown is from those turns."""
    beside = exported["beside"].get(name) if exported else None
    if exported is None or not beside or beside == seconds:
        return ""
    own = exported["seconds"]
    told = tr("{ratio} slower in turns with it") if beside > own else tr("{ratio} faster in turns with it")
    return told.format(ratio=units.ratio(max(beside, own) / min(beside, own)))


def _against(seconds: float, run: Row, exported: Row | None) -> str:
    """How a latency stands to the run's own, the measured one where there is one; empty where it has none yet."""
    own = exported["seconds"] if exported else run["latency_s"]
    if not own:
        return ""
    if units.ratio(max(seconds, own) / min(seconds, own)) == units.ratio(1.0):
        return tr("as fast as measured") if exported else tr("as fast as the estimate")
    if seconds > own:
        told = tr("{ratio} slower than measured") if exported else tr("{ratio} slower than the estimate")
    else:
        told = tr("{ratio} faster than measured") if exported else tr("{ratio} faster than the estimate")
    return told.format(ratio=units.ratio(max(seconds, own) / min(seconds, own)))
