"""Draft vs verify: how many candidates each step lets through, and how well its score predicts the measurement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store.figures.quality import over_rounds
from pruner_studio.help import tip_of
from pruner_studio.models.narrowing import narrowed
from pruner_studio.models.rounds import COLUMNS, STEPS, correlation, drafting_round, round_rows
from pruner_studio.models.rows import RowTable
from pruner_studio.models.scored import ScoredCandidates, place_of_best, rank_of
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button
from pruner_studio.widgets.cards import Card, StatTile
from pruner_studio.widgets.drawn import Funnel
from pruner_studio.widgets.elided import Choice
from pruner_studio.widgets.figure import SaveButton
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.rooms import Columns, Tiles
from pruner_studio.widgets.score_plot import ScorePlot
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.table import Table

_TILES = {
    ("rank", "draft_score"): tr("Rank correlation, draft"),
    ("rank", "verified_score"): tr("Rank correlation, verified"),
    ("place", "draft_score"): tr("Fastest in the draft's order"),
    ("place", "verified_score"): tr("Fastest in the verified order"),
}
_EVERY_RUN = ("measured", "valid")
_SIDE_BY_SIDE = 760  # pixels from which on the funnel stands beside the scatter


class DraftVerifyPage(Page):
    """A funnel of candidates, their scores against their speed, and the rounds to choose from."""

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
        self.pages, column = self.add_column(
            self.nothing("draft", tr("No round yet"), tr("Each round of the search is shown here once it is measured."))
        )
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
        self.scatter = ScorePlot()
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
            self.tell_nothing()
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
            self.refreshing.touch()
        yield
        rows = round_rows(rounds, tasks, self._scored.quality)
        yield
        self.model.show_rows(rows)
        chosen = [row for row in rounds if row["id"] == self._round]
        if not chosen:
            self._round = None
        self.table.choose(self._round)
        yield
        reached = {key: sum(row[key] for row in chosen or rounds) for _, key in STEPS}
        if not chosen:  # a candidate is drafted once, in however many rounds it waits and is verified anew
            reached["drafted"], reached["verified"] = reader.drafted(run_id, shown_tasks)
        self._show_funnel(reached, chosen[0]["idx"] if chosen else None, always=_EVERY_RUN if rounds else ())
        yield
        shown = self._scored.columns(shown_tasks, self._round)
        yield
        if self.score.current == "explored":
            self.scatter.show_explored(drafting_round(rounds, self._round))
        else:
            origins, candidate_id = self._scored.origins, self.workspace.candidate_id
            self.scatter.show_scores(self.score.current, shown, origins, tasks, candidate_id)
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
        """Offer the tasks that the filter lets through, and in any case the one shown."""
        shown = self._task_alone()
        offered = {*kept, shown}
        everything = (
            tr("All tasks with “{words}”").format(words=self.workspace.filter)
            if self.workspace.filter
            else tr("All tasks")
        )
        named = ((name, task_id) for task_id, name in tasks.items() if task_id in offered)
        self.task.offer([(everything, None), *named], shown)

    def _show_funnel(self, reached: dict[str, int], round_number: int | None, always: Collection[str]) -> None:
        """Candidates by step, without steps that the strategy does not take.

        Args:
            always: steps that are shown also where no candidate reached them: that nothing was valid is news.
        """
        self.every_round.setVisible(round_number is not None)
        of_round = tr("Funnel of round {number}").format(number=round_number)
        self.funnel_card.heading.setText(tr("Funnel of all rounds") if round_number is None else of_round)
        self.funnel.show_steps([(name, reached[key]) for name, key in STEPS if reached[key] or key in always])

    def _show_tiles(self, shown: dict[str, np.ndarray], rounds: list[dict[str, Any]]) -> None:
        """The draft's scores are comparable within a task, the verified ones within a round."""
        one_task, one_round = len(np.unique(shown["task_id"])) <= 1, len(np.unique(shown["round_id"])) <= 1
        number = int(shown["valid"].sum())
        several = tr("over {count} candidates").format(count=units.count(number))
        none = tr("no candidate was valid")
        over = {0: none, 1: tr("over one candidate")}.get(number, several)
        among = tr("place among {count}").format(count=units.count(number)) if number else none
        for score, alone, hint in (
            ("draft_score", one_task, tr("choose one task")),
            ("verified_score", one_round, tr("choose one round")),
        ):
            ranks = ((self._scored.quality(row["id"])[f"rank_{score}"], row["measured"]) for row in rounds)
            rank, averaged = over_rounds(ranks)
            several = tr("mean over {count} rounds").format(count=units.count(averaged))
            lacking = tr("needs three scored and measured in a round")
            mean = {0: lacking, 1: tr("of one round")}.get(averaged, several)
            self._tell_rank(score, rank_of(shown, score) if alone else rank, over if alone else mean)
            place = place_of_best(shown, score) if alone else None
            told = "–" if place is None else units.count(place)
            self.tiles["place", score].show_value(told, among if alone else hint)

    def _tell_rank(self, score: str, rank: float | None, remark: str) -> None:
        self.tiles["rank", score].show_value("–" if rank is None else correlation(rank), remark)

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
