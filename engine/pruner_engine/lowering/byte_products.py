"""Sums of products of bytes, several in a step of a lane: what x86 processors have instructions for.

VNNI multiplies the four bytes of a word, unsigned ones of one operand by signed ones of the other, and adds up the
products. AVX2 and AVX-512 without VNNI do so with two numbers of 16 bits, to which bytes are widened before: they
multiply bytes with an instruction that saturates only. To schedules and analyzers such a kernel is a product of
matrices of words, a quarter or half as deep as that of the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tvm_ffi
from tvm import IRModule, tirx
from tvm.ir import Call, Expr, Op
from tvm.ir._ffi_api import RegisterOp
from tvm.ir.op import register_op_attr
from tvm.target import Target, codegen
from tvm.tirx.op import register_intrin_lowering

_PURE = 1  # TVM's effect kind of an expression
_WORD_BITS = 32


@dataclass(frozen=True)
class WordProducts:
    """Sums of the products of the numbers in two words, which one instruction computes in each lane.

    Attributes:
        name: of the operator, in TVMScript too.
        bits: of a number. Bytes are unsigned in the left word, all others are signed.
        instructions: LLVM's names of it by the lanes of a register.
        adds: it adds the products to a third operand.
    """

    name: str
    bits: int
    instructions: dict[int, str]
    adds: bool

    @property
    def operator(self) -> str:
        """TVM's name of it."""
        return f"tirx.{self.name}"

    def of(self, left: Expr, right: Expr) -> Expr:
        """The sum for two words; int32."""
        return tirx.call_intrin("int32", self.operator, left, right)

    def is_in(self, value: object) -> bool:
        """Whether an expression is such a sum."""
        return isinstance(value, Call) and value.op.same_as(Op.get(self.operator))

    def lowered(self, call: Call) -> Expr:
        """The sum as the instruction, or by shifts where no register is filled."""
        kind = str(call.ty)
        lanes = int(kind.partition("x")[2] or 1)
        left, right = call.args[:2]
        total = call.args[2] if len(call.args) > 2 else tirx.const(0, kind)
        if lanes not in self.instructions:
            return total + self._written_out(left, right, kind)
        numbers = f"int{self.bits}x{_WORD_BITS // self.bits * lanes}"
        operands = [tirx.reinterpret(numbers, word) for word in (left, right)]
        operands = [total, *operands] if self.adds else operands
        return tirx.call_llvm_pure_intrin(kind, self.instructions[lanes], *operands)

    def _written_out(self, left: Expr, right: Expr, kind: str) -> Expr:
        most, half = (1 << self.bits) - 1, 1 << (self.bits - 1)
        sums = tirx.const(0, kind)
        for place in range(0, _WORD_BITS, self.bits):
            one, other = ((word >> tirx.const(place, kind)) & tirx.const(most, kind) for word in (left, right))
            one = one if self.bits == 8 else (one ^ tirx.const(half, kind)) - tirx.const(half, kind)
            sums = sums + one * ((other ^ tirx.const(half, kind)) - tirx.const(half, kind))
        return sums


BYTES = WordProducts(
    "sum_of_byte_products",
    8,
    {lanes: f"llvm.x86.avx512.vpdpbusd.{lanes * _WORD_BITS}" for lanes in (4, 8, 16)},
    adds=True,
)
_SHORT = {4: "llvm.x86.sse2.pmadd.wd", 8: "llvm.x86.avx2.pmadd.wd"}
PAIRS = WordProducts("sum_of_pair_products", 16, _SHORT, adds=False)
# an operator of its own: what lowers it is not told which target it is for
WIDE_PAIRS = WordProducts("sum_of_wide_pair_products", 16, {**_SHORT, 16: "llvm.x86.avx512.pmaddw.d.512"}, adds=False)
_WIDENED = (PAIRS, WIDE_PAIRS)
ALL = (BYTES, *_WIDENED)


def products_of(target: Target) -> WordProducts | None:
    """How the target multiplies bytes exactly; None where it has no instruction that we know."""
    if target.kind.name != "llvm":
        return None

    def has(*features: str) -> bool:
        return all(codegen.llvm_cpu_has_features(feature, target) for feature in features)

    if has("avx512vnni", "avx512vl"):
        return BYTES
    if has("avx512f"):
        return WIDE_PAIRS if has("avx512bw") else None
    return PAIRS if has("avx2") else None


def register_byte_products() -> None:
    """Let kernels that hold these products be scheduled and built; `import_tvm` calls it."""
    for products in ALL:
        RegisterOp(products.operator, f"The sum of the products of {_WORD_BITS // products.bits} numbers.")
        attributes = {"TCallEffectKind": _PURE, "TVectorizable": True, "TScriptPrinterName": products.name}
        for key, value in attributes.items():
            register_op_attr(products.operator, key, value)
        register_intrin_lowering(products.operator, target="llvm", f=products.lowered)


def is_byte_products(value: object) -> bool:
    """Whether it is a sum of products of bytes, widened or not."""
    return any(products.is_in(value) for products in ALL)


def is_pair_products(value: object) -> bool:
    """Whether it is a sum of products of numbers that were widened before; another instruction adds it to a sum."""
    return any(products.is_in(value) for products in _WIDENED)


def holds_byte_products(mod: IRModule) -> bool:
    """Whether a function of the module computes such sums."""

    def stop(call: Call) -> tvm_ffi.VisitInterrupt | None:
        return tvm_ffi.VisitInterrupt() if is_byte_products(call) else None

    return any(tvm_ffi.structural_walk(f, (Call, stop)) is not None for f in mod.functions.values())


def widened_operands(mod: IRModule) -> list[tirx.Var]:
    """The right operands of products whose numbers have 16 bits: tensors that were widened before."""
    found: list[tirx.Var] = []

    def take(call: Call) -> None:
        if is_pair_products(call):
            found.append(call.args[1].source)

    for function in mod.functions.values():
        tvm_ffi.structural_walk(function, (Call, take))
    return found


def accumulated(mod: IRModule) -> IRModule:
    """The module with each sum of a number and products of bytes as one operation, as VNNI's instruction has it.

    LLVM adds them up in a register of its own otherwise. For functions whose loops are lowered.
    """

    def addable(value: Expr) -> Call | None:
        return value if BYTES.is_in(value) and len(value.args) == 2 else None

    def merge(added: tirx.Add) -> Expr:
        for total, products in ((added.a, addable(added.b)), (added.b, addable(added.a))):
            if products is not None:
                return tirx.call_intrin(added.ty, BYTES.operator, *products.args, total)
        return added

    return mapped(mod, (tirx.Add, merge))


def multiplied(mod: IRModule) -> IRModule:
    """The module with a multiplication in place of each, as which it counts among operations."""

    def plain(call: Call) -> Expr:
        return tirx.Mul(*call.args) if is_byte_products(call) else call

    return mapped(mod, (Call, plain))


def mapped(mod: IRModule, callback: tuple[type, Callable[[Any], Expr]]) -> IRModule:
    """The module with what the callback makes of each node of its type."""
    return IRModule({v: tvm_ffi.structural_map(f, callback) for v, f in mod.functions.items()}, attrs=mod.attrs)
