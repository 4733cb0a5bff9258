"""The control groups of a process: what a container, or a scheduler of jobs, grants it of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MOUNTED = Path("/sys/fs/cgroup")


def membership() -> str:
    """What the system says of the groups of this process; "" where it has none."""
    return said(Path("/proc/self/cgroup"))


def groups_of(membership: str, controller: str, mounted: Path) -> Iterator[Path]:
    """Folders of the groups that a process is in, each followed by those above it.

    Args:
        membership: what /proc/self/cgroup says; a container sees its own group as the root.
        controller: cpu or memory.
        mounted: where the control groups are.
    """
    yield mounted
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or controller in controllers.split(","):  # version 2 names none
            root, inside = mounted / controller if controllers else mounted, PurePosixPath(path).relative_to("/")
            yield from (root / group for group in (inside, *inside.parents))


def said(path: Path) -> str:
    """What a file of the system says; "" where there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
