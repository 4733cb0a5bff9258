"""Every number shown is the project file's: SQL by hand on one side, the text in the widget on the other.

The queries here are written without the reader, so that an error in it shows.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from project_factory import NEWEST_RUN as RUN
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from scipy.stats import spearmanr

from pruner_engine import units
from pruner_engine.cli.main import cli
from pruner_engine.store.file.lock import WriterLock
from pruner_studio.main_window import MainWindow
from pruner_studio.models.words import gain_tone


def one(db: sqlite3.Connection, sql: str, *args: Any) -> Any:
    return db.execute(sql, args).fetchone()[0]


def shown(window: MainWindow, key: str) -> Any:
    page = window.show_page(key)
    page.refresh()
    return page


def texts(widget: Any) -> list[str]:
    return [found.text() for found in widget.findChildren(QLabel)]


def cell(page: Any, row: int, title: str) -> str:
    at = [column.title for column in page.model.columns].index(title)
    return page.model.data(page.model.index(row, at), Qt.ItemDataRole.DisplayRole)


def test_overview(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "overview")
    trials = one(db, "SELECT count(*) FROM measurements WHERE run_id = ?", RUN)
    failed = one(db, "SELECT count(*) FROM measurements WHERE run_id = ? AND stage <> 'ok'", RUN)
    latency = one(db, "SELECT latency_s FROM progress WHERE run_id = ? ORDER BY id DESC LIMIT 1", RUN)
    worked, budget = db.execute("SELECT elapsed_s, budget_trials FROM runs WHERE id = ?", (RUN,)).fetchone()
    tiles = page.tiles
    assert tiles["trials"]._value.text() == units.count(trials)
    assert tiles["trials"]._remark.text() == f"of {units.count(budget)} · {units.count(failed)} failed"
    assert tiles["latency"]._value.text() == units.latency(latency)
    summary = json.loads(one(db, "SELECT summary FROM exports WHERE run_id = ?", RUN))
    measured = summary["latency"]["tuned"]["seconds"]
    assert measured != latency and tiles["exported"]._value.text() == units.latency(measured)
    assert tiles["worked"]._value.text() == units.duration(worked)
    for name in ("untuned", "onnxruntime", "torch"):
        seconds = one(db, "SELECT seconds FROM baselines WHERE name = ?", name)
        assert tiles[name]._value.text() == units.latency(seconds)
        ratio = units.ratio(max(seconds, measured) / min(seconds, measured))
        told = [f"{ratio} {'slower' if seconds > measured else 'faster'} than measured"]
        beside = summary["latency"].get(name, {}).get("seconds")
        if beside and beside != seconds:
            ratio = units.ratio(max(beside, measured) / min(beside, measured))
            told.append(f"{ratio} {'slower' if beside > measured else 'faster'} in turns with it")
        assert tiles[name]._remark.text() == " · ".join(told)
    gain = one(db, "SELECT sum(weight * untuned_s) FROM tasks") / latency
    assert units.ratio(gain) in tiles["latency"]._remark.text()


def test_a_library_that_was_slower_beside_the_tuned_model_is_told_so(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = shutil.copy(finished_project, tmp_path / "in-turns.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        (text,) = db.execute("SELECT summary FROM exports WHERE run_id = ? ORDER BY id DESC", (RUN,)).fetchone()
        summary = json.loads(text)
        tuned = summary["latency"]["tuned"]["seconds"]
        summary["latency"]["onnxruntime"] = {**summary["latency"]["tuned"], "seconds": 5 * tuned}
        db.execute("UPDATE exports SET summary = ? WHERE run_id = ?", (json.dumps(summary), RUN))
    window.workspace.open(path, RUN)
    page = shown(window, "overview")
    assert page.tiles["onnxruntime"]._remark.text().endswith(" than measured · 5.00× slower in turns with it")


def test_a_run_that_was_not_exported_says_that_its_latency_is_an_estimate(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = shutil.copy(finished_project, tmp_path / "estimated.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM exports WHERE run_id = ?", (RUN,))
        latency = one(db, "SELECT latency_s FROM progress WHERE run_id = ? ORDER BY id DESC LIMIT 1", RUN)
        torch = one(db, "SELECT seconds FROM baselines WHERE name = 'torch'")
    window.workspace.open(path, RUN)
    tiles = shown(window, "overview").tiles
    assert tiles["exported"].isHidden() and "an export measures it" in tiles["latency"]._remark.text()
    ratio = units.ratio(max(torch, latency) / min(torch, latency))
    assert tiles["torch"]._remark.text() == f"{ratio} {'slower' if torch > latency else 'faster'} than the estimate"


def test_overview_of_work_and_failures(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "overview")
    parts = ("draft_s", "verify_s", "build_s", "run_s", "learn_s")
    times = [one(db, f"SELECT sum({part}) FROM rounds WHERE run_id = ?", RUN) for part in parts]
    told = [f"{units.duration(time)}  {units.percent(time / sum(times))}" for time in times]
    assert [bar.text for bar in page.time_bars._bars] == told
    trials = one(db, "SELECT count(*) FROM measurements WHERE run_id = ?", RUN)
    groups = db.execute(
        "SELECT error, count(*) FROM measurements WHERE run_id = ? AND stage <> 'ok' GROUP BY stage, error", (RUN,)
    ).fetchall()
    heads = "\n".join(texts(page.failures))
    for _, count in groups:
        assert f"{units.count(count)} ×" in heads and units.percent(count / trials) in heads


def test_the_curve(opened: MainWindow, db: sqlite3.Connection) -> None:
    """The run's own, and before it those of the other runs of the model."""
    series = shown(opened, "overview").curve.series
    for curve, run in zip(series, (1, 2, RUN), strict=True):
        points = db.execute("SELECT trials, latency_s FROM progress WHERE run_id = ? ORDER BY id", (run,)).fetchall()
        for x, y in zip(curve.x, curve.y, strict=True):
            assert (x, y) in points
        assert (curve.x[-1], curve.y[-1]) == points[-1] and min(curve.y) == min(y for _, y in points)


