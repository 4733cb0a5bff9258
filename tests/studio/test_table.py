"""The table of all pages while rows change: what is chosen stays chosen, and only what looks different is painted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from painted import Painted, cell
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QCursor, QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pruner_studio import kept_sizes
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.theme import theme
from pruner_studio.widgets.table import Table

COLUMNS = (
    Column("Name", lambda row: row["name"]),
    Column("Speed", lambda row: row["speed"], right=True),
    Column("Share", lambda row: row["speed"] / 100, "{:.2f}".format, share=lambda row: row["speed"] / 100),
)


def rows(*speeds: float) -> list[dict]:
    return [{"id": at, "name": f"row {at}", "speed": speed} for at, speed in enumerate(speeds, 1)]


@pytest.fixture(autouse=True)
def _nothing_kept(qapp: QApplication) -> None:
    """Columns are as wide as no other test has made them."""
    kept_sizes.write()
    QSettings().clear()


@pytest.fixture
def table(qtbot):
    """By speed, the fastest first."""
    made = Table("rows", RowTable(COLUMNS), sort_by=(1, Qt.SortOrder.DescendingOrder))
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.table.show_rows(rows(10.0, 30.0, 20.0))
    made.show()
    qtbot.waitExposed(made)
    made.selectRow(1)  # row 3, of speed 20
    for _ in range(5):
        QApplication.processEvents()
    return made


def order(table: Table) -> list[int]:
    return [row["id"] for row in table.table.rows]


def test_a_chosen_row_that_moves_stays_chosen(table, qtbot) -> None:
    assert (order(table), table.chosen_id) == ([2, 3, 1], 3)
    table.table.show_rows(rows(10.0, 30.0, 50.0))
    assert (order(table), table.chosen_id) == ([3, 2, 1], 3)
    assert table.currentIndex().row() == 0
    qtbot.waitUntil(lambda: {index.row() for index in table.selectionModel().selectedRows()} == {0})


def test_who_only_passes_by_with_the_tab_key_chooses_nothing(qtbot, qapp) -> None:
    chosen: list[dict] = []
    made = Table("rows", RowTable(COLUMNS), chosen.append)
    qtbot.addWidget(made)
    made.table.show_rows(rows(10.0, 30.0))
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    made.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(made.hasFocus)
    assert chosen == []
    qtbot.keyClick(made, Qt.Key.Key_Down)
    assert [row["id"] for row in chosen] == [2]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down])
def test_the_only_row_is_chosen_by_keys(qtbot, qapp, key: Qt.Key) -> None:
    """It is current from the moment when the keyboard comes to the table, at which nobody has chosen it."""
    chosen: list[dict] = []
    made = Table("rows", RowTable(COLUMNS), chosen.append)
    qtbot.addWidget(made)
    made.table.show_rows(rows(10.0))
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.setFocus(Qt.FocusReason.TabFocusReason)
    assert chosen == []
    qtbot.keyClick(made, key)
    assert [row["id"] for row in chosen] == [1]


def test_a_new_row_and_one_that_goes_are_shown(table) -> None:
    table.table.show_rows(rows(10.0, 30.0, 20.0, 25.0))
    assert order(table) == [2, 4, 3, 1]
    table.table.show_rows(rows(10.0, 30.0))
    assert order(table) == [2, 1]


def test_a_list_stays_where_it_was_scrolled_to_while_rows_come(qtbot, table: Table) -> None:
    speeds = [float(speed) for speed in range(200)]
    table.table.show_rows(rows(*speeds))
    table.choose(100)
    bar = table.verticalScrollBar()
    assert table.viewport().rect().contains(cell(table, 100, 0).center())
    bar.setValue(bar.maximum())
    for _ in range(3):  # as a live run does: new rows, and the page tells again what is chosen
        speeds.append(float(len(speeds)))
        at = bar.value()
        table.table.show_rows(rows(*speeds))
        table.choose(100)
        QApplication.processEvents()
        assert bar.value() == at > 0 and table.chosen_id == 100
        assert {index.row() for index in table.selectionModel().selectedRows()} == {table.table.row_of(100)}
    table.choose(7)  # another one is gone to
    QApplication.processEvents()
    assert table.viewport().rect().contains(cell(table, 7, 0).center())
    bar.setValue(0)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell(table, order(table)[2], 0).center())
    clicked = table.chosen_id
    bar.setValue(bar.maximum())
    at = bar.value()
    table.table.show_rows(rows(*speeds, 3.5))
    table.choose(clicked)
    QApplication.processEvents()
    assert bar.value() == at and table.chosen_id == clicked
    qtbot.keyClick(table, Qt.Key.Key_Down)  # from where the choice is, and there again
    assert table.chosen_id == order(table)[3] and bar.value() < at
    table.table.show_rows(rows(1.0, 2.0))
    assert table.chosen_id is None and not table.currentIndex().isValid()


def test_only_what_looks_different_is_painted(table) -> None:
    painted = Painted(table.viewport())
    table.table.show_rows(rows(10.0, 30.0, 20.0))
    QApplication.processEvents()
    assert painted.region.isEmpty()
    table.table.show_rows(rows(11.0, 30.0, 20.0))
    QApplication.processEvents()
    assert painted.region.contains(cell(table, 1, 1)) and painted.region.contains(cell(table, 1, 2))
    assert not painted.region.intersects(cell(table, 1, 0))
    assert not painted.region.intersects(cell(table, 2, 1))
    table.table.show_rows(rows(40.0, 30.0, 20.0))  # moves up, past both
    QApplication.processEvents()
    assert all(painted.region.contains(cell(table, row_id, 0)) for row_id in (1, 2, 3))


def test_the_keyboard_sorts_and_copies(table: Table) -> None:
    """By the menu that the Menu key opens; the second time the other way round."""
    sort = table.menu().actions()[0].menu()
    names = [action.text() for action in sort.actions()]
    assert names == ["Name", "Speed", "Share"] and [a.isChecked() for a in sort.actions()] == [False, True, False]
    before = [row["id"] for row in table.table.rows]
    sort.actions()[1].trigger()
    assert [row["id"] for row in table.table.rows] == before[::-1]
    sort.actions()[0].trigger()
    assert [row["name"] for row in table.table.rows] == sorted(row["name"] for row in table.table.rows)
    table.selectRow(0)
    first = table.table.rows[0]
    line = f"{first['name']}\t{first['speed']}\t{first['speed'] / 100:.2f}"
    copy_rows, copy_table = table.menu().actions()[-4:-2]
    copy_rows.trigger()
    assert QGuiApplication.clipboard().text().splitlines() == ["Name\tSpeed\tShare", line]
    copy_table.trigger()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[:2] == ["Name\tSpeed\tShare", line] and len(copied) == 1 + len(table.table.rows)


def test_marked_rows_stay_marked_wherever_they_go(table: Table) -> None:
    def marked() -> set[int]:
        return {table.table.rows[index.row()]["id"] for index in table.selectionModel().selectedRows()}

    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    table.table.show_rows(rows(10.0, 20.0, 30.0, 40.0))
    table.choose(table.table.rows[0]["id"])
    wanted = {table.table.rows[at]["id"] for at in (0, 1)}
    QTest.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert marked() == wanted
    table.table.show_rows(rows(35.0, 20.0, 30.0, 10.0))  # they change places, others come between them
    assert marked() == wanted
    table.table.show_rows(rows(35.0, 20.0, 30.0, 10.0, 25.0))  # a row comes
    assert marked() == wanted
    QTest.keyClick(table, Qt.Key.Key_Home)
    table.table.show_rows(rows(1.0, 20.0, 30.0, 10.0, 25.0))
    assert len(marked()) == 1


def test_a_column_makes_room_for_a_figure_that_grows(table: Table) -> None:
    header = table.horizontalHeader()
    table.table.show_rows(rows(10.0, 30.0, 20.0))
    before = header.sectionSize(1)
    table.table.show_rows(rows(10.0, 30.0, 1234567890123456.0))  # none comes or goes: the same columns are shown on
    assert header.sectionSize(1) >= table.fontMetrics().horizontalAdvance("1234567890123456.0") + 16 > before
    wide = header.sectionSize(1)
    table.table.show_rows(rows(10.0, 30.0, 20.0))
    assert header.sectionSize(1) == wide, "a column that goes to and fro is no help"
    header.resizeSection(1, 60)  # by hand
    table.table.show_rows(rows(10.0, 30.0, 1234567890123456.0))
    table.table.show_rows(rows(10.0))
    assert header.sectionSize(1) == 60


def test_long_names_leave_room_for_the_figures(table: Table) -> None:
    table.widths.stretch = 2
    table.table.show_rows([{"id": 1, "name": "fused_" * 20, "speed": 1.0}])
    assert table.horizontalHeader().sectionSize(0) == 320


def test_numbers_in_names_are_sorted_as_numbers(table: Table) -> None:
    names = ["conv10_relu", "Dense", "conv9_relu", "conv9", "1×512×7", "1×64×56", "conv" + "1" * 40]
    table.table.show_rows([{"id": at, "name": name, "speed": 1.0} for at, name in enumerate(names)])
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    rising = ["1×64×56", "1×512×7", "conv9", "conv9_relu", "conv10_relu", "conv" + "1" * 40, "Dense"]
    assert [row["name"] for row in table.table.rows] == rising
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert [row["name"] for row in table.table.rows] == rising[::-1]


def test_steps_have_an_order_of_their_own(qtbot) -> None:
    steps = Table("steps", RowTable((Column("", lambda row: row["id"], name="Number"), *COLUMNS)))
    qtbot.addWidget(steps)
    assert steps.menu().actions()[0].menu().actions()[0].text() == "Number"
    spoken = steps.table.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Number" and steps.menu().actions()[0].isVisible()
    steps.setSortingEnabled(False)
    assert not steps.menu().actions()[0].isVisible()


def test_the_menu_key_opens_the_menu(qtbot, table: Table) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, table.rect().center(), QCursor.pos())
    QApplication.sendEvent(table, event)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_words_push_no_figures_out_of_sight_where_the_table_is_scrolled(qtbot) -> None:
    columns = (
        Column("#", lambda row: row["id"], right=True),
        Column("Outcome", lambda row: row["name"]),
        *(Column(f"Figure {at}", lambda row: row["speed"], right=True) for at in range(6)),
    )
    made = Table("rows", RowTable(columns), stretch=1)
    qtbot.addWidget(made)
    made.resize(360, 300)
    made.table.show_rows(rows(10.0, 30.0, 20.0))
    with qtbot.waitExposed(made):
        made.show()
    entry(made, "Show &all").trigger()
    QApplication.processEvents()
    assert made.horizontalScrollBar().maximum() > 0
    words = made.fontMetrics().horizontalAdvance("Outcome") + 40
    assert made.columnWidth(1) < words
    made.table.show_rows([{"id": 1, "name": "a long story " * 9, "speed": 1.0}])
    assert words < made.columnWidth(1) <= 200


def test_every_table_of_a_page_says_what_to_do_while_it_is_empty(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    tables = [found for key, *_ in PAGES for found in window.show_page(key).findChildren(Table)]
    assert len(tables) >= 8
    for found in tables:
        assert found.hint.endswith((".", ").", "…")), found.accessibleName()


def test_a_table_without_rows_paints_why(qtbot, window: MainWindow, finished_project: Path, rested) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("tasks")
    rested(page)
    assert page.table.accessibleDescription() == ""
    before = page.table.viewport().grab().toImage()
    qtbot.keyClicks(page.filter, "nothing of that name")
    rested(page)
    assert page.model.rows == [] and "change the filter" in page.table.accessibleDescription()
    image = page.table.viewport().grab().toImage()
    middle = image.height() // 2
    colors = {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(middle - 12, middle + 12)}
    assert len(colors) > 3 and image != before, "words stand in the middle"
    schedule = window.show_page("schedule")
    schedule.refresh()
    qtbot.mouseClick(schedule.candidates.which.part("failed"), Qt.MouseButton.LeftButton)
    assert schedule.candidates.table.hint == "No trial of this task failed."


def test_a_row_chosen_as_the_rows_come_is_in_sight_and_stays_so_in_less_room(table: Table) -> None:
    table.table.show_rows(rows(*(float(speed) for speed in range(200))))
    table.choose(100)
    QApplication.processEvents()
    for height in (300, 600, 160, 240):
        table.resize(500, height)
        QApplication.processEvents()
        assert table.viewport().rect().contains(cell(table, 100, 0).center()), height
    bar = table.verticalScrollBar()
    bar.setValue(bar.maximum())
    at = bar.value()
    table.resize(500, 200)
    QApplication.processEvents()
    assert bar.value() >= at, "who reads elsewhere stays there"


def test_the_candidate_that_was_gone_to_is_in_sight_in_every_list(
    window: MainWindow, db: sqlite3.Connection, finished_project: Path, rested
) -> None:
    window.workspace.open(finished_project, 3)
    one_task = "SELECT task_id FROM measurements WHERE run_id = 3 GROUP BY task_id ORDER BY count(*) DESC LIMIT 1"
    slowest = f"SELECT candidate_id, task_id FROM measurements WHERE run_id = 3 AND task_id = ({one_task})"
    candidate, task = db.execute(f"{slowest} AND seconds NOT NULL ORDER BY seconds DESC").fetchone()
    window.resize(1100, 760)
    window.workspace.select(task, candidate)
    page = window.show_page("schedule")
    for column, which in ((1, "measured"), (0, "all")):
        page.candidates.table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
        page.candidates.which.part(which).click()
        rested(page)
        listed = page.candidates.table
        assert listed.chosen_id == candidate
        assert listed.viewport().rect().contains(listed.visualRect(listed.currentIndex()).center()), which


def test_a_tool_tip_shows_a_name_that_looks_like_markup_as_it_is(table: Table) -> None:
    table.table.show_rows([{"id": 1, "name": "a <b>bold</b> & new\nname", "speed": 1.0}])
    tip = table.table.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    read = QTextDocument()
    read.setHtml(tip)
    assert read.toPlainText() == "a <b>bold</b> & new\nname"
    assert table.table.index(0, 0).data() == "a <b>bold</b> & new name"
    table.table.show_rows(rows(1.0))
    assert table.table.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "row 1"


def test_figures_share_the_room_of_a_wide_screen_that_names_do_not_need(table: Table) -> None:
    header = table.horizontalHeader()
    narrow = [header.sectionSize(at) for at in range(3)]
    table.resize(1500, 300)
    QApplication.processEvents()
    wide = [header.sectionSize(at) for at in range(3)]
    assert sum(wide) == table.viewport().width()
    gained = [after - before for before, after in zip(narrow, wide, strict=True)]
    assert gained[1] == gained[2] > 250, "figures stay near the name that they are of"
    table.resize(500, 300)
    QApplication.processEvents()
    assert [header.sectionSize(at) for at in range(3)] == narrow
    table.resize(1500, 300)
    table.table.show_rows([{"id": 1, "name": "a long name " * 12, "speed": 1.0}])
    QApplication.processEvents()
    assert header.sectionSize(0) > table.fontMetrics().horizontalAdvance("a long name " * 12)


def test_names_are_cut_where_all_figures_are_in_sight_then(qtbot) -> None:
    names = (Column("Name", lambda row: row["name"]), Column("Shapes", lambda row: row["shapes"]))
    made = Table("rows", RowTable((*names, *COLUMNS[1:])), stretch=1)
    qtbot.addWidget(made)
    row = {"id": 1, "name": "fused_conv2d_bias_add_relu_4571c1", "shapes": "1×32×32×32, 3×3×32×64", "speed": 30.0}
    made.table.show_rows([row])
    with qtbot.waitExposed(made):
        made.show()
    widths = {}
    for room in (900, 440, 280):
        made.resize(room, 200)
        QApplication.processEvents()
        widths[room] = made.columnWidth(0)
        assert made.horizontalScrollBar().maximum() == 0
    letters = made.fontMetrics().horizontalAdvance(row["name"])
    assert widths[900] > letters > widths[440] >= 100 and widths[280] >= 100
    assert not made.isColumnHidden(1) and made.isColumnHidden(3)
    made.resize(220, 200)
    entry(made, "Show &all").trigger()
    QApplication.processEvents()
    assert made.horizontalScrollBar().maximum() > 0
    assert made.columnWidth(0) > letters, "what is scrolled to all the same is whole"


def entry(table: Table, text: str) -> QAction:
    """An entry of the menu of columns."""
    menu = next(one.menu() for one in table.menu().actions() if one.text() == "Colum&ns")
    return next(one for one in menu.actions() if one.text() == text)


@pytest.fixture
def many(qtbot) -> Table:
    """A name, the column that takes the rest, and five figures, of which the second is the first to be spared."""
    figures = (
        Column(f"Figure {at}", lambda row, at=at: row["speed"] + at, right=True, spare=int(at == 1)) for at in range(5)
    )
    made = Table("many", RowTable((*COLUMNS[:1], Column("Shapes", lambda row: "4×4"), *figures)), stretch=1)
    qtbot.addWidget(made)
    made.table.show_rows(rows(10.0, 30.0, 20.0))
    made.resize(900, 200)
    with qtbot.waitExposed(made):
        made.show()
    return made


def seen(table: Table) -> list[str]:
    """The columns that are in sight without being scrolled to."""
    header, room = table.horizontalHeader(), table.viewport().width()
    shown = [at for at in range(header.count()) if not header.isSectionHidden(at)]
    assert all(header.sectionViewportPosition(at) + header.sectionSize(at) <= room for at in shown)
    return [table.table.columns[at].title for at in shown]


def test_columns_give_way_where_there_is_no_room_and_come_back(many: Table) -> None:
    every, more = [column.title for column in many.table.columns], many.shown_columns.more
    assert seen(many) == every and not more.isVisible()
    for room, gone in ((540, [1]), (450, [1, 4]), (370, [1, 3, 4]), (540, [1])):
        many.resize(room, 200)
        QApplication.processEvents()
        names = [f"Figure {at}" for at in gone]
        assert seen(many) == [name for name in every if name not in names], room
        assert more.isVisible() and more.text() == f"+{len(gone)}"
        assert all(name in more.toolTip() and name in more.accessibleName() for name in names)
        header, box = many.horizontalHeader(), more.geometry()
        assert box.left() >= header.length() and box.right() <= header.geometry().right()
    many.resize(900, 200)
    QApplication.processEvents()
    assert seen(many) == every and not more.isVisible()


def test_what_has_given_way_is_told_and_copied(many: Table) -> None:
    many.resize(450, 200)
    QApplication.processEvents()
    first = many.table.index(0, 0)
    assert first.data(Qt.ItemDataRole.ToolTipRole) == "row 1\nFigure 1: 11.0\nFigure 4: 14.0"
    assert first.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "Figure 1: 11.0, Figure 4: 14.0"
    assert many.table.index(0, 2).data(Qt.ItemDataRole.ToolTipRole) == "10.0"
    many.selectRow(0)
    assert many.copied().splitlines()[1] == "row 1\t4×4\t10.0\t11.0\t12.0\t13.0\t14.0"
    many.resize(900, 200)
    QApplication.processEvents()
    assert first.data(Qt.ItemDataRole.ToolTipRole) == "row 1"


def test_a_column_that_is_asked_for_is_shown_in_place_of_another(many: Table) -> None:
    many.resize(450, 200)
    QApplication.processEvents()
    assert not entry(many, "Figure 1").isChecked() and entry(many, "Figure 3").isChecked()
    entry(many, "Figure 1").trigger()
    assert seen(many) == ["Name", "Shapes", "Figure 0", "Figure 1", "Figure 2"]
    entry(many, "Show &all").trigger()
    QApplication.processEvents()
    assert many.horizontalScrollBar().maximum() > 0 and not many.shown_columns.more.isVisible()
    assert not any(many.isColumnHidden(at) for at in range(7))
    entry(many, "As many as there is &room for").trigger()
    assert seen(many) == ["Name", "Shapes", "Figure 0", "Figure 2", "Figure 3"]
    assert not entry(many, "As many as there is &room for").isEnabled()


def test_what_rows_are_sorted_by_is_in_sight(many: Table) -> None:
    many.resize(450, 200)
    QApplication.processEvents()
    many.sortByColumn(6, Qt.SortOrder.DescendingOrder)
    QApplication.processEvents()
    assert seen(many) == ["Name", "Shapes", "Figure 0", "Figure 2", "Figure 4"]


def test_a_column_that_was_made_wider_stays_in_any_room(many: Table) -> None:
    many.horizontalHeader().resizeSection(6, 250)
    many.resize(370, 200)
    QApplication.processEvents()
    assert many.columnWidth(6) == 250 and many.horizontalScrollBar().maximum() > 0


def test_keys_go_on_from_a_cell_whose_column_has_given_way(qtbot, many: Table) -> None:
    many.table.show_rows(rows(*(float(speed) for speed in range(60))))
    QApplication.processEvents()
    qtbot.mouseClick(many.viewport(), Qt.MouseButton.LeftButton, pos=cell(many, 2, 6).center())
    many.resize(370, 200)
    QApplication.processEvents()
    for _ in range(30):
        qtbot.keyClick(many, Qt.Key.Key_Down)
    assert many.chosen_id == 32
    assert many.viewport().rect().contains(cell(many, 32, 0).center())


def test_the_button_beside_the_headings_opens_the_menu_of_columns(qtbot, many: Table) -> None:
    many.resize(370, 200)
    QApplication.processEvents()
    many.shown_columns.more.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(many.shown_columns.more, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert [one.text() for one in menu.actions() if one.isCheckable()][-1] == "Figure 4"
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_a_chosen_row_is_told_by_its_colour_up_to_the_right_end(qtbot, many: Table) -> None:
    many.resize(450, 200)
    QApplication.processEvents()
    room = many.viewport()
    assert many.horizontalHeader().length() < room.width() - 20, "columns have given way to the button"

    def told(row_id: int) -> list[bool]:
        """Whether the row has the colour of the chosen one below the button, and at its left end."""
        picture, middle = room.grab().toImage(), cell(many, row_id, 0).center().y()
        return [picture.pixelColor(at, middle) == theme.color("selection") for at in (2, room.width() - 5)]

    for chosen in (2, 3):
        painted = Painted(room)
        qtbot.mouseClick(room, Qt.MouseButton.LeftButton, pos=cell(many, chosen, 0).center())
        QApplication.processEvents()
        assert painted.region.contains(QPoint(room.width() - 5, cell(many, chosen, 0).center().y()))
        assert {row_id: told(row_id) for row_id in (1, 2, 3)} == {at: [at == chosen] * 2 for at in (1, 2, 3)}


def test_a_chosen_row_that_moves_takes_its_colour_with_it_up_to_the_right_end(qtbot, many: Table) -> None:
    many.resize(450, 200)
    many.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    QApplication.processEvents()
    room = many.viewport()
    right = room.width() - 5
    assert many.horizontalHeader().length() < right
    many.choose(2)
    assert order(many) == [2, 3, 1]
    was = QPoint(right, cell(many, 2, 0).center().y())
    QApplication.processEvents()
    painted = Painted(room)
    many.table.show_rows(rows(10.0, 5.0, 20.0))
    assert order(many) == [3, 1, 2]
    QApplication.processEvents()
    assert painted.region.contains(was)
    assert painted.region.contains(QPoint(right, cell(many, 2, 0).center().y()))
