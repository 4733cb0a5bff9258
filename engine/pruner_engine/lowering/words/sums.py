"""An operator that sums up products of the numbers in two words, and how it becomes an instruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tvm import tirx
from tvm.ir import Call, Expr, Op

WORD_BITS = 32


@dataclass(frozen=True)
class WordProducts:
    """Sums of the products of the numbers in two words, which one instruction computes in each lane.

    Attributes:
        name: of the operator, in TVMScript too.
        bits: of a number. Bytes are unsigned in the left word, unless `signed` says otherwise; all others are signed.
        instructions: LLVM's names of it by the lanes of a register.
        adds: it adds the products to a third operand.
        total: type of the sum.
        widens: its numbers are bytes that are widened before.
        signed: its bytes are signed on both sides.
        fills: a number that vectors are multiplied by has to fill a register first, which takes a unit that multiplies.
        by_lane: unless it is one lane of a register (`elements`).
    """

    name: str
    bits: int
    instructions: dict[int, str]
    adds: bool
    total: str = "int32"
    widens: bool = False
    signed: bool = False
    fills: bool = False
    by_lane: bool = False

    @property
    def operator(self) -> str:
        """TVM's name of it."""
        return f"tirx.{self.name}"

    def of(self, left: Expr, right: Expr) -> Expr:
        """The sum for two words."""
        return tirx.call_intrin(self.total, self.operator, left, right)

    def is_in(self, value: object) -> bool:
        """Whether an expression is such a sum."""
        return isinstance(value, Call) and value.op.same_as(Op.get(self.operator))

    def lowered(self, call: Call) -> Expr:
        """The sum as the instruction, as several for more lanes than a register has, or written out."""
        kind = str(call.ty)
        left, right = call.args[:2]
        total = call.args[2] if len(call.args) > 2 else tirx.const(0, kind)
        return self._sum(int(kind.partition("x")[2] or 1), total, left, right)

    def _sum(self, lanes: int, *operands: Expr) -> Expr:
        if lanes in self.instructions:
            return self._instruction(lanes, *operands)
        if lanes % 2 == 0 and lanes > max(self.instructions):
            # variables: each half is asked for what it has of them
            whole = [tirx.Var(name, str(operand.ty)) for name, operand in zip("tlr", operands, strict=True)]
            halves = [self._sum(lanes // 2, *(part(operand) for operand in whole)) for part in (_lower, _upper)]
            both: Expr = tirx.vectorcombine(str(operands[0].ty), *halves)
            for variable, operand in zip(whole, operands, strict=True):
                both = tirx.Let(variable, operand, both)
            return both
        total, left, right = operands
        return total + self.written_out(left, right)

    def _instruction(self, lanes: int, total: Expr, left: Expr, right: Expr) -> Expr:
        numbers = f"int{self.bits}x{WORD_BITS // self.bits * lanes}"
        # Arm's instructions take one lane of the last operand, and a number of the left one fills vectors
        words = (right, left) if self.signed else (left, right)
        operands = [tirx.reinterpret(numbers, word) for word in words]
        operands = [total, *operands] if self.adds else operands
        return tirx.call_llvm_pure_intrin(str(total.ty), self.instructions[lanes], *operands)

    def written_out(self, left: Expr, right: Expr) -> Expr:
        """The sum in plain arithmetic, for words of any number of lanes."""
        kind = str(left.ty)
        most, half = (1 << self.bits) - 1, 1 << (self.bits - 1)
        sums = tirx.const(0, kind)
        for place in range(0, WORD_BITS, self.bits):
            one, other = ((word >> tirx.const(place, kind)) & tirx.const(most, kind) for word in (left, right))
            one = one if self.bits == 8 and not self.signed else (one ^ tirx.const(half, kind)) - tirx.const(half, kind)
            sums = sums + one * ((other ^ tirx.const(half, kind)) - tirx.const(half, kind))
        return sums


def _half(vector: Expr, take: Callable[[str, Expr], Expr]) -> Expr:
    kind, _, lanes = str(vector.ty).partition("x")
    return take(f"{kind}x{int(lanes) // 2}", vector)


def _lower(vector: Expr) -> Expr:
    return _half(vector, tirx.vectorlow)


def _upper(vector: Expr) -> Expr:
    return _half(vector, tirx.vectorhigh)


class BFloat16Products(WordProducts):
    """Those of bfloat16, summed in float32; TVM has no LLVM type for vectors of such numbers, so the code is given."""

    @property
    def code(self) -> str:
        """What a module that holds them imports, in LLVM's language."""
        return "\n".join(self._function(lanes, name) for lanes, name in self.instructions.items())

    def _function(self, lanes: int, instruction: str) -> str:
        total, words, numbers = f"<{lanes} x float>", f"<{lanes} x i32>", f"<{2 * lanes} x bfloat>"
        return f"""
declare {total} @{instruction}({total}, {numbers}, {numbers})
define {total} @{self._symbol(lanes)}({total} %total, {words} %left, {words} %right) {{
  %a = bitcast {words} %left to {numbers}
  %b = bitcast {words} %right to {numbers}
  %sum = call {total} @{instruction}({total} %total, {numbers} %a, {numbers} %b)
  ret {total} %sum
}}"""

    def _symbol(self, lanes: int) -> str:
        return f"{self.name}_{lanes}"

    def _instruction(self, lanes: int, total: Expr, left: Expr, right: Expr) -> Expr:
        return tirx.call_pure_extern(str(total.ty), self._symbol(lanes), total, left, right)

    def written_out(self, left: Expr, right: Expr) -> Expr:
        """The same; a bfloat16 is the upper half of a float32."""
        words = str(left.ty)
        kind = words.replace("int32", self.total)
        sums = tirx.const(0, kind)
        for part in (lambda word: word << tirx.const(16, words), lambda word: word & tirx.const(-(1 << 16), words)):
            one, other = (tirx.reinterpret(kind, part(word)) for word in (left, right))
            sums = sums + one * other
        return sums
