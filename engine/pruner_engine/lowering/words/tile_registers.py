"""AMX's registers: how they are laid out, and a nest of products of tiles as operations on them.

Eight registers hold a tile each: up to six of results, which stay there through the whole reduction, the others of
operands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import tvm_ffi
from tvm import tirx
from tvm.ir import Expr
from tvm.tirx import Evaluate, For, ForKind, SeqStmt, Stmt

from pruner_engine.lowering.words.tile_nests import Access, TileNest
from pruner_engine.processes.matrix_units import REQUEST

#: how the names of functions begin that lay registers out
SYMBOL = "pruner_tiles_"
_REGISTERS = 8
_WORD_BYTES = 4
_LOAD, _STORE, _ZERO = "llvm.x86.tileloadd64", "llvm.x86.tilestored64", "llvm.x86.tilezero"


@dataclass(frozen=True)
class RegisterLayout:
    """How registers are laid out: those of results, then those of the left and of the right operand."""

    rows: int
    depth: int
    columns: int
    results: int
    lefts: int

    @classmethod
    def of(cls, nest: TileNest) -> RegisterLayout:
        """The layout that a nest needs, with a register for the right operand at least."""
        lefts = min(nest.lefts, _REGISTERS - nest.count - 1)
        return cls(nest.rows, nest.depth, nest.columns, nest.count, lefts)

    @property
    def symbol(self) -> str:
        """Name of the function that lays registers out so."""
        return SYMBOL + "_".join(map(str, (self.rows, self.depth, self.columns, self.results, self.lefts)))

    def around(self, body: Stmt) -> Stmt:
        """Statements between laying registers out and giving them free."""
        begin = Evaluate(tirx.call_extern("int32", self.symbol))
        return SeqStmt([begin, body, _operation("llvm.x86.tilerelease")])

    @property
    def code(self) -> str:
        """That function in LLVM's language; a process asks Linux for the right to use the registers first."""
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
  %answer = call i64 (i64, ...) @syscall({", ".join(f"i64 {number}" for number in REQUEST)})
  store atomic i8 1, ptr @{self.symbol}_permitted monotonic, align 1
  br label %permitted
permitted:
  call void @llvm.x86.ldtilecfg(ptr @{self.symbol}_layout)
  ret i32 0
}}"""


def on_registers(nest: TileNest, from_zero: bool) -> Stmt:
    """A nest as operations on registers, which are laid out for it.

    Args:
        from_zero: its sums begin at zero, and not with what lies in memory.
    """
    layout = RegisterLayout.of(nest)
    tiles = product(*(range(int(loop.extent)) for loop in nest.results))
    named = [
        {loop.loop_var: tirx.const(i, loop.loop_var.ty) for loop, i in zip(nest.results, tile, strict=True)}
        for tile in tiles
    ]
    lefts = _Operands(range(layout.results, layout.results + layout.lefts))
    rights = _Operands(range(layout.results + layout.lefts, _REGISTERS))
    step: list[Stmt] = []
    for register, values in enumerate(named):
        left, right = lefts.hold(nest.left.at(values), step), rights.hold(nest.right.at(values), step)
        step.append(_operation(nest.instruction, register, left, right))
    body: Stmt = SeqStmt(step)
    for loop in reversed(nest.around):
        body = For(loop.loop_var, loop.min, loop.extent, ForKind.SERIAL, body)
    totals = [nest.total.at(values) for values in named]
    begin = [
        _operation(_ZERO, register) if from_zero else _moved(_LOAD, register, total)
        for register, total in enumerate(totals)
    ]
    made = SeqStmt([*begin, body, *(_moved(_STORE, register, total) for register, total in enumerate(totals))])
    return tvm_ffi.structural_map(made, (Evaluate, lambda operation: Evaluate(operation.value, nest.span)))


class _Operands:
    """Registers of one operand, and the tiles in them: the one that was used longest ago makes room."""

    def __init__(self, registers: Iterable[int]) -> None:
        self._free = list(registers)
        self._held: list[tuple[Access, int]] = []  # the one used last at the end

    def hold(self, access: Access, step: list[Stmt]) -> int:
        """The register of a tile, which a statement appended to `step` fetches where it is in none."""
        found = next((one for one in self._held if tvm_ffi.structural_equal(one[0].first, access.first)), None)
        if found is None:
            register = self._free.pop(0) if self._free else self._held.pop(0)[1]
            step.append(_moved(_LOAD, register, access))
            found = (access, register)
        else:
            self._held.remove(found)
        self._held.append(found)
        return found[1]


def _moved(name: str, register: int, access: Access) -> Stmt:
    return _operation(name, register, tirx.address_of(access.first), tirx.const(access.apart * _WORD_BYTES, "int64"))


def _operation(name: str, *operands: int | Expr) -> Stmt:
    """A statement of one instruction; numbers are those of registers."""
    told = [tirx.const(operand, "int8") if isinstance(operand, int) else operand for operand in operands]
    return Evaluate(tirx.call_llvm_intrin("void", name, *told))
