"""Projects whose runs are laid beside those of the open one: they are read, never written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.store.figures.comparison import refuse_unlike
from pruner_engine.store.file.identity import identity
from pruner_engine.store.reader import ProjectReader
from pruner_studio.translation import tr


class Beside:
    """Readers of the projects that are laid beside the open one."""

    def __init__(self) -> None:
        self._versions: dict[ProjectReader, int] = {}
        self._files: dict[ProjectReader, tuple[int, int] | None] = {}

    @property
    def readers(self) -> Sequence[ProjectReader]:
        return tuple(self._versions)

    def add(self, path: str, reader: ProjectReader, chosen: dict[str, Any]) -> None:
        """Take a project that has runs to compare with the chosen one of the open project.

        Raises:
            UserError: it has none, is open already, or cannot be read.
        """
        file = identity(path)
        if file is not None and file in (identity(reader.path), *self._files.values()):
            raise UserError(tr("The runs of {path} are here already.").format(path=path), tr("Choose another project."))
        other = ProjectReader(Path(path).resolve())
        try:
            refuse_unlike(other, chosen)
            version = other.data_version()
        except UserError:
            other.close()
            raise
        self._versions[other], self._files[other] = version, file

    def look(self) -> bool:
        """Whether a project has changed since the last look.

        Raises:
            UserError: one cannot be read any more, or another file lies there; it is left out from now on.
        """
        changed = False
        for reader in self.readers:
            if identity(reader.path) != self._files[reader]:
                self._drop(reader)
                raise UserError(
                    tr("{path} was moved, removed or replaced: its runs are shown no more.").format(path=reader.path),
                    tr("Add it again where it is there."),
                )
            try:
                version = reader.data_version()
            except UserError:
                self._drop(reader)
                raise
            changed |= version != self._versions[reader]
            self._versions[reader] = version
        return changed

    def clear(self) -> None:
        for reader in self.readers:
            self._drop(reader)

    def _drop(self, reader: ProjectReader) -> None:
        del self._versions[reader], self._files[reader]
        reader.close()
