"""On the smallest usual screen every text is there in full, and an empty page leads on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextLayout
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QScrollArea, QWidget

from databases import connected
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.pages.page import Page
from pruner_studio.widgets.elided import Paragraph
from pruner_studio.widgets.empty_state import EmptyState
from pruner_studio.widgets.plot import Plot


def plots_by_page(window: MainWindow, rested: Callable[[Page], object]) -> Iterator[tuple[str, list[Plot]]]:
    """The visible plots of the pages that have some, each while its page is shown."""
    for key in ("overview", "tasks", "draft", "adaptation", "compare"):
        page = window.show_page(key)
        rested(page)
        yield key, [plot for plot in page.findChildren(Plot) if plot.isVisible()]


def cut(root: QWidget) -> list[str]:
    """Texts that want more room than their widget has; lines that a tool tip tells in full may be cut."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.toolTip():
            continue
        if isinstance(widget, QAbstractButton) and widget.text() and widget.sizeHint().width() > widget.width() + 1:
            found.append(widget.text())
        if isinstance(widget, QLabel) and widget.text():
            selectable = widget.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
            narrow = widget.sizeHint().width() > widget.width() + 1 and not (widget.wordWrap() or selectable)
            if narrow or widget.heightForWidth(widget.width()) > widget.height() + 1:
                found.append(widget.text())
    return found


SCREENS = {"usual": (1280, 720), "1366 x 768 at 150 %": (911, 512)}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_no_text_is_cut_on_a_small_screen(
    window: MainWindow, rested, answered, finished_project: Path, key: str, screen: str
) -> None:
    window.resize(*SCREENS[screen])
    assert (window.width(), window.height()) == SCREENS[screen]
    window.workspace.open(finished_project, 3)
    page = window.show_page(key)
    panes = getattr(page, "panes", ())
    rested(page)
    assert cut(window) == []
    for _, pane in panes:
        page.tabs.setCurrentWidget(pane)
        answered(window)  # that nothing made these candidates, in as many words
        rested(page)
        assert cut(pane) == []


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_a_page_that_needs_more_room_is_scrolled(window: MainWindow, rested, finished_project: Path, key: str) -> None:
    window.resize(911, 512)
    window.workspace.open(finished_project, 3)
    page = window.show_page(key)
    rested(page)
    frame = window.pages.currentWidget()
    assert frame.horizontalScrollBar().maximum() == 0
    assert page.width() == frame.viewport().width() and page.height() >= page.minimumSizeHint().height()


@pytest.mark.parametrize("size", [(760, 440), (911, 512), (1280, 720)])
def test_the_axes_of_every_plot_are_whole(window: MainWindow, rested, finished_project: Path, size) -> None:
    window.resize(*size)
    window.workspace.open(finished_project, 3)
    for key, plots in plots_by_page(window, rested):
        for plot in plots:
            assert plot.rect().adjusted(0, 0, 1, 1).contains(plot._view.geometry()), (key, plot.name)


