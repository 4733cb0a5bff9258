"""Two texts side by side: gone through difference by difference, and scrolled together."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from test_cut_texts import cut

from pruner_engine.inspect.diff import diff_lines
from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.diff import DiffView
from terminal import pruner

SAME = [f"line {at}" for at in range(60)]
LEFT = [*SAME, "old", *SAME, *SAME, "deep " * 60]
RIGHT = [*SAME, "new", "and more", *SAME, "an extra", *SAME, "deep " * 60]
DIFFERENCES = ([60, 61], [122])


@pytest.fixture
def view(qtbot) -> DiffView:
    made = DiffView()
    qtbot.addWidget(made)
    made.resize(700, 300)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.show_diff("plain", ("left", "right"), diff_lines(LEFT, RIGHT), [])
    return made


def test_lines_have_the_numbers_of_their_own_side(view: DiffView) -> None:
    (_, left), (_, right) = view.sides
    assert [left.number_of(at) for at in (59, 60, 61, 62)] == ["60", "61", "", "62"]
    assert [right.number_of(at) for at in (59, 60, 61, 62)] == ["60", "61", "62", "63"]
    view.show_diff("plain", ("left", "right"), [], [])
    assert left.number_of(0) == "1"


def in_sight(code, line: int) -> bool:
    block = code.document().findBlockByNumber(line)
    return (
        code.viewport()
        .rect()
        .contains(code.blockBoundingGeometry(block).translated(code.contentOffset()).toRect().topLeft())
    )


def test_keys_and_buttons_go_from_difference_to_difference(qtbot, view: DiffView) -> None:
    sides = [code for _, code in view.sides]
    assert view.place.text() == "differences: 2" and sides[0].verticalScrollBar().value() == 0
    for key, modifier, at in (
        (Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier, 1),
        (Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier, 0),  # round the end
        (Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier, 1),
        (Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier, 0),
    ):
        qtbot.keyClick(view, key, modifier)
        assert view.place.text() == f"difference {at + 1} of 2"
        for code in sides:
            assert code.pointed == DIFFERENCES[at] and in_sight(code, DIFFERENCES[at][0])
    qtbot.mouseClick(view.next, Qt.MouseButton.LeftButton)
    assert view.place.text() == "difference 2 of 2"
    qtbot.mouseClick(view.previous, Qt.MouseButton.LeftButton)
    assert view.place.text() == "difference 1 of 2"


def test_a_text_is_found_on_both_sides_row_by_row(qtbot, view: DiffView) -> None:
    (_, left), (_, right) = view.sides
    view.search.begin()
    qtbot.keyClicks(view.search.field, "E 59")
    found = []
    for _ in range(4):
        qtbot.keyClick(view.search.field, Qt.Key.Key_Return)
        marked = left.textCursor()
        found.append(marked.blockNumber())
        assert marked.selectedText() == "e 59" and in_sight(left, found[-1]) and right.textCursor().position() == 0
    assert found == [59, 121, 182, 59], "what both have is found once"
    view.search.go_on(back=True)
    assert left.textCursor().blockNumber() == 182 and view.search.told.text() == "3 of 3"
    view.search.field.setText("extra")
    qtbot.keyClick(view.search.field, Qt.Key.Key_Return)
    assert right.textCursor().selectedText() == "extra" and in_sight(right, 122)
    qtbot.keyClicks(view.search.field, "?")
    qtbot.keyClick(view.search.field, Qt.Key.Key_Return)
    assert view.search.told.text() == "Not found."
    view.search.begin()
    assert view.search.field.text() == "extra", "what is marked is sought"


@pytest.mark.parametrize("size", [(760, 440), (1024, 700), (1280, 800)])
def test_what_is_told_of_two_schedules_is_whole_in_any_room(
    qtbot, window: MainWindow, finished_project: Path, rested, answered, size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.workspace.open(finished_project, 3)
    page = window.show_page("schedule")
    page.tabs.setCurrentWidget(page.diff)
    rested(page)
    answered(window)  # that nothing made these candidates
    verdict = "The right one is 1.02× faster. Their repeats differ by more than that."
    names = tuple(f"Candidate {number} (run 2, moa-pruner, 59.3 µs)" for number in (104, 683))
    page.diff.view.show_diff("plain", names, diff_lines(LEFT, RIGHT), ["yy: 8 × 1 × 2 → 2 × 4 × 2"] * 5, verdict)
    qtbot.waitUntil(lambda: cut(page) == [], timeout=20_000)
    assert page.diff.view.verdict.text() == verdict and page.diff.view.verdict.isVisible()
    assert window.pages.currentWidget().horizontalScrollBar().maximum() == 0
    for _, code in page.diff.view.sides:
        assert code.viewport().height() >= 5 * code.fontMetrics().height()


def test_equal_texts_have_no_difference_to_go_to(qtbot, view: DiffView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_F8)
    view.show_diff("plain", ("left", "right"), diff_lines(LEFT, LEFT), [])
    assert view.next.isHidden() and view.previous.isHidden() and view.place.text() == ""
    qtbot.keyClick(view, Qt.Key.Key_F8)
    assert all(code.pointed == [] for _, code in view.sides)


def test_both_sides_scroll_together_as_far_as_each_goes(view: DiffView) -> None:
    short = [line[:80] for line in RIGHT]  # in any font wider than the view
    view.show_diff("plain", ("left", "right"), diff_lines(LEFT, short), [])
    (_, left), (_, right) = view.sides
    left.verticalScrollBar().setValue(50)
    assert right.verticalScrollBar().value() == 50
    wide, narrow = left.horizontalScrollBar(), right.horizontalScrollBar()
    assert wide.maximum() > narrow.maximum()
    wide.setValue(narrow.maximum() // 2)
    assert narrow.value() == narrow.maximum() // 2
    wide.setValue(wide.maximum())
    assert (wide.value(), narrow.value()) == (wide.maximum(), narrow.maximum())
    narrow.setValue(0)
    assert wide.value() == 0


def test_what_differs_in_a_line_is_marked_and_brought_into_sight(qtbot, view: DiffView) -> None:
    far = "v11, v12, v13 = sch.sample_perfect_tile(loop=l2, n=3, max_innermost_factor=64, decision=[{}])"
    pairs = (far.format("8, 1, 2"), far.format("2, 4, 2")), ("nothing alike", "vmovaps")
    view.show_diff("plain", ("left", "right"), diff_lines(*zip(*pairs, strict=True)), [])
    for (_, code), text, told in zip(view.sides, pairs[0], ("8, 1", "2, 4"), strict=True):
        assert list(code.parts) == [0], "lines that have little in common differ as a whole"
        assert text[code.parts[0].start : code.parts[0].stop] == told
    (_, left), (_, right) = view.sides
    assert left.horizontalScrollBar().value() == 0 < left.horizontalScrollBar().maximum()
    qtbot.keyClick(view, Qt.Key.Key_F8)
    letters = left.fontMetrics()
    for code in (left, right):
        start = letters.horizontalAdvance(code.toPlainText()[: code.parts[0].start])
        scrolled = code.horizontalScrollBar().value()
        assert scrolled < start < scrolled + code.viewport().width()
    view.show_diff("plain", ("left", "right"), diff_lines(LEFT, LEFT), [])
    assert left.parts == right.parts == {}


def test_a_schedule_of_another_project_stands_beside_one_of_this(
    qtbot, window: MainWindow, tmp_path: Path, rested
) -> None:
    sample = resource_dir() / "samples" / "small-cnn.pruner"
    own, other = (Path(shutil.copy(sample, tmp_path / name)) for name in ("own.pruner", "yester day.pruner"))
    window.workspace.open(own, 2)
    reader = window.workspace.reader
    task = next(task for task in reader.tasks(2) if task["op"] == "matmul" and task["best_candidate_id"])
    page = window.show_page("schedule")
    window.workspace.select(task["id"])
    rested(page)
    page.tabs.setCurrentWidget(page.diff)
    offered = page.diff.left.count()
    window.workspace.add_beside(str(other))
    assert page.diff.left.count() > offered
    names = [page.diff.left.itemText(at) for at in range(page.diff.left.count())]
    at = next(at for at, name in enumerate(names) if name.startswith("yester day: ") and "run 1, metaschedule" in name)
    page.diff.left.setCurrentIndex(at)
    page.diff.left.activated.emit(at)
    (head, left), (_, right) = page.diff.view.sides
    qtbot.waitUntil(lambda: head.text().startswith("Yester day: candidate") and left.blockCount() > 9, timeout=120_000)
    told = pruner(*shlex.split(page.command_line())[1:])
    assert told.splitlines()[0].split(" | ")[0].strip().startswith("yester day: candidate")
    for code in (left, right):
        assert all(text.strip() in told for text in code.toPlainText().splitlines()[:9])
    window.workspace.leave_beside()
    assert page.diff.left.count() == offered and not page.diff.left.currentText().startswith("yester")


def test_schedules_of_two_tasks_stand_side_by_side(qtbot, window: MainWindow, tmp_path: Path, rested) -> None:
    path = Path(shutil.copy(resource_dir() / "samples" / "small-cnn.pruner", tmp_path / "own.pruner"))
    window.workspace.open(path, 2)
    reader = window.workspace.reader
    first, second, *_ = [task for task in reader.tasks(2) if task["op"] == "conv2d" and task["best_candidate_id"]]
    other = next(task for task in reader.tasks(2) if task["op"] == "matmul" and task["best_candidate_id"])
    page = window.show_page("schedule")
    window.workspace.select(first["id"])
    rested(page)
    page.tabs.setCurrentWidget(page.diff)
    at = page.diff.left.findData(second["best_candidate_id"])
    assert second["name"] in page.diff.left.itemText(at)
    assert page.diff.left.findData(other["best_candidate_id"]) < 0, "of another operator"
    page.diff.left.setCurrentIndex(at)
    page.diff.left.activated.emit(at)
    (head, left), (_, right) = page.diff.view.sides
    qtbot.waitUntil(lambda: second["name"] in head.text() and left.blockCount() > 9, timeout=120_000)
    line = page.command_line()
    told = pruner(*shlex.split(line)[1:])
    assert f"candidate {second['best_candidate_id']}" in told.splitlines()[0]
    assert all(text.strip() in told for text in left.toPlainText().splitlines()[:9])
    assert all(text.strip() in told for text in right.toPlainText().splitlines()[:9])
    qtbot.mouseClick(page.reference_button, Qt.MouseButton.LeftButton)
    window.workspace.select(other["id"])
    rested(page)
    assert page.diff.left.currentText().startswith("Reference: ") and first["name"] in page.diff.left.currentText()
