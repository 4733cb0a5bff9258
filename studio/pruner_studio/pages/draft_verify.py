"""Draft vs verify: how many candidates each step lets through, and how well its score foretells the measurement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from operator import itemgetter
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store.quality import over_rounds
from pruner_studio.help import tip_of
from pruner_studio.models.narrowing import narrowed
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.scored import CandidateNames, ScoredCandidates, place_of_best, places, rank_of
from pruner_studio.models.words import ORIGINS
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button
from pruner_studio.widgets.cards import Card, StatTile
from pruner_studio.widgets.drawn import Funnel
from pruner_studio.widgets.elided import Choice
from pruner_studio.widgets.figure import SaveButton
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.rooms import Columns, Tiles
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.series import Series
from pruner_studio.widgets.table import Table

_STEPS = (
    (tr("explored"), "explored"),
    (tr("drafted"), "drafted"),
    (tr("verified"), "verified"),
    (tr("measured"), "measured"),
    (tr("valid"), "valid"),
)
_TILES = {
    ("rank", "draft_score"): tr("Rank correlation, draft"),
    ("rank", "verified_score"): tr("Rank correlation, verified"),
    ("place", "draft_score"): tr("Fastest in the draft's order"),
    ("place", "verified_score"): tr("Fastest in the verified order"),
}
_EVERY_RUN = ("measured", "valid")
_SIDE_BY_SIDE = 760  # pixels from which on the funnel stands beside the scatter
NOISY = 0.1  # spread of the probe from which on latencies of a round are not to be trusted to the last per cent
_COLORS = {"draft": "series1", "random": "series3", "evolved": "series5", "user": "series4"}  # by origin
_OTHER_COLOR = "series2"

# What the plot shows: columns across and up
_PLOTTED = {
    "draft_score": ("draft_score", "seconds"),
    "verified_score": ("verified_score", "seconds"),
    "both": ("draft_score", "verified_score"),
}
_Axis = tuple[str, Callable[[float], str]]
_AXES: dict[str, _Axis] = {
    "draft_score": (tr("draft score (higher is better)"), "{:.6g}".format),
    "verified_score": (tr("verified score (higher is better)"), "{:.6g}".format),
    "seconds": (tr("measured latency"), units.latency),
}
_PLACES: dict[str, _Axis] = {
    "draft_score": (tr("place of the draft score in its round (1 is best)"), units.count),
    "verified_score": (tr("place of the verified score in its round (1 is best)"), units.count),
}


def _explored_tip(row: dict[str, Any]) -> str:
    return tr("The draft set of the round before was used again.") if row["reused"] else ""


def _correlation(value: float) -> str:
    return f"{value:+.2f}"


COLUMNS = (
    Column(tr("Round"), lambda row: row["idx"], units.count, right=True),
    Column(tr("Task"), lambda row: row["task"]),
    Column(
        _STEPS[0][0].capitalize(),
        lambda row: row["explored"] or None,
        units.count,
        tip_of("figure.explored"),
        right=True,
        tip=_explored_tip,
    ),
    Column(
        tr("Lowered"),
        lambda row: row["stats"].get("lowered") or None,
        units.count,
        tip_of("figure.lowered"),
        right=True,
    ),
    *(
        Column(name.capitalize(), itemgetter(key), units.count, tip_of(f"figure.{key}"), right=True)
        for name, key in _STEPS[1:]
    ),
    *(
        Column(title, itemgetter(f"{figure}_{score}"), shown, tip_of(f"score.{figure}"), right=True)
        for title, figure, score, shown in (
            (tr("ρ draft"), "rank", "draft_score", _correlation),
            (tr("ρ verified"), "rank", "verified_score", _correlation),
            (tr("Top-5 draft"), "recall", "draft_score", units.percent),
            (tr("Top-5 verified"), "recall", "verified_score", units.percent),
        )
    ),
    Column(tr("Draft"), lambda row: row["draft_s"], units.duration, tip_of("figure.draft_s"), right=True),
    Column(tr("Verify"), lambda row: row["verify_s"], units.duration, tip_of("figure.verify_s"), right=True),
    Column(tr("Build"), lambda row: row["build_s"], units.duration, tip_of("figure.build_s"), right=True),
    Column(tr("Run"), lambda row: row["run_s"], units.duration, tip_of("figure.run_s"), right=True),
    Column(tr("Learn"), lambda row: row["learn_s"], units.duration, tip_of("figure.learn_s"), right=True),
    Column(
        tr("Probe"),
        lambda row: row["stats"].get("probe_s"),
        units.latency,
        tip_of("figure.probe"),
        right=True,
    ),
    Column(
        tr("Noise"),
        lambda row: row["stats"].get("probe_spread"),
        units.percent,
        tip_of("figure.noise"),
        right=True,
        tone=lambda row: "warn" if (row["stats"].get("probe_spread") or 0) > NOISY else "",
    ),
)


class DraftVerifyPage(Page):
    title = tr("Draft vs verify")
    subtitle = tr(
        "A formula drafts from very many candidates, the learned model verifies few, the best of them are measured."
    )

    def build(self) -> Iterator[None]:
        self._round: int | None = None
        self._among: int | None = None  # candidate that was picked among those of several tasks
        self.workspace.opened.connect(self._forget)
        self._scored = ScoredCandidates()
        self.header.addWidget(NarrowedBy(self.workspace))
        self.task = Choice()
        self.task.setAccessibleName(tr("Task shown"))
        self.task.activated.connect(self._task_chosen)
        self.header.addWidget(self.task)
        whole = QWidget()
        self.pages = self.add_stack(
            self.nothing(
                "draft", tr("No round yet"), tr("Each round of the search is shown here once it is measured.")
            ),
            whole,
        )
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        top = Columns(_SIDE_BY_SIDE)
        column.addWidget(top, 3)
        self.funnel_card = Card(tr("Funnel"))
        self.every_round = button(tr("All rounds"), self._all_rounds, "link")
        self.funnel_card.head.addWidget(self.every_round)
        top.row.addWidget(self.funnel_card, 2)
        self.funnel = Funnel()
        self.funnel_card.head.addWidget(SaveButton(self.funnel.figure))
        self.funnel_card.body.addWidget(self.funnel, 1)
        yield
        scatter = Card(tr("Scores"), tr("a double click on a point opens its schedule"))
        top.row.addWidget(scatter, 3)
        self._fill_scatter(scatter)
        yield
        self._add_tiles(column)
        rounds = Card(tr("Rounds"), tr("choose one to see its funnel and candidates alone"))
        column.addWidget(rounds, 2)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(
            tr("Rounds"),
            self.model,
            self._round_chosen,
            sort_by=(0, Qt.SortOrder.DescendingOrder),
            stretch=1,
            hint=tr("No round of these tasks yet: choose all tasks, or boost this one on the Tasks page."),
        )
        rounds.body.addWidget(self.table)

    def _fill_scatter(self, card: Card) -> None:
        self.score = Segments(
            tr("Score"),
            (
                ("draft_score", tr("Draft")),
                ("verified_score", tr("Verified")),
                ("both", tr("Both")),
                ("explored", tr("Explored")),
            ),
        )
        self.score.part("both").setToolTip(tr("The draft's score against the verified one"))
        self.score.part("explored").setToolTip(
            tr("Draft scores of all that a round explored, and of what it drafted from that")
        )
        self.score.chosen.connect(lambda _: self.refresh())
        card.head.addWidget(self.score)
        across, up = (_AXES[name] for name in _PLOTTED[self.score.current])
        self.scatter = Plot(tr("Scores and measurements"), across[0], up[0], across[1], up[1], log_y=True)
        self.scatter.picked.connect(self._picked)
        self.scatter.opened.connect(lambda _: self.go_to.emit("schedule"))
        card.body.addWidget(self.scatter, 1)

    def _add_tiles(self, column: QVBoxLayout) -> None:
        self.tiles = {key: StatTile(text) for key, text in _TILES.items()}
        for (figure, _), tile in self.tiles.items():
            tile.setToolTip(tip_of(f"score.{figure}"))
        column.addWidget(Tiles(self.tiles.values()))

    # ------------------------------------------------------------ showing

    def steps(self) -> Iterator[None]:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        rounds = reader.rounds(run_id) if reader and run_id is not None else []
        self.task.setVisible(bool(rounds))
        if reader is None or run_id is None or not rounds:
            self.pages.setCurrentIndex(0)
            self.task.clear()
            return
        self.pages.setCurrentIndex(1)
        yield
        every = reader.tasks(run_id)
        kept = {row["id"]: row["name"] for row in narrowed(every, self.workspace.filter)}
        tasks = {row["id"]: row["name"] for row in every}
        shown_tasks = self._shown_tasks(tasks, kept)
        if shown_tasks is not None:
            rounds = [row for row in rounds if row["task_id"] in shown_tasks]
        self._fill_tasks(tasks, kept)
        yield
        if not self._scored.update(reader, run_id):
            self.touch()
        yield
        # Rows of this page's own: those of the reader are the same ones at the next refresh, which would look unchanged
        exploring = {row["task_id"] for row in rounds if row["explored"]}
        rows = [
            {
                **row,
                "task": tasks.get(row["task_id"], ""),
                "reused": row["drafted"] and not row["explored"] and row["task_id"] in exploring,
                **self._scored.quality(row["id"]),
            }
            for row in rounds
        ]
        yield
        self.model.show_rows(rows)
        chosen = [row for row in rounds if row["id"] == self._round]
        if not chosen:
            self._round = None
        self.table.choose(self._round)
        yield
        self.every_round.setVisible(bool(chosen))
        self.funnel_card.heading.setText(
            tr("Funnel of round {number}").format(number=chosen[0]["idx"]) if chosen else tr("Funnel of all rounds")
        )
        reached = {key: sum(row[key] for row in chosen or rounds) for _, key in _STEPS}
        if not chosen:  # a candidate is drafted once, in however many rounds it waits and is verified anew
            reached["drafted"], reached["verified"] = reader.drafted(run_id, shown_tasks)
        # without what the strategy does not do; that nothing was valid is told
        always = _EVERY_RUN if rounds else ()
        self.funnel.show_steps([(name, reached[key]) for name, key in _STEPS if reached[key] or key in always])
        yield
        shown = self._scored.columns(shown_tasks, self._round)
        yield
        if self.score.current == "explored":
            self._show_explored(drafting_round(rounds, self._round))
        else:
            self._show_scatter(shown, tasks)
        yield
        self._show_tiles(shown, chosen or rounds)

    def command_line(self) -> str:
        if self.workspace.run_id is None:
            return super().command_line()
        return lines.rounds_line(self.workspace.path, self.workspace.run_id, self.task.currentData())

    def left_out(self) -> Iterable[str]:
        return (self.scatter.thinned,)

    def _shown_tasks(self, tasks: dict[int, str], kept: dict[int, str]) -> Collection[int] | None:
        """The chosen task, else those that the filter lets through; None for all."""
        if (alone := self._task_alone()) in tasks:
            return {alone}
        return kept.keys() if self.workspace.filter else None

    def _task_alone(self) -> int | None:
        """The chosen task; none where a point of it was picked among those of others, which stay in sight then."""
        picked = self.workspace.candidate_id
        return None if picked is not None and picked == self._among else self.workspace.task_id

    def _fill_tasks(self, tasks: dict[int, str], kept: Collection[int]) -> None:
        """Those that the filter lets through, and in any case the one shown."""
        shown = self._task_alone()
        offered = {*kept, shown}
        everything = (
            tr("All tasks with “{words}”").format(words=self.workspace.filter)
            if self.workspace.filter
            else tr("All tasks")
        )
        named = ((name, task_id) for task_id, name in tasks.items() if task_id in offered)
        self.task.offer([(everything, None), *named], shown)

    def _show_scatter(self, shown: dict[str, np.ndarray], tasks: dict[int, str]) -> None:
        across, up = _PLOTTED[self.score.current]
        known = np.isfinite(shown[across]) & np.isfinite(shown[up])
        shown, axes = {name: values[known] for name, values in shown.items()}, dict(_AXES)
        if "verified_score" in (across, up) and len(np.unique(shown["round_id"])) > 1:
            # the model has learned in between: scores of two rounds on one axis would suggest that they compare
            shown |= {score: places(shown["round_id"], shown[score]) for score in (across, up) if score in _PLACES}
            axes |= _PLACES
        self.scatter.set_x_axis(*axes[across])
        self.scatter.set_y_axis(*axes[up], log=up == "seconds")
        groups = []
        for origin in dict.fromkeys((*_COLORS, *self._scored.origins)):
            own = shown["origin"] == origin
            if own.any():
                ids, color = shown["id"][own].astype(int).tolist(), _COLORS.get(origin, _OTHER_COLOR)
                names = CandidateNames(ids, shown["task_id"][own], tasks)
                x, y = shown[across][own], shown[up][own]
                groups.append(Series(ORIGINS.get(origin, origin), x, y, color, points=True, ids=ids, names=names))
        self.scatter.show_data(groups, chosen=self.workspace.candidate_id)

    def _show_explored(self, row: dict[str, Any] | None) -> None:
        """Which share of what a round explored, and of what it drafted, has which draft score."""
        self.scatter.set_x_axis(*_AXES["draft_score"])
        self.scatter.set_y_axis(tr("share of the candidates"), units.percent, log=False)
        curves = []
        for key, name, color in (
            ("explored", tr("explored in round {number}"), "muted"),
            ("drafted", tr("drafted in round {number}"), "series1"),
        ):
            if row is not None:
                found = row["stats"]["draft_histogram"]
                counts, edges = np.array(found[key], float), np.array(found["edges"], float)
                shares = counts / max(1.0, counts.sum())
                # A step holds up to the next edge; the last one ends there
                curves.append(
                    Series(name.format(number=row["idx"]), edges, np.append(shares, shares[-1:]), color, steps=True)
                )
        self.scatter.show_data(curves)

    def _show_tiles(self, shown: dict[str, np.ndarray], rounds: list[dict[str, Any]]) -> None:
        """The draft's scores are comparable within a task, the verified ones within a round."""
        one_task, one_round = len(np.unique(shown["task_id"])) <= 1, len(np.unique(shown["round_id"])) <= 1
        valid = units.count(int(shown["valid"].sum()))
        over, among = tr("over {count} candidates").format(count=valid), tr("place among {count}").format(count=valid)
        for score, alone, hint in (
            ("draft_score", one_task, tr("choose one task")),
            ("verified_score", one_round, tr("choose one round")),
        ):
            ranks = ((self._scored.quality(row["id"])[f"rank_{score}"], row["measured"]) for row in rounds)
            rank, averaged = over_rounds(ranks)
            several = tr("mean over {count} rounds").format(count=units.count(averaged))
            mean = tr("of one round") if averaged == 1 else several
            self._tell_rank(score, rank_of(shown, score) if alone else rank, over if alone else mean)
            place = place_of_best(shown, score) if alone else None
            told = "–" if place is None else units.count(place)
            self.tiles["place", score].show_value(told, among if alone else hint)

    def _tell_rank(self, score: str, rank: float | None, remark: str) -> None:
        self.tiles["rank", score].show_value("–" if rank is None else _correlation(rank), remark)

    # ------------------------------------------------------------ choosing

    def _task_chosen(self, at: int) -> None:
        self._forget_round()
        self.workspace.select(self.task.itemData(at))
        self.refresh()

    def _round_chosen(self, row: dict[str, Any]) -> None:
        self._round = row["id"]
        self.refresh()

    def _all_rounds(self) -> None:
        self._forget_round()
        self.refresh()

    def _forget_round(self) -> None:
        self._round = None

    def _forget(self) -> None:
        """Ids of the project before mean something else in this one."""
        self._round = self._among = None

    def _picked(self, candidate_id: int) -> None:
        assert self.workspace.reader is not None
        row = self.workspace.reader.candidate(candidate_id)
        if row is not None:
            self._among = candidate_id if self._task_alone() is None else None
            self.workspace.select(row["task_id"], candidate_id)


def drafting_round(rounds: Iterable[dict[str, Any]], chosen: int | None) -> dict[str, Any] | None:
    """The round whose exploration is shown: the chosen one, or that whose draft set it used again; else the newest.

    None where no round explored, as with a strategy that does not draft.
    """
    drafting = None
    rows = sorted(rounds, key=itemgetter("id"))
    task = next((row["task_id"] for row in rows if row["id"] == chosen), None)
    for row in rows:
        if row["stats"].get("draft_histogram", {}).get("edges") and task in (None, row["task_id"]):
            drafting = row
        if row["id"] == chosen:
            break
    return drafting
