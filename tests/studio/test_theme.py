"""Another theme is taken by every part of the window once, not again with everything around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from pruner_studio.main_window import MainWindow
from pruner_studio.theme import theme
from pruner_studio.widgets.segments import Segments


class _Told(QObject):
    """Counts how often widgets are told of another style."""

    def __init__(self) -> None:
        super().__init__()
        self.times: Counter[QObject] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange:
            self.times[watched] += 1
        return False


@pytest.fixture
def usual() -> Iterator[None]:
    yield
    theme.choose("light")


def test_a_part_is_told_of_another_theme_a_few_times(
    window: MainWindow, rested, finished_project: Path, usual: None
) -> None:
    window.workspace.open(finished_project)
    for key in ("overview", "tasks", "start"):
        rested(window.show_page(key))
    told, parts = _Told(), window.pages.page("tasks").findChildren(QLabel)
    for part in parts:
        part.installEventFilter(told)
    theme.choose("dark")
    assert parts and all(1 <= told.times[part] <= 4 for part in parts), told.times.most_common(3)


class _Denser:
    """A screen of three pixels for one, as one that is plugged in."""

    def devicePixelRatio(self) -> float:
        return 3.0


def test_icons_are_drawn_anew_for_a_denser_screen(window: MainWindow, qapp: QApplication, monkeypatch) -> None:
    button = window.start_page().tune

    def pixels() -> tuple[float, float]:
        """Of an icon that is shown, and of a picture that is asked for, for one of ours."""
        size = button.iconSize()
        return button.icon().pixmap(size, 3.0).width() / size.width(), theme.pixmap("warning", size=20).width() / 20

    screens = QGuiApplication.screens()
    assert pixels() == (1, 1)
    monkeypatch.setattr(QGuiApplication, "screens", lambda: [*screens, _Denser()])
    qapp.screenAdded.emit(screens[0])
    assert pixels() == (3, 3)
    monkeypatch.undo()
    QApplication.sendEvent(window, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert pixels() == (1, 1)


def test_what_is_out_of_sight_has_taken_it_too(window: MainWindow, rested, finished_project: Path, usual: None) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("tasks")
    rested(page)
    window.show_page("start")
    theme.choose("dark")
    window.show_page("tasks")
    QApplication.processEvents()

    def ground(part: QWidget) -> str:
        return part.grab().toImage().pixelColor(3, part.height() // 2).name()

    assert ground(window.sidebar) == theme.color("sidebar").name()
    assert page.title_label.palette().windowText().color() == theme.color("text")
    assert ground(page) == theme.color("window").name()


def test_choices_side_by_side_have_an_edge_at_either_end(qtbot, qapp: QApplication) -> None:
    made = Segments("Budget", (("a", "Trials"), ("b", "Minutes"), ("c", "Neither")))
    qtbot.addWidget(made)
    made.choose("b")
    made.show()
    image = made.grab().toImage()
    middle, last = made.height() // 2, made.part("c").geometry().right()
    edge = theme.color("border_strong").name()
    assert [image.pixelColor(at, middle).name() for at in (0, last)] == [edge, edge]