def test_tasks(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "tasks")
    assert len(page.model.rows) == one(db, "SELECT count(*) FROM run_tasks WHERE run_id = ?", RUN)
    best = {
        task: one(
            db,
            "SELECT min(seconds) FROM measurements WHERE run_id = ? AND task_id = ? AND stage = 'ok' AND censored = 0",
            RUN,
            task,
        )
        for (task,) in db.execute("SELECT id FROM tasks").fetchall()
    }
    tasks = db.execute("SELECT id, flops, weight, untuned_s FROM tasks").fetchall()
    total = sum((best[task] or untuned) * weight for task, _, weight, untuned in tasks)
    for at, row in enumerate(page.model.rows):
        _, flops, weight, untuned = next(task for task in tasks if task[0] == row["id"])
        seconds = best[row["id"]]
        trials = one(db, "SELECT count(*) FROM measurements WHERE run_id = ? AND task_id = ?", RUN, row["id"])
        assert cell(page, at, "Calls") == units.count(weight)
        assert cell(page, at, "MFLOP") == units.significant(flops / 1e6)
        assert cell(page, at, "Untuned") == units.latency(untuned)
        assert cell(page, at, "Best") == units.latency(seconds)
        assert cell(page, at, "Trials") == units.count(trials)
        assert cell(page, at, "Share") == units.percent((seconds or untuned) * weight / total)
        if seconds:
            assert cell(page, at, "GFLOP/s") == units.significant(flops / seconds / 1e9)
            assert cell(page, at, "Gain") == units.ratio(untuned / seconds)


@pytest.mark.parametrize(
    ("gain", "tones"),
    [(None, ("", "")), (1.004, ("", "")), (0.9996, ("", "")), (1.01, ("good", "good")), (0.99, ("", "bad"))],
)
def test_a_gain_has_a_colour_only_where_its_digits_tell_one(gain: float | None, tones: tuple[str, str]) -> None:
    assert (gain_tone(gain), gain_tone(gain, "bad")) == tones


