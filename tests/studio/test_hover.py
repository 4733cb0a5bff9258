"""Pointing at a loop, an instruction or a line of code marks the other two, by real moves of the mouse."""

from __future__ import annotations

import shutil
import time

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.nest import walk

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def loops(qapp, tmp_path_factory):
    """The replayed best candidate of the demonstration's heaviest task; one window for all: replaying takes seconds."""
    project = tmp_path_factory.mktemp("hover") / "demo.pruner"
    window = MainWindow()
    window.show()
    window.workspace.open(shutil.copy(resource_dir() / "samples" / "small-cnn.pruner", project))
    page = window.show_page("schedule")
    page.tabs.setCurrentWidget(page.loops)
    end = time.monotonic() + 300
    while page.loops.view.replay is None and time.monotonic() < end:
        QTest.qWait(50)
    window.activateWindow()
    yield page.loops
    window.close()


@pytest.fixture(autouse=True)
def at_rest(qtbot, loops) -> None:
    """The pointer somewhere else, the trace at its end."""
    loops.view.slider.setValue(loops.view.slider.maximum())
    point(qtbot, loops.window().sidebar, QPoint(20, 20))


def point(qtbot, widget: QWidget, place: QPoint) -> None:
    qtbot.mouseMove(widget, place - QPoint(3, 0))
    qtbot.wait(20)
    qtbot.mouseMove(widget, place)
    qtbot.wait(20)


def names_of(loops, numbers) -> dict[int, str]:
    nodes = {node["id"]: node for node in walk(loops.view.replay["trees"][-1])}
    return {number: nodes[number]["name"] for number in numbers}


def texts_of(loops, lines: list[int]) -> list[str]:
    return [loops.code.toPlainText().splitlines()[line] for line in lines]


def split_of_the_finished_nest(loops) -> tuple[int, dict[int, str]]:
    """Row of a split all of whose loops are in the finished nest, and these loops' names."""
    replay = loops.view.replay
    final = {node["name"]: node["id"] for node in walk(replay["trees"][-1]) if node["type"] == "loop"}
    for step in replay["steps"]:
        if step["kind"] == "Split":
            tree = {node["id"]: node for node in walk(replay["trees"][step["tree"]])}
            made = {tree[number]["name"] for number in step["touched"]}
            if len(made) > 1 and made <= set(final):
                return step["index"], {final[name]: name for name in made}
    raise AssertionError("no such split in this schedule")


def test_an_instruction_marks_its_loops_and_their_code(qtbot, loops) -> None:
    row, made = split_of_the_finished_nest(loops)
    table = loops.view.table
    cell = table.table.index(table.table.row_of(row), 1)
    table.scrollTo(cell)
    point(qtbot, table.viewport(), table.visualRect(cell).center())
    assert names_of(loops, loops.view.nest.pointed) == made
    assert table.pointed_ids == {row}
    code = texts_of(loops, loops.code.pointed)
    assert all(any(name in line for line in code) for name in made.values())


def test_a_loop_marks_its_instructions_and_its_code(qtbot, loops) -> None:
    row, made = split_of_the_finished_nest(loops)
    number, name = sorted(made.items())[-1]
    nest = loops.view.nest
    item = nest._items[number]
    nest.scrollToItem(item)
    nest.horizontalScrollBar().setValue(nest.visualItemRect(item).left() + nest.horizontalScrollBar().value())
    box = nest.visualItemRect(item)
    point(qtbot, nest.viewport(), QPoint(max(box.left(), 0) + 12, box.center().y()))
    assert nest.pointed == {number}
    table = loops.view.table
    assert row in table.pointed_ids
    assert any(name in line for line in texts_of(loops, loops.code.pointed))

    point(qtbot, loops.window().sidebar, QPoint(20, 20))
    assert not nest.pointed and not table.pointed_ids and not loops.code.pointed


def test_a_line_of_code_marks_its_loop_and_the_instructions(qtbot, loops) -> None:
    row, made = split_of_the_finished_nest(loops)
    lines = loops.code.toPlainText().splitlines()
    line, name = next((at, name) for at, text in enumerate(lines) for name in made.values() if f"for {name} in" in text)
    loops.code.setTextCursor(QTextCursor(loops.code.document().findBlockByNumber(line)))
    loops.code.centerCursor()
    point(qtbot, loops.code.viewport(), QPoint(40, loops.code.cursorRect().center().y()))
    assert names_of(loops, loops.view.nest.pointed) == {number: made[number] for number in made if made[number] == name}
    assert row in loops.view.table.pointed_ids
    assert line in loops.code.pointed

    # An earlier step shows another nest: the code of the finished one does not belong to it
    loops.view.slider.setValue(0)
    point(qtbot, loops.view.slider, QPoint(5, 5))
    point(qtbot, loops.code.viewport(), QPoint(40, loops.code.cursorRect().center().y()))
    assert not loops.view.nest.pointed
