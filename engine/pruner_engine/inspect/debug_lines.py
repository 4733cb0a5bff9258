"""Which block a line of LLVM IR or assembly computes, by the debug locations that TVM and LLVM hand on.

The span of a store becomes the location of its instructions; here it names a node of the loop tree in place of a line.
TVM gives the functions that run parallel loops no debug information, and LLVM names no lines of such functions. So
the finished IR gets it afterwards, and is turned into assembly once more: the same instructions, with their lines.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from tvm.ir import SourceName, Span
from tvm.tirx import BufferStore, Evaluate, Stmt

from pruner_engine.inspect.loop_tree import LoopTree

_AT = re.compile(r"!dbg !(\d+)")
_METADATA = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_LINE = re.compile(r"!DILocation\(line: (\d+)")
_SCOPE = re.compile(r"\bscope: !(\d+)")
_CLOSURE = re.compile(r"^(define [^\n]*@__tvm_parallel_lambda[^\n]*?)( \{\n.*?^\})", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"^ *#dbg_[^\n]*\n", re.MULTILINE)
_KEPT_VARIABLES = re.compile(r", retainedNodes: !\d+")


def located(mod: tvm.IRModule, tree: LoopTree) -> tvm.IRModule:
    """A kernel, whose tree is `tree`, with the node of each store and call as its span; it computes the same."""
    source = SourceName("loop tree")
    node_of: dict[int, int] = {}
    for number, inside in enumerate(tree.statements):  # in reading order, so that the innermost node is noted last

        def note(stmt: Stmt, number: int = number) -> None:
            node_of[stmt.__chandle__()] = number

        tvm_ffi.structural_walk(inside, ((BufferStore, Evaluate), note))

    def span(stmt: Stmt) -> Span | None:
        number = node_of.get(stmt.__chandle__())
        return None if number is None else Span(source, _line(number), _line(number), 0, 0)

    def store(stmt: Any) -> Stmt:
        return BufferStore(stmt.buffer, stmt.value, stmt.indices, span(stmt))

    def call(stmt: Any) -> Stmt:
        return Evaluate(stmt.value, span(stmt))

    main = tvm_ffi.structural_map(mod["main"], [(BufferStore, store), (Evaluate, call)])
    return tvm.IRModule({"main": main}, attrs=mod.attrs)


def nodes_of_ir(ir: str) -> list[int | None]:
    """Of each line of a located kernel's IR, its node."""
    lines = {number: _LINE.match(text) for number, text in _METADATA.findall(ir)}
    found = [lines.get(at[1]) if (at := _AT.search(line)) else None for line in ir.splitlines()]
    return [None if line is None else node_of_line(int(line[1])) for line in found]


def assembly_with_lines(built: tvm.runtime.Module) -> str:
    """Assembly of a located kernel, with a directive .loc wherever the line changes."""
    with tempfile.TemporaryDirectory(prefix="pruner-ir-") as folder:
        described = Path(folder) / "kernel.ll"
        described.write_text(_with_closures_described(built.inspect_source("ll")))
        return str(tvm_ffi.load_module(described, keep_module_alive=False).inspect_source("asm"))


def node_of_line(line: int) -> int | None:
    """The node that a line number stands for; 0 is LLVM's for what comes from no statement."""
    return line - 1 if line > 0 else None


def _line(node: int) -> int:
    return node + 1


def _with_closures_described(ir: str) -> str:
    """Give each function that runs a parallel loop a debug description, with locations of its own.

    LLVM accepts neither a description that two functions share nor a location in another function's.
    """
    known: dict[str, str] = dict(_METADATA.findall(ir))
    numbers = itertools.count(max((int(number) for number in known), default=0) + 1)
    added: list[str] = []

    def described(function: re.Match[str]) -> str:
        head, body = function[1], _VARIABLE.sub("", function[2])
        locations = sorted({at for at in _AT.findall(body) if _LINE.match(known[at])})
        scopes = [scope[1] for at in locations if (scope := _SCOPE.search(known[at]))]
        if not scopes:
            return function[0]
        own = next(numbers)
        added.append(f"!{own} = {_KEPT_VARIABLES.sub('', known[scopes[0]])}")
        moved = {at: str(next(numbers)) for at in locations}
        added.extend(f"!{moved[at]} = {_SCOPE.sub(f'scope: !{own}', known[at])}" for at in locations)
        return f"{head} !dbg !{own}" + _AT.sub(lambda at: f"!dbg !{moved.get(at[1], at[1])}", body)

    return "\n".join([_CLOSURE.sub(described, ir), *added, ""])