def test_draft_vs_verify(opened: MainWindow, db: sqlite3.Connection) -> None:
    opened.workspace.select(None)
    page = shown(opened, "draft")
    for name, amount in page.funnel._steps:
        of_rounds = one(db, f"SELECT sum({name}) FROM rounds WHERE run_id = ?", RUN)
        every = one(db, "SELECT count(*) FROM candidates WHERE run_id = ?", RUN)
        scored = one(db, "SELECT count(verified_score) FROM candidates WHERE run_id = ?", RUN)
        assert amount == {"drafted": every, "verified": scored}.get(name, of_rounds)
    assert len(page.model.rows) == one(db, "SELECT count(*) FROM rounds WHERE run_id = ?", RUN)
    for at, row in enumerate(page.model.rows[:6]):
        stored = db.execute("SELECT idx, explored, measured, draft_s FROM rounds WHERE id = ?", (row["id"],)).fetchone()
        told = [cell(page, at, title) for title in ("Round", "Explored", "Measured", "Draft")]
        assert told == [*(units.count(value) for value in stored[:3]), units.duration(stored[3])]
        pairs = db.execute(
            "SELECT c.draft_score, -x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
            " WHERE c.round_id = ? AND x.stage = 'ok' AND x.censored = 0",
            (row["id"],),
        ).fetchall()
        assert cell(page, at, "ρ draft") == f"{spearmanr(pairs).statistic:+.2f}"
        first, fastest = (sorted(pairs, key=itemgetter(key), reverse=True)[:5] for key in (0, 1))
        assert cell(page, at, "Top-5 draft") == units.percent(len(set(first) & set(fastest)) / 5)
    points = {(x, y) for series in page.scatter.series for x, y in zip(series.x, series.y, strict=True)}
    stored = db.execute(
        "SELECT c.draft_score, x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
        " WHERE x.run_id = ? AND x.seconds IS NOT NULL",
        (RUN,),
    ).fetchall()
    assert points == set(stored)


def test_the_terminal_tells_the_rounds_as_the_page_does(opened: MainWindow, finished_project: Path) -> None:
    opened.workspace.select(None)
    page = shown(opened, "draft")
    told = json.loads(CliRunner().invoke(cli, ["rounds", str(finished_project), "--run", str(RUN), "--json"]).output)
    names = ("task", "explored", "drafted", "verified", "measured", "valid", "draft_s", "build_s", "rank_draft_score")
    names += ("rank_verified_score", "recall_draft_score", "recall_verified_score")
    rows = {row["idx"]: [row[name] for name in names] for row in page.model.rows}
    assert rows == {row["round"]: [row[name] for name in names] for row in told["rounds"]}
    assert {name: told["all"][name] for name, _ in page.funnel._steps} == dict(page.funnel._steps)
    for score in ("draft_score", "verified_score"):
        assert page.tiles["rank", score]._value.text() == f"{told['all'][f'rank_{score}']:+.2f}"


