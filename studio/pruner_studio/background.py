"""Work that would make the window stall, done in a thread: reading many files, writing a report."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from pruner_engine.errors import of_surroundings
from pruner_studio.problem import Problem
from pruner_studio.translation import tr


class _Work(NamedTuple):
    owner: QObject
    do: Callable[[], Any]
    on_done: Callable[[Any], object]
    on_failed: Callable[[Problem], object]


class _Window(QObject):
    """Lives in the window's thread, and keeps there what the work and its callbacks hold.

    A thread that was the last to let go of a widget would delete it, under the hands of the window's thread.
    """

    done = Signal(int, object)
    failed = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.numbers = count()
        self.works: dict[int, _Work] = {}
        self.done.connect(self._done)
        self.failed.connect(self._failed)

    def _done(self, number: int, result: Any) -> None:
        if isValid((work := self.works.pop(number)).owner):
            work.on_done(result)

    def _failed(self, number: int, problem: Problem) -> None:
        if isValid((work := self.works.pop(number)).owner):
            work.on_failed(problem)


@cache
def _window() -> _Window:
    return _Window()


def run(
    owner: QObject,
    work: Callable[[], Any],
    on_done: Callable[[Any], object],
    on_failed: Callable[[Problem], object],
) -> None:
    """Do some work in a thread and call back in the window's thread, with the result or with what to tell the user.

    Args:
        owner: what asks for it; nobody is called back once it is deleted.
    """
    window = _window()
    number = next(window.numbers)
    window.works[number] = _Work(owner, work, on_done, on_failed)
    threading.Thread(target=_carry_out, args=(window, number), daemon=True).start()


def _carry_out(window: _Window, number: int) -> None:
    try:
        told, answer = window.done, window.works[number].do()
    except Exception as error:
        told, answer = window.failed, _told(error)
    told.emit(number, answer)  # not while the error is here, which holds what the work does


def _told(error: Exception) -> Problem:
    """What is the user's or the system's is a sentence; what is ours becomes a report."""
    if (said := of_surroundings(error)) is not None:
        return Problem(said.message, said.hint)
    message = tr("The window met an error of its own: {kind}.").format(kind=type(error).__name__)
    return Problem(message, tr("Copy the report and send it to the makers."), traceback.format_exc())
