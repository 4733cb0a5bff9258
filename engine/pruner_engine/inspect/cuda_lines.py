"""Which loop or block a line of CUDA source computes, by the names that loops and buffers keep in it.

TVM's writer of CUDA takes no locations along, but names: those of loops that are left, and those of buffers written.
What stands outside of both, such as a barrier, belongs to the loop around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pruner_engine.inspect.loop_tree import Node

_LOOP = re.compile(r"\s*for \(int (\w+) = 0; \w+ < (\d+); ")
_WRITTEN = re.compile(r"\s*(?:\*\(\w+\*\)\()?(\w+?)(?:_ptr)?(?:\[| \+ )")
_NUMBERED = re.compile(r"_\d+$")


def nodes_of_cuda(source: str, roots: list[Node]) -> list[int | None]:
    """Of each line of a kernel's source, its node in the loop tree of `roots`."""
    open_loops: list[tuple[int, Node | None]] = []
    found: list[int | None] = []
    last = -1  # loops are written in the tree's reading order
    for line in source.splitlines():
        indent = len(line) - len(line.lstrip())
        while open_loops and open_loops[-1][0] >= indent and line.strip():
            open_loops.pop()
        around = next((loop for _, loop in reversed(open_loops) if loop is not None), None)
        inside = list(_walk(roots if around is None else around["children"]))
        if match := _LOOP.match(line):
            loop = _loop(inside, match[1], int(match[2]), last)
            last = last if loop is None else loop["id"]
            open_loops.append((indent, loop))
            node = loop or around
        else:
            node = _block(inside, line) or around
        found.append(None if node is None else node["id"])
    return found


def _loop(nodes: Iterable[Node], name: str, extent: int, after: int) -> Node | None:
    names = (name, _NUMBERED.sub("", name))  # CUDA's names are unique, those of the tree are not
    same = [one for one in nodes if one["type"] == "loop" and one["name"] in names and one["extent"] == extent]
    return next((one for one in same if one["id"] > after), same[0] if same else None)


def _block(nodes: Iterable[Node], line: str) -> Node | None:
    """The block that writes the buffer that the statement writes; of a reduction's two, by what else it reads."""
    match = _WRITTEN.match(line)
    if match is None:
        return None
    writers = [one for one in nodes if one["type"] == "block" and _has(one["writes"], match[1])]
    updates = bool(re.search(rf"\b{match[1]}(?:_ptr)?\b", line[match.end() :]))
    return next((one for one in writers if _has(one["reads"], match[1]) == updates), writers[0] if writers else None)


def _has(regions: list[str], buffer: str) -> bool:
    return any(region.startswith(f"{buffer}[") for region in regions)


def _walk(nodes: list[Node]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _walk(node["children"])
