"""Sentences for the user that come in the middle of work which goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

#: takes a level (info, warning, error), a sentence, and what to do about it
OnNotice: TypeAlias = Callable[[str, str, str], None]
_log = logging.getLogger(__name__)


def logged(_level: str, text: str, hint: str) -> None:
    """An `OnNotice` of those that have nobody to tell."""
    _log.warning("%s %s", text, hint)
