"""Pointing at, or choosing, a loop, an instruction or a line of code marks the other two, by real mouse and keys."""

from __future__ import annotations

import shutil
import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.models.stages import walk

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


def click(qtbot, widget: QWidget, place: QPoint) -> None:
    point(qtbot, widget, place)
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)


def click_on_row(qtbot, loops, row: int) -> None:
    table = loops.view.table
    cell = table.table.index(table.table.row_of(row), 1)
    table.scrollTo(cell)
    click(qtbot, table.viewport(), table.visualRect(cell).center())


def place_of_node(loops, number: int) -> QPoint:
    """Where a node is in the view, scrolled to."""
    nest = loops.view.nest
    item = nest._items[number]
    nest.scrollToItem(item)
    nest.horizontalScrollBar().setValue(nest.visualItemRect(item).left() + nest.horizontalScrollBar().value())
    box = nest.visualItemRect(item)
    return QPoint(max(box.left(), 0) + 12, box.center().y())


def click_on_node(qtbot, loops, number: int) -> None:
    click(qtbot, loops.view.nest.viewport(), place_of_node(loops, number))


def place_of_line(code, line: int) -> QPoint:
    """Where a line is in the view, scrolled to."""
    code.verticalScrollBar().setValue(max(0, line - 2))
    block = code.document().findBlockByNumber(line)
    box = code.blockBoundingGeometry(block).translated(code.contentOffset())
    return QPoint(40, round(box.center().y()))


def click_on_line(qtbot, code, line: int) -> None:
    click(qtbot, code.viewport(), place_of_line(code, line))


def chosen_node(loops) -> int | None:
    (item,) = loops.view.nest.selectedItems() or (None,)
    return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)["id"]


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
    point(qtbot, nest.viewport(), place_of_node(loops, number))
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


# ---------------------------------------------------------------- choosing


def line_of(loops, name: str) -> int:
    return next(at for at, text in enumerate(loops.code.toPlainText().splitlines()) if f"for {name} in" in text)


def test_a_click_on_an_instruction_chooses_its_loops_and_their_code(qtbot, loops) -> None:
    row, made = split_of_the_finished_nest(loops)
    click_on_row(qtbot, loops, row)
    step = loops.view.replay["steps"][row + 1]
    nest = loops.view.nest
    framed = {number for number, item in nest._items.items() if item.data(0, Qt.ItemDataRole.UserRole + 1)}
    assert loops.view.slider.value() == row + 1
    assert framed == set(step["touched"])
    code = texts_of(loops, loops.code.linked)
    assert all(any(name in line for line in code) for name in made.values())
    first = loops.code.firstVisibleBlock().blockNumber()
    assert any(first <= line < first + 30 for line in loops.code.linked)

    # the next instruction by a key; what it did is in the code or not, but the marks are its own
    qtbot.keyClick(loops.view.table, Qt.Key.Key_Down)
    assert loops.view.slider.value() == row + 2
    assert loops.code.linked == loops.lines_of(loops.view._links.became(row + 2))


def test_a_click_on_a_loop_chooses_its_instruction_and_its_code(qtbot, loops) -> None:
    row, made = split_of_the_finished_nest(loops)
    number, name = sorted(made.items())[-1]
    click_on_node(qtbot, loops, number)
    assert chosen_node(loops) == number
    worked = loops.view._steps_of[number]
    assert row + 1 in worked and loops.view.table.chosen_id == worked[-1] - 1
    assert line_of(loops, name) in loops.code.linked

    # that instruction is current by now: a click on it counts all the same
    click_on_row(qtbot, loops, worked[-1] - 1)
    assert loops.view.slider.value() == worked[-1]
    assert chosen_node(loops) is None


def test_a_click_on_a_loop_of_an_earlier_step_marks_the_code_it_became(qtbot, loops) -> None:
    row, _ = split_of_the_finished_nest(loops)
    click_on_row(qtbot, loops, row)
    number = loops.view.replay["steps"][row + 1]["touched"][-1]
    assert not loops.view.finished
    click_on_node(qtbot, loops, number)
    name = {node["id"]: node for node in walk(loops.view.nest._roots)}[number]["name"]
    assert loops.view.slider.value() == row + 1 and loops.view.table.chosen_id == row
    assert any(name in line for line in texts_of(loops, loops.code.linked))


