"""Everything around one task: by clicks and keys, each figure held against the project file."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from painted import cell
from pointer import double_click, point_of
from project_factory import make_project
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QWidget

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow
from pruner_studio.models.trace import changed_decisions, instructions
from pruner_studio.models.words import PHASES
from pruner_studio.panes.code import FORMS
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.noise import NoiseCard
from pruner_studio.widgets.table import Table
from pruner_studio.widgets.what_if import TileRow


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    assert window.workspace.open(finished_project)
    return window


@pytest.fixture
def reader(finished_project: Path):
    with ProjectReader(finished_project) as made:
        yield made


def show(window: MainWindow, key: str):
    page = window.show_page(key)
    page.refresh()
    return page


def press(qtbot, widget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def press_at(qtbot, widget, place: QPoint) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)


def press_keys(qtbot, window: MainWindow, keys: str) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keySequence(window, keys)


def open_tab(qtbot, page, pane) -> None:
    bar = page.tabs.tabBar()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(page.tabs.indexOf(pane)).center())
    assert page.tabs.currentWidget() is pane


# ---------------------------------------------------------------- tasks


def test_each_measured_task_stands_under_the_measured_roofs(qtbot, opened: MainWindow, reader) -> None:
    page = show(opened, "tasks")
    tasks = {row["id"]: row for row in reader.tasks(3)}
    *roofs, points = page.roofline.series
    assert [roof.name.split()[0] for roof in roofs] == ["L1", "L2", "L3", "DRAM", "peak"]
    profile = reader.profile(3)
    assert units.rate(profile["peak_flops"], "FLOP") in roofs[-1].name and set(roofs[-1].y) == {profile["peak_flops"]}
    assert roofs[3].y[0] == pytest.approx(roofs[3].x[0] * profile["dram_bandwidth"])
    assert len(points.ids) == sum(row["best_s"] is not None for row in tasks.values())
    for at, task_id in enumerate(points.ids):
        row = tasks[task_id]
        moved = sum(4 * units_product(spec["shape"]) for spec in row["shapes"])
        assert points.y[at] == pytest.approx(row["flops"] / row["best_s"])
        assert points.x[at] == pytest.approx(row["flops"] / moved)


def units_product(shape: list[int]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def test_a_click_on_a_point_of_the_roofline_chooses_its_task(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "tasks")
    rested(page)
    points = page.roofline.series[-1]
    view = page.roofline._view.viewport()
    qtbot.mouseMove(view, point_of(page.roofline, points, 0))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=point_of(page.roofline, points, 0))
    near = [opened.workspace.task_id == task_id for task_id in points.ids]
    assert any(near), "a task was chosen"
    page.refresh()
    assert page.table.currentIndex().row() == page.model.row_of(opened.workspace.task_id)


def test_another_button_than_the_left_chooses_no_point(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "tasks")
    rested(page)
    view, place = page.roofline._view.viewport(), point_of(page.roofline, page.roofline.series[-1], 0)
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        qtbot.mouseClick(view, button, pos=place)
        assert opened.workspace.task_id is None
    press_at(qtbot, view, place)
    assert opened.workspace.task_id is not None


def test_a_pointer_that_leaves_a_plot_points_at_nothing(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "tasks")
    rested(page)
    plot, view = page.roofline, page.roofline._view.viewport()
    place = point_of(plot, plot.series[-1], 0)

    def move_to(widget: QWidget, place: QPoint) -> None:
        for at in (place - QPoint(3, 0), place):
            qtbot.mouseMove(widget, at)
            qtbot.wait(40)  # pyqtgraph drops moves that come closer

    def told() -> tuple[bool, bool, bool]:
        """In words, by a ring, by a row of the table."""
        return bool(plot._hovered.text()), bool(len(plot._ring.data)), bool(page.table.pointed_ids)

    move_to(view, place)
    assert told() == (True, True, True)
    move_to(opened.sidebar, QPoint(20, 20))
    assert told() == (False, False, False)
    assert plot._view.accessibleDescription() == ""

    move_to(view, QPoint(view.width() - 8, 8))
    plot._view.setFocus()
    qtbot.keyClick(plot._view, Qt.Key.Key_Right)
    assert told()[:2] == (True, True)
    move_to(opened.sidebar, QPoint(20, 20))
    assert told()[:2] == (True, True), "where the keys have gone stays"


def test_the_sparkline_falls_to_the_best_latency_of_the_task(opened: MainWindow, reader) -> None:
    page = show(opened, "tasks")
    (column,) = (column for column in page.model.columns if column.curve is not None)
    for row in page.model.rows:
        points = column.curve(row)
        values = [value for _, value in points]
        best = next(task["best_s"] for task in reader.tasks(3) if task["id"] == row["id"])
        assert values == sorted(values, reverse=True)
        assert (values[-1] if values else None) == best
        assert not points or points[-1][0] == row["trials"]


def test_a_filter_narrows_every_page_and_is_taken_away_anywhere(qtbot, opened: MainWindow, reader, rested) -> None:
    tasks = show(opened, "tasks")
    qtbot.keyClicks(tasks.filter, "matmul")
    rested(tasks)
    wanted = {row["id"] for row in reader.tasks(3) if row["op"] == "matmul"}
    assert {row["id"] for row in tasks.model.rows} == wanted
    assert set(tasks.roofline.series[-1].ids) <= wanted

    draft = show(opened, "draft")
    assert {row["task_id"] for row in draft.model.rows} == wanted
    shown = {id_ for series in draft.scatter.series for id_ in series.ids}
    assert shown == {
        row["id"] for row in reader.candidates(3, measured=True) if row["task_id"] in wanted and row["seconds"]
    }

    overview = show(opened, "overview")
    told = [made.text() for made in overview.failures.findChildren(QLabel)]
    for failure in reader.failures(3, wanted):
        assert any(text.startswith(f"{failure['count']} ×") for text in told)
    spent = [row for row in reader.rounds(3) if row["task_id"] in wanted]
    assert {bar.name: bar.value for bar in overview.time_bars._bars} == {
        PHASES[part.removesuffix("_s")]: pytest.approx(sum(row[part] for row in spent)) for part in reader.worked(3)
    }
    chips = overview.findChildren(NarrowedBy)
    assert {chip.parentWidget() for chip in chips if chip.isVisible()} == {overview.time_card, overview.failures}

    compare = show(opened, "compare")
    for plot, note in ((overview.curve, overview.whole_run), (compare.plot, compare.whole_runs)):
        assert note.text() == "of all tasks, whatever the filter"
        assert plot.series[-1].y[-1] == reader.run(3)["latency_s"]

    rounds = {row["round"] for row in reader.adaptations(3) if row["task_id"] in wanted}
    curves = show(opened, "adaptation").plots["pair_accuracy"].series
    assert {x for series in curves for x in series.x} == rounds < {row["round"] for row in reader.adaptations(3)}

    functions = show(opened, "export").result.functions.rows
    names = {row["name"] for row in reader.tasks(3) if row["id"] in wanted}
    assert {row["task"] for row in functions} == names
    table = opened.show_page("export").findChild(Table)
    double_click(table.viewport(), cell(table, functions[0]["id"], 0).center())
    assert opened.current_page == "schedule" and opened.workspace.task_id in wanted

    schedule = show(opened, "schedule")
    offered = {schedule.task.itemData(at) for at in range(schedule.task.count())}
    assert offered == wanted

    opened.show_page("overview")
    press(qtbot, chips[0].chip)
    assert opened.workspace.filter == "" and all(chip.isHidden() for chip in chips)
    assert show(opened, "overview").whole_run.text() == show(opened, "compare").whole_runs.text() == ""
    assert len(show(opened, "tasks").model.rows) == len(reader.tasks(3))


def test_a_look_at_schedules_chooses_nothing_and_heeds_the_filter(opened: MainWindow, reader) -> None:
    workspace = opened.workspace
    rounds = len(show(opened, "draft").model.rows)
    page = show(opened, "schedule")
    tasks = reader.tasks(3)
    assert page._subject.task_id == max(tasks, key=lambda row: row["share"])["id"]
    assert (workspace.task_id, workspace.candidate_id) == (None, None)
    assert len(show(opened, "draft").model.rows) == rounds, "all tasks, as before"
    workspace.narrow("softmax")
    page = show(opened, "schedule")
    assert page.task.currentText() == "softmax7" and page.task.count() == 1
    workspace.select(tasks[0]["id"])
    assert show(opened, "schedule")._subject.task_id == tasks[0]["id"]


def told_by(page) -> list[str]:
    """The texts in sight beside the list of candidates."""
    return [part.text() for part in page.candidate_card.findChildren(QLabel) if part.isVisible()]


def test_a_task_whose_trials_all_failed_is_not_told_as_unmeasured(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = shutil.copy(finished_project, tmp_path / "failed.pruner")
    with connected(path) as db:
        db.execute("UPDATE measurements SET stage = 'build', error = 'error', seconds = NULL")
    window.workspace.open(path)
    page = show(window, "schedule")
    why = "No candidate of this task is valid; choose one at the left to see why."
    assert told_by(page).count(why) == 1 and page.candidates.model.rows
    assert page.tabs.isHidden()
    page.candidates.table.setFocus()
    qtbot.keyClick(page.candidates.table, Qt.Key.Key_Down)
    qtbot.waitUntil(page.tabs.isVisible, timeout=10_000)
    assert why not in told_by(page)


def test_instructions_are_counted_as_the_lines_of_the_trace(reader) -> None:
    left = reader.trace(next(row["id"] for row in reader.candidates(3, measured=True)))
    insts, decisions = json.loads(left)
    right = json.dumps([insts, [[4, [1, 2, 256, 1]], *decisions[1:]]])
    (told,) = changed_decisions(left, right)
    assert told.startswith("instruction 5: ") and told.endswith("1 × 2 × 256 × 1")
    assert [row["number"] for row in instructions(left)] == list(range(1, len(insts) + 1))


def test_a_diff_tells_which_of_the_two_is_faster(opened: MainWindow, reader) -> None:
    page = show(opened, "schedule")
    pane, subject = page.diff, page._subject
    measured = reader.best_candidates(3, subject.task_id, "measured")
    timed = sorted((row for row in measured if row["seconds"]), key=lambda row: row["seconds"])
    best, worst = timed[0], timed[-1]

    def verdict(left: int, right: int) -> str:
        return pane._verdict(subject, (pane.reader, left), (pane.reader, right))

    ratio = units.ratio(worst["seconds"] / best["seconds"])
    assert verdict(best["id"], worst["id"]) == f"The right one is {ratio} slower."
    assert verdict(worst["id"], best["id"]) == f"The right one is {ratio} faster."
    assert verdict(best["id"], best["id"]) == "Both are equally fast."
    assert "faster" in verdict(msg.UNTUNED, best["id"])
    other = next(row for row in reader.tasks(3) if row["id"] != subject.task_id and row["best_candidate_id"])
    assert verdict(other["best_candidate_id"], best["id"]) == "", "kernels that differ do not compare"


def test_decisions_that_differ_are_told_by_the_names_of_their_loops(reader) -> None:
    left = reader.trace(next(row["id"] for row in reader.candidates(3, measured=True)))
    insts, decisions = json.loads(left)
    right = json.dumps([insts, [[4, [1, 2, 256, 1]], *decisions[1:]]])
    (told,) = changed_decisions(left, right, ["C.i", "C.j", "C.k", "unroll"])
    assert told.startswith("C.i: ") and told.endswith("1 × 2 × 256 × 1")
    (numbered,) = changed_decisions(left, right, ["C.i"])  # of another sketch
    assert numbered.startswith("instruction 5: ")


# ---------------------------------------------------------------- one candidate


def test_failed_candidates_are_listed_with_their_messages(qtbot, opened: MainWindow, reader) -> None:
    overview = show(opened, "overview")
    look = next(b for b in overview.failures.findChildren(QPushButton) if b.accessibleName() == "Look at the first")
    look.click()
    assert opened.current_page == "schedule"
    page = show(opened, "schedule")
    failed = reader.candidate(opened.workspace.candidate_id)
    assert failed["stage"] == "run" and page.message.text() == failed["message"]
    press(qtbot, page.candidates.which.part("failed"))
    assert page.candidates.model.rows and {row["stage"] for row in page.candidates.model.rows} == {"run"}


def test_the_elite_of_a_decision_is_what_the_fastest_took(qtbot, opened: MainWindow, reader) -> None:
    page = show(opened, "schedule")
    open_tab(qtbot, page, page.decisions)
    task_id, candidate_id = page._subject.task_id, page._subject.candidate_id
    rows = [row for row in reader.candidates(3, task_id) if row["stage"] == "ok" and not row["censored"]]
    rows.sort(key=lambda row: row["seconds"])
    elite = rows[: -(-len(rows) // 10)]
    own = reader.candidate(candidate_id)["decisions"]
    qtbot.waitUntil(lambda: bool(page.decisions.bars), timeout=60_000)
    bars = {(one.shares.decision, one.shares.factor): one for one in page.decisions.bars}
    (inner, unroll) = bars[1, 2], bars[3, None]
    for at, value in enumerate(inner.shares.values):
        assert inner.shares.elite[at] == pytest.approx(
            sum(row["decisions"][1][2] == value for row in elite) / len(elite)
        )
    assert inner.own == own[1][2]
    assert unroll.shares.values == [0, 16, 64, 512] and unroll.own == [0, 16, 64, 512][own[3]]
    assert unroll.shares.prior == [0.25] * 4
    other = next(row for row in rows if row["sketch_id"] == elite[0]["sketch_id"] and row["decisions"] != own)
    opened.workspace.select(task_id, other["id"])
    page.refresh()
    assert bars[1, 2] is inner and inner in page.decisions.bars, "bars that somebody reads stay where they are"
    assert inner.own == other["decisions"][1][2]


def _of_shown_sketch(page, sql: str) -> None:
    """Change the other candidates of the sketch and run that a page shows."""
    row = page.workspace.reader.candidate(page._subject.candidate_id)
    others = "run_id = :run_id AND sketch_id = :sketch_id AND candidates.id <> :id"
    with closing(sqlite3.connect(page.workspace.path, isolation_level=None)) as db:
        db.execute(f"{sql} WHERE {others}", row)


def test_many_drafted_candidates_are_counted_beside_the_window(qtbot, live) -> None:
    """The window stood still for more than a second while it read and counted tens of thousands."""
    more = (
        "INSERT INTO candidates (run_id, task_id, round_id, sketch_id, hash, decisions, origin, draft_score)"
        " SELECT run_id, task_id, round_id, sketch_id, hash || n.value, decisions, origin, draft_score"
        " FROM candidates, json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]') n"
    )
    _of_shown_sketch(live, more)
    open_tab(qtbot, live, live.decisions)
    assert live.decisions.told.text() == "Counting the candidates of this sketch…" and not live.decisions.bars
    qtbot.waitUntil(lambda: bool(live.decisions.bars), timeout=60_000)
    row = live.workspace.reader.candidate(live._subject.candidate_id)
    own = live.workspace.reader.decided(row["run_id"], row["task_id"], row["sketch_id"])
    drafted = sum(one["origin"] != "random" for one in own)
    assert drafted > 10_000 and f"{units.count(drafted)} drafted" in live.decisions.told.text()


def test_candidates_that_cannot_be_counted_are_told_and_counted_again(qtbot, live) -> None:
    _of_shown_sketch(live, "UPDATE candidates SET decisions = replace(decisions, '[', '(')")
    open_tab(qtbot, live, live.decisions)
    qtbot.waitUntil(lambda: "cannot be read as a project" in live.decisions.told.text(), timeout=60_000)
    assert not live.decisions.save_button.isEnabled()
    _of_shown_sketch(live, "UPDATE candidates SET decisions = replace(decisions, '(', '[')")
    open_tab(qtbot, live, live.loops)
    open_tab(qtbot, live, live.decisions)
    qtbot.waitUntil(lambda: bool(live.decisions.bars), timeout=60_000)


def test_the_roofline_of_a_task_marks_the_candidate_shown(qtbot, opened: MainWindow, reader) -> None:
    page = show(opened, "schedule")
    open_tab(qtbot, page, page.roofline)
    task = next(row for row in reader.tasks(3) if row["id"] == page._subject.task_id)
    row = reader.candidate(page._subject.candidate_id)
    points = page.roofline.plot.series[-1]
    at = list(points.ids).index(row["id"])
    assert points.y[at] == pytest.approx(task["flops"] / row["seconds"])
    assert units.percent(task["roof_share"]) in page.roofline.told.text()
    other = next(id_ for id_ in points.ids if id_ != row["id"])
    page.roofline.plot.picked.emit(other)
    assert opened.workspace.candidate_id == other


def test_the_probe_of_each_round_is_told(opened: MainWindow, reader) -> None:
    draft = show(opened, "draft")
    titles = [column.title for column in draft.model.columns]
    probe, noise = titles.index("Probe"), titles.index("Noise")
    for at, row in enumerate(draft.model.rows):
        stats = next(r["stats"] for r in reader.rounds(3) if r["id"] == row["id"])
        assert draft.model.data(draft.model.index(at, probe)) == units.latency(stats["probe_s"])
        assert draft.model.data(draft.model.index(at, noise)) == units.percent(stats["probe_spread"])
    times = [row["stats"]["probe_s"] for row in reader.rounds(3)]
    text = show(opened, "overview").noise.text.text()
    assert units.latency(min(times)) in text and units.ratio(max(times) / min(times)) in text
    assert "in turns" in text


def test_boards_are_not_said_to_take_turns(qtbot) -> None:
    card = NoiseCard()
    qtbot.addWidget(card)
    card.show_probes([1e-3, 2e-3], in_turns=False)
    assert "2.00×" in card.text.text() and "in turns" not in card.text.text()


@pytest.mark.parametrize(
    ("kind", "forms"), [("llvm", ["tvmscript", "llvm", "asm"]), ("cuda", ["tvmscript", "cuda", "ptx", "llvm"])]
)
def test_code_is_offered_in_the_forms_of_the_target(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path, kind: str, forms: list[str]
) -> None:
    path = shutil.copy(finished_project, tmp_path / "target.pruner")
    with connected(path) as db:
        db.execute("UPDATE targets SET text = ?", (json.dumps({"kind": kind}),))
    window.workspace.open(path)
    page = show(window, "schedule")
    open_tab(qtbot, page, page.code)
    assert [form for form, _ in FORMS if page.code.forms.part(form).isVisibleTo(page)] == forms
    open_tab(qtbot, page, page.diff)
    assert {form for form, _ in FORMS if page.diff.forms.part(form).isVisibleTo(page)} == set(forms), "Diff has as many"


@pytest.mark.parametrize("pane", ["code", "diff"])
def test_a_target_that_makes_no_sense_is_a_sentence(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path, pane: str
) -> None:
    path = shutil.copy(finished_project, tmp_path / "target.pruner")
    with connected(path) as db:
        db.execute("UPDATE targets SET text = 'llvm -mcpu'")
    window.workspace.open(path)
    page = show(window, "schedule")
    open_tab(qtbot, page, getattr(page, pane))
    qtbot.waitUntil(lambda: bool(window.problems.cards()))
    assert {card.problem.message for card in window.problems.cards()} == {
        f"{path} cannot be read as a project: JSONDecodeError: Expecting value: line 1 column 1 (char 0)."
    }


def test_every_view_has_its_line_for_the_terminal(qtbot, opened: MainWindow) -> None:
    page = show(opened, "schedule")
    candidate = f"--candidate {page._subject.candidate_id}"
    of_task = f"{opened.workspace.path} --task {page._subject.task_id}"
    inspect, tried = f"pruner inspect {of_task} {candidate}", f"pruner try {of_task} --run 3 {candidate}"
    expected = {
        page.loops: lambda: f"{inspect} --as replay",
        page.code: lambda: f"{inspect} --as tvmscript",
        page.what_if: lambda: tried,
        page.decisions: lambda: f"pruner decisions {opened.workspace.path} --run 3 {candidate}",
        page.roofline: lambda: f"pruner tasks {opened.workspace.path} --run 3",
        page.diff: lambda: (
            f"pruner inspect {of_task} --candidate {page.diff.left.currentData()} --as trace"
            f" --against {page._subject.candidate_id}"
        ),
    }
    assert set(expected) == {pane for _, pane in page.panes}
    for pane, line in expected.items():
        open_tab(qtbot, page, pane)
        QGuiApplication.clipboard().setText("")
        press(qtbot, page.copy_button)
        assert QGuiApplication.clipboard().text() == line()
        QGuiApplication.clipboard().setText("")
        press_keys(qtbot, opened, "Ctrl+Shift+C")
        assert QGuiApplication.clipboard().text() == line()


def test_a_task_without_candidates_says_so_once_and_has_the_line_of_the_tasks(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = shutil.copy(finished_project, tmp_path / "untuned.pruner")
    with connected(path) as db:
        db.execute("DELETE FROM measurements")
    window.workspace.open(path)
    page = show(window, "schedule")
    assert page.tabs.isHidden() and not any(pane.isVisible() for _, pane in page.panes)
    assert sum("was measured" in text for text in told_by(page)) == 1
    press_keys(qtbot, window, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == f"pruner tasks {path} --run 3"


def test_the_left_side_that_the_user_chose_stays_until_the_reference_changes(
    qtbot, opened: MainWindow, rested, reader
) -> None:
    page = show(opened, "schedule")
    rested(page)
    open_tab(qtbot, page, page.diff)
    task_id, left = page._subject.task_id, page.diff.left
    measured = [row["id"] for row in reader.candidates(3, task_id) if row["stage"] == "ok"]
    bests = {
        run["id"]: task["best_candidate_id"]
        for run in reader.runs()
        for task in reader.tasks(run["id"])
        if task["id"] == task_id
    }
    reference, first, second, third = [id_ for id_ in measured if id_ not in bests.values()][:4]

    def look_at(candidate_id: int) -> None:
        opened.workspace.select(task_id, candidate_id)
        page.refresh()
        rested(page)
        assert page.diff.subject.candidate_id == candidate_id

    look_at(reference)
    press(qtbot, page.reference_button)
    look_at(first)
    assert left.currentData() == reference
    kept, shown = reader.candidate(reference), reader.candidate(first)
    told = f"{units.ratio(kept['seconds'] / shown['seconds'])} over reference {reference}"
    assert told in page.candidate_card.note.text()

    qtbot.keyClick(left, Qt.Key.Key_End)
    alike = reader.candidate(left.currentData())
    assert alike["task_id"] != task_id, "below stand the best of tasks of the same operator"
    while left.currentData() != msg.UNTUNED:
        qtbot.keyClick(left, Qt.Key.Key_Up)
    qtbot.keyClick(left, Qt.Key.Key_Up)
    chosen = left.currentData()
    assert chosen == bests[1]
    look_at(second)
    assert left.currentData() == chosen
    look_at(chosen)  # it is no left side of itself
    assert left.currentData() == reference
    look_at(third)
    assert left.currentData() == chosen

    press(qtbot, page.reference_button)
    look_at(first)
    assert left.currentData() == third


def test_the_reference_is_told_beside_it_and_let_go_again(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "schedule")
    rested(page)
    press(qtbot, page.reference_button)
    rested(page)
    kept = page._subject.candidate_id
    assert page.diff.reference == kept and page.reference_button.text() == "Clear the reference"
    other = next(row["id"] for row in page.candidates.table.table.rows if row["id"] != kept)
    opened.workspace.select(page._subject.task_id, other)
    rested(page)
    assert page.reference_button.text() == "Use as reference"
    assert f"over reference {kept}" in page.candidate_card.note.text()
    opened.workspace.select(page._subject.task_id, kept)
    rested(page)
    press(qtbot, page.reference_button)
    opened.workspace.select(page._subject.task_id, other)
    rested(page)
    assert page.diff.reference is None and "reference" not in page.candidate_card.note.text()
    assert not page.diff.left.currentText().startswith("Reference")


def test_the_menu_offers_undo_and_redo_where_there_is_an_edit(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "schedule")
    rested(page)
    open_tab(qtbot, page, page.what_if)
    edit = next(action.menu() for action in opened.menuBar().actions() if action.text() == "&Edit")
    undo, redo = edit.actions()[:2]

    def offered() -> tuple[bool, bool]:
        edit.popup(QPoint(0, 0))
        told = undo.isEnabled(), redo.isEnabled()
        edit.hide()
        return told

    assert offered() == (False, False)
    slider = page.what_if.editor.findChild(QSlider)
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert offered() == (True, False)
    before = list(page.what_if.editor.decisions)
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    qtbot.keyClick(opened, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.what_if.editor.decisions != before
    assert offered() == (True, True)
    opened.show_page("tasks")
    assert offered() == (False, False)


def test_edits_stay_with_their_candidate_until_the_project_is_left(qtbot, opened: MainWindow, rested) -> None:
    page = show(opened, "schedule")
    rested(page)
    open_tab(qtbot, page, page.what_if)
    editor, table = page.what_if.editor, page.candidates.table

    def choose(row: int) -> None:
        place = table.visualRect(table.model().index(row, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        rested(page)

    def move(key: Qt.Key) -> list[object]:
        qtbot.keyClick(editor.findChild(QSlider), key)
        return list(editor.decisions)

    choose(0)
    own = list(editor.decisions)
    once = move(Qt.Key.Key_Home)
    twice = move(Qt.Key.Key_End)
    assert own != once != twice
    choose(1)
    assert editor.decisions == editor.start and not editor.stack.canUndo()
    other = move(Qt.Key.Key_Home)
    choose(0)
    assert editor.decisions == twice
    row = editor.findChild(TileRow)
    assert [int(told.text()) for _, told, _ in row._parts] == twice[0][1:], "the editors show it too"
    press_keys(qtbot, opened, "Ctrl+Z")
    assert editor.decisions == once
    press_keys(qtbot, opened, "Ctrl+Z")
    assert editor.decisions == own
    press_keys(qtbot, opened, "Ctrl+Shift+Z")
    assert editor.decisions == once
    choose(1)
    assert editor.decisions == other
    press(qtbot, next(made for made in editor.findChildren(QPushButton) if made.text() == "Reset"))
    assert editor.decisions == editor.start
    choose(0)
    assert editor.decisions == once

    path = opened.workspace.path
    opened.workspace.leave()
    opened.workspace.open(path)
    page = show(opened, "schedule")
    rested(page)
    choose(0)
    assert editor.decisions == own and not editor.stack.canUndo()


def test_the_views_follow_each_press_of_an_arrow_key(qtbot, opened: MainWindow, rested) -> None:
    """A page rests between two refreshes for news; nobody waits for that after a choice of his own."""
    page = show(opened, "schedule")
    rested(page)
    open_tab(qtbot, page, page.decisions)
    for _ in range(3):
        page.refreshing._rested = time.monotonic() + 3_600  # as after a refresh that took long
        opened.workspace.changed.emit()
        assert page.refreshing._timer.remainingTime() > 60_000
        qtbot.keyClick(page.candidates.table, Qt.Key.Key_Down)
        chosen = page.candidates.table.chosen_id
        qtbot.waitUntil(lambda chosen=chosen: page.decisions.subject.candidate_id == chosen, timeout=20_000)
        rested(page)


# ---------------------------------------------------------------- while a run goes on


@pytest.fixture
def live(window: MainWindow, tmp_path: Path, rested):
    """A page on the task that has most trials; what is measured meanwhile is written beside it."""
    project = make_project(tmp_path / "live.pruner", runs=1, rounds=80)
    window.workspace.open(project)
    page = window.show_page("schedule")
    with ProjectReader(project) as reader:
        task = max(reader.tasks(1), key=lambda row: row["trials"])
    window.workspace.select(task["id"])
    rested(page)
    return page


def measure(page, seconds: str, limit: int) -> list[int]:
    """Give candidates of the shown task a time that have none, in SQL of what a measured one took."""
    task_id = page.workspace.task_id
    with closing(sqlite3.connect(page.workspace.path, isolation_level=None)) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(measurements)") if row[1] != "id"]
        open_ = [
            id_
            for (id_,) in db.execute(
                "SELECT id FROM candidates WHERE task_id = ? AND id NOT IN (SELECT candidate_id FROM measurements)"
                " LIMIT ?",
                (task_id, limit),
            )
        ]
        for candidate_id in open_:
            new = {"candidate_id": str(candidate_id), "seconds": seconds}
            db.execute(
                f"INSERT INTO measurements ({', '.join(names)}) SELECT {', '.join(new.get(n, n) for n in names)}"
                " FROM measurements WHERE task_id = ? AND stage = 'ok' LIMIT 1",
                (task_id,),
            )
    page.workspace.changed.emit()
    page.refresh()
    return open_


def test_views_of_a_candidate_follow_what_is_measured_of_its_task(qtbot, live, rested) -> None:
    task = next(row for row in live.workspace.reader.tasks(1) if row["id"] == live.workspace.task_id)
    live.workspace.select(task["id"], task["best_candidate_id"])
    rested(live)
    open_tab(qtbot, live, live.roofline)
    points = len(live.roofline.plot.series[-1].ids)
    measure(live, "seconds * 50", 3)
    assert len(live.roofline.plot.series[-1].ids) == points + 3
    open_tab(qtbot, live, live.decisions)
    qtbot.waitUntil(lambda: bool(live.decisions.bars), timeout=60_000)
    told = live.decisions.told.text()
    measure(live, "seconds * 50", 40)
    qtbot.waitUntil(lambda: live.decisions.told.text() != told, timeout=60_000)
    open_tab(qtbot, live, live.diff)
    (better,) = measure(live, "seconds / 1000", 1)
    assert live.diff.left.itemData(0) == better
    assert live.candidate_card.heading.text() == f"Candidate {task['best_candidate_id']}"


def test_the_candidate_that_is_edited_may_be_measured_meanwhile(qtbot, live, rested) -> None:
    with closing(sqlite3.connect(live.workspace.path)) as db:
        (candidate_id,) = db.execute(
            "SELECT id FROM candidates WHERE task_id = ? AND id NOT IN (SELECT candidate_id FROM measurements) LIMIT 1",
            (live.workspace.task_id,),
        ).fetchone()
    live.workspace.select(live.workspace.task_id, candidate_id)
    open_tab(qtbot, live, live.what_if)
    live.refresh()
    assert live.what_if._row["stage"] is None
    assert measure(live, "seconds", 1) == [candidate_id]
    assert live.what_if._row["stage"] == "ok"


def test_a_list_that_is_read_stays_where_it_is_when_a_better_candidate_is_found(qtbot, live, rested) -> None:
    table = live.candidates.table
    before, bar = table.chosen_id, table.verticalScrollBar()
    assert before is not None and bar.maximum() > 0
    bar.setValue(bar.maximum())
    place = bar.value()
    (better,) = measure(live, "seconds / 1000", 1)
    assert table.chosen_id == better != before and bar.value() == place


def test_a_click_on_the_best_candidate_holds_it(qtbot, live) -> None:
    table = live.candidates.table
    best = table.chosen_id
    assert live.workspace.candidate_id is None
    place = table.visualRect(table.model().index(table.currentIndex().row(), 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert live.workspace.candidate_id == best
    measure(live, "seconds / 1000", 1)
    assert live.candidate_card.heading.text() == f"Candidate {best}"


def test_of_many_drafted_candidates_the_best_and_the_shown_one_are_listed_and_that_is_told(
    qtbot, live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pruner_studio.widgets.candidates._SHOWN", 5)
    with ProjectReader(live.workspace.path) as reader:
        every = reader.candidates(1, live.workspace.task_id)
    press(qtbot, live.candidates.which.part("all"))
    fastest = sorted(row["seconds"] for row in every if row["seconds"])[:5]
    assert [row["seconds"] for row in live.candidates.model.rows] == fastest
    told = f"the best 5 of {units.count(len(every))} candidates"
    assert live.candidates.left_out.text() == told and told in live.notes()
    open_ = next(row["id"] for row in every if row["stage"] is None)
    live.workspace.select(live.workspace.task_id, open_)
    live.refresh()
    assert len(live.candidates.model.rows) == 6 and live.candidates.table.chosen_id == open_
    press(qtbot, live.candidates.which.part("failed"))
    failed = {row["id"] for row in every if row["stage"] not in (None, "ok")}
    assert {row["id"] for row in live.candidates.model.rows} == failed and not live.candidates.left_out.isVisible()


def test_a_round_tells_how_many_candidates_were_read_from_applied_schedules(
    window: MainWindow, tmp_path: Path, rested
) -> None:
    project = make_project(tmp_path / "lowered.pruner", runs=1, rounds=3)
    with closing(sqlite3.connect(project, isolation_level=None)) as db:
        ids = [row[0] for row in db.execute("SELECT id FROM rounds ORDER BY id")]
        for at, lowered in ((ids[0], 512), (ids[1], 0)):
            db.execute("UPDATE rounds SET stats = json_set(stats, '$.lowered', ?) WHERE id = ?", (lowered, at))
    window.workspace.open(project)
    page = window.show_page("draft")
    rested(page)
    titles = [page.model.headerData(c, Qt.Orientation.Horizontal) for c in range(page.model.columnCount())]
    told = [page.model.index(page.model.row_of(at), titles.index("Lowered")).data() for at in ids]
    assert told == ["512", "–", "–"]


def test_a_round_that_uses_a_draft_set_again_explores_nothing(window: MainWindow, tmp_path: Path, rested) -> None:
    project = make_project(tmp_path / "again.pruner", runs=1, rounds=30)
    with closing(sqlite3.connect(project, isolation_level=None)) as db:
        (again,) = db.execute(
            "SELECT id FROM rounds r WHERE EXISTS (SELECT 1 FROM rounds o WHERE o.task_id = r.task_id AND o.id < r.id)"
        ).fetchone()
        db.execute("UPDATE rounds SET explored = 0 WHERE id = ?", (again,))
        every, verified = db.execute("SELECT count(*), count(verified_score) FROM candidates").fetchone()
    window.workspace.open(project)
    page = window.show_page("draft")
    rested(page)
    assert page.funnel._steps[0][0] == "explored"
    assert page.funnel._steps[1:3] == [("drafted", every), ("verified", verified)] and verified <= every
    at = page.model.index(page.model.row_of(again), 2)
    assert page.model.headerData(2, Qt.Orientation.Horizontal) == "Explored"
    assert at.data() == "–" and "used again" in at.data(Qt.ItemDataRole.ToolTipRole)
    page.table.selectRow(at.row())
    rested(page)
    assert [name for name, _ in page.funnel._steps] == ["drafted", "verified", "measured", "valid"]
