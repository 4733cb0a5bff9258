"""A trace as the project file holds it, as rows to read: what each instruction does and which decision it took."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from pruner_engine.inspect.diff import diff_decisions
from pruner_studio.models.words import location
from pruner_studio.translation import tr

_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def instructions(trace_json: str) -> list[dict[str, Any]]:
    """Rows of a trace.

    Returns:
        One row an instruction: `id` (its index), `number` (from 1, as the lines of the trace are counted), `kind`,
        `text` (a short statement), `decision` (text, or None where nothing is sampled), `value` (the decision as
        stored).
    """
    insts, decisions = json.loads(trace_json)
    taken = {index: value for index, value in decisions}
    return [_row(index, inst, taken) for index, inst in enumerate(insts)]


def changed_decisions(left: str, right: str, names: Sequence[str] = ()) -> list[str] | None:
    """Decisions that two traces of one sketch took differently: "yy: 2 × 8 → 4 × 4".

    Args:
        names: of all decisions of the sketch, where they are known; without, instructions are told by their numbers.

    Returns:
        None where the traces are of different sketches.
    """
    changes = diff_decisions(json.loads(left), json.loads(right))
    if changes is None:
        return None
    ours, theirs = ({row["id"]: row["decision"] for row in instructions(trace)} for trace in (left, right))
    sampled = [row["id"] for row in _of_sketch(instructions(left)) if row["decision"] is not None]
    named = dict(zip(sampled, names, strict=True)) if len(sampled) == len(names) else {}
    numbered = tr("instruction {index}")
    return [
        f"{named.get(at) or numbered.format(index=at + 1)}: {ours[at]} → {theirs[at]}"
        for at in (one.index for one in changes)
    ]


def _of_sketch(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What comes before the postprocessing."""
    return takewhile(lambda row: not row["postproc"], rows)


def _row(index: int, inst: list[Any], taken: dict[int, Any]) -> dict[str, Any]:
    kind, inputs, attrs, outputs = inst
    value = taken.get(index)
    return {
        "id": index,
        "number": index + 1,
        "kind": _SNAKE.sub(" ", kind).lower(),
        "text": _statement(kind, inputs, attrs, outputs),
        "decision": _decision(kind, attrs, value) if index in taken else None,
        "value": value,
        "postproc": kind == "EnterPostproc",
    }


def _statement(kind: str, inputs: list[Any], attrs: list[Any], outputs: list[Any]) -> str:  # noqa: PLR0911
    names = ", ".join(str(name) for name in outputs)
    match kind:
        case "GetSBlock" | "GetBlock":
            return tr("{names} = block “{block}”").format(names=names, block=attrs[0])
        case "GetLoops":
            return tr("{names} = loops of {block}").format(names=names, block=inputs[0])
        case "SamplePerfectTile":
            return tr("tile {loop} into {count} factors, innermost ≤ {most}").format(
                loop=inputs[0], count=attrs[0], most=attrs[1]
            )
        case "SampleCategorical":
            return tr("choose one of {choices}").format(choices=", ".join(str(choice) for choice in attrs[0]))
        case "SampleComputeLocation":
            return tr("choose where {block} is computed").format(block=inputs[0])
        case "Split":
            return tr("{names} = split {loop}").format(names=names, loop=inputs[0])
        case "Annotate":
            return f"{inputs[0]}: {str(attrs[0]).removeprefix('meta_schedule.')} = {_plain(inputs[1])}"
        case "EnterPostproc":
            return tr("postprocessing starts here")
    arguments = ", ".join(_plain(part) for part in inputs if part not in (None, []))
    told = ", ".join(_plain(part) for part in attrs if part not in (None, "", []))
    call = f"{_SNAKE.sub(' ', kind).lower()} {arguments}" + (f" ({told})" if told else "")
    return f"{names} = {call}" if names else call


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_plain(part) for part in value) + "]"
    text = str(value).strip('"')
    return "…" if text.startswith("{") else text  # an index map as JSON: nobody reads it here


def _decision(kind: str, attrs: list[Any], value: Any) -> str:
    if kind == "SamplePerfectTile":
        return " × ".join(str(factor) for factor in value)
    if kind == "SampleCategorical" and isinstance(value, int):
        return str(attrs[0][value])
    if kind == "SampleComputeLocation":
        return location(value)
    return str(value)
