"""What the results of a program are called: by the keys of the dictionaries in which its model gives them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any

from torch.export.graph_signature import OutputKind

_Path = tuple[str | int, ...]


def with_named_results(program: Any) -> Any:
    """The `torch.export.ExportedProgram`; the specification of a result that has keys has its name as target."""
    specs = [spec for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    structure = program.call_spec.out_spec
    paths = [] if structure is None else list(_paths(structure))
    if len(paths) == len(specs):
        for spec, path in zip(specs, paths, strict=True):
            spec.target = _name(path)
    return program


def result_names(program: Any) -> list[str]:
    """A name of its own for each result of such a program: those without keys are numbered."""
    found: list[str] = []
    for index, spec in enumerate(program.graph_signature.output_specs):
        name = re.sub(r"[^\w.]+", "_", spec.target or "").strip("_.") or f"output{index}"
        numbered = (f"{name}_{number}" for number in count(2))
        found.append(next(unused for unused in chain([name], numbered) if unused not in found))
    return found


def _name(path: _Path) -> str | None:
    """The keys joined by dots; None where there are only places."""
    if all(isinstance(key, int) for key in path):
        return None
    first, *rest = path  # a place among the results is no name
    return ".".join(map(str, (f"output{first}" if isinstance(first, int) else first, *rest)))


def _paths(structure: Any) -> Iterator[_Path]:
    """Of each leaf of a pytree's specification the keys (text) and places (numbers) that lead to it."""
    if structure.is_leaf():
        yield ()
        return
    children = structure.children()
    keys: Sequence[str | int] = _keys(structure, len(children))
    for key, child in zip(keys, children, strict=True):
        for rest in _paths(child):
            yield (key, *rest)


def _keys(structure: Any, size: int) -> list[str] | range:
    """Of a container's children: what PyTorch knows of a dictionary besides them is its keys, of a dataclass the
    names of its fields, and of those that hold nothing."""
    keys = structure.context[1] if structure.type is defaultdict else structure.context
    if isinstance(keys, list) and len(keys) == 2 and isinstance(keys[0], list):
        keys = keys[0]
    known = isinstance(keys, list) and len(keys) == size and all(isinstance(key, str | int) for key in keys)
    return [str(key) for key in keys] if known else range(size)
