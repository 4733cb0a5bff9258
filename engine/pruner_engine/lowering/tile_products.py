"""Products of words by AMX: a tile of sixteen rows by sixteen columns, sixteen words deep, in one instruction.

A schedule marks the loops over a tile's depth and rows; the vector is its columns. What such a nest computes are the
same sums word by word (`word_products`), so that one which cannot be told to be a product of tiles stays correct. Eight
registers hold a tile each: up to six of results, which stay there through the whole reduction, the others of operands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import tvm_ffi
from tvm import IRModule, s_tir, tirx
from tvm.ir import Expr, StringImm, TensorLoad
from tvm.ir.transform import Sequential
from tvm.sym import detect_linear_equation
from tvm.target import Target
from tvm.tirx import Add, AttrStmt, BufferStore, Evaluate, For, ForKind, IntImm, PrimFunc, SeqStmt, Stmt, Var

from pruner_engine.lowering.word_products import BFLOAT16S, BYTES, WordProducts, cpu_has

#: annotation of a loop: which of a tile's extents it goes over
TILE = "pruner.tile"
DEPTH, ROWS = "depth", "rows"
#: most rows and words of a tile, and tiles of results
MOST, MOST_RESULTS = 16, 6
_REGISTERS = 8
_WORD_BYTES = 4
_LOAD, _STORE = "llvm.x86.tileloadd64", "llvm.x86.tilestored64"
_INSTRUCTIONS = {BYTES.name: ("amx-int8", "llvm.x86.tdpbusd"), BFLOAT16S.name: ("amx-bf16", "llvm.x86.tdpbf16ps")}

# from blocks to loops over flat buffers: stock passes, which leave what is so already as it is
_TO_LOOPS = Sequential(
    [
        s_tir.transform.CanonicalizeLoop(),
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.CompactBufferAllocation(),
        s_tir.transform.LowerMatchBuffer(),
        s_tir.transform.StmtSimplify(),
        s_tir.transform.LowerOpaqueBlock(),
        tirx.transform.FlattenBuffer(),
        s_tir.transform.StmtSimplify(),
    ]
)


def multiplies_tiles(target: Target, products: WordProducts) -> bool:
    """Whether the target has an instruction for tiles of such products."""
    feature, _ = _INSTRUCTIONS.get(products.name, ("", ""))
    return bool(feature) and cpu_has(target, "amx-tile", feature)


def tile_products_in(statement: object) -> WordProducts | None:
    """The products that a statement adds to its result, if there is an instruction for tiles of such."""
    value = statement.value if isinstance(statement, BufferStore) else None
    sums = value.b if isinstance(value, Add) else None
    return next((p for p in (BYTES, BFLOAT16S) if p.is_in(sums)), None)


def in_tiles(mod: IRModule) -> IRModule:
    """The module with the marked nests of its functions as products of tiles."""
    marked = {variable: function for variable, function in mod.functions.items() if _is_marked(function)}
    if not marked:
        return mod
    lowered = _TO_LOOPS(IRModule(marked, attrs=mod.attrs))
    made = IRModule(mod.functions, attrs=mod.attrs)
    made.update(IRModule({v: _in_tiles(f) for v, f in lowered.functions.items()}, attrs=mod.attrs))
    return made


def _is_marked(function: PrimFunc) -> bool:
    def stop(loop: For) -> tvm_ffi.VisitInterrupt | None:
        return tvm_ffi.VisitInterrupt() if TILE in loop.annotations else None

    return tvm_ffi.structural_walk(function.body, (For, stop)) is not None


@dataclass(frozen=True)
class _Access:
    """Where a tile of an operand lies: its first word, and how many words apart its rows begin."""

    first: TensorLoad
    apart: int

    @property
    def place(self) -> tuple[Expr, Expr]:
        return tirx.address_of(self.first), tirx.const(self.apart * _WORD_BYTES, "int64")

    def at(self, values: dict[Var, Expr]) -> _Access:
        return _Access(tvm_ffi.structural_map(self.first, (Var, lambda v: values.get(v, v))), self.apart)


def _in_tiles(function: PrimFunc) -> PrimFunc:
    """The function with its tiles, unless they need several layouts of the registers."""
    nests: list[_Nest] = []

    def replace(loop: For) -> Stmt:
        nest = _read(loop)
        if nest is None:
            return loop
        nests.append(nest)
        return nest.computed()

    made = tvm_ffi.structural_map(function, (For, replace), order="pre")
    if len({nest.layout for nest in nests}) != 1:
        return function
    layout = nests[0].layout
    spread: list[For] = []

    def set_up(loop: For) -> Stmt:
        if loop.kind != ForKind.PARALLEL:
            return loop
        spread.append(loop)
        around = layout.around(loop.body)
        return For(loop.loop_var, loop.min, loop.extent, loop.kind, around, annotations=loop.annotations)

    body = tvm_ffi.structural_map(made.body, (For, set_up))
    body = body if spread else layout.around(body)
    return made.with_body(AttrStmt(tirx.const(0, "int32"), "pragma_import_llvm", StringImm(layout.code), body))


@dataclass(frozen=True)
class _Layout:
    """How registers are laid out: those of results, then those of the left and of the right operand."""

    rows: int
    depth: int
    columns: int
    results: int
    lefts: int

    @property
    def symbol(self) -> str:
        return "pruner_tiles_" + "_".join(map(str, (self.rows, self.depth, self.columns, self.results, self.lefts)))

    def around(self, body: Stmt) -> Stmt:
        """Statements between laying registers out and giving them free."""
        begin = Evaluate(tirx.call_extern("int32", self.symbol))
        return SeqStmt([begin, body, _operation("llvm.x86.tilerelease")])

    @property
    def code(self) -> str:
        """What lays registers out, in LLVM's language; a process asks Linux for the right to use them first."""
        rights = _REGISTERS - self.results - self.lefts
        rows = [self.rows] * (self.results + self.lefts) + [self.depth] * rights
        words = [self.columns] * self.results + [self.depth] * self.lefts + [self.columns] * rights
        layout = bytes([1]) + bytes(15) + b"".join((n * _WORD_BYTES).to_bytes(2, "little") for n in words) + bytes(16)
        text = "".join(f"\\{byte:02x}" for byte in layout + bytes(rows) + bytes(8))
        return f"""
declare i64 @syscall(i64, ...)
declare void @llvm.x86.ldtilecfg(ptr)
@{self.symbol}_permitted = linkonce_odr hidden global i8 0
@{self.symbol}_layout = private constant [64 x i8] c"{text}"
define i32 @{self.symbol}() {{
  %known = load atomic i8, ptr @{self.symbol}_permitted monotonic, align 1
  %is = icmp ne i8 %known, 0
  br i1 %is, label %permitted, label %ask
ask:
  %answer = call i64 (i64, ...) @syscall(i64 158, i64 4131, i64 18)
  store atomic i8 1, ptr @{self.symbol}_permitted monotonic, align 1
  br label %permitted
permitted:
  call void @llvm.x86.ldtilecfg(ptr @{self.symbol}_layout)
  ret i32 0
}}"""


