"""Code as it is read: colours come with what is in sight, and a search says when it finds nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from pruner_studio.theme import theme
from pruner_studio.widgets.searchable_code import SearchableCode


@pytest.fixture
def code(qtbot, qapp) -> SearchableCode:
    theme.choose("light")
    made = SearchableCode("code")
    qtbot.addWidget(made)
    made.resize(500, 300)
    with qtbot.waitExposed(made):
        made.show()
    made.view.show_text("tvmscript", "\n".join(f"x = {number}" for number in range(40_000)))
    yield made
    theme.choose("light")


def colors(code: SearchableCode, line: int) -> set[str]:
    formats = code.view.document().findBlockByNumber(line).layout().formats()
    return {one.format.foreground().color().name() for one in formats}


def test_lines_are_coloured_as_they_come_into_sight(code: SearchableCode) -> None:
    assert colors(code, 0) == {theme.color("code_number").name()} and colors(code, 20_000) == set()
    code.view.verticalScrollBar().setValue(20_000)
    assert colors(code, 20_000) == {theme.color("code_number").name()} and colors(code, 30_000) == set()
    theme.choose("dark")
    assert colors(code, 20_000) == {theme.color("code_number").name()}
    code.view.verticalScrollBar().setValue(0)
    assert colors(code, 0) == {theme.color("code_number").name()}
    code.view.show_text("tvmscript", "y = 2")
    assert colors(code, 0) == {theme.color("code_number").name()}


def test_marked_lines_are_painted_as_they_come_into_sight(qtbot, code: SearchableCode) -> None:
    view, line = code.view, code.view.fontMetrics().lineSpacing()

    def ground(at: int, across: int) -> str:
        """The colour that is painted between the letters of a line in sight."""
        return view.viewport().grab().toImage().pixelColor(across, round(view.contentOffset().y()) + at * line).name()

    right = view.viewport().width() - 2
    plain = ground(2, right)
    view.link(list(range(0, 40_000, 2)))
    assert ground(2, right) == theme.color("code_line").name() and ground(3, right) == plain
    view.verticalScrollBar().setValue(20_001)
    assert ground(2, right) == plain and ground(3, right) == theme.color("code_line").name()
    view.point_at([20_003])
    assert ground(2, right) == theme.color("hover").name()
    view.link([], parts={20_004: range(4, 6)})
    inside = view.cursorRect(view._letters(20_004, range(4, 5))).left()
    assert ground(3, right) == plain != ground(3, inside)
    assert not view.extraSelections(), "Qt goes through all of its own marks whenever it paints"


def test_a_search_without_a_hit_says_so_and_leaves_the_reader_where_he_is(qtbot, code: SearchableCode) -> None:
    qtbot.keyClicks(code.search.field, "39000")
    qtbot.keyClick(code.search.field, Qt.Key.Key_Return)
    found, place = code.view.textCursor().position(), code.view.verticalScrollBar().value()
    assert code.view.textCursor().selectedText() == "39000" and code.search.told.text() == "1 of 1"
    qtbot.keyClick(code.search.field, Qt.Key.Key_Return)  # from the start again
    assert code.view.textCursor().position() == found
    qtbot.keyClicks(code.search.field, "9")
    qtbot.keyClick(code.search.field, Qt.Key.Key_Return)
    assert code.search.told.text() == "Not found." and code.view.verticalScrollBar().value() == place
    qtbot.keyClick(code.search.field, Qt.Key.Key_Backspace)
    assert not code.search.told.isVisible()


def test_places_are_gone_through_in_both_directions(qtbot, code: SearchableCode) -> None:
    code.view.show_text("tvmscript", "one\ntwo\none\ntwo\none")
    code.activateWindow()
    code.search.begin()
    qtbot.waitUntil(code.search.field.hasFocus)
    qtbot.keyClicks(code.search.field, "one")
    lines = []
    for back in (False, False, False, False, True, True):
        code.search.go_on(back=back)
        lines.append((code.view.textCursor().blockNumber(), code.search.told.text()))
    first, second, third = (0, "1 of 3"), (2, "2 of 3"), (4, "3 of 3")
    assert lines == [first, second, third, first, third, second]
    code.view.setTextCursor(QTextCursor(code.view.document().findBlockByNumber(1)))
    qtbot.keyClick(code.view, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    code.search.begin()
    assert code.search.field.text() == code.search.field.selectedText() == "two", "what is marked is sought next"


def test_numbers_end_where_the_code_does(qtbot, code: SearchableCode) -> None:
    """Beside the bar to scroll sideways by, half of a number would stand."""
    view = code.view
    view.show_text("tvmscript", "\n".join(["x" * 500] * 100))
    qtbot.waitUntil(lambda: view.horizontalScrollBar().maximum() > 0)
    assert view._numbers.height() == view.viewport().height() < view.contentsRect().height()
