"""What every message between an engine and whoever drives it has in common: one JSON object a line."""

from __future__ import annotations

import msgspec


class Message(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    """A command or an event. Unknown fields are refused."""


def _plain(value: object) -> object:
    """TVM's strings are str by inheritance, which msgspec does not take for str."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be sent")


_encoder = msgspec.json.Encoder(enc_hook=_plain)


def encode(message: Message) -> bytes:
    """One line, newline included."""
    return _encoder.encode(message) + b"\n"