@dataclass(frozen=True)
class _Nest:
    """Sums over `around` of products of tiles, of `results` that lie beside each other."""

    around: list[For]
    results: list[For]
    rows: int
    depth: int
    columns: int
    total: _Access
    left: _Access
    right: _Access
    instruction: str

    @property
    def layout(self) -> _Layout:
        results = math.prod(int(loop.extent) for loop in self.results)
        lefts = math.prod(int(loop.extent) for loop in self.results if _step(self.left.first, loop.loop_var) != 0)
        return _Layout(self.rows, self.depth, self.columns, results, min(lefts, _REGISTERS - results - 1))

    def computed(self) -> Stmt:
        """The nest as operations on registers."""
        layout = self.layout
        tiles = product(*(range(int(loop.extent)) for loop in self.results))
        named = [
            {loop.loop_var: tirx.const(i, loop.loop_var.ty) for loop, i in zip(self.results, tile, strict=True)}
            for tile in tiles
        ]
        totals = [self.total.at(values) for values in named]
        lefts = _Operands(range(layout.results, layout.results + layout.lefts))
        rights = _Operands(range(layout.results + layout.lefts, _REGISTERS))
        step: list[Stmt] = []
        for register, values in enumerate(named):
            left, right = (held.hold(access.at(values), step) for held, access in ((lefts, self.left), (rights, self.right)))
            step.append(_operation(self.instruction, register, left, right))
        body: Stmt = SeqStmt(step)
        for loop in reversed(self.around):
            body = For(loop.loop_var, loop.min, loop.extent, ForKind.SERIAL, body)
        fetch = [_operation(_LOAD, register, *total.place) for register, total in enumerate(totals)]
        put_back = [_operation(_STORE, register, *total.place) for register, total in enumerate(totals)]
        return SeqStmt([*fetch, body, *put_back])


