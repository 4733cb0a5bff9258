"""What to tell of a setting whose name or value is refused: what it takes, and what was given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.inspect import BoolType, FloatType, IntType, LiteralType, StrType, StructType, Type, UnionType, type_info

_PLACE = re.compile(r" - at `\$\.(\w+)")


def refusal(settings: type[msgspec.Struct], values: Mapping[str, Any] | str, error: msgspec.DecodeError) -> str:
    """One sentence.

    Args:
        settings: of the fields that could have been set.
        values: what was to become settings, or their JSON.
        error: of msgspec, which refused that.
    """
    fields, place = type_info(settings), _PLACE.search(str(error))
    if isinstance(values, str) or not isinstance(fields, StructType) or place is None:
        return _why_not_read(str(error).rstrip("."))
    (kind,) = (field.type for field in fields.fields if field.name == place[1])
    return _why_not_taken(place[1], kind, json.dumps(values[place[1]], ensure_ascii=False, default=str))


def _why_not_read(why: str) -> str:
    """Of what msgspec says of the settings as a whole."""
    unknown = re.search(r"unknown field `(.*)`", why)
    return f'There is no setting "{unknown[1]}".' if unknown else f"A setting is not understood: {why}."


def _why_not_taken(name: str, kind: Type, given: str) -> str:
    """What the setting takes, and not what was given."""
    choices = [choice for part in _parts(kind) if isinstance(part, LiteralType) for choice in part.values]
    if choices:
        return f"The setting {name} takes one of {', '.join(map(str, choices))}, not {given}."
    (part,) = _parts(kind)
    if isinstance(part, IntType):
        return f"The setting {name} takes a whole number of {part.ge} or more, not {given}."
    if isinstance(part, FloatType):
        above = f"The setting {name} takes a number above {part.gt} and up to {part.le}, not {given}."
        return (
            above if part.ge is None else f"The setting {name} takes a number from {part.ge} to {part.le}, not {given}."
        )
    if isinstance(part, BoolType):
        return f"The setting {name} takes true or false, not {given}."
    if isinstance(part, StrType):
        return f"The setting {name} takes text, not {given}."
    return f"The setting {name} takes a list of names, not {given}."


def _parts(kind: Type) -> Iterator[Type]:
    """What a value may be, nothing apart."""
    parts = kind.types if isinstance(kind, UnionType) else (kind,)
    return (part for part in parts if not isinstance(part, msgspec.inspect.NoneType))
