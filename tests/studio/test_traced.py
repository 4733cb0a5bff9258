"""No number stands on a page whose way from the project file is not told: SQL by hand here, the text there.

A column of numbers or a tile that is added has to be added here, too.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from project_factory import NEWEST_RUN as RUN
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from scipy.stats import spearmanr

from pruner_engine import units
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.rows import RowTable
from pruner_studio.widgets.cards import StatTile

ELSEWHERE = {"devices"}  # its table is of data sheets, not of the project: test_devices.py
Row = dict[str, Any]


@pytest.fixture
def db(db: sqlite3.Connection) -> sqlite3.Connection:
    db.row_factory = sqlite3.Row
    return db


def value(db: sqlite3.Connection, sql: str, *args: Any) -> Any:
    found = db.execute(sql, args).fetchone()
    return None if found is None else found[0]


def texts(widget: Any) -> str:
    return "\n".join(found.text() for found in widget.findChildren(QLabel))


# ---------------------------------------------------------------- tasks

_TIMED = "run_id = ? AND task_id = ? AND stage = 'ok' AND censored = 0"


def of_task(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    return lambda db, row: value(db, f"SELECT {name} FROM tasks WHERE id = ?", row["id"])


def best(db: sqlite3.Connection, row: Row) -> float | None:
    return value(db, f"SELECT min(seconds) FROM measurements WHERE {_TIMED}", RUN, row["id"])


def share(db: sqlite3.Connection, row: Row) -> str:
    times = {
        task["id"]: (best(db, task) or task["untuned_s"]) * task["weight"]
        for task in db.execute("SELECT id, weight, untuned_s FROM tasks")
    }
    return units.percent(times[row["id"]] / sum(times.values()))


def roof_share(db: sqlite3.Connection, row: Row) -> str:
    """By hand: the arguments lie in the nearest cache whose instances together hold them."""
    flops, shapes = of_task("flops")(db, row), json.loads(of_task("shapes")(db, row))
    moved = sum(4 * math.prod(spec["shape"]) for spec in shapes)
    profile = json.loads(value(db, "SELECT profile FROM targets"))
    levels = [(c["bytes"] * (profile["cores"] // c["shared_by"]), c["bandwidth"]) for c in profile["caches"]]
    bandwidth = next((speed for size, speed in levels if moved <= size), profile["dram_bandwidth"])
    return units.percent(flops / best(db, row) / min(profile["peak_flops"], flops / moved * bandwidth))


def made(db: sqlite3.Connection, row: Row, also: str = "") -> int:
    return value(db, f"SELECT count(*) FROM measurements WHERE run_id = ? AND task_id = ? {also}", RUN, row["id"])


# ---------------------------------------------------------------- rounds


def of_round(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    return lambda db, row: value(db, f"SELECT {name} FROM rounds WHERE id = ?", row["id"])


def stat(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    return lambda db, row: json.loads(of_round("stats")(db, row)).get(name)


def pairs(db: sqlite3.Connection, row: Row, score: str) -> list[tuple[float, float]]:
    sql = (
        f"SELECT c.{score}, -x.seconds FROM candidates c JOIN measurements x ON x.candidate_id = c.id"
        " WHERE c.round_id = ? AND x.stage = 'ok' AND x.censored = 0"
    )
    return [tuple(found) for found in db.execute(sql, (row["id"],))]


def rank(score: str) -> Callable[[sqlite3.Connection, Row], str]:
    return lambda db, row: f"{spearmanr(pairs(db, row, score)).statistic:+.2f}"


def recall(score: str) -> Callable[[sqlite3.Connection, Row], str]:
    def told(db: sqlite3.Connection, row: Row) -> str:
        timed = pairs(db, row, score)
        first, fastest = (sorted(timed, key=itemgetter(key), reverse=True)[:5] for key in (0, 1))
        return units.percent(len(set(first) & set(fastest)) / 5)

    return told


# ---------------------------------------------------------------- runs, exports, candidates


def of_run(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    return lambda db, row: value(db, f"SELECT {name} FROM runs WHERE id = ?", row["run_id"])


def final(db: sqlite3.Connection, run: int) -> float:
    return value(db, "SELECT latency_s FROM progress WHERE run_id = ? ORDER BY id DESC LIMIT 1", run)


def trials_of(db: sqlite3.Connection, row: Row, also: str = "") -> int:
    return value(db, f"SELECT count(*) FROM measurements WHERE run_id = ? {also}", row["run_id"])


def to_goal(name: str) -> Callable[[sqlite3.Connection, int], Any]:
    """Where a run was first as good as the stock search in the end."""
    sql = f"SELECT {name} FROM progress WHERE run_id = ? AND latency_s <= ? ORDER BY id LIMIT 1"
    return lambda db, run: value(db, sql, run, final(db, stock(db)))


def stock(db: sqlite3.Connection) -> int:
    return value(db, "SELECT max(id) FROM runs WHERE strategy = 'metaschedule'")


def sooner(db: sqlite3.Connection, row: Row) -> str:
    own = to_goal("elapsed_s")(db, row["run_id"])
    return units.ratio(to_goal("elapsed_s")(db, stock(db)) / own) if own else "–"


def of_function(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    def told(db: sqlite3.Connection, row: Row) -> Any:
        summary = json.loads(value(db, "SELECT summary FROM exports ORDER BY id DESC LIMIT 1"))
        return next(function[name] for function in summary["coverage"]["functions"] if function["task"] == row["task"])

    return told


def of_candidate(name: str) -> Callable[[sqlite3.Connection, Row], Any]:
    sql = "SELECT {} FROM candidates c LEFT JOIN measurements x ON x.candidate_id = c.id WHERE c.id = ?"
    return lambda db, row: value(db, sql.format(name), row["id"])


def shown_as(text: Callable[[Any], str], figure: Callable[[sqlite3.Connection, Row], Any]):
    def told(db: sqlite3.Connection, row: Row) -> str:
        found = figure(db, row)
        return "–" if found is None else text(found)

    return told


TRACED: dict[tuple[str, str], Callable[[sqlite3.Connection, Row], str]] = {
    ("tasks", "Share"): share,
    ("tasks", "Best"): shown_as(units.latency, best),
    ("tasks", "Gain"): shown_as(units.ratio, lambda db, row: of_task("untuned_s")(db, row) / best(db, row)),
    ("tasks", "Over trials"): shown_as(units.latency, best),
    ("tasks", "Of roof"): roof_share,
    ("tasks", "Trials"): shown_as(units.count, made),
    ("tasks", "Failed"): shown_as(units.count, lambda db, row: made(db, row, "AND stage <> 'ok'")),
    ("tasks", "Calls"): shown_as(units.count, of_task("weight")),
    ("tasks", "Untuned"): shown_as(units.latency, of_task("untuned_s")),
    ("tasks", "GFLOP/s"): shown_as(units.significant, lambda db, row: of_task("flops")(db, row) / best(db, row) / 1e9),
    ("tasks", "MFLOP"): shown_as(units.significant, lambda db, row: of_task("flops")(db, row) / 1e6),
    ("draft", "Round"): shown_as(str, of_round("idx")),
    **{
        ("draft", name.capitalize()): shown_as(units.count, of_round(name))
        for name in ("explored", "drafted", "verified", "measured", "valid")
    },
    ("draft", "Lowered"): shown_as(units.count, stat("lowered")),
    ("draft", "ρ draft"): rank("draft_score"),
    ("draft", "ρ verified"): rank("verified_score"),
    ("draft", "Top-5 draft"): recall("draft_score"),
    ("draft", "Top-5 verified"): recall("verified_score"),
    **{
        ("draft", name.capitalize()): shown_as(units.duration, of_round(f"{name}_s"))
        for name in ("draft", "verify", "build", "run", "learn")
    },
    ("draft", "Probe"): shown_as(units.latency, stat("probe_s")),
    ("draft", "Noise"): shown_as(units.percent, stat("probe_spread")),
    ("compare", "Run"): lambda db, row: str(row["run_id"]),
    ("compare", "Seed"): shown_as(str, of_run("seed")),
    ("compare", "Trials"): shown_as(units.count, trials_of),
    ("compare", "Failed"): shown_as(units.count, lambda db, row: trials_of(db, row, "AND stage <> 'ok'")),
    ("compare", "Worked"): shown_as(units.duration, of_run("elapsed_s")),
    ("compare", "Latency"): shown_as(units.latency, lambda db, row: final(db, row["run_id"])),
    ("compare", "Gain"): shown_as(
        units.ratio,
        lambda db, row: value(db, "SELECT sum(weight * untuned_s) FROM tasks") / final(db, row["run_id"]),
    ),
    ("compare", "Trials to goal"): shown_as(units.count, lambda db, row: to_goal("trials")(db, row["run_id"])),
    ("compare", "Time to goal"): shown_as(units.duration, lambda db, row: to_goal("elapsed_s")(db, row["run_id"])),
    ("compare", "Speed-up"): sooner,
    ("export", "Calls"): shown_as(units.count, of_function("calls")),
    ("export", "Time"): shown_as(units.latency, of_function("seconds")),
    ("export", "Share of time"): shown_as(units.percent, of_function("share")),
    ("schedule", "#"): lambda db, row: str(row["id"]),
    ("schedule", "Latency"): shown_as(units.latency, of_candidate("x.seconds")),
    ("schedule", "Draft"): shown_as("{:.2f}".format, of_candidate("c.draft_score")),
    ("schedule", "Verified"): shown_as("{:.2f}".format, of_candidate("c.verified_score")),
    ("schedule", "Round"): shown_as(str, of_candidate("(SELECT idx FROM rounds WHERE rounds.id = c.round_id)")),
    ("schedule", ""): lambda db, row: units.count(row["id"] + 1),  # the place of an instruction in its trace
}


def tables(opened: MainWindow, key: str) -> list[RowTable]:
    page = opened.show_page(key)
    page.refresh()
    return page.findChildren(RowTable)


def test_every_column_of_numbers_is_traced(opened: MainWindow) -> None:
    opened.workspace.select(None)
    found = {
        (key, column.title)
        for key, *_ in PAGES
        if key not in ELSEWHERE
        for model in tables(opened, key)
        for column in model.columns
        if column.right or column.share or column.curve
    }
    assert found == set(TRACED)


@pytest.mark.parametrize("key", sorted({key for key, _ in TRACED}))
def test_every_cell_of_numbers_is_the_files(opened: MainWindow, db: sqlite3.Connection, key: str) -> None:
    opened.workspace.select(None)
    seen = set()
    for model in tables(opened, key):
        for at, column in enumerate(model.columns):
            if (trace := TRACED.get((key, column.title))) is None or not (column.right or column.share or column.curve):
                continue
            for place, row in enumerate(model.rows):
                told = model.data(model.index(place, at), Qt.ItemDataRole.DisplayRole)
                assert told == trace(db, row), (column.title, row["id"])
                seen.add(column.title)
    assert seen == {title for page, title in TRACED if page == key}, "a column without a row shows nothing to trace"


def test_the_small_curves_fall_where_a_trial_was_better(opened: MainWindow, db: sqlite3.Connection) -> None:
    (model, *_) = tables(opened, "tasks")
    curve = next(column.curve for column in model.columns if column.curve)
    for row in model.rows:
        times = [
            seconds if stage == "ok" and not censored else math.inf
            for stage, censored, seconds in db.execute(
                "SELECT stage, censored, seconds FROM measurements WHERE run_id = ? AND task_id = ? ORDER BY id",
                (RUN, row["id"]),
            )
        ]
        for trials, seconds in curve(row):
            assert seconds == min(times[: int(trials)])


# ---------------------------------------------------------------- tiles, notes, sentences


def test_every_tile_is_traced(opened: MainWindow) -> None:
    """Those of Overview and of Draft vs verify are in test_numbers.py, all but the time left."""
    found = {(key, tile.accessibleName()) for key, *_ in PAGES for tile in opened.show_page(key).findChildren(StatTile)}
    assert found == {
        *(
            ("overview", name)
            for name in (
                "Estimated latency", "Measured latency", "Untuned", "ONNX Runtime", "PyTorch", "torch.compile",
                "LiteRT", "Trials", "Worked", "Time left",
            )
        ),
        ("draft", "Rank correlation, draft"), ("draft", "Rank correlation, verified"),
        ("draft", "Fastest in the draft's order"), ("draft", "Fastest in the verified order"),
    }  # fmt: skip


def test_the_rest_of_overview(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = opened.show_page("overview")
    page.refresh()
    run = db.execute("SELECT * FROM runs WHERE id = ?", (RUN,)).fetchone()
    assert page.tiles["left"]._value.text() == "–", "a run that has ended has no time left"
    assert page.tiles["worked"]._remark.text() == f"since {units.moment(run['created'])}"
    probes = [json.loads(stats)["probe_s"] for (stats,) in db.execute(
        "SELECT stats FROM rounds WHERE run_id = ? ORDER BY id", (RUN,)
    )]  # fmt: skip
    told = page.noise.text.text()
    slower = units.ratio(max(probes) / min(probes))
    assert f"took {units.latency(min(probes))} at best" in told and f"{units.latency(probes[-1])} now" in told
    assert f"{units.latency(max(probes))} ({slower}) at worst" in told
    levels = {level.name: level.y for level in page.curve.levels}
    libraries = {"ONNX Runtime": "onnxruntime", "PyTorch": "torch", "Untuned": "untuned"}
    for name, stored in libraries.items():
        assert levels[name] == value(db, "SELECT seconds FROM baselines WHERE name = ?", stored)
    exported = json.loads(value(db, "SELECT summary FROM exports WHERE run_id = ? ORDER BY id DESC", RUN))
    assert set(levels.values()) - {levels[name] for name in libraries} == {exported["latency"]["tuned"]["seconds"]}
    model = db.execute("SELECT * FROM models").fetchone()
    (spec,) = json.loads(model["inputs"])
    facts = page.fact_text.text()
    assert f"{spec['name']} {units.shape(spec['shape'])} {spec['dtype']}" in facts
    assert all(f"{name} {version}" in facts for name, version in json.loads(run["versions"]).items())
    assert f"seed {run['seed']}" in page.subtitle_label.text()
    for (text,) in db.execute("SELECT text FROM events WHERE run_id = ?", (RUN,)):
        assert text in texts(page.events)


@pytest.mark.parametrize("over", ["elapsed_s", "trials"])
def test_the_curves_of_compare(opened: MainWindow, db: sqlite3.Connection, over: str) -> None:
    page = opened.show_page("compare")
    page.workspace.draw_over(over)
    page.refresh()
    drawn = {series.name: series for series in page.plot.series}
    assert len(drawn) == 3
    for run, strategy in db.execute("SELECT id, strategy FROM runs"):
        (series,) = [found for name, found in drawn.items() if strategy in name.split() and str(run) in name]
        stored = {
            tuple(point) for point in db.execute(f"SELECT {over}, latency_s FROM progress WHERE run_id = ?", (run,))
        }
        assert set(zip(series.x.tolist(), series.y.tolist(), strict=True)) <= stored


def test_the_rest_of_export(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = opened.show_page("export")
    page.refresh()
    summary = json.loads(value(db, "SELECT summary FROM exports ORDER BY id DESC LIMIT 1"))
    tuned = summary["latency"]["tuned"]["seconds"]
    stored = [entry["seconds"] for entry in summary["latency"].values() if entry["seconds"]]
    assert [bar.value for bar in page.result.latency_bars._bars] == stored
    for bar in page.result.latency_bars._bars[1:]:
        assert bar.text.endswith(units.ratio(bar.value / tuned))
    assert all(entry["note"] in page.result.latency_note.text() for entry in summary["latency"].values())
    for check in summary["checks"]:
        assert f"{check['tolerance']:.1e}" in texts(page.result.check)
    note = page.result.coverage_note.text()
    for state, part in summary["coverage"]["summary"].items():
        assert f"{units.count(part['functions'])} {state} ({units.percent(part['share'])} of the time)" in note


def test_the_figures_of_a_candidate(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = opened.show_page("schedule")
    page.refresh()
    subject = page._subject
    row = db.execute(
        "SELECT x.*, k.flops, k.untuned_s FROM measurements x JOIN tasks k ON k.id = x.task_id WHERE candidate_id = ?",
        (subject.candidate_id,),
    ).fetchone()
    repeats = json.loads(row["repeats"])
    note = page.candidate_card.note.text()
    assert note.split("   ") == [
        units.latency(row["seconds"]),
        f"±{units.percent((max(repeats) - min(repeats)) / 2 / row['seconds'])}",
        units.rate(row["flops"] / row["seconds"], "FLOP"),
        f"{units.ratio(row['untuned_s'] / row['seconds'])} over untuned",
    ]
    page.tabs.setCurrentWidget(page.roofline)
    page.refresh()
    told = page.roofline.told.text()
    assert units.rate(row["flops"] / row["seconds"], "FLOP") in told
    assert f"{roof_share(db, {'id': subject.task_id})} of it" in told


def test_the_profile_of_the_projects_device(opened: MainWindow, db: sqlite3.Connection) -> None:
    page = opened.show_page("devices")
    page.refresh()
    stored = json.loads(value(db, "SELECT profile FROM targets"))
    told = "\n".join(
        found.text()
        for at in range(page.stored.count())
        for found in page.stored.itemAt(at).widget().findChildren(QLabel)
    )
    assert stored["fingerprint"] in told
    for name in ("cores", "vector_registers"):
        assert f"\n{stored[name]}\n" in told
    for name, unit in (
        ("peak_flops", "FLOP"),
        ("peak_flops_core", "FLOP"),
        ("dram_bandwidth", "B"),
        ("dram_bandwidth_core", "B"),
    ):
        assert units.rate(stored[name], unit) in told
    assert f"{stored['vector_bits']} bits" in told and units.latency(stored["parallel_overhead_s"]) in told
    for cache in stored["caches"]:
        text = f"L{cache['level']} {units.size(cache['bytes'])} at {units.rate(cache['bandwidth'], 'B')}"
        assert text.replace(" ", "\xa0") in told, "a line breaks between caches only"


# ---------------------------------------------------------------- what a round explored


def test_the_distribution_of_explored_and_drafted_scores_is_that_of_the_round(
    qtbot, opened: MainWindow, db: sqlite3.Connection
) -> None:
    opened.workspace.select(None)
    page = opened.show_page("draft")
    page.refresh()
    qtbot.mouseClick(page.score.part("explored"), Qt.MouseButton.LeftButton)
    with_one = db.execute(
        "SELECT id, idx, task_id, json_extract(stats, '$.draft_histogram') AS found FROM rounds WHERE run_id = ?"
        " ORDER BY id",
        (RUN,),
    ).fetchall()
    newest = [row for row in with_one if row["found"]][-1]

    def check(row: sqlite3.Row) -> None:
        stored, drawn = json.loads(row["found"]), {series.name: series for series in page.scatter.series}
        for key in ("explored", "drafted"):
            series = drawn[f"{key} in round {row['idx']}"]
            assert series.x.tolist() == stored["edges"]
            assert series.y[:-1].tolist() == pytest.approx([count / sum(stored[key]) for count in stored[key]])

    check(newest)
    for row in with_one[:12]:
        page.table.choose(row["id"])
        page._round_chosen({"id": row["id"]})
        made = [one for one in with_one if one["found"] and one["task_id"] == row["task_id"] and one["id"] <= row["id"]]
        if made:
            check(made[-1])
        else:
            assert page.scatter.series == [], "its task has explored nothing by then"


def test_a_strategy_that_does_not_draft_has_no_distribution(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project, 1)
    page = window.show_page("draft")
    page.score.part("explored").click()
    page.refresh()
    assert page.scatter.series == [] and page.scatter._nothing.isVisibleTo(page.scatter)
