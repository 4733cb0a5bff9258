"""Work that would make the window stall, done in a thread: reading many files, writing a report."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from pruner_engine.errors import of_surroundings
from pruner_studio.problem import Problem
from pruner_studio.translation import tr


class _Answer(QObject):
    """Carries a result over to the thread of the window."""

    done = Signal(object)
    failed = Signal(object)


_waiting: set[_Answer] = set()


def run(work: Callable[[], Any], on_done: Callable[[Any], object], on_failed: Callable[[Problem], object]) -> None:
    """Do some work in a thread and call back in the window's thread, with the result or with what to tell the user."""
    answer = _Answer()
    _waiting.add(answer)

    def finish(call: Callable[[Any], object], value: Any) -> None:
        _waiting.discard(answer)
        call(value)

    answer.done.connect(lambda value: finish(on_done, value))
    answer.failed.connect(lambda problem: finish(on_failed, problem))

    def carry_out() -> None:
        try:
            result = work()
        except Exception as error:
            answer.failed.emit(_told(error))
        else:
            answer.done.emit(result)

    threading.Thread(target=carry_out, daemon=True).start()


def _told(error: Exception) -> Problem:
    """What is the user's or the system's is a sentence; what is ours becomes a report."""
    if (said := of_surroundings(error)) is not None:
        return Problem(said.message, said.hint)
    message = tr("The window met an error of its own: {kind}.").format(kind=type(error).__name__)
    return Problem(message, tr("Copy the report and send it to the makers."), traceback.format_exc())
