"""Tells at the next start of a window that crashed, with its log to copy.

Each window keeps a file of its own for as long as it lives. A file whose process is gone is that of a crash: faults in
native code and errors in Python are written into it.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TextIO

from PySide6.QtCore import QStandardPaths

from pruner_engine import __version__
from pruner_engine.errors import of_surroundings
from pruner_studio.problem import Problem
from pruner_studio.reasons import reason_of
from pruner_studio.translation import tr

_PREFIX = "session-"
_KEPT = 20_000  # characters of a log that are told
_LATEST = ("last_exc", "last_type", "last_value", "last_traceback")  # where Python keeps the latest error


def _folder() -> Path:
    """State of this user; made where it is not there."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericStateLocation)
    folder = Path(place) / "pruner-studio"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def crashes() -> list[Problem]:
    """A problem for each window that has not ended in good order since the last start; each is told once."""
    try:
        return _found()
    except OSError:  # told by the session that comes
        return []


def _found() -> list[Problem]:
    found = []
    for path in sorted(_folder().glob(f"{_PREFIX}*.log")):
        pid = path.stem.removeprefix(_PREFIX)
        # a file of our own number is of an earlier process: containers give the same ones at every start
        if pid.isdigit() and (int(pid) == os.getpid() or not _alive(int(pid))):
            text = path.read_text(encoding="utf-8", errors="replace")[-_KEPT:]
            path.unlink(missing_ok=True)
            hint = tr("What was measured is in its project file. Copy the report and send it to the makers.")
            found.append(Problem(tr("The last window ended suddenly."), hint, text, level="warning"))
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _let_go(error: BaseException) -> None:
    """Python keeps the latest error, and by that what was at work and whatever had called it, up to the application.

    A painter among it would outlive what it paints on, and windows the application.
    """
    met: BaseException | None = error
    while met is not None:  # one in painting makes others
        traceback.clear_frames(met.__traceback__)
        met = met.__context__
    for name in _LATEST:
        vars(sys).pop(name, None)


class Session:
    """The log of this window, from start to end.

    Args:
        tell: takes a Problem for an error of ours that the window survived.
    """

    def __init__(self, tell: Callable[[Problem], object]) -> None:
        self._tell = tell
        self._hook, sys.excepthook = sys.excepthook, self._error
        self._file: TextIO | None = None
        try:
            self._path = _folder() / f"{_PREFIX}{os.getpid()}.log"
            self._file = self._path.open("w", encoding="utf-8")
        except OSError as error:
            message = tr("No log of this window can be written: {why}.").format(why=reason_of(error))
            hint = tr("A crash of it would not be told at the next start. Make {place} writable.")
            tell(Problem(message, hint.format(place=error.filename), level="warning"))
            return
        self._write(f"started {time.strftime('%Y-%m-%d %H:%M:%S')}, pruner-studio {__version__}\n")
        faulthandler.enable(self._file)

    def describe(self) -> None:
        """Add the versions and the machine, which take a moment to find out."""
        from pruner_engine.diagnostics.bug_report import environment

        self._write(f"{environment()}\n\n")

    def _write(self, text: str) -> None:
        """Add to the log; a full disk must not hide the error that is told."""
        with suppress(OSError):
            if self._file is not None:
                self._file.write(text)
                self._file.flush()

    def _error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An exception in a slot: the window lives on, and says so; what is no fault of ours is only told."""
        if (said := of_surroundings(error)) is not None:
            self._tell(Problem(said.message, said.hint))
            return
        report = "".join(traceback.format_exception(kind, error, trace))
        self._write(report)
        self._hook(kind, error, trace)
        hint = tr("Copy the report and send it to the makers; what was measured is kept.")
        message = tr("The window met an error of its own: {kind}.").format(kind=kind.__name__)
        self._tell(Problem(message, hint, report))
        _let_go(error)

    def end(self) -> None:
        """The window ends in good order: nothing is left."""
        sys.excepthook = self._hook
        if self._file is None:
            return
        faulthandler.disable()
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
