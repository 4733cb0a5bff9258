"""Rows of elements whose number is no power of two, each read at once: of images of 7 or 14 pixels, say.

LLVM parts such a load at powers of two and puts the parts together, seven elements in four instructions. Here as many
elements are read as fill the next power of two. A buffer that the kernel allocates gets room for those behind its last
row. What lies behind a tensor that the kernel is given nobody may read: these are masked. All of it is for processors
with AVX, which can mask; of shorter registers seven elements fill two in any case.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import tvm_ffi
from tvm import DataType, IRModule, tirx
from tvm.ir import Call, Expr, Op, PrimType, Range, TensorLoad
from tvm.sym import Analyzer
from tvm.tirx import (
    AllocBuffer,
    Bind,
    BufferLoad,
    BufferStore,
    DeclBuffer,
    For,
    ForKind,
    IntImm,
    PrimFunc,
    Ramp,
    Shuffle,
    Var,
)

from pruner_engine.lowering.nodes import each_function, loads_of, nodes_in, with_llvm
from pruner_engine.lowering.vectors.indices import is_row, lanes_of
from pruner_engine.lowering.words.products import cpu_has

_LONGEST = 64  # elements
_LLVM_TYPES = {"float32": ("float", "f32"), "int32": ("i32", "i32"), "float64": ("double", "f64")}
_ADDRESS, _DATA = Op.get("tirx.address_of"), Op.get("tirx.buffer_data")
# No store changes what is read under a mask. TVM tells LLVM the same of its own accesses, with a type of each tensor.
_READ_ONLY = """
!0 = !{!"tvm-tbaa"}
!1 = !{!"read only", !0, i64 0}
!2 = !{!1, !1, i64 0}"""


def holds_torn_rows(mod: IRModule) -> bool:
    """Whether a function has vectors of such lengths; asked of one whose loops are not lowered yet."""
    loops = (loop for function in mod.functions.values() for loop in nodes_in(function, For))
    vectors = (loop.extent for loop in loops if loop.kind == ForKind.VECTORIZED)
    return any(isinstance(length, IntImm) and _is_torn(int(length)) for length in vectors)


def in_whole_rows(mod: IRModule) -> IRModule:
    """The lowered module, for a CPU, with one load for each row of its vectors."""
    return each_function(mod, _in_whole_rows)


def _in_whole_rows(function: PrimFunc) -> PrimFunc:
    if not cpu_has(function.attrs["target"], "avx"):
        return function
    rows = _Rows(function)
    changed = tvm_ffi.structural_map(function, (TensorLoad, rows.whole))
    if rows.room:
        larger = {buffer: _with_room(buffer, more) for buffer, more in rows.room.items()}
        changed = tvm_ffi.structural_map(changed, (Var, lambda used: larger.get(used, used)))
    if rows.masked:
        changed = with_llvm(changed, "\n".join([_READ_ONLY, *(_masked_load(*one) for one in sorted(rows.masked))]))
    return changed


class _Rows:
    """The rows that a function reads.

    Attributes:
        room: elements that a buffer needs behind its last one.
        masked: types and lengths of those that are read under a mask.
    """

    def __init__(self, function: PrimFunc) -> None:
        stores = nodes_in(function.body, BufferStore)
        self._summed = _summed(stores)
        self._own = {allocation.buffer for allocation in nodes_in(function.body, AllocBuffer)}
        self._views = {view.buffer: _viewed(view) for view in nodes_in(function.body, DeclBuffer)}
        handed = (of.source for call in nodes_in(function.body, Call) if call.op.same_as(_ADDRESS) for of in call.args)
        self._changing = {*map(self._memory, (*self._own, *handed, *(store.buffer for store in stores)))}
        self._bounds = _bounds(function)
        self.room: dict[Var, int] = {}
        self.masked: set[tuple[str, int]] = set()

    def whole(self, load: TensorLoad) -> Expr:
        """What reads the elements at once; the load itself where nothing does."""
        index, source, kind = load.indices[0], load.source, str(load.source.dtype)
        lanes = lanes_of(index)
        if not _is_torn(lanes) or not is_row(index) or kind not in _LLVM_TYPES:
            return load
        if source in self._summed or not isinstance(source.shape[0], IntImm):
            return load
        filled = _filled(lanes)
        beyond = self._bounds.const_int_bound(index.base).max_value + filled - int(source.shape[0])
        if beyond <= 0 or source in self._own:
            if beyond > 0:
                self.room[source] = max(self.room.get(source, 0), filled - lanes)
            vector: Expr = BufferLoad(source, [Ramp(index.base, 1, filled)])
        elif self._memory(source) not in self._changing:
            self.masked.add((kind, lanes))
            at = tirx.address_of(BufferLoad(source, [index.base]))
            vector = tirx.call_pure_extern(f"{kind}x{filled}", _name(kind, lanes), at)
        else:
            return load
        return Shuffle([vector], _places(lanes))

    def _memory(self, buffer: Var) -> Var:
        """The buffer that it is a view of, itself where it is none."""
        while (viewed := self._views.get(buffer)) is not None:
            buffer = viewed
        return buffer


def _viewed(view: DeclBuffer) -> Var | None:
    """None of a tensor that the kernel is given, whose address is a number."""
    data = view.data
    return data.args[0] if isinstance(data, Call) and data.op.same_as(_DATA) else None


def _summed(stores: Iterable[BufferStore]) -> set[Var]:
    """What is read where it is written: LLVM keeps a sum in a register only if both take the same elements."""
    found: set[Var] = set()
    for store in stores:
        if store.buffer not in found and any(store.buffer.same_as(load.source) for load in loads_of(store.value)):
            found.add(store.buffer)
    return found


def _is_torn(lanes: int) -> bool:
    return bool(lanes & (lanes - 1)) and lanes <= _LONGEST


def _filled(lanes: int) -> int:
    """The next power of two."""
    return 1 << lanes.bit_length()


@functools.cache
def _places(lanes: int) -> list[IntImm]:
    return [IntImm("int32", lane) for lane in range(lanes)]


def _bounds(function: PrimFunc) -> Analyzer:
    """Knows within what a function's indices lie."""
    analyzer = Analyzer()
    for loop in nodes_in(function.body, For):
        analyzer.bind(loop.loop_var, Range.from_min_extent(loop.min, loop.extent))
    for bound in nodes_in(function.body, Bind):
        kind = bound.value.ty
        if isinstance(kind, PrimType) and str(kind.dtype) in ("int32", "int64"):
            analyzer.bind(bound.var, bound.value)
    return analyzer


def _with_room(buffer: Var, more: int) -> Var:
    shape, scope = [int(buffer.shape[0]) + more], buffer.scope()
    return tirx.decl_buffer(shape, buffer.dtype, buffer.name, scope=scope, data_alignment=buffer.data_alignment)


def _name(kind: str, lanes: int) -> str:
    return f"row_of_{lanes}_{kind}"


def _masked_load(kind: str, lanes: int) -> str:
    """The function of that name in LLVM's language; TVM has it inlined."""
    (number, short), filled = _LLVM_TYPES[kind], _filled(lanes)
    vector, mask, load = f"<{filled} x {number}>", f"<{filled} x i1>", f"@llvm.masked.load.v{filled}{short}.p0"
    read = ", ".join(f"i1 {'true' if lane < lanes else 'false'}" for lane in range(filled))
    return f"""
declare {vector} {load}(ptr, {mask}, {vector})
define {vector} @{_name(kind, lanes)}(ptr %at) {{
  %row = call {vector} {load}(ptr align {DataType(kind).bits // 8} %at, {mask} <{read}>, {vector} poison), !tbaa !2
  ret {vector} %row
}}"""
