"""The file that a model was loaded from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.whole_files import read_whole

_KEPT = 64 << 20  # bytes


@dataclass(frozen=True)
class ModelFile:
    """A model's file, external weights folded in: enough to load the model again.

    A large one is mostly weights, which the loaded model holds, too: it is read again when it is asked for.

    Attributes:
        size: bytes in it.
        sha256: of its content, hexadecimal.
        place: where it is, if its weights are in files beside it that are too large to be folded in.
    """

    size: int
    sha256: str
    _read: Callable[[], bytes] = field(repr=False)
    place: Path | None = None

    @classmethod
    def of(cls, content: bytes, read: Callable[[], bytes] | None = None) -> ModelFile:
        """What is known of a file.

        Args:
            content: of the file.
            read: gives it again; None keeps it, however large it is.
        """
        kept = len(content) <= _KEPT
        return cls(
            len(content), hashlib.sha256(content).hexdigest(), (lambda: content) if read is None or kept else read
        )

    @classmethod
    def in_place(cls, path: Path, size: int, sha256: str) -> ModelFile:
        """A file with others beside it; arguments are the attributes."""
        return cls(size, sha256, partial(read_whole, path), path)

    def content(self) -> bytes:
        """What is in the file, which has no weights beside it.

        Raises:
            UserError: it is no longer what it was.
        """
        content = self._read()
        if len(content) > _KEPT and hashlib.sha256(content).hexdigest() != self.sha256:
            raise UserError("The model's file has changed since it was loaded.", "Put it back, or begin anew with it.")
        return content