@pytest.mark.parametrize("score", ["draft_score", "verified_score"])
def test_how_well_one_task_was_scored(opened: MainWindow, db: sqlite3.Connection, score: str) -> None:
    task = one(db, "SELECT min(task_id) FROM measurements WHERE run_id = ?", RUN)
    opened.workspace.select(task)
    page = shown(opened, "draft")
    pairs = db.execute(
        f"SELECT c.{score}, -x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
        " WHERE x.run_id = ? AND x.task_id = ? AND x.stage = 'ok' AND x.censored = 0",
        (RUN, task),
    ).fetchall()
    fastest = max(pairs, key=itemgetter(1))
    place = 1 + sum(pair[0] > fastest[0] for pair in pairs)
    count = units.count(len(pairs))
    rank, best = page.tiles["rank", score], page.tiles["place", score]
    if score == "draft_score":
        assert {f"{spearmanr(pairs).statistic:+.2f}", f"over {count} candidates"} <= set(texts(rank))
        assert {units.count(place), f"place among {count}"} <= set(texts(best))
        return
    # the model has learned in between: its scores are comparable within a round only
    rounds = db.execute("SELECT id, measured FROM rounds WHERE run_id = ? AND task_id = ?", (RUN, task)).fetchall()
    ranks = [spearmanr(of_round(db, round_id)).statistic for round_id, _ in rounds]
    mean = sum(rank * measured for rank, (_, measured) in zip(ranks, rounds, strict=True)) / sum(
        measured for _, measured in rounds
    )
    assert {f"{mean:+.2f}", f"mean over {len(rounds)} rounds"} <= set(texts(rank))
    assert {"–", "choose one round"} <= set(texts(best))
    page.score.part(score).click()
    drawn = {id_: x for series in page.scatter.series for id_, x in zip(series.ids, series.x, strict=True)}
    for round_id, _ in rounds:
        own = db.execute(
            "SELECT c.id FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
            " WHERE c.round_id = ? AND x.seconds IS NOT NULL ORDER BY c.verified_score DESC",
            (round_id,),
        ).fetchall()
        assert [drawn[id_] for (id_,) in own] == list(range(1, len(own) + 1))

    page._round_chosen({"id": rounds[0][0]})
    pairs = of_round(db, rounds[0][0])
    fastest = max(pairs, key=itemgetter(1))
    assert {f"{ranks[0]:+.2f}", f"over {len(pairs)} candidates"} <= set(texts(rank))
    assert units.count(1 + sum(pair[0] > fastest[0] for pair in pairs)) in texts(best)
    assert "score" in page.scatter._across.name and "place" not in page.scatter._across.name


def of_round(db: sqlite3.Connection, round_id: int) -> list[tuple[float, float]]:
    """Verified score and speed of what a round timed."""
    return db.execute(
        "SELECT c.verified_score, -x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
        " WHERE c.round_id = ? AND x.stage = 'ok' AND x.censored = 0",
        (round_id,),
    ).fetchall()


def test_adaptation(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "adaptation")
    for key, plot in page.plots.items():
        models = ("siamese",) if key == "distance" else ("adapted", "scratch", "siamese")
        for series, model in zip(plot.series, models, strict=True):
            stored = db.execute(
                f"SELECT r.idx, a.{key} FROM adaptations a JOIN rounds r ON r.id = a.round_id"
                f" WHERE a.run_id = ? AND a.model = ? AND a.{key} IS NOT NULL ORDER BY a.id",
                (RUN, model),
            ).fetchall()
            assert [*zip(series.x, series.y, strict=True)] == [(at, pytest.approx(value)) for at, value in stored]


def test_compare(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "compare")
    final = {
        run: one(db, "SELECT latency_s FROM progress WHERE run_id = ? ORDER BY id DESC LIMIT 1", run)
        for (run,) in db.execute("SELECT id FROM runs").fetchall()
    }
    stock = one(db, "SELECT max(id) FROM runs WHERE strategy = 'metaschedule'")
    for at, row in enumerate(page.model.rows):
        assert cell(page, at, "Latency") == units.latency(final[row["id"]])
        first = db.execute(
            "SELECT trials, elapsed_s FROM progress WHERE run_id = ? AND latency_s <= ? ORDER BY id LIMIT 1",
            (row["id"], final[stock]),
        ).fetchone()
        told = [cell(page, at, title) for title in ("Trials to goal", "Time to goal")]
        assert told == ([units.count(first[0]), units.duration(first[1])] if first else ["–", "–"])
        worked = one(db, "SELECT elapsed_s FROM runs WHERE id = ?", row["id"])
        assert cell(page, at, "Worked") == units.duration(worked)
        untuned = one(db, "SELECT sum(weight * untuned_s) FROM tasks")
        assert cell(page, at, "Gain") == units.ratio(untuned / final[row["id"]])
        (needed,) = db.execute(
            "SELECT elapsed_s FROM progress WHERE run_id = ? AND latency_s <= ? ORDER BY id LIMIT 1",
            (stock, final[stock]),
        ).fetchone()
        assert cell(page, at, "Speed-up") == (units.ratio(needed / first[1]) if first else "–")
    assert units.latency(final[stock]) in page.goal.text()