def test_a_click_on_a_line_chooses_its_loop_and_its_instruction(qtbot, loops) -> None:
    _, made = split_of_the_finished_nest(loops)
    number, name = sorted(made.items())[-1]
    line = line_of(loops, name)
    for _ in range(2):  # again after something else was chosen, at the very place where the cursor is
        click_on_row(qtbot, loops, 0)
        assert not loops.view.finished
        click_on_line(qtbot, loops.code, line)
        assert loops.view.finished and chosen_node(loops) == number
        assert loops.view.table.chosen_id == loops.view._steps_of[number][-1] - 1
        assert line in loops.code.linked


def test_keys_go_through_the_lines_of_the_code(qtbot, loops) -> None:
    _, made = split_of_the_finished_nest(loops)
    line = line_of(loops, sorted(made.items())[-1][1])
    click_on_line(qtbot, loops.code, line)
    for below in range(1, 5):
        qtbot.keyClick(loops.code, Qt.Key.Key_Down)
        assert loops.code.textCursor().blockNumber() == line + below
        assert chosen_node(loops) == loops._links["nodes"][line + below]


def test_a_part_of_the_code_that_is_selected_stays(qtbot, loops) -> None:
    code = loops.code
    code.verticalScrollBar().setValue(6)
    start, end = QPoint(60, 8), QPoint(200, 60)
    qtbot.mousePress(code.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(code.viewport(), end)
    qtbot.mouseRelease(code.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert "\u2029" in code.textCursor().selectedText()
    assert code.verticalScrollBar().value() == 6


def test_the_code_view_is_linked_as_well(qtbot, loops) -> None:
    page = next(page for page in ancestors(loops) if hasattr(page, "tabs"))
    _, made = split_of_the_finished_nest(loops)
    number, name = sorted(made.items())[-1]
    script = page.code.code["tvmscript"].view
    page.tabs.setCurrentWidget(page.code)
    click_on_line(qtbot, script, line_of(loops, name))
    assert chosen_node(loops) == number and script.linked == loops.code.linked
    page.tabs.setCurrentWidget(loops)
    click_on_row(qtbot, loops, split_of_the_finished_nest(loops)[0])
    assert script.linked == loops.code.linked


@pytest.fixture(scope="module")
def compiled(loops):
    """The code pane with assembly beside the script."""
    page = next(page for page in ancestors(loops) if hasattr(page, "tabs"))
    page.tabs.setCurrentWidget(page.code)
    page.code.forms.part("asm").click()
    end = time.monotonic() + 120
    while not page.code._nodes.get("asm") and time.monotonic() < end:
        QTest.qWait(50)
    yield page.code
    page.code.forms.part("tvmscript").click()
    page.tabs.setCurrentWidget(loops)


def products(pane) -> list[int]:
    """Lines of the assembly that multiply and add."""
    text = pane.code["asm"].view.toPlainText().splitlines()
    return [line for line, said in enumerate(text) if said.split()[:1] and said.split()[0].startswith("vfmadd")]


def test_a_line_of_assembly_marks_what_it_computes(qtbot, loops, compiled) -> None:
    script, assembly = compiled.code["tvmscript"].view, compiled.code["asm"].view
    line = products(compiled)[0]
    click_on_line(qtbot, assembly, line)
    number = compiled._nodes["asm"][line]
    assert chosen_node(loops) == number and line in assembly.linked
    assert {compiled._nodes["asm"][marked] for marked in assembly.linked} == {number}
    said = script.toPlainText().splitlines()
    assert script.linked == loops.code.linked and any("_update" in said[marked] for marked in script.linked)
    first = QTextCursor(script.document().findBlockByNumber(script.linked[0]))
    first.movePosition(QTextCursor.MoveOperation.NextWord)  # past the indentation
    assert script.viewport().rect().contains(script.cursorRect(first))


def test_a_loop_of_the_script_marks_all_instructions_inside(qtbot, loops, compiled) -> None:
    script, assembly = compiled.code["tvmscript"].view, compiled.code["asm"].view
    outermost = next(
        node for node in walk(loops.view.replay["trees"][-1]) if node["type"] == "loop" and node["kind"] == "parallel"
    )
    click_on_line(qtbot, script, line_of(loops, outermost["name"]))
    assert set(products(compiled)) <= set(assembly.linked)
    inside = {node["id"] for node in walk([outermost])}
    assert {compiled._nodes["asm"][marked] for marked in assembly.linked} <= inside


def test_pointing_at_assembly_marks_the_script(qtbot, loops, compiled) -> None:
    script, assembly = compiled.code["tvmscript"].view, compiled.code["asm"].view
    line = products(compiled)[0]
    point(qtbot, assembly.viewport(), place_of_line(assembly, line))
    assert line in assembly.pointed and script.pointed
    assert min(assembly.width(), script.width()) > 0.8 * max(assembly.width(), script.width())
    point(qtbot, loops.window().sidebar, QPoint(20, 20))
    assert not assembly.pointed and not script.pointed


def test_code_that_comes_later_marks_what_was_chosen_before(qtbot, loops, compiled) -> None:
    line = products(compiled)[0]
    click_on_line(qtbot, compiled.code["asm"].view, line)
    compiled.forms.part("llvm").click()
    ir = compiled.code["llvm"].view
    qtbot.waitUntil(lambda: bool(ir.linked), timeout=60_000)
    assert {compiled._nodes["llvm"][marked] for marked in ir.linked} == {compiled._nodes["asm"][line]}
    compiled.forms.part("asm").click()


def ancestors(widget: QWidget):
    while widget is not None:
        yield widget
        widget = widget.parentWidget()


# ---------------------------------------------------------------- replaying


def test_arrow_keys_on_the_slider_replay_one_instruction(qtbot, loops) -> None:
    view, replay = loops.view, loops.view.replay
    qtbot.mouseClick(view.slider, Qt.MouseButton.LeftButton)
    qtbot.keyClick(view.slider, Qt.Key.Key_Home)
    assert view.slider.value() == 0 and view.nest._roots == replay["trees"][0]
    seen = []
    for at in range(1, len(replay["steps"])):
        qtbot.keyClick(view.slider, Qt.Key.Key_Right)
        step = replay["steps"][at]
        assert view.slider.value() == at and view.table.chosen_id == step["index"]
        assert view.nest._roots == replay["trees"][step["tree"]]
        assert view.model.rows[step["index"]]["number"] == at
        assert str(at) in view.told.text() and step["text"].strip() in view.told.text()
        seen.append(step["tree"])
    assert len(set(seen)) == len(replay["trees"]) > 10
    qtbot.keyClick(view.slider, Qt.Key.Key_Left)
    assert view.slider.value() == len(replay["steps"]) - 2


def test_words_are_found_in_the_trace_and_then_in_the_code(qtbot, loops) -> None:
    code, table, window = loops.code, loops.view.table, loops.window()
    window.show_page("schedule").tabs.setCurrentWidget(loops)
    with qtbot.waitActive(window):
        window.activateWindow()
    steps = [row["id"] for row in loops.view.model.rows if "split" in f"{row['text']} {row['decision']}"]
    QTest.keySequence(window, "Ctrl+F")
    assert loops.search.field.hasFocus()
    qtbot.keyClicks(loops.search.field, "SPLIT")
    qtbot.keyClick(loops.search.field, Qt.Key.Key_Return)
    assert table.chosen_id == steps[0] and loops.view.slider.value() == steps[0] + 1
    for at, step in enumerate(steps[1:], 2):
        QTest.keySequence(window, "F3")
        assert table.chosen_id == step and loops.search.told.text().startswith(f"{at} of ")
    loops.search.field.setText("T.sblock(")
    QTest.keySequence(window, "F3")
    line = code.textCursor().blockNumber()
    assert code.textCursor().selectedText() == "T.sblock("
    assert loops.view.finished and loops.chosen == [loops.node_at(line)], "what computes there is marked"
    QTest.keySequence(window, "Shift+F3")
    assert code.textCursor().blockNumber() > line, "round the end"
