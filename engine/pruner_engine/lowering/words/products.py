"""Sums of products of small numbers, several in a step of a lane: what processors have instructions for.

VNNI, and I8MM of Arm, multiply the four bytes of a word, unsigned ones of one operand by signed ones of the other, and
add up the products; other Arm processors multiply signed ones only. AVX2 and AVX-512 without VNNI do so with two
numbers of 16 bits, to which bytes are widened before: they multiply bytes with an instruction that saturates only.
AVX512-BF16 and BF16 of Arm multiply two numbers of bfloat16 and add up float32. To schedules and analyzers such a
kernel is a product of matrices of words, a quarter or half as deep as that of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from tvm import IRModule, tirx
from tvm.ir import Call, Expr
from tvm.ir._ffi_api import RegisterOp
from tvm.ir.op import register_op_attr
from tvm.target import Target, codegen
from tvm.tirx.op import register_intrin_lowering

from pruner_engine.lowering.nodes import each_function, mapped, nodes_in, with_llvm
from pruner_engine.lowering.words.sums import WORD_BITS, BFloat16Products, WordProducts

_PURE = 1  # TVM's effect kind of an expression

BYTES = WordProducts(
    "sum_of_byte_products",
    8,
    {lanes: f"llvm.x86.avx512.vpdpbusd.{lanes * WORD_BITS}" for lanes in (4, 8, 16)},
    adds=True,
)
# of AVX-VNNI, whose processors lack AVX-512
SHORT_BYTES = WordProducts(
    "sum_of_short_byte_products",
    8,
    {lanes: name for lanes, name in BYTES.instructions.items() if lanes <= 8},
    adds=True,
)
_SHORT = {4: "llvm.x86.sse2.pmadd.wd", 8: "llvm.x86.avx2.pmadd.wd"}
PAIRS = WordProducts("sum_of_pair_products", 16, _SHORT, adds=False, widens=True)
# an operator of its own: what lowers it is not told which target it is for
_WIDE = {**_SHORT, 16: "llvm.x86.avx512.pmaddw.d.512"}
WIDE_PAIRS = WordProducts("sum_of_wide_pair_products", 16, _WIDE, adds=False, widens=True)
BFLOAT16S = BFloat16Products(
    "sum_of_bfloat16_products",
    16,
    {lanes: f"llvm.x86.avx512bf16.dpbf16ps.{lanes * WORD_BITS}" for lanes in (4, 8, 16)},
    adds=True,
    total="float32",
)
_NEON = "llvm.aarch64.neon."
MIXED_BYTES = WordProducts(
    "sum_of_mixed_byte_products",
    8,
    {lanes: f"{_NEON}usdot.v{lanes}i32.v{4 * lanes}i8" for lanes in (2, 4)},
    adds=True,
    fills=True,
    by_lane=True,
)
SIGNED_BYTES = WordProducts(
    "sum_of_signed_byte_products",
    8,
    {lanes: f"{_NEON}sdot.v{lanes}i32.v{4 * lanes}i8" for lanes in (2, 4)},
    adds=True,
    signed=True,
    fills=True,
    by_lane=True,
)
NEON_BFLOAT16S = BFloat16Products(
    "sum_of_neon_bfloat16_products",
    16,
    {lanes: f"{_NEON}bfdot.v{lanes}f32.v{2 * lanes}bf16" for lanes in (2, 4)},
    adds=True,
    total="float32",
    fills=True,
)
_OF_BFLOAT16 = (BFLOAT16S, NEON_BFLOAT16S)
ALL = (BYTES, SHORT_BYTES, PAIRS, WIDE_PAIRS, MIXED_BYTES, SIGNED_BYTES, *_OF_BFLOAT16)


def byte_products_of(target: Target) -> WordProducts | None:
    """How the target multiplies bytes exactly; None where it has no instruction that we know."""
    if cpu_has(target, "avx512vnni", "avx512vl"):
        return BYTES
    if cpu_has(target, "avxvnni") and not cpu_has(target, "avx512f"):
        return SHORT_BYTES
    if cpu_has(target, "i8mm"):
        return MIXED_BYTES
    if cpu_has(target, "dotprod"):
        return SIGNED_BYTES
    if cpu_has(target, "avx512f"):
        return WIDE_PAIRS if cpu_has(target, "avx512bw") else None
    return PAIRS if cpu_has(target, "avx2") else None


def bfloat16_products_of(target: Target) -> WordProducts | None:
    """How the target multiplies bfloat16; None where it has no instruction for it."""
    if cpu_has(target, "avx512bf16", "avx512vl"):
        return BFLOAT16S
    return NEON_BFLOAT16S if cpu_has(target, "neon", "bf16") else None


def cpu_has(target: Target, *features: str) -> bool:
    return target.kind.name == "llvm" and all(codegen.llvm_cpu_has_features(feature, target) for feature in features)


def register_word_products() -> None:
    """Let kernels that hold these products be scheduled and built; `import_tvm` calls it."""
    for products in ALL:
        RegisterOp(products.operator, f"The sum of the products of {WORD_BITS // products.bits} numbers.")
        attributes = {"TCallEffectKind": _PURE, "TVectorizable": True, "TScriptPrinterName": products.name}
        for key, value in attributes.items():
            register_op_attr(products.operator, key, value)
        register_intrin_lowering(products.operator, target="llvm", f=products.lowered)


def is_word_products(value: object) -> bool:
    """Whether it is a sum of products of the numbers in words."""
    return any(products.is_in(value) for products in ALL)


def is_added_apart(value: object) -> bool:
    """Whether it is a sum of such products that another instruction adds to a sum."""
    return any(products.is_in(value) for products in ALL if not products.adds)


def has_to_fill(value: object) -> int:
    """Whether numbers fill registers for a sum of products: 1 where lanes of others will do, 2 in any case, else 0."""
    return max((2 - products.by_lane for products in ALL if products.fills and products.is_in(value)), default=0)


def holds_word_products(mod: IRModule) -> bool:
    """Whether a function of the module computes such sums."""
    return _hold(mod, ALL)


def numbers_of(mod: IRModule) -> Callable[[tirx.Var], str]:
    """The type of the numbers in the words of a tensor, for a module that multiplies some."""
    calls = (call for function in mod.functions.values() for call in nodes_in(function, Call))
    widened = [call.args[1].source for call in calls if is_added_apart(call)]
    others = "bfloat16" if _hold(mod, _OF_BFLOAT16) else "uint8"
    return lambda tensor: "int16" if any(tensor.same_as(other) for other in widened) else others


def accumulated(mod: IRModule) -> IRModule:
    """The module with each sum of a number and products as one operation, where the instruction has it so.

    LLVM adds them up in a register of its own otherwise. For functions whose loops are lowered.
    """

    def addable(value: Expr) -> WordProducts | None:
        return next((p for p in ALL if p.adds and p.is_in(value) and len(value.args) == 2), None)

    def merge(added: tirx.Add) -> Expr:
        for total, sums in ((added.a, added.b), (added.b, added.a)):
            if (products := addable(sums)) is not None:
                return tirx.call_intrin(added.ty, products.operator, *sums.args, total)
        return added

    def importing(function: tirx.PrimFunc) -> tirx.PrimFunc:
        for products in _OF_BFLOAT16:
            if _calls(function, (products,)):
                function = with_llvm(function, products.code)
        return function

    return each_function(mapped(mod, (tirx.Add, merge)), importing)


def multiplied(mod: IRModule) -> IRModule:
    """The module with a multiplication in place of each, as which it counts among operations."""

    def plain(call: Call) -> Expr:
        return tirx.Mul(*call.args) if is_word_products(call) else call

    return mapped(mod, (Call, plain))


def _hold(mod: IRModule, several: tuple[WordProducts, ...]) -> bool:
    return any(_calls(function, several) for function in mod.functions.values())


def _calls(function: tirx.PrimFunc, several: tuple[WordProducts, ...]) -> bool:
    return any(products.is_in(call) for call in nodes_in(function, Call) for products in several)
