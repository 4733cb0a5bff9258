"""Whether what the user chooses is kept for the next start."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from pruner_studio.problem import Problem
from pruner_studio.translation import tr


def unkept() -> Problem | None:
    """What to tell where it is not, since Qt drops without a word what it cannot write; None where it is."""
    settings = QSettings()
    if settings.isWritable():
        return None
    told = tr("What you choose is not kept for the next start: {path} cannot be written.")
    hint = tr("Make the file and its folder writable; until then recent projects and sizes are forgotten, too.")
    return Problem(told.format(path=settings.fileName()), hint, level="warning")
