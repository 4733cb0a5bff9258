"""Which line of a kernel's TVMScript belongs to which loop or block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import tvm

from pruner_engine.inspect.code import Code
from pruner_engine.inspect.loop_tree import LoopTree

_MARK = re.compile(r"^ *# @node (\d+)$")


@dataclass(frozen=True)
class LinkedCode(Code):
    """TVMScript, linked to the nodes of a loop tree both ways.

    Attributes:
        lines: of each node, the index of the line that opens it; loops that share a T.grid share a line, and nodes that
            have no line of their own (the root block) have -1.
    """

    lines: list[int] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"text": self.text, "nodes": self.nodes, "lines": self.lines}


def linked_code(mod: tvm.IRModule, tree: LoopTree) -> LinkedCode:
    """Print `mod`, whose tree is `tree`, and link both."""
    marks = {stmt: f"@node {number}" for number, stmt in enumerate(tree.statements)}
    text: list[str] = []
    nodes: list[int | None] = []
    lines = [-1] * len(tree.statements)
    open_nodes: list[tuple[int, int]] = []
    pending: int | None = None
    for line in mod.script(obj_to_annotate=marks).splitlines():
        if match := _MARK.match(line):
            pending = int(match[1])
            continue
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while open_nodes and open_nodes[-1][0] >= indent:
                open_nodes.pop()
        if pending is not None:
            lines[pending] = len(text)
            open_nodes.append((indent, pending))
            pending = None
        nodes.append(open_nodes[-1][1] if open_nodes else None)
        text.append(line)
    _share_grid_lines(tree.roots, lines)
    return LinkedCode("\n".join(text), nodes, lines)


def _share_grid_lines(nodes: list[dict[str, Any]], lines: list[int], above: int = -1) -> None:
    """A T.grid is printed as one line, with the mark of its outermost loop."""
    for node in nodes:
        if lines[node["id"]] < 0 and node["type"] == "loop":
            lines[node["id"]] = above
        _share_grid_lines(node["children"], lines, lines[node["id"]])