class _Operands:
    """Registers of one operand, and the tiles in them: the one that was used longest ago makes room."""

    def __init__(self, registers: Iterable[int]) -> None:
        self._free = list(registers)
        self._held: list[tuple[_Access, int]] = []  # the one used last at the end

    def hold(self, access: _Access, step: list[Stmt]) -> int:
        """The register of a tile, which a statement appended to `step` fetches where it is in none."""
        found = next((one for one in self._held if tvm_ffi.structural_equal(one[0].first, access.first)), None)
        if found is None:
            register = self._free.pop(0) if self._free else self._held.pop(0)[1]
            step.append(_operation(_LOAD, register, *access.place))
            found = (access, register)
        else:
            self._held.remove(found)
        self._held.append(found)
        return found[1]


def _operation(name: str, *operands: int | Expr) -> Stmt:
    """A statement of one instruction; numbers are those of registers."""
    told = [tirx.const(operand, "int8") if isinstance(operand, int) else operand for operand in operands]
    return Evaluate(tirx.call_llvm_intrin("void", name, *told))


def _read(loop: For) -> _Nest | None:
    """The nest that begins with a loop; None where it is none, or begins further inside."""
    loops = list(_perfect(loop))
    marks = [str(one.annotations.get(TILE, "")) for one in loops]
    if DEPTH not in marks or ROWS not in marks or len(loops) != marks.index(ROWS) + 2:
        return None
    depth, rows, lane = loops[marks.index(DEPTH)], loops[-2], loops[-1]
    around, results = loops[: marks.index(DEPTH)], loops[marks.index(DEPTH) + 1 : -2]
    store, products = lane.body, tile_products_in(lane.body)
    if products is None:
        return None
    total, (left, right) = store.value.a, store.value.b.args[:2]
    if not isinstance(total, TensorLoad) or not total.source.same_as(store.buffer):
        return None
    if not tvm_ffi.structural_equal(list(total.indices), list(store.indices)):
        return None
    if not all(isinstance(value, TensorLoad) and len(value.indices) == 1 for value in (total, left, right)):
        return None
    # (rows, depth, columns) steps of each
    moves = [[_step(value, one.loop_var) for one in (rows, depth, lane)] for value in (total, left, right)]
    (across, no_depth, one), (down, deep, no_lane), (no_row, along, lanes) = moves
    if (no_depth, one, deep, no_lane, no_row, lanes) != (0, 1, 1, 0, 0, 1) or None in (across, down, along):
        return None
    if any(_step(total, outer.loop_var) != 0 for outer in around):
        return None
    extents = [int(one.extent) for one in (rows, depth, lane)]
    if max(extents) > MOST or math.prod(int(one.extent) for one in results) > MOST_RESULTS:
        return None
    zeros = {one.loop_var: tirx.const(0, one.loop_var.ty) for one in (rows, depth, lane)}
    places = [_Access(value, apart).at(zeros) for value, apart in zip((total, left, right), (across, down, along), strict=True)]
    return _Nest(around, results, *extents, *places, _INSTRUCTIONS[products.name][1])


def _perfect(loop: For) -> Iterator[For]:
    body: Stmt = loop
    while isinstance(body, For):
        yield body
        body = body.body


def _step(value: TensorLoad, variable: Var) -> int | None:
    """By how many elements a flat access moves with a variable; None where that is not constant."""
    linear = detect_linear_equation(value.indices[0], [variable])
    return int(linear[0]) if linear and isinstance(linear[0], IntImm) else None
