"""The schedule primitives that the draft can replay, by TVM's name of the instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pruner_engine.draft.nests.nest import Block

# root of the nest, the instruction's inputs and attributes -> its outputs
Primitive = Callable[[Block, list[Any], list[Any]], "list[Any] | None"]
PRIMITIVES: dict[str, Primitive] = {}

# what a compute location may be beside a loop
AT_ROOT, INLINE = "root", "inline"


def primitive(name: str) -> Callable[[Primitive], Primitive]:
    """Register what replays the instruction `name`."""

    def register(function: Primitive) -> Primitive:
        PRIMITIVES[name] = function
        return function

    return register
