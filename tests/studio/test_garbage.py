"""Which thread deletes what the window does not hold any more."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from shiboken6 import Shiboken

from pruner_studio import background
from pruner_studio.main_window import MainWindow

_MANY = 300_000  # objects, of which Python would look for garbage many times


class _Circle(QObject):
    """Holds itself, so that only a search for garbage finds it."""

    def __init__(self, deleted_in: list[threading.Thread]) -> None:
        super().__init__()
        self.itself = self
        weakref.finalize(self, lambda: deleted_in.append(threading.current_thread()))


def test_garbage_is_deleted_in_the_windows_thread_whichever_thread_makes_objects(qtbot, window: MainWindow) -> None:
    """Qt crashed: the window's thread was at work with what another thread deleted."""
    deleted_in: list[threading.Thread] = []
    gc.enable()  # as Python begins
    window.settle()
    qtbot.waitUntil(lambda: not gc.isenabled(), timeout=60_000)
    for _ in range(100):
        _Circle(deleted_in)
    rows: list[list[dict[str, int]]] = []
    background.run(window, lambda: [{"row": at} for at in range(_MANY)], rows.append, rows.append)
    qtbot.waitUntil(lambda: bool(rows) and len(deleted_in) == 100, timeout=60_000)
    assert set(deleted_in) == {threading.main_thread()}


class _Held(QObject):
    pass


def test_what_work_in_a_thread_held_is_let_go_in_the_windows_thread(qtbot) -> None:
    """Such as the texts and the view of a comparison, which stayed for ever."""
    let_go: list[threading.Thread] = []
    answers: list[object] = []

    def start(work) -> None:
        held = _Held()
        weakref.finalize(held, lambda: let_go.append(threading.current_thread()))

        def take(answer: object) -> None:
            answers.append((answer, held.isWidgetType()))

        background.run(held, lambda: work(held), take, answers.append)

    start(lambda held: 1)
    start(lambda held: 1 // 0)
    qtbot.waitUntil(lambda: len(answers) == 2, timeout=60_000)
    qtbot.waitUntil(lambda: len(let_go) == 2, timeout=60_000)
    assert set(let_go) == {threading.main_thread()}


def test_who_is_deleted_meanwhile_is_not_called_back(qtbot) -> None:
    began, goes_on, called = threading.Event(), threading.Event(), []
    asks, stays = QObject(), QObject()

    def work() -> None:
        began.set()
        goes_on.wait(60)

    background.run(asks, work, called.append, called.append)
    began.wait(60)
    Shiboken.delete(asks)
    goes_on.set()
    background.run(stays, lambda: "later", called.append, called.append)
    qtbot.waitUntil(lambda: called == ["later"] and not background._window().works, timeout=60_000)
