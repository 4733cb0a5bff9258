"""Each page shows what the project file holds, and follows clicks and keys."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from pointer import double_click, point_of
from project_factory import make_project
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLabel

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.rows import RowTable
from pruner_studio.problem import Problem
from pruner_studio.theme import theme
from pruner_studio.widgets.axis import HumanAxis
from pruner_studio.widgets.scale import Scale


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    assert window.workspace.open(finished_project)
    return window


def show(window: MainWindow, key: str):
    page = window.show_page(key)
    page.refresh()
    return page


def cell_of(model: RowTable, row: dict, title: str) -> str:
    return model.text_of(row, next(column for column in model.columns if column.title == title))


def test_every_page_says_what_to_do_when_nothing_is_open(window: MainWindow) -> None:
    for key, *_ in PAGES:
        assert show(window, key).title_label.text()
    assert show(window, "overview").pages.currentIndex() == 0
    assert window.run_bar.isHidden()


def test_a_kernel_above_the_roof_has_the_profile_doubted(window: MainWindow, finished_project: Path, tmp_path) -> None:
    shutil.copy(finished_project, path := tmp_path / "fast.pruner")
    assert window.workspace.open(path)
    page = show(window, "tasks")
    assert "measured limits" in page.limits.text()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE measurements SET seconds = seconds / 1000")
    assert window.workspace.open(path)
    assert "measure it anew" in show(window, "tasks").limits.text()


def test_overview_figures_are_those_of_the_file(opened: MainWindow, finished_project: Path) -> None:
    page = show(opened, "overview")
    with ProjectReader(finished_project) as reader:
        run, progress = reader.run(), reader.progress(3)
    assert page.tiles["latency"]._value.text() == units.latency(run["latency_s"])
    assert page.tiles["trials"]._value.text() == units.count(run["trials"])
    assert page.tiles["worked"]._value.text() == units.duration(run["elapsed_s"])
    *others, curve = page.curve.series
    assert [series.name for series in others] == ["1 metaschedule", "2 pruner"]
    assert curve.name == "3 moa-pruner" and curve.strong and not any(series.strong for series in others)
    assert curve.y[-1] == progress[-1]["latency_s"] and curve.x[-1] == progress[-1]["trials"]
    assert {level.name for level in page.curve.levels} == {"Untuned", "ONNX Runtime", "PyTorch", "Measured"}
    page.curve.axis.part("elapsed_s").click()
    assert page.curve.series[-1].x[-1] == progress[-1]["elapsed_s"]


def test_a_run_written_by_another_process_is_shown_live(qtbot, window: MainWindow, tmp_path: Path) -> None:
    path = make_project(tmp_path / "live.pruner", runs=1, rounds=3, state="stopped")
    window.workspace.open(path)
    page = show(window, "overview")
    other = sqlite3.connect(path)
    other.execute(
        "INSERT INTO progress (run_id, elapsed_s, trials, valid, failed, latency_s) VALUES (1, 999, 77, 70, 7, 0.001)"
    )
    other.commit()
    qtbot.waitUntil(lambda: page.tiles["latency"]._value.text() == "1.00 ms", timeout=5000)
    other.close()


def test_an_interrupted_run_offers_resume(window: MainWindow, tmp_path: Path) -> None:
    window.workspace.open(make_project(tmp_path / "broken.pruner", runs=1, rounds=2, state="tuning"))
    assert window.run_bar.state.text() == "interrupted"
    assert window.run_bar.resume_button.isVisible() and not window.run_bar.stop_button.isVisible()


def test_tasks_sort_and_filter(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "tasks")
    shares = [row["share"] for row in page.model.rows]
    assert shares == sorted(shares, reverse=True)
    page.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    names = [row["name"] for row in page.model.rows]
    assert names == sorted(names)
    qtbot.keyClicks(page.filter, "conv2d 28×28")
    rested(page)
    assert [row["op"] for row in page.model.rows] == ["conv2d"]
    assert "1 of 10" in page.count.text()


def test_a_page_out_of_sight_narrows_its_tasks_when_it_is_shown(opened: MainWindow, rested) -> None:
    page = show(opened, "tasks")
    rested(page)
    opened.show_page("overview")
    opened.workspace.narrow("conv2d 28×28")
    assert page.filter.text() == "conv2d 28×28" and len(page.model.rows) == 10, "nobody looks at them"
    opened.show_page("tasks")
    rested(page)
    assert len(page.model.rows) == 1


def test_a_point_of_the_scatter_is_chosen_by_a_click_and_opened_by_two(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("draft")
    rested(page)
    assert [name for name, _ in page.funnel._steps] == ["explored", "drafted", "verified", "measured", "valid"]
    series, rounds = page.scatter.series, page.model.rows
    ids = {candidate_id for one in series for candidate_id in one.ids}
    view, place = page.scatter._view.viewport(), point_of(page.scatter, series[0], 0)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    rested(page)
    chosen = opened.workspace.candidate_id
    assert chosen in ids and opened.current_page == "draft"
    assert page.task.currentText() == "All tasks" and page.model.rows == rounds, "what is looked at stays"
    assert {candidate_id for one in page.scatter.series for candidate_id in one.ids} == ids

    double_click(view, point_of(page.scatter, page.scatter.series[0], 0))
    assert opened.current_page == "schedule" and opened.workspace.candidate_id == chosen
    schedule = opened.show_page("schedule")
    rested(schedule)
    assert schedule.candidate_card.heading.text() == f"Candidate {chosen}"


def test_the_scores_stand_against_each_other(qtbot, opened: MainWindow, finished_project: Path) -> None:
    page = show(opened, "draft")
    qtbot.mouseClick(page.score.part("both"), Qt.MouseButton.LeftButton)
    with ProjectReader(finished_project) as reader:
        rows = {row["id"]: row for row in reader.candidates(3, measured=True)}
    orders = {}
    for row in rows.values():
        for score in ("draft_score", "verified_score"):
            orders.setdefault((score, row["round_id"]), []).append(row[score])
    drawn = [point for one in page.scatter.series for point in zip(one.ids, one.x, one.y, strict=True)]
    assert {candidate_id for candidate_id, *_ in drawn} == set(rows)
    for candidate_id, *at in drawn:
        row = rows[candidate_id]
        for place, score in zip(at, ("draft_score", "verified_score"), strict=True):
            assert place == 1 + sum(other > row[score] for other in orders[score, row["round_id"]])

    page.table.selectRow(0)
    page.refresh()
    (of_round,) = {row["round_id"] for one in page.scatter.series for row in map(rows.get, one.ids)}
    assert of_round == page.table.chosen_id
    for one in page.scatter.series:  # within a round the scores themselves
        assert list(one.x) == [rows[candidate_id]["draft_score"] for candidate_id in one.ids]
        assert list(one.y) == [rows[candidate_id]["verified_score"] for candidate_id in one.ids]


def test_candidates_of_an_origin_that_has_no_name_here_are_drawn_too(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(finished_project, tmp_path / "other.pruner"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE candidates SET origin = 'elsewhere' WHERE origin = 'evolved'")
    window.workspace.open(path)
    assert {series.name for series in show(window, "draft").scatter.series} == {"drafted", "random", "elsewhere"}


def test_rank_correlations_agree_with_scipy(opened: MainWindow, finished_project: Path) -> None:
    from scipy.stats import spearmanr

    from pruner_engine.store.figures.quality import score_quality

    with ProjectReader(finished_project) as reader:
        rows = [row for row in reader.candidates(3, 1, measured=True)]
    timed = [row for row in rows if row["stage"] == "ok"]
    expected = spearmanr([row["draft_score"] for row in timed], [-row["seconds"] for row in timed]).statistic
    assert score_quality(rows, "draft_score") == pytest.approx(expected)


def test_all_messages_of_a_run_can_be_reached(qtbot, opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "talkative.pruner")
    insert = "INSERT INTO events (run_id, at, level, text, hint) VALUES (3, ?, 'warning', ?, 'Look at it.')"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executemany(insert, [(float(at), f"Something {at} happened.") for at in range(8)])
        stored = [text for (text,) in db.execute("SELECT text FROM events WHERE run_id = 3 ORDER BY id DESC")]
    opened.workspace.open(path, 3)
    events = show(opened, "overview").events
    told = [text.text() for text in events.findChildren(QLabel)]
    assert [any(text in line for line in told) for text in stored] == [True] * 6 + [False] * 3
    assert events.more.text() == "3 older messages" and not events.older.isVisible()
    events.more.setFocus()
    qtbot.keyClick(events.more, Qt.Key.Key_Space)
    lines = events.older.toPlainText().splitlines()
    assert events.older.isVisible() and all(text in line for text, line in zip(stored[6:], lines, strict=True))
    assert "Warning: Something 1 happened. Look at it." in lines[0]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(insert, (9.0, "The newest."))
    qtbot.waitUntil(lambda: events.older.toPlainText().splitlines()[1:] == lines, timeout=20_000)
    assert events.older.isVisible(), "who reads goes on reading"
    qtbot.mouseClick(events.more, Qt.MouseButton.LeftButton)
    assert not events.older.isVisible() and events.more.text() == "4 older messages"


def test_why_a_task_was_given_up_is_told(qtbot, opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "hopeless.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE run_tasks SET quarantined = 'the last 16 trials failed: it hung' WHERE task_id = 2")
    opened.workspace.open(path, 3)
    page = show(opened, "tasks")
    at, state = page.model.row_of(2), [column.called for column in page.model.columns].index("State")
    assert page.model.data(page.model.index(at, state)) == "given up"
    assert (
        page.model.data(page.model.index(at, state), Qt.ItemDataRole.ToolTipRole)
        == "the last 16 trials failed: it hung"
    )
    page.table.selectRow(at)
    qtbot.waitUntil(page.given_up.isVisible, timeout=20_000)
    name = page.model.rows[page.model.row_of(2)]["name"]
    assert page.given_up.text() == f"{name} was given up: the last 16 trials failed: it hung"
    page.table.selectRow(page.model.row_of(1))
    qtbot.waitUntil(page.given_up.isHidden, timeout=20_000)


def test_compare_measures_all_runs_against_the_stock_search(opened: MainWindow) -> None:
    page = show(opened, "compare")
    assert len(page.plot.series) == 3
    stock = next(row for row in page.model.rows if row["strategy"] == "metaschedule")
    assert stock["goal_gain"] == 1
    assert all(row["goal_s"] is None or row["goal_s"] <= row["elapsed_s"] for row in page.model.rows)


def test_any_run_sets_the_goal(qtbot, opened: MainWindow, finished_project: Path) -> None:
    page = show(opened, "compare")
    page.goal_of.setFocus()
    while page.goal_of.currentData() != "2":
        qtbot.keyClick(page.goal_of, Qt.Key.Key_Down)
    (second,) = (row for row in page.model.rows if row["id"] == 2)
    assert second["goal_gain"] == 1 and units.latency(second["latency_s"]) in page.goal.text()
    assert page.command_line() == f"pruner compare {finished_project} --run 3 --goal 2"


def test_a_run_alone_has_no_goal_to_choose(window: MainWindow, tmp_path: Path, rested) -> None:
    alone, several = (make_project(tmp_path / f"{runs}.pruner", runs=runs, rounds=4) for runs in (1, 2))
    for project, chosen in ((alone, False), (several, True), (alone, False)):
        window.workspace.open(project)
        page = window.show_page("compare")
        rested(page)
        assert page.goal_of.isVisible() is chosen and ("Goal:" in page.goal.text()) is chosen
    assert "no other run" in page.goal.text() and page.goal.isVisible()


def test_the_usual_goal_is_called_after_the_run_that_sets_it(window: MainWindow, tmp_path: Path, rested) -> None:
    project = make_project(tmp_path / "own.pruner", runs=2, rounds=4)
    page = window.show_page("compare")
    for strategy, told in (("metaschedule", "Goal of the stock search"), ("random", "Goal of the shown run")):
        with connected(project) as db:
            db.execute("UPDATE runs SET strategy = ? WHERE id = 1", (strategy,))
        window.workspace.open(project, 2)
        page.refresh()
        assert page.goal_of.currentText() == told
        assert f"where run {2 if strategy == 'random' else 1} " in page.goal.text()


def test_a_library_that_is_as_fast_is_not_told_to_be_faster(window: MainWindow, tmp_path: Path) -> None:
    project = make_project(tmp_path / "even.pruner", runs=1, rounds=4)
    with ProjectReader(project) as reader:
        seconds = reader.run(1)["latency_s"]
    for exported, told in ((True, "as fast as measured"), (False, "as fast as the estimate")):
        with connected(project) as db:
            if not exported:
                db.execute("DELETE FROM exports")
            db.execute("UPDATE baselines SET seconds = ?", (seconds * (1.15 if exported else 1),))
        window.workspace.open(project)
        tile = show(window, "overview").tiles["onnxruntime"]
        assert tile._remark.text().split(" · ")[0] == told


def test_numbers_that_are_names_are_told_as_a_terminal_takes_them(window: MainWindow, tmp_path: Path, rested) -> None:
    project = make_project(tmp_path / "long.pruner", runs=1, rounds=40)
    with connected(project) as db:
        db.execute("UPDATE runs SET seed = 2147483647")
        db.execute("UPDATE rounds SET idx = idx + 1000")
    window.workspace.open(project)
    compare = show(window, "compare")
    assert cell_of(compare.model, compare.model.rows[0], "Seed") == "2147483647"
    draft = show(window, "draft")
    assert {cell_of(draft.model, row, "Round") for row in draft.model.rows} == {str(1000 + at) for at in range(40)}
    candidates = show(window, "schedule").candidates.model
    window.workspace.select(window.workspace.reader.candidate(1250)["task_id"])
    show(window, "schedule")
    told = {cell_of(candidates, row, "#"): cell_of(candidates, row, "Round") for row in candidates.rows}
    assert "1250" in told and told["1250"] == "1039"


def test_adaptation_and_export_show_their_rows(opened: MainWindow) -> None:
    adaptation = show(opened, "adaptation")
    assert [series.name for series in adaptation.plots["pair_accuracy"].series] == [
        "adapted",
        "from scratch",
        "siamese alone",
    ]
    export = show(opened, "export")
    assert export.result.check_state.text() == "equal"
    assert {row["state"] for row in export.result.functions.rows} == {"applied", "fallback"}


def test_an_export_that_differs_is_not_told_as_equal(opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "differs.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:  # "ok" was always 1, whatever was found
        (stored,) = db.execute("SELECT summary FROM exports WHERE id = 3").fetchone()
        summary = json.loads(stored)
        summary["checks"][1] |= {"ok": False, "message": "2 of 1000 elements differ"}
        db.execute("UPDATE exports SET summary = ? WHERE id = 3", (json.dumps(summary),))
    opened.workspace.open(path)
    page = show(opened, "export")
    assert (page.result.check_state.text(), page.result.check_state.property("tone")) == ("differ", "bad")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE exports SET summary = ?", (json.dumps(summary | {"checks": []}),))
    assert show(opened, "export").result.check_state.text() == ""  # nothing was compared


def test_the_last_export_is_one_of_the_shown_model_and_names_its_run(opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "two.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TEMP TABLE other AS SELECT * FROM models")
        db.execute("UPDATE other SET id = 2, name = 'bert', sha256 = '1'")
        db.execute("INSERT INTO models SELECT * FROM other")
        db.execute("UPDATE runs SET model_id = 2 WHERE id = 3")
    opened.workspace.open(path, 1)
    page = show(opened, "export")
    assert "Run 2 · resnet18 · pruner" in page.result.source.text()
    opened.workspace.choose_run(3)
    assert "Run 3 · bert · moa-pruner" in show(opened, "export").result.source.text()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM exports WHERE run_id = 3")
    assert show(opened, "export").pages.currentIndex() == 0


def test_the_best_of_all_runs_is_exported_beside_a_run_that_failed(opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "failed.pruner")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE measurements SET stage = 'build', error = 'error', seconds = NULL WHERE run_id = 3")
    opened.workspace.open(path, 3)
    page = show(opened, "export")
    assert page.which.currentText() == "Best of all runs" and page.go.isEnabled() and page.phase.isHidden()
    page.which.setCurrentIndex(1)
    assert not page.go.isEnabled() and "nothing to export" in page.phase.text() and not page.phase.isHidden()


def test_an_error_in_reading_after_a_click_is_a_sentence(opened: MainWindow, tmp_path: Path) -> None:
    path = shutil.copy(opened.workspace.path, tmp_path / "odd.pruner")
    opened.workspace.open(path, 3)
    page = show(opened, "overview")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE progress SET latency_s = 'soon'")
        db.execute("UPDATE runs SET settings = '{'")
    told: list[Problem] = []
    opened.workspace.problem.connect(told.append)
    page.curve.axis.part("elapsed_s").click()
    assert told and page.isVisible()


def test_a_task_without_a_round_shows_nothing_of_another(window: MainWindow, tmp_path: Path, rested) -> None:
    window.workspace.open(make_project(tmp_path / "begun.pruner", runs=1, rounds=3))
    tuned, waiting = (window.workspace.reader.tasks(1)[at]["id"] for at in (0, 3))
    window.workspace.select(tuned)
    page = window.show_page("draft")
    rested(page)
    assert page.scatter.series and page.tiles["rank", "draft_score"]._value.text() != "–"
    for chosen, words in ((waiting, ""), (None, "no task has this")):
        window.workspace.select(chosen)
        window.workspace.narrow(words)
        rested(page)
        assert page.funnel._steps == []
        assert page.scatter.series == [] and page.model.rows == []
        assert {tile._value.text() for tile in page.tiles.values()} == {"–"}


def test_a_task_that_the_filter_hides_is_named_where_it_is_shown(opened: MainWindow) -> None:
    tasks = {row["id"]: row["name"] for row in opened.workspace.reader.tasks(3)}
    shown, kept = (next(key for key, name in tasks.items() if word in name) for word in ("conv2d", "softmax"))
    opened.workspace.select(shown)
    opened.workspace.narrow("softmax")
    page = show(opened, "draft")
    assert page.task.currentText() == tasks[shown]
    assert [page.task.itemData(at) for at in range(page.task.count())] == [None, *sorted((shown, kept))]
    assert {row["task"] for row in page.model.rows} == {tasks[shown]}


def test_arrow_keys_stay_on_their_run_while_another_goes_on(qtbot, opened: MainWindow) -> None:
    page = show(opened, "compare")
    assert page.table.chosen_id == 3
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Up)
    opened.workspace.changed.emit()
    page.refresh()
    assert page.table.chosen_id == 2
    qtbot.keyClick(page.table, Qt.Key.Key_Up)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert opened.workspace.run_id == 1
    assert show(opened, "compare").table.chosen_id == 1


def test_choosing_another_run_reaches_every_page(opened: MainWindow) -> None:
    bar = opened.run_bar
    at = bar.runs.findData(1)
    bar.runs.setCurrentIndex(at)
    bar.runs.activated.emit(at)
    assert "metaschedule" in show(opened, "overview").subtitle_label.text()
    assert show(opened, "adaptation").pages.currentIndex() == 0


def test_a_plot_is_saved_as_csv_svg_and_png(opened: MainWindow, tmp_path: Path) -> None:
    plot = show(opened, "overview").curve
    for suffix in ("csv", "svg", "png"):
        plot.figure.save(str(tmp_path / f"curve.{suffix}"))
    rows = list(csv.reader((tmp_path / "curve.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["series", "trials", "latency, s"]
    assert float(rows[len(plot.series[0].x)][2]) == pytest.approx(plot.series[0].y[-1])
    assert (tmp_path / "curve.svg").read_text().lstrip().startswith("<?xml")
    assert (tmp_path / "curve.png").stat().st_size > 1000


def test_problems_are_cards_that_can_be_copied_and_dismissed(window: MainWindow) -> None:
    window.workspace.open("/nowhere/missing.pruner")
    window.problems.tell(Problem("Something broke.", "Try again.", "a long report"))
    window.problems.tell(Problem("Something broke.", "Try again.", "a long report"))
    assert window.problems.cards()[0].problem.message == "Something broke."
    assert len(window.problems.cards()) == 2
    window.problems.cards()[0]._copy()
    assert "a long report" in QGuiApplication.clipboard().text()
    window.problems.cards()[0].dismissed.emit()
    assert len(window.problems.cards()) == 1


def test_a_report_names_versions_run_and_problems(opened: MainWindow) -> None:
    opened.problems.tell(Problem("Something broke.", "Try again.", "a long report"))
    opened.copy_report()
    told = QGuiApplication.clipboard().text()
    assert "apache-tvm" in told and "strategy: moa-pruner" in told and "a long report" in told


def test_start_page_asks_for_open_dimensions_and_tells_the_command(window: MainWindow, tmp_path: Path) -> None:
    page = window.show_page("start")
    page.set_model("")
    page.model_card.model = "/models/bert.onnx"
    page.project.setText(str(tmp_path / "bert.pruner"))
    inputs = [msg.ModelInput("ids", ["batch", "sequence"], "int64"), msg.ModelInput("mask", [1, 1], "int64")]
    page.model_card._checked(msg.ModelChecked(model="/models/bert.onnx", kind="onnx", inputs=inputs, bytes=100))
    assert page.shapes.isVisibleTo(page)
    page.shapes._fields["sequence"][0].setValue(64)
    assert page.plan().inputs == {"ids": [1, 64]}
    page.form.budget_kind.part("minutes").click()
    page.form.budget.setValue(5)
    assert "--input ids=1,64" in page.command_line() and "--minutes 5" in page.command_line()
    assert page.tune.isEnabled()


def test_the_wheel_changes_no_field_that_nobody_works_on(window: MainWindow, finished_project: Path) -> None:
    form = window.start_page().form
    for field, value in ((form.strategy, form.strategy.currentText), (form.budget, form.budget.text)):
        QApplication.processEvents()
        before, place = value(), field.mapTo(window, field.rect().center())
        QTest.wheelEvent(window.windowHandle(), place, QPoint(0, -120))
        QApplication.processEvents()
        assert value() == before and not field.hasFocus()
    window.workspace.open(finished_project)
    for key, *_ in PAGES:
        show(window, key)
    schedule = show(window, "schedule")
    schedule.tabs.setCurrentWidget(schedule.what_if)
    fields = [*window.findChildren(QComboBox), *window.findChildren(QAbstractSpinBox)]
    assert len(fields) > 8
    assert [field.accessibleName() for field in fields if field.focusPolicy() == Qt.FocusPolicy.WheelFocus] == []


def test_a_count_has_whole_ticks(qapp) -> None:
    axis = HumanAxis("bottom", Scale("", units.count))
    for highest, told in ((2.0, ["0", "1", "2"]), (1.0, ["0", "1"])):
        ((step, values),) = axis.tickValues(0.0, highest, 900.0)
        assert axis.tickStrings(values, 1.0, step) == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (1200.0, ["0 s", "5 min", "10 min", "15 min", "20 min"]),
        (7200.0, ["0 s", "30 min", "1 h", "1 h 30 min", "2 h"]),
    ],
)
def test_a_time_has_the_ticks_of_a_clock(qapp, seconds: float, told: list[str]) -> None:
    axis = HumanAxis("bottom", Scale("", units.duration))
    ((step, values),) = axis.tickValues(0.0, seconds, 400.0)
    assert axis.tickStrings(values, 1.0, step) == told


@pytest.mark.parametrize(
    ("text", "log", "values", "told"),
    [
        (units.latency, True, (5e-6, 1e-3, 0.05), ["5 µs", "1 ms", "50 ms"]),
        (units.significant, True, (0.1, 1, 10, 100), ["0.1", "1", "10", "100"]),
        (units.latency, False, (1.05e-3, 1.1e-3), ["1.05 ms", "1.10 ms"]),
        (units.latency, False, (1e-3, 2e-3), ["1 ms", "2 ms"]),
        (units.percent, False, (0, 0.5, 1), ["0 %", "50 %", "100 %"]),
    ],
)
def test_a_tick_has_no_digits_that_say_nothing(
    qapp, text, log: bool, values: tuple[float, ...], told: list[str]
) -> None:
    axis = HumanAxis("bottom", Scale("", text, log=log))
    assert axis.tickStrings([np.log10(value) if log else value for value in values], 1.0, 1.0) == told


def test_both_themes_paint_every_page(qtbot, opened: MainWindow) -> None:
    for name in ("dark", "light"):
        theme.choose(name)
        for key, *_ in PAGES:
            page = show(opened, key)
            ground = opened.grab().toImage().pixelColor(page.mapTo(opened, QPoint(4, 4)))
            assert (ground.lightness() < 60) == (name == "dark"), key


def test_every_page_is_there_before_it_is_opened(qtbot, window: MainWindow) -> None:
    window.settle()
    qtbot.waitUntil(lambda: {key for key, *_ in PAGES} <= set(window.pages.made), timeout=60_000)
    assert window.current_page == "start"


def test_a_page_that_is_filled_in_steps_lets_the_project_be_closed_in_between(
    qtbot, window, rested, finished_project
) -> None:
    assert window.workspace.open(finished_project)
    page = window.show_page("draft")
    qtbot.waitUntil(lambda: bool(page.scatter.series), timeout=5_000)
    filled = []
    page.refreshed.connect(lambda: filled.append(page.pages.currentIndex()))
    page.refreshing.touch()
    page.refreshing.begin_if_shown()  # the first step
    assert not filled
    window.workspace.leave()
    qtbot.wait(50)  # where the next steps would come
    rested(window.show_page("draft"))
    assert filled == [0]  # the empty state, and nothing of the project before it


def test_a_page_without_a_run_offers_what_can_be_done_and_nothing_else(window: MainWindow) -> None:
    overview, export = show(window, "overview"), show(window, "export")
    told = "Tune a model on the Start page, or open a project."
    assert overview.export_button.isHidden() and overview.empty._text.text() == export.empty._text.text() == told
    assert not overview.empty._action.isHidden()


def test_a_project_without_a_run_is_told_from_no_project(window: MainWindow, tmp_path: Path) -> None:
    window.workspace.open(make_project(tmp_path / "new.pruner", runs=0))
    for key in ("overview", "export", "adaptation"):
        assert show(window, key).empty._text.text().startswith("This project holds no run yet"), key


def test_rounds_that_tell_no_correlation_say_what_they_lack(window: MainWindow, tmp_path: Path, rested) -> None:
    project = make_project(tmp_path / "short.pruner", runs=1, rounds=2)
    with sqlite3.connect(project) as db:
        one_a_round = "SELECT max(m.id) FROM measurements m JOIN candidates c ON c.id = candidate_id GROUP BY round_id"
        db.execute(f"DELETE FROM measurements WHERE id NOT IN ({one_a_round})")
    db.close()
    window.workspace.open(project)
    page = show(window, "draft")
    rested(page)
    rank = page.tiles["rank", "verified_score"]
    assert rank._value.text() == "–" and rank._remark.text() == "needs three scored and measured in a round"


def test_while_a_run_is_prepared_there_is_nothing_to_press(qtbot, window: MainWindow, tmp_path: Path) -> None:
    window.workspace.start(msg.Tune(project=str(tmp_path / "new.pruner"), model="matmul:64,64,64", trials=4))
    page = show(window, "overview")
    assert page.empty._title.text() == "Preparing" and page.empty._action.isHidden()
    window.keep_job = False
    window.workspace.job.quit()
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=60_000)


def test_cards_of_the_overview_end_where_its_tiles_do(opened: MainWindow, rested) -> None:
    opened.resize(1400, 1500)  # there is nothing to scroll
    page = show(opened, "overview")
    rested(page)

    def right(part) -> int:
        return part.mapTo(page, QPoint(part.width(), 0)).x()

    last = max(right(tile) for tile in page.tiles.values() if tile.isVisible())
    assert right(page.time_card) == pytest.approx(last, abs=1)


def test_a_page_stays_where_it_is_when_a_run_begins_and_ends(opened: MainWindow) -> None:
    bar = opened.run_bar
    heights = set()
    for shown in (True, False):
        bar.progress.setVisible(shown)
        QApplication.processEvents()
        heights.add((bar.height(), bar.sizeHint().height()))
    assert len(heights) == 1
