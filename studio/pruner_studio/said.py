"""Translates the sentences of engines.

They say it in English, into project files, terminals and reports; the window knows their sentences
(`resources/translations/engine.json`, which `make translations` collects from their source) and shows them translated,
with its own fields and pages in place of a terminal's options and commands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from pruner_engine.resources import resource_dir
from pruner_engine.units import decimal
from pruner_studio.translation import tr, translating
from pruner_studio.window_words import OF_TERMINALS, in_the_window

# With a unit, a prefix or the blank in front of one: not a version
_QUANTITY = re.compile(r"\d+\.\d+(?: | ?(?:[mµn]?s|%|×|[kMG]?B|[kMGT]?(?:FLOP|B)/s|[kMGT]))")
_CACHES = re.compile(r"L\d [\d.]+ [kMG]?B(?:, L\d [\d.]+ [kMG]?B)*")
_BETWEEN = re.compile(r"(?<=[.!?]) ")  # two sentences, as of what went wrong and what to do
_BARE = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")
_BEHIND, _BEFORE = re.compile(r"\s(?:s|cores|of|GFLOP)\b"), "explains "  # what tells that no version is between
_HOLE = re.compile(r"\{(\d+)\}")

Pattern = tuple[str, tuple[str, ...]]  # a sentence, and what stands between its holes


@lru_cache(maxsize=256)
def said(text: str) -> str:
    """A sentence of an engine in the user's language, parts that are known sentences too; an unknown one as it is."""
    if not text or not (translating() or OF_TERMINALS.search(text)):
        return text
    if (whole := tr(text)) != text or text in _known():
        return in_the_window(whole)
    for pattern, parts in _patterns():
        if (holes := _holes(parts, text)) is not None:
            return _filled(pattern, parts, holes)
    for end in _BETWEEN.finditer(text):
        first, rest = text[: end.start()], text[end.end() :]
        if (told := said(first)) != first:
            return f"{told}{end[0]}{said(rest)}"
    return decimal(text) if _QUANTITY.fullmatch(text) or _CACHES.fullmatch(text) else text


def _filled(pattern: str, parts: Sequence[str], holes: Sequence[str]) -> str:
    """The translated sentence; the words around a hole tell a bare number from a version."""
    told = [
        decimal(hole) if _BARE.fullmatch(hole) and (_BEHIND.match(behind) or before.endswith(_BEFORE)) else hole
        for hole, before, behind in zip(holes, parts, parts[1:], strict=False)
    ]
    return _HOLE.sub(lambda hole: said(told[int(hole[1])]), in_the_window(tr(pattern)))


def all_said(*sentences: str) -> str:
    """One after another; those that are empty are left out."""
    return " ".join(said(sentence) for sentence in sentences if sentence)


@lru_cache(maxsize=1)
def _known() -> dict[str, None]:
    stored: list[str] = json.loads((resource_dir() / "translations" / "engine.json").read_text(encoding="utf-8"))
    return dict.fromkeys(stored)


@lru_cache(maxsize=1)
def _patterns() -> list[Pattern]:
    """Those with holes, the most words first: a sentence may fit a shorter one too."""
    split = [(text, tuple(_HOLE.split(text)[::2])) for text in _known()]
    return sorted((one for one in split if len(one[1]) > 1), key=lambda one: -len("".join(one[1])))


def _holes(parts: tuple[str, ...], text: str) -> list[str] | None:
    """What stands in the holes of a text that fits."""
    first, *middle, last = parts
    end = len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last)):
        return None
    at, holes = len(first), []
    for part in middle:
        if (found := text.find(part, at, end)) < 0:
            return None
        holes.append(text[at:found])
        at = found + len(part)
    return [*holes, text[at:end]] if at <= end else None
