"""Reference outputs: what untuned kernels computed, in files that the outputs of candidates are compared with."""

from __future__ import annotations

import shutil
from pathlib import Path

_SHARE, _MOST = 4, 4 << 30  # a quarter of what is free (it may be memory), and no more bytes than this


def reference_file(folder: Path, task: str, kind: str) -> Path:
    """Outputs of a task, by its identity, for a kind of inputs."""
    return folder / f"{task}.{kind}.reference"


class References:
    """Keeps track of the tasks whose outputs are in `folder`; the least recently used make room for new ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._room = min(_MOST, shutil.disk_usage(folder).free // _SHARE)
        self._bytes: dict[str, int] = {}  # by task, in the order of use

    def use(self, task: str) -> bool:
        """Whether the task's outputs are there; marks them as used."""
        if task not in self._bytes:
            return False
        self._bytes[task] = self._bytes.pop(task)
        return True

    def make_room(self, task: str, size: int) -> None:
        """Remove the least recently used outputs until those of `task`, `size` bytes, have room."""
        self._bytes.pop(task, None)
        while self._bytes and sum(self._bytes.values()) + size > self._room:
            oldest = next(iter(self._bytes))
            del self._bytes[oldest]
            for file in self._folder.glob(reference_file(Path(), oldest, "*").name):
                file.unlink(missing_ok=True)
        self._bytes[task] = size
