"""A kernel's code in one form (TVMScript, LLVM IR, assembly …), linked to its loop tree."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Code:
    """A text, and its link to the kernel's `LoopTree`.

    Attributes:
        nodes: of each line, the id of the innermost loop or block that it belongs to, None where it is of none; empty
            for a form that is not linked.
    """

    text: str
    nodes: list[int | None] = field(default_factory=list)
