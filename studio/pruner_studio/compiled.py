"""PySide6 imported without compiling its own Python part, which it keeps as source in its library, at every start.

What was compiled is kept in the user's cache, as Python does with what it reads from files. That part takes a third of
the import's time, and the import is most of what comes before the first picture.
"""

from __future__ import annotations

import builtins
import marshal
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

_FOLDER = "shibokensupport/"
_UNUSED = f"{_FOLDER}signature/lib/pyi_generator.py"  # writes type stubs, and brings argparse and logging along
_EMPTY = b""

Code = dict[tuple[str, int], Any]  # by name and checksum of the source


def kept_in() -> Path:
    """The file for this Python; code that another one compiled is of no use to it."""
    cache = os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '')}/.cache"
    made_by = f"{sys.implementation.cache_tag}-{MAGIC_NUMBER.hex()}-{sys.flags.optimize}"
    return Path(cache) / "pruner-studio" / f"pyside-{made_by}.bin"


@contextmanager
def compiled_once(path: Path) -> Iterator[None]:
    """While this lasts, PySide6 gets what was compiled before; what is new is kept for the next time."""
    known, compiling = _read(path), builtins.compile
    taken: Code = {}

    def ready(source: Any, filename: Any, *rest: Any, **options: Any) -> Any:
        if not isinstance(source, bytes) or not str(filename).startswith(_FOLDER):
            return compiling(source, filename, *rest, **options)
        if filename == _UNUSED:
            source = _EMPTY
        key = filename, zlib.crc32(source)
        taken[key] = known.get(key) or compiling(source, filename, *rest, **options)
        return taken[key]

    builtins.compile = ready
    try:
        yield
    finally:
        builtins.compile = compiling
    if taken.keys() - known.keys() and not sys.dont_write_bytecode:
        _write(path, taken)


def _read(path: Path) -> Code:
    try:
        kept = marshal.loads(path.read_bytes())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(path: Path, code: Code) -> None:
    """A start is only slower where nothing can be kept."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_suffix(f".{os.getpid()}")
        own.write_bytes(marshal.dumps(code))
        own.replace(path)
