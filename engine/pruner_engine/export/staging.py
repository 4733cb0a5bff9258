"""Writes a bundle beside its place and renames it in the end, so that a killed export leaves no half of one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.export.library import FORMAT, METADATA, read_metadata

_MARK = ".pruner-export-"  # in the names of our hidden folders: what a user has hidden there is not ours to remove
_COMPILED = "cpp/run_model"  # by the bundle's own Makefile
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_SPACE = ("no space left", "disk quota exceeded", "file too large")


def place_of(out: Path) -> Path:
    """Where a bundle is to lie, links followed: what would be refused once it is made can be refused at once.

    Raises:
        UserError: something else is there, or the folder cannot be looked into.
    """
    try:
        if out.is_symlink() and not out.exists():
            raise UserError(f"{out} is a link to what is not there.", "Make that folder, or choose another one.")
        place = out.resolve()
        _refuse_foreign(place)
        _refuse_below(next((folder for folder in place.parents if folder.exists()), place))
    except OSError as error:
        raise _unwritable(out, error) from error
    return place


def _refuse_below(above: Path) -> None:
    """Raises UserError where no folder can be made in what is there."""
    if not above.is_dir():
        raise UserError(f"{above} is a file, in which no folder can be made.", "Choose another folder.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise UserError(f"{above} cannot be written.", "Choose another folder.")


def _unwritable(place: Path, error: OSError) -> UserError:
    return UserError(f"{place.parent} cannot be written: {error.strerror}.", "Choose another folder.")


@contextmanager
def staged(place: Path) -> Iterator[tuple[Path, Path]]:
    """Two new folders: one that replaces `place` at the end, and one for scratch; an error leaves all as it was.

    Both are in a hidden folder beside `place`. What exports that were killed have left behind is removed first.

    Raises:
        UserError: something else is at `place`, the folder cannot be written, or the disk is full.
    """
    place = place_of(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(place)
        folder, lock = _locked_folder(place)
    except OSError as error:
        raise _unwritable(place, error) from error
    bundle, scratch = folder / "bundle", folder / "scratch"
    try:
        bundle.mkdir()
        scratch.mkdir()
        yield bundle, scratch
        _publish(folder, bundle, place)
    except UserError:
        raise
    except Exception as error:  # TVM and the linker tell a full disk in their own words
        if not isinstance(error, OSError) and not any(sign in str(error).lower() for sign in _NO_SPACE):
            raise
        full = not isinstance(error, OSError) or error.errno in _FULL
        reason = (error.strerror if isinstance(error, OSError) else None) or "no space left"
        hint = "Make room on the disk, or choose another folder." if full else "Choose another folder."
        raise UserError(f"The bundle could not be written: {reason}.", hint) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked_folder(place: Path) -> tuple[Path, int]:
    """A new folder and a lock on it that the kernel frees when this process ends."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{place.name}{_MARK}", dir=place.parent))
        # another export may take it for a leftover before it is locked
        with contextlib.suppress(FileNotFoundError):
            lock = _lock(folder)
            if lock is not None and folder.exists():
                return folder, lock
            if lock is not None:
                os.close(lock)


def _lock(folder: Path) -> int | None:
    """An open lock on a folder; None where a living process holds it."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def _remove_leftovers(place: Path) -> None:
    """Remove the folders of dead exports to `place`; an earlier bundle among them that is missing is put back."""
    for folder in place.parent.glob(f".{glob.escape(place.name)}{_MARK}*"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            lock = _lock(folder)
            if lock is None:
                continue
            if (folder / "earlier").exists() and not place.exists():
                (folder / "earlier").rename(place)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _refuse_foreign(place: Path) -> None:
    """Only a bundle as it was written or an empty folder may be replaced, and none that somebody stands in or mounted.

    Raises:
        UserError: something else is there, or in it.
    """
    if place.is_mount() or (place.exists() and place.samefile(Path.cwd())):
        what = "a disk of its own" if place.is_mount() else "the current folder"
        raise UserError(f"{place} is {what}, which cannot be replaced by a bundle.", "Name a new folder in it.")
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    try:
        metadata = read_metadata(place)
        ours = metadata["format"] == FORMAT
        files = {METADATA, _COMPILED, *metadata.get("files", ())}
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise UserError(f"{place} holds something that is not a bundle.", "Choose a new or an empty folder.")
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place)
        if (path.is_symlink() or not path.is_dir()) and str(name) not in files and "__pycache__" not in name.parts:
            hint = "Move it elsewhere, or choose another folder."
            raise UserError(f"{place} holds {name}, which is not of the bundle and would be lost.", hint)


def _publish(folder: Path, bundle: Path, place: Path) -> None:
    """Move the finished bundle to its place; one that is there gives way only now."""
    earlier = folder / "earlier"
    if place.exists():
        place.rename(earlier)
    try:
        bundle.rename(place)
    except OSError:
        if earlier.exists():
            earlier.rename(place)
        raise
