"""The loop nest of a kernel as JSON values."""

from __future__ import annotations

from typing import Any

import tvm
from tvm.s_tir.stmt import SBlock, SBlockRealize
from tvm.tirx import For, IfThenElse, IterVar, SeqStmt, Stmt
from tvm.tirx.stmt import ForKind

Node = dict[str, Any]

_AXES = {IterVar.DataPar: "spatial", IterVar.CommReduce: "reduce", IterVar.Opaque: "opaque"}


class LoopTree:
    """Loops and blocks of the function "main".

    Attributes:
        roots: nodes of the outermost level. A node has `id` (number in reading order) and `children`, and
            - loop: `type` "loop", `name`, `extent` (None where it is not constant), `kind` (serial, parallel,
              vectorized, unrolled, thread_binding), `thread` (such as threadIdx.x, or ""), `annotations`;
            - block: `type` "block", `name`, `axes` [{name, kind, extent}], `reads`, `writes` (texts of the regions),
              `allocs` [{name, scope, shape, dtype}], `init` (it holds a reduction's start value), `annotations`;
            - branch: `type` "branch", `condition`.
        statements: TVM's loop, block or branch of each id.
    """

    def __init__(self, mod: tvm.IRModule) -> None:
        self.statements: list[Stmt] = []
        self._ids: dict[int, int] = {}
        # the whole function lies in one block "root" that stands for itself only
        self.roots = self._visit(mod["main"].body)

    def id_of(self, stmt: Stmt) -> int | None:
        """The id of a loop's or a block's node."""
        return self._ids.get(stmt.__chandle__())

    def _visit(self, stmt: Stmt) -> list[Node]:
        if isinstance(stmt, SeqStmt):
            return [node for child in stmt.seq for node in self._visit(child)]
        if isinstance(stmt, For):
            return [self._node(stmt, _loop(stmt), stmt.body)]
        if isinstance(stmt, SBlockRealize):
            return [self._node(stmt.block, _block(stmt.block), stmt.block.body)]
        if isinstance(stmt, IfThenElse):
            bodies = [stmt.then_case] + ([stmt.else_case] if stmt.else_case is not None else [])
            return [self._node(stmt, {"type": "branch", "condition": str(stmt.condition)}, *bodies)]
        body = getattr(stmt, "body", None)
        return [] if body is None else self._visit(body)

    def _node(self, stmt: Stmt, fields: Node, *bodies: Stmt) -> Node:
        number = self._ids[stmt.__chandle__()] = len(self.statements)
        self.statements.append(stmt)
        return {"id": number, **fields, "children": [node for body in bodies for node in self._visit(body)]}


def _loop(loop: For) -> Node:
    return {
        "type": "loop",
        "name": loop.loop_var.name,
        "extent": _number(loop.extent),
        "kind": ForKind(loop.kind).name.lower(),
        "thread": "" if loop.thread_binding is None else str(loop.thread_binding.thread_tag),
        "annotations": _annotations(loop),
    }


def _block(block: SBlock) -> Node:
    return {
        "type": "block",
        "name": str(block.name_hint),
        "axes": [
            {"name": v.var.name, "kind": _AXES.get(v.iter_type, "other"), "extent": _number(v.dom.extent)}
            for v in block.iter_vars
        ],
        "reads": [_region(region) for region in block.reads],
        "writes": [_region(region) for region in block.writes],
        "allocs": [
            {"name": b.name, "scope": b.scope(), "shape": [_number(d) for d in b.shape], "dtype": str(b.dtype)}
            for b in block.alloc_buffers
        ],
        "init": block.init is not None,
        "annotations": _annotations(block),
    }


def _region(region: Any) -> str:
    def span(r: Any) -> str:
        extent = _number(r.extent)
        start = str(r.min)
        if extent == 1:
            return start
        return f"0:{extent}" if start == "0" else f"{start}:+{extent if extent is not None else r.extent}"

    return f"{region.source.name}[{', '.join(span(r) for r in region.region)}]"


def _annotations(stmt: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in stmt.annotations.items()}


def _number(expr: Any) -> int | None:
    if isinstance(expr, int):
        return expr
    return int(expr.value) if hasattr(expr, "value") else None
