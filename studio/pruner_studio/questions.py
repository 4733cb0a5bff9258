"""The questions that an engine has not answered yet, each with a number that its answer has too."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec

from pruner_engine import protocol as msg

Question = msg.Question | msg.QuestionWithPlugins
OnReply = Callable[[Any], object]
OnFailed = Callable[[msg.Failed], object]


_NUMBERS = count(1)  # of this process: no two windows on one engine take the answers of the other


class Questions:
    """Who waits for an answer."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[OnReply, OnFailed]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, question: Question, on_reply: OnReply, on_failed: OnFailed) -> Question:
        """Have somebody wait; returns the question with its number."""
        number = next(_NUMBERS)
        self._waiting[number] = on_reply, on_failed
        return msgspec.structs.replace(question, request=number)

    def take(self, event: msg.Event) -> bool:
        """Hand an answer to who waits for it; False for what answers no question.

        A failure without a number is that of the engine: it answers nobody any more. With somebody else's number it is
        about what another listener has asked.
        """
        if not isinstance(event, msg.Answer | msg.Failed):
            return False
        if not event.request:
            return isinstance(event, msg.Failed) and self.fail(event)
        if (waits := self._waiting.pop(event.request, None)) is not None:
            on_reply, on_failed = waits
            on_failed(event) if isinstance(event, msg.Failed) else on_reply(event)
        return True

    def fail(self, failure: msg.Failed) -> bool:
        """Tell everybody who waits that no answer will come; False where nobody does."""
        waiting, self._waiting = self._waiting, {}
        for _, on_failed in waiting.values():
            on_failed(failure)
        return bool(waiting)
