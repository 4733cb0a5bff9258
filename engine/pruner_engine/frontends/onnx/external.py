"""Weights of ONNX models in files of their own, which are read from the model's folder only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import onnx
from onnx import TensorProto, external_data_helper

from pruner_engine.errors import UserError

_BLOCK = 1 << 20  # bytes
EXPORT_AGAIN = "Export the model to ONNX again, and check that the file was copied completely."


def tensors_of(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """All weights and constants, wherever in the model."""
    return list(external_data_helper._get_all_tensors(model))


def is_elsewhere(tensor: onnx.TensorProto) -> bool:
    """Whether its bytes are in another file."""
    return bool(external_data_helper.uses_external_data(tensor))


class Part(NamedTuple):
    """Where a tensor's bytes are, in a file that holds so many."""

    path: Path
    offset: int
    length: int

    def content(self, name: str) -> bytes:
        """The bytes, for the model of that name.

        Raises:
            UserError: they cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                return file.read(self.length)
        except OSError as error:
            raise _unreadable(self.path.name, name) from error

    def blocks(self, name: str) -> Iterator[bytes]:
        """The same, one piece after the other."""
        ends = self.offset + self.length
        for begin in range(self.offset, ends, _BLOCK):
            yield Part(self.path, begin, min(_BLOCK, ends - begin)).content(name)


def part_of(tensor: onnx.TensorProto, name: str, folder: Path | None) -> Part:
    """Where a tensor's bytes are.

    Args:
        name: of the model.
        folder: of the model's file; None where it has none.

    Raises:
        UserError: nowhere that may be read, or cut off.
    """
    entry = {e.key: e.value for e in tensor.external_data}
    location = entry.get("location", "")
    if folder is None:
        raise UserError(f"{name} keeps weights in another file, {location}.", "Open it from its own folder.")
    try:
        path = (folder / location).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise UserError(f"{name} asks for weights outside its own folder, {location}.", "Do not trust this file.")
        size, offset = path.stat().st_size, int(entry.get("offset", 0))
        length = int(entry.get("length", size - offset))
    except (OSError, ValueError) as error:
        raise _unreadable(location, name) from error
    if not path.is_file():  # a pipe, from which nothing might ever come
        raise _unreadable(location, name)
    if offset < 0 or length < 0 or offset + length > size:
        raise UserError(f"{location}, which holds weights of {name}, is cut off.", EXPORT_AGAIN)
    return Part(path, offset, length)


def read_part(tensor: onnx.TensorProto, part: Part, name: str) -> None:
    """Put a tensor's bytes into the model.

    Raises:
        UserError: they cannot be read.
    """
    tensor.raw_data = part.content(name)
    del tensor.external_data[:]
    tensor.data_location = TensorProto.DEFAULT


def _unreadable(location: str, name: str) -> UserError:
    return UserError(
        f"{name} keeps weights in {location}, which cannot be read.", "It belongs beside the model: copy it there."
    )
