"""Differences of two schedules: code, loop nests, decisions. Works on texts and JSON values; needs no TVM."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_ALIKE = 0.3  # share of a line that two have in common at least, where parts of them are told to differ


@dataclass(frozen=True)
class DiffRow:
    """Two lines side by side.

    Attributes:
        kind: equal | changed | removed (left only) | added (right only).
        left, right: the lines; "" where there is none.
        left_line, right_line: their indices; None where there is none.
    """

    kind: str
    left: str = ""
    right: str = ""
    left_line: int | None = None
    right_line: int | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def diff_lines(left: Sequence[str], right: Sequence[str]) -> list[DiffRow]:
    """Line up two texts."""
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return [row for block in matcher.get_opcodes() for row in _rows(left, right, block)]


def _rows(left: Sequence[str], right: Sequence[str], block: tuple[str, int, int, int, int]) -> Iterator[DiffRow]:
    tag, left_start, left_end, right_start, right_end = block
    paired = min(left_end - left_start, right_end - right_start)
    for offset in range(paired):
        i, j = left_start + offset, right_start + offset
        yield DiffRow("equal" if tag == "equal" else "changed", left[i], right[j], i, j)
    for i in range(left_start + paired, left_end):
        yield DiffRow("removed", left=left[i], left_line=i)
    for j in range(right_start + paired, right_end):
        yield DiffRow("added", right=right[j], right_line=j)


def changed_parts(left: str, right: str) -> tuple[range, range] | None:
    """The parts in which two lines differ: what lies between their common beginning and end.

    Returns:
        None where they have little in common: then each differs as a whole.
    """
    shorter = min(len(left), len(right))
    begin = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    end = next((at for at in range(shorter - begin) if left[-1 - at] != right[-1 - at]), shorter - begin)
    alike = len(left[:begin].strip()) + len(left[len(left) - end :].strip())
    if alike < _ALIKE * max(len(left.strip()), len(right.strip())):
        return None
    return range(begin, len(left) - end), range(begin, len(right) - end)


def outline(nodes: Sequence[dict[str, Any]], depth: int = 0) -> list[str]:
    """A loop tree as indented lines, such as "for i in parallel(32)" and "block matmul_update"."""
    lines = []
    for node in nodes:
        lines.append("  " * depth + _title(node))
        lines += outline(node["children"], depth + 1)
    return lines


def _title(node: dict[str, Any]) -> str:
    if node["type"] == "loop":
        how = node["thread"] or node["kind"]
        return f"for {node['name']} in {how}({'?' if node['extent'] is None else node['extent']})"
    return f"block {node['name']}" if node["type"] == "block" else f"if {node['condition']}"


@dataclass(frozen=True)
class DecisionChange:
    """A sampling instruction with its decision on both sides; None where that side has no such instruction."""

    index: int
    instruction: str
    left: Any
    right: Any

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def diff_decisions(left: Sequence[Any], right: Sequence[Any]) -> list[DecisionChange] | None:
    """The decisions that differ between two traces of one sketch.

    Args:
        left, right: traces as `Trace.as_json()` gives them, [instructions, decisions].

    Returns:
        None if the traces are of different sketches: then only their texts can be compared.
    """
    instructions = _before_postproc(left)
    if instructions != _before_postproc(right):
        return None
    ours, theirs = dict(map(tuple, left[1])), dict(map(tuple, right[1]))
    return [
        DecisionChange(index, instruction[0], ours.get(index), theirs.get(index))
        for index, instruction in enumerate(instructions)
        if ours.get(index) != theirs.get(index)
    ]


def _before_postproc(trace: Sequence[Any]) -> list[Any]:
    """The sketch's own instructions: what the postprocessors add depends on the decisions."""
    instructions = list(trace[0])
    names = [instruction[0] for instruction in instructions]
    return instructions[: names.index("EnterPostproc")] if "EnterPostproc" in names else instructions
