"""Unexpected errors that cost one task or kernel, told in one line while the others go on."""

from __future__ import annotations

import traceback
from pathlib import Path

from pruner_engine.errors import first_words
from pruner_engine.plugins import fault_of_plugin


def in_one_line(error: Exception | SystemExit) -> str:
    """Kind, place and first words of an unexpected error; of a plugin's its file and line."""
    if (of_plugin := fault_of_plugin(error)) is not None:
        return of_plugin.message
    places = [f for f in traceback.extract_tb(error.__traceback__) if "pruner_engine" in f.filename]
    place = f" in {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return f"{type(error).__name__}{place}: {first_words(error)}"
