"""Every control, plot, tab bar and divider has a name, and the Tab key really comes to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QSplitterHandle,
    QTabBar,
    QTextEdit,
    QWidget,
)

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.models.recent import forget, recent
from pruner_studio.problem import Problem
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.help_window import HelpWindow
from pruner_studio.widgets.preferences import Preferences
from pruner_studio.widgets.shortcuts import Shortcuts
from pruner_studio.widgets.sidebar import PAGES

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"
_CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QGraphicsView, QLineEdit, QPlainTextEdit, QSlider,
    QSplitterHandle, QTabBar, QTextEdit,
)  # fmt: skip
_PARTS = ("QTableCornerButton", "ScrollBarButton", "QLineEditIconButton")  # that Qt makes inside its own controls
_MOST_TABS = 400


def controls(root: QWidget) -> list[QWidget]:
    """What a person operates."""
    found = []
    for widget in root.findChildren(QWidget):
        inside = any(isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit) for parent in _parents(widget))
        made_by_qt = type(widget).__name__ in _PARTS or widget.objectName().startswith("qt_")
        if isinstance(widget, _CONTROLS) and not (inside or made_by_qt or isinstance(widget, QHeaderView)):
            found.append(widget)
    return found


def _parents(widget: QWidget):
    while (widget := widget.parentWidget()) is not None:
        yield widget


def told(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    window.workspace.open(finished_project)
    return window


def name_of(widget: QWidget) -> str:
    """What a screen reader says."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def reachable(roots: list[QWidget]) -> set[QWidget]:
    """What is in sight and can be used; of exclusive buttons the arrow keys reach the others."""
    wanted = {w for root in roots for w in controls(root) if w.isVisible() and w.isEnabled()}
    wanted = {w for w in wanted if not (w.group() and not w.isChecked() if isinstance(w, QAbstractButton) else False)}
    # The first divider of a splitter stands before its first part and cannot be moved
    return {w for w in wanted if not (isinstance(w, QSplitterHandle) and w.splitter().indexOf(w) == 0)}


def tabbed(qtbot, window: QWidget) -> list[QWidget]:
    """Where the Tab key goes, in order, until it comes round."""
    stops: list[QWidget] = []
    for _ in range(_MOST_TABS):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in stops:
            break
        stops.append(now)
    return stops


def check(qtbot, window: QWidget, *roots: QWidget) -> None:
    """Every control of the roots has a name and is reached, and every place where the Tab key stops has a name."""
    assert [told(widget) for root in roots for widget in controls(root) if not name_of(widget)] == []
    wanted = reachable(list(roots))
    assert wanted
    stops = tabbed(qtbot, window)
    reached = {widget for stop in stops for widget in (stop, *_parents(stop))}
    for stop in stops:  # which of a group the Tab key comes to depends on where it was before
        if isinstance(stop, QAbstractButton) and stop.group():
            reached |= set(stop.group().buttons())
    assert sorted(told(widget) for widget in wanted - reached) == []
    inside = [stop for stop in stops if any(root.isAncestorOf(stop) for root in roots)]
    assert sorted(told(stop) for stop in inside if not (name_of(stop) or name_of(stop.parentWidget()))) == []


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_every_control_has_a_name_and_the_tab_key_comes_to_it(qtbot, opened: MainWindow, rested, key: str) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page(key)
    rested(page)
    if key == "devices":
        qtbot.waitUntil(lambda: bool(page.profiles) and bool(page.known.model.rows), timeout=30_000)
    check(qtbot, opened, page, opened.run_bar)
    assert [told(widget) for widget in controls(opened.sidebar) if not name_of(widget)] == []


