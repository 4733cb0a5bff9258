"""What a zip archive's directory says that its records unpack to.

Not every PyTorch tells the sizes of records. Archives have more than one place where a directory may be looked
for, so those are refused whose end is not as writers write it: directory, end records, nothing between, nothing behind.
Then every reader finds the same one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_END = struct.Struct("<4s4x2x2xIIH")
_LOCATOR = struct.Struct("<4s4xQ4x")
_END64 = struct.Struct("<4s36xQQ")
_ENTRY = struct.Struct("<4s16xIIHHH8xI")
_FIELD = struct.Struct("<HH")
_ELSEWHERE = 0xFFFFFFFF  # the number is in the field of 64 bits
_FIELD64 = 1


def unpacked_sizes(content: bytes) -> Iterator[int]:
    """Bytes of each record once it is unpacked.

    Raises:
        ValueError: no zip archive, or one whose directory readers may find in different places.
    """
    at, end = _directory(content)
    while at < end:
        signature, packed, size, name, extra, comment, start = _unpack(_ENTRY, content, at)
        if signature != b"PK\1\2":
            raise ValueError("a record of the directory is damaged")
        at += _ENTRY.size + name
        if _ELSEWHERE in (packed, size, start):
            size = _size64(content[at : at + extra], size)
        yield size
        at += extra + comment


def _directory(content: bytes) -> tuple[int, int]:
    """Where it begins and ends."""
    end = len(content) - _END.size
    signature, size, start, comment = _unpack(_END, content, end)
    if signature != b"PK\5\6" or comment:
        raise ValueError("the archive does not end with its directory")
    locator = end - _LOCATOR.size
    if locator >= 0 and content.startswith(b"PK\6\7", locator):
        end = locator - _END64.size
        if _unpack(_LOCATOR, content, locator)[1] != end:
            raise ValueError("the end of the directory is elsewhere")
        signature, size, start = _unpack(_END64, content, end)
        if signature != b"PK\6\6":
            raise ValueError("the end of the directory is damaged")
    if start + size != end:
        raise ValueError("the directory is elsewhere")
    return start, end


def _size64(extra: bytes, size: int) -> int:
    """What the field of 64 bits says, whose first number is the size if that is elsewhere."""
    at = 0
    while at < len(extra):
        kind, length = _unpack(_FIELD, extra, at)
        at += _FIELD.size
        if kind == _FIELD64:
            return int.from_bytes(extra[at : at + 8], "little") if size == _ELSEWHERE else size
        at += length
    raise ValueError("a size is missing")


def _unpack(form: struct.Struct, content: bytes, at: int) -> tuple:
    if not 0 <= at <= len(content) - form.size:
        raise ValueError("the archive is too short")
    return form.unpack_from(content, at)