def test_no_goal_is_told_before_any_run_has_a_latency(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    place = shutil.copy(finished_project, tmp_path / "begun.pruner")
    with closing(sqlite3.connect(place)) as db, db:
        db.execute("DELETE FROM measurements")
        db.execute("DELETE FROM progress")
    window.workspace.open(place)
    page = window.show_page("compare")
    page.refresh()
    assert page.goal.isHidden()
    window.workspace.open(finished_project)
    page.refresh()
    assert not page.goal.isHidden() and page.goal.text().startswith("Goal: ")


def test_a_run_at_work_that_sets_the_goal_is_not_told_to_have_ended(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    place = Path(shutil.copy(finished_project, tmp_path / "at-work.pruner"))
    with closing(sqlite3.connect(place)) as db, db:
        db.execute("UPDATE runs SET state = 'tuning', pid = 1 WHERE id = 1")
    lock = WriterLock(place)
    window.workspace.open(place)
    page = window.show_page("compare")
    page.refresh()
    assert "run 1 (metaschedule) is so far." in page.goal.text()
    lock.release()
    page.refresh()
    assert "run 1 (metaschedule) ended." in page.goal.text()


def test_export(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "export")
    summary = json.loads(one(db, "SELECT summary FROM exports ORDER BY id DESC LIMIT 1"))
    told = " ".join(bar.text for bar in page.result.latency_bars._bars)
    for entry in summary["latency"].values():
        assert entry["seconds"] is None or units.latency(entry["seconds"]) in told
    stored = {row["task"]: row for row in summary["coverage"]["functions"]}
    for at, row in enumerate(page.result.functions.rows):
        function = stored[row["task"]]
        index = page.result.functions.index
        shown_texts = [page.result.functions.data(index(at, column)) for column in (3, 4, 5)]
        expected = [
            units.count(function["calls"]),
            units.latency(function["seconds"]),
            units.percent(function["share"]),
        ]
        assert shown_texts == expected


def test_schedule(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "schedule")
    task = page._subject.task_id
    best = one(
        db,
        "SELECT candidate_id FROM measurements WHERE run_id = ? AND task_id = ? AND stage = 'ok' AND censored = 0"
        " ORDER BY seconds LIMIT 1",
        RUN,
        task,
    )
    seconds, flops = db.execute(
        "SELECT x.seconds, k.flops FROM measurements x JOIN tasks k ON k.id = x.task_id WHERE x.candidate_id = ?",
        (best,),
    ).fetchone()
    told = " ".join(texts(page))
    assert f"Candidate {best}" in told
    assert units.latency(seconds) in told and units.rate(flops / seconds, "FLOP") in told


def test_the_recent_list_and_the_run_bar(qtbot, opened: MainWindow, db: sqlite3.Connection) -> None:
    state = one(db, "SELECT state FROM runs WHERE id = ?", RUN)
    assert opened.run_bar.state.text() == state
    card = opened.show_page("start").recent
    qtbot.waitUntil(lambda: bool(card.summaries), timeout=20_000)
    latency = one(
        db, "SELECT min(latency_s) FROM progress p WHERE id = (SELECT max(id) FROM progress WHERE run_id = p.run_id)"
    )
    assert any(text.startswith(units.latency(latency)) for text in texts(card))


def test_how_well_the_draft_scored_all_tasks(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = shown(opened, "draft")
    rounds = db.execute("SELECT id, measured FROM rounds WHERE run_id = ?", (RUN,)).fetchall()
    ranks = [
        spearmanr(
            db.execute(
                "SELECT c.draft_score, -x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
                " WHERE c.round_id = ? AND x.stage = 'ok' AND x.censored = 0",
                (round_id,),
            ).fetchall()
        ).statistic
        for round_id, _ in rounds
    ]
    weights = [measured for _, measured in rounds]
    mean = sum(rank * weight for rank, weight in zip(ranks, weights, strict=True)) / sum(weights)
    assert {f"{mean:+.2f}", f"mean over {len(rounds)} rounds"} <= set(texts(page.tiles["rank", "draft_score"]))