@pytest.fixture
def sample(qtbot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """A tuned project, whose candidates the engine can replay and explain."""
    window.workspace.open(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


_SHOWN: dict[str, Callable[..., bool]] = {
    "Trace and loops": lambda page: page.loops.view.replay is not None,
    "Code": lambda page: page.code.code["asm"].view.blockCount() > 9,
    "Why, what if": lambda page: "Predicted" in page.what_if.parts.verdict.text(),
    "Decisions": lambda page: True,
    "Roofline": lambda page: bool(page.roofline.plot.findChildren(QGraphicsView)),
    "Diff": lambda page: page.diff.view.sides[0][1].blockCount() > 9,
}


@pytest.mark.parametrize("name", _SHOWN)
def test_every_view_of_a_candidate_is_worked_by_keys(qtbot, sample: MainWindow, rested, name: str) -> None:
    page = sample.show_page("schedule")
    rested(page)
    bar = page.tabs.tabBar()
    assert list(_SHOWN) == [bar.tabText(at) for at in range(bar.count())]
    bar.setFocus()
    for _ in range(list(_SHOWN).index(name)):
        qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert bar.tabText(page.tabs.currentIndex()) == name
    if name == "Code":
        page.code.forms.part("asm").click()
    qtbot.waitUntil(lambda: _SHOWN[name](page), timeout=120_000)
    rested(page)
    assert not page.what_if.editor.isVisible() or page.what_if.editor.decisions
    check(qtbot, sample, page)


_DIALOGS: dict[type[QWidget], Callable[[MainWindow], object]] = {
    Preferences: lambda window: window.show_preferences(),
    Shortcuts: lambda window: window.show_shortcuts(),
    HelpWindow: lambda window: window.show_help(),
}


@pytest.mark.parametrize("kind", _DIALOGS, ids=lambda kind: kind.__name__)
def test_every_dialog_is_worked_by_keys(qtbot, opened: MainWindow, kind: type[QWidget]) -> None:
    opened.show_page("tasks")
    _DIALOGS[kind](opened)
    shown = opened.findChild(kind)
    with qtbot.waitActive(shown):
        shown.activateWindow()
    assert shown.windowTitle()
    if kind is Shortcuts:  # nothing to operate: its text is scrolled
        stops = tabbed(qtbot, shown)
        assert stops and all(name_of(stop) for stop in stops)
    else:
        check(qtbot, shown, shown)
    qtbot.keyClick(QApplication.focusWidget() or shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not opened.findChildren(kind), timeout=5_000)


def test_what_asks_for_more_trials_is_worked_by_keys(qtbot, opened: MainWindow) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    bar = opened.run_bar
    qtbot.waitUntil(bar.go_on_button.isVisible, timeout=10_000)
    bar.go_on_button.setFocus()
    qtbot.keyClick(bar.go_on_button, Qt.Key.Key_Space)
    qtbot.waitUntil(bar.more.isVisible, timeout=5_000)
    assert bar.more.further.hasFocus()
    check(qtbot, bar.more, bar.more)
    qtbot.keyClick(bar.more.further, Qt.Key.Key_Escape)
    assert not bar.more.isVisible()


def test_a_divider_is_moved_by_the_arrow_keys(qtbot, opened: MainWindow, rested) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page("tasks")
    rested(page)
    split = page.findChild(Divided)
    handle, (above, below) = split.handle(1), split.sizes()
    handle.setFocus()
    qtbot.keyClick(handle, Qt.Key.Key_Up)
    moved = split.sizes()
    assert moved[0] < above and moved[1] > below and sum(moved) == above + below
    qtbot.keyClick(handle, Qt.Key.Key_Down)
    assert split.sizes() == [above, below]
    qtbot.keyClick(handle, Qt.Key.Key_Right)
    assert split.sizes() == [above, below], "it moves up and down"


def test_the_arrow_keys_reach_the_other_choices(qtbot, opened: MainWindow) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page("overview")
    chosen = page.curve.axis.part("trials")
    assert isinstance(chosen.group(), QButtonGroup)
    chosen.setFocus()
    qtbot.keyClick(chosen, Qt.Key.Key_Right)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert page.curve.axis.current == "elapsed_s"


def test_pages_are_reached_by_shortcut(qtbot, window: MainWindow) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    for index, (key, *_) in enumerate(PAGES):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_1 + index), Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda key=key: window.current_page == key, timeout=2000)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("start", ("Change settings", "Open recent project resnet18.pruner", "Open the demonstration", "Check again")),
        ("overview", ("Export…", "Horizontal axis: Trials")),
        ("devices", ("Measure now", "Known devices", "Address of the tracker")),
    ],
)
def test_the_tab_key_goes_through_a_page_as_it_is_read(
    qtbot, opened: MainWindow, rested, finished_project: Path, key: str, names: tuple[str, ...]
) -> None:
    """Parts that are made later stand where they stand, not at the end."""
    with qtbot.waitActive(opened):
        opened.activateWindow()
    for path in set(recent()) - {str(finished_project)}:  # of other tests: those of one name are told by their folders
        forget(path)
    page = opened.show_page(key)
    rested(page)
    if key == "devices":
        qtbot.waitUntil(lambda: bool(page.profiles), timeout=30_000)
    if key == "start":
        qtbot.waitUntil(lambda: bool(page.recent.summaries), timeout=30_000)
    stops = [name_of(stop) for stop in tabbed(qtbot, opened)]
    places = [stops.index(name) for name in names]
    assert places == sorted(places)


def test_fields_that_are_unfolded_come_after_the_button_that_unfolds_them(qtbot, opened: MainWindow) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    opened.start_page().form.settings_button.click()
    stops = [name_of(stop) for stop in tabbed(qtbot, opened)]
    at = stops.index("Hide settings")
    assert stops[at + 1 : at + 3] == ["Data type: float32", "Start from"]
    assert stops.index("Check again") > stops.index("Caches: as in the network")


def test_a_problem_is_come_to_before_the_page_below_it(qtbot, opened: MainWindow) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    start = opened.start_page()
    for name in ("Older", "Newer"):
        opened.problems.tell(Problem(name, report=name, actions=((name, lambda: None),)))
    qtbot.waitUntil(lambda: all(card.isVisible() for card in opened.problems.cards()), timeout=5_000)
    stops = tabbed(qtbot, opened)
    cards = ["Newer", "Details", "Copy report", "Dismiss", "Older", "Details", "Copy report", "Dismiss"]
    before = next(at for at, stop in enumerate(stops) if name_of(stop) == "Newer")
    assert opened.run_bar.isAncestorOf(stops[before - 1])
    assert [name_of(stop) for stop in stops[before : before + len(cards)]] == cards
    assert start.isAncestorOf(stops[before + len(cards)])


def unseen(qtbot, window: MainWindow, page: QWidget) -> list[str]:
    """Parts of a page that look alike with the keyboard at them and without."""
    elsewhere, found = window.sidebar._theme_button, []
    for stop in tabbed(qtbot, window):
        if page.isAncestorOf(stop):
            stop.setFocus(Qt.FocusReason.TabFocusReason)
            there = stop.grab().toImage()
            elsewhere.setFocus(Qt.FocusReason.TabFocusReason)
            if stop.grab().toImage() == there:
                found.append(told(stop))
    return found


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_it_is_seen_what_the_keyboard_is_at(qtbot, opened: MainWindow, rested, key: str) -> None:
    with qtbot.waitActive(opened):
        opened.activateWindow()
    page = opened.show_page(key)
    rested(page)
    if key == "start":
        page.form.settings_button.click()
        rested(page)
    assert unseen(qtbot, opened, page) == []
    for _, pane in getattr(page, "panes", ()):
        page.tabs.setCurrentWidget(pane)
        rested(page)
        assert unseen(qtbot, opened, pane) == []
