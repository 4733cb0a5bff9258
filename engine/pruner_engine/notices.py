"""Sentences for the user that come in the middle of work which goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, TypeAlias

Level = Literal["info", "warning", "error"]
#: takes a level, a sentence, and what to do about it
OnNotice: TypeAlias = Callable[[Level, str, str], None]
_log = logging.getLogger(__name__)


def logged(_level: Level, text: str, hint: str) -> None:
    """An `OnNotice` of those that have nobody to tell."""
    _log.warning("%s %s", text, hint)