def test_the_last_projects_stand_above_the_plan_on_a_small_screen(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    start = window.start_page()
    for width, above in ((1000, True), (1280, False), (1000, True)):
        window.resize(width, 720)
        QApplication.processEvents()
        recent, plan = (part.mapTo(window, QPoint(0, 0)) for part in (start.recent, start.form))
        assert (recent.x() == plan.x() and recent.y() < plan.y()) is above


def test_the_last_projects_stay_where_they_stand(qtbot, window: MainWindow, finished_project: Path) -> None:
    """Columns that are narrower without them would stand side by side again, and so on for ever."""
    window.workspace.open(finished_project)
    start = window.start_page()
    qtbot.waitUntil(lambda: any(row.get("latency_s") for row in start.recent.summaries), timeout=30_000)
    turns: list[bool] = []
    start.form.parentWidget().turned.connect(turns.append)
    for width in range(960, 1100, 10):
        window.resize(width, 720)
        for _ in range(5):
            QApplication.processEvents()
        turns.clear()
        for _ in range(5):
            QApplication.processEvents()
        assert turns == [] and cut(start) == [], width


def test_what_stands_below_each_other_is_as_high_as_it_needs(
    window: MainWindow, rested, finished_project: Path
) -> None:
    window.resize(1008, 720)
    window.workspace.open(finished_project, 3)
    page = window.show_page("draft")
    rested(page)
    assert page.funnel_card.height() >= page.funnel_card.minimumSizeHint().height()
    assert page.funnel_card.rect().contains(page.funnel.geometry())


def test_the_tab_key_scrolls_to_what_it_comes_to(qtbot, window: MainWindow, rested, finished_project: Path) -> None:
    window.resize(911, 512)
    window.workspace.open(finished_project, 3)
    page = window.show_page("draft")
    rested(page)
    with qtbot.waitActive(window):
        window.activateWindow()
    assert page.table.visibleRegion().isEmpty()
    page.score.part(page.score.current).setFocus()
    for _ in range(20):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if QApplication.focusWidget() is page.table:
            break
    assert page.table.hasFocus() and not page.table.visibleRegion().isEmpty()


def test_long_names_leave_room_for_what_stands_beside_them(qtbot, window: MainWindow, rested, tmp_path: Path) -> None:
    name = "Llama-3.2-vision-encoder-int8-optimised-for-production-deployment-2026-11-23-final-version-0042"
    project = make_project(tmp_path / f"{name}.pruner", runs=2, rounds=4)
    with connected(project) as db:
        db.execute("UPDATE models SET name = ?", (name,))
        db.execute("UPDATE tasks SET name = ? || name", ("fused_reshape_transpose_layer_norm_conv2d_bias_add_" * 2,))
        db.execute("UPDATE measurements SET message = ? WHERE stage <> 'ok'", ("std::unordered_map<int," * 12,))
    window.resize(1280, 720)
    window.workspace.open(project, 2)
    bar = window.run_bar
    assert name in bar.project.toolTip() and bar.project.text() == name
    assert name in bar.runs.toolTip() and bar.runs.width() > 150
    window.workspace.narrow("fused_reshape_transpose_layer_norm_conv2d_bias_add_fused_reshape")
    for key, *_ in PAGES:
        page = window.show_page(key)
        rested(page)
        assert window.pages.currentWidget().horizontalScrollBar().maximum() == 0
        assert cut(page) == []
        assert page.title_label.parentWidget().width() > 0 and page.subtitle_label.width() > page.width() // 5, key
        for inner in page.findChildren(QScrollArea):
            assert inner.horizontalScrollBar().maximum() == 0 or not inner.isVisible(), key
    task = window.show_page("tasks").table.horizontalHeader()
    assert task.sectionSize(0) <= 320


def test_a_unit_is_not_torn_apart_where_a_line_ends(qtbot) -> None:
    made = Paragraph(
        "At 56.4 FLOP a byte the device allows 159 GFLOP/s: its peak. "
        "This candidate reaches 25.3 GFLOP/s in 409 µs, 87 %."
    )
    qtbot.addWidget(made)
    for width in range(80, 700, 10):
        layout, begins = QTextLayout(QLabel.text(made), made.font()), []
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            begins.append(QLabel.text(made)[line.textStart() :].lstrip("\u2060"))
        layout.endLayout()
        torn = [text for text in begins if text.startswith(("s", "FLOP", "GFLOP", "µs", "%"))]
        assert begins and not torn, (width, torn)


def test_buttons_that_steer_a_task_are_as_wide_as_their_texts(
    window: MainWindow, rested, finished_project: Path
) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("tasks")
    rows = {}
    for width in (1280, 860, 760):
        window.resize(width, 700)
        rested(page)
        assert all(made.width() == made.sizeHint().width() for made in (*page.steer_buttons, page.open_button)), width
        rows[width] = (page.steering.height() + 8) // (page.open_button.height() + 8)
    assert rows == {1280: 1, 860: 2, 760: 2}


def test_an_export_is_asked_for_in_one_row_where_there_is_room(
    window: MainWindow, rested, finished_project: Path
) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("export")
    rows = {}
    for width in (760, 1280, 760, 1440):
        window.resize(width, 700)
        rested(page)
        parts = (page.out, page.which, page.beside, page.copy_button, page.go)
        middles = sorted(part.mapTo(page, part.rect().center()).y() for part in parts)
        rows[width] = 1 + sum(below - above > 12 for above, below in pairwise(middles))
    assert rows == {760: 3, 1280: 2, 1440: 1}


@pytest.mark.parametrize("key", ["overview", "tasks", "schedule", "draft", "adaptation", "compare", "export"])
def test_an_empty_page_leads_to_where_it_begins(qtbot, window: MainWindow, key: str) -> None:
    page = window.show_page(key)
    (empty,) = [found for found in page.findChildren(EmptyState) if found.isVisible()]
    (go,) = empty.findChildren(QPushButton)
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert window.current_page == "start"


def test_an_empty_page_takes_no_more_room_than_what_it_says_now(qtbot) -> None:
    state = EmptyState("overview", "Nothing", "Words that go on and on. " * 8, None)
    qtbot.addWidget(state)
    high = state._text.height()
    state.tell("Nothing", "Few words.")
    assert state._text.height() < high / 2


def test_nothing_is_offered_that_would_do_nothing(window: MainWindow) -> None:
    assert not window.show_page("start").copy.isEnabled()
    for key, names in (("tasks", ("filter", "steering")), ("schedule", ("task",)), ("draft", ("task",))):
        page = window.show_page(key)
        page.refresh()
        assert not any(getattr(page, name).isVisible() for name in names), key


def test_what_runs_are_compared_for_is_in_sight_on_a_small_screen(
    window: MainWindow, rested, finished_project: Path
) -> None:
    window.resize(*SCREENS["1366 x 768 at 150 %"])
    window.workspace.open(finished_project, 3)
    page = window.show_page("compare")
    rested(page)
    titles = [column.title for column in page.model.columns]
    header, room = page.table.horizontalHeader(), page.table.viewport().width()
    for title in ("Run", "Strategy", "Latency", "Gain", "Trials to goal"):
        at = titles.index(title)
        assert not header.isSectionHidden(at), title
        assert header.sectionViewportPosition(at) + header.sectionSize(at) <= room, title


@pytest.mark.parametrize(("width", "height"), [(760, 440), (900, 600), (1100, 700)])
@pytest.mark.parametrize(
    ("key", "titles"), [("tasks", ("Task", "Share", "Best", "Gain")), ("devices", ("Target", "Device", "Peak"))]
)
def test_tables_are_read_without_scrolling_sideways(
    qtbot,
    window: MainWindow,
    rested,
    finished_project: Path,
    key: str,
    titles: tuple[str, ...],
    width: int,
    height: int,
) -> None:
    window.resize(width, height)
    window.workspace.open(finished_project, 3)
    page = window.show_page(key)
    table = page.known.table if key == "devices" else page.table
    qtbot.waitUntil(lambda: bool(table.table.rows), timeout=30_000)
    rested(page)
    assert table.horizontalScrollBar().maximum() == 0
    shown = {column.title for at, column in enumerate(table.table.columns) if not table.isColumnHidden(at)}
    assert {*titles} <= shown
    assert table.shown_columns.more.isVisible() is (len(shown) < len(table.table.columns))


def test_no_word_stands_alone_in_the_last_line_of_an_empty_page(qtbot) -> None:
    made = EmptyState("overview", "", "", None)
    qtbot.addWidget(made)
    shown = made._text
    words = "Tune"
    while shown.fontMetrics().horizontalAdvance(words) < 470:  # hardly more than there is room for in a line
        words += " more"
    made.tell("Nothing yet", words)
    lines = 2 * shown.fontMetrics().height()
    assert lines <= shown.height() < 1.5 * lines
    assert shown.width() < 0.7 * shown.fontMetrics().horizontalAdvance(words)
