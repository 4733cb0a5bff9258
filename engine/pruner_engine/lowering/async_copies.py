"""Copies to shared memory that a GPU makes by itself, where a schedule has a pipeline of them.

MetaSchedule's rules for GPUs from sm_80 on give most products and convolutions such pipelines, of four or five stages.
TVM has the instruction (`cp.async`), and its builder does not ask for it: a thread then fetches through its registers
and waits, and the stages cost shared memory for nothing. TVM's pass takes every vector for neighbours at an aligned
place, which computes something else, or fails, where they are not: vectors that are neither are taken apart before.
"""

from __future__ import annotations

import tvm_ffi
from tvm import IRModule
from tvm.ir import Expr, TensorLoad
from tvm.s_tir.transform import InjectPTXAsyncCopy
from tvm.sym import Analyzer
from tvm.tirx import AttrStmt, Broadcast, BufferLoad, BufferStore, PrimFunc, Ramp, SeqStmt, Stmt
from tvm.tirx.transform import StmtSimplify

from pruner_engine.lowering.generations import FIRST_WITH_ASYNCHRONOUS_COPIES, generation
from pruner_engine.lowering.loops.cases import is_case
from pruner_engine.lowering.nodes import each_function, nodes_in
from pruner_engine.lowering.vectors.indices import is_row, lanes_of

_SCOPE = "async_scope"


def with_asynchronous_copies(mod: IRModule) -> IRModule:
    """A GPU's lowered kernels, with the instruction for what is to be copied asynchronously."""
    found = {variable: f for variable, f in mod.functions.items() if _is_pipelined(f)}
    if not found:
        return mod
    plain = StmtSimplify()(IRModule(found, attrs=mod.attrs))  # with every index where it is used
    copied = IRModule(mod.functions, attrs=mod.attrs)
    copied.update(InjectPTXAsyncCopy()(each_function(plain, _in_whole_copies)))
    return copied


def _is_pipelined(function: PrimFunc) -> bool:
    target = function.attrs["target"]
    if target.kind.name != "cuda" or generation(str(target.attrs["arch"])) < FIRST_WITH_ASYNCHRONOUS_COPIES:
        return False
    return any(scope.attr_key == _SCOPE for scope in nodes_in(function.body, AttrStmt))


def _in_whole_copies(function: PrimFunc) -> PrimFunc:
    """The kernel, asynchronous where TVM's pass will copy what the schedule says."""
    analyzer = Analyzer()

    def divided(store: BufferStore) -> Stmt:
        index, load = store.indices[0], _load_of(store.value)
        if not isinstance(index, Ramp) or load is not store.value or _is_whole(index, load.indices[0], analyzer):
            return store
        lanes = range(int(index.lanes))
        elements = [BufferLoad(load.source, [_of_lane(load.indices[0], lane)]) for lane in lanes]
        return SeqStmt([BufferStore(store.buffer, elements[lane], [_of_lane(index, lane)]) for lane in lanes])

    def scope(node: AttrStmt) -> Stmt:
        if node.attr_key != _SCOPE:
            return node
        if not all(_can_be_copied(store, analyzer) for store in nodes_in(node.body, BufferStore)):
            return node.body  # fetched as without the instruction
        body = tvm_ffi.structural_map(node.body, (BufferStore, divided))
        return AttrStmt(node.node, node.attr_key, node.value, body)

    return tvm_ffi.structural_map(function, (AttrStmt, scope))


def _can_be_copied(store: BufferStore, analyzer: Analyzer) -> bool:
    """Whether it stores one element, a whole vector under a condition, or one whose elements are known one by one."""
    (index,), load = store.indices, _load_of(store.value)
    if not isinstance(index, Ramp):
        return lanes_of(index) == 1
    if load is store.value:
        return isinstance(load, TensorLoad) and isinstance(load.indices[0], Ramp | Broadcast)
    return isinstance(load, TensorLoad) and _is_whole(index, load.indices[0], analyzer)


def _load_of(value: Expr) -> Expr:
    """What is copied, perhaps under a condition."""
    return value.args[1] if is_case(value) else value


def _is_whole(into: Ramp, source: Expr, analyzer: Analyzer) -> bool:
    """Whether a vector is one of neighbours at both ends, each at a multiple of its length."""
    return all(is_row(end) and _is_multiple(end.base, int(end.lanes), analyzer) for end in (into, source))


def _is_multiple(index: Expr, of: int, analyzer: Analyzer) -> bool:
    found = analyzer.modular_set(index)
    return found.coeff % of == 0 and found.base % of == 0


def _of_lane(index: Expr, lane: int) -> Expr:
    return index.base + index.stride * lane if isinstance(index, Ramp) else index.value
