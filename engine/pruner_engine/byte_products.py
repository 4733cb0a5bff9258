"""Sums of products of bytes, four in a step of a lane: what VNNI computes in one instruction of an x86 processor.

A kernel on bytes reads words of four: the bytes of one operand are unsigned, those of the other signed. To schedules
and analyzers such a kernel is a product of matrices of words, a quarter as deep as that of the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm import IRModule, tirx
from tvm.ir import Call, Expr, Op
from tvm.ir._ffi_api import RegisterOp
from tvm.ir.op import register_op_attr
from tvm.target import Target, codegen
from tvm.tirx.op import register_intrin_lowering

NAME = "sum_of_byte_products"  # of the operator, in TVMScript too
_NAME = f"tirx.{NAME}"
_PURE = 1  # TVM's effect kind of an expression
_WORDS = {4: 128, 8: 256, 16: 512}  # bits of a register by its words


def has_byte_products(target: Target) -> bool:
    """Whether the target multiplies bytes by VNNI; registers of 512 bits and shorter ones."""
    if target.kind.name != "llvm":
        return False
    return all(codegen.llvm_cpu_has_features(feature, target) for feature in ("avx512vnni", "avx512vl"))


def byte_products(left: Expr, right: Expr) -> Expr:
    """The sum over the four bytes of two words: unsigned ones of `left` times signed ones of `right`; int32."""
    return tirx.call_intrin("int32", _NAME, left, right)


def is_byte_products(value: object) -> bool:
    """Whether it is such a sum."""
    return isinstance(value, Call) and value.op.same_as(Op.get(_NAME))


def register_byte_products() -> None:
    """Let kernels that hold these products be scheduled and built; `import_tvm` calls it."""
    RegisterOp(_NAME, "The sum of the products of four bytes.")
    attributes = {"TCallEffectKind": _PURE, "TVectorizable": True, "TScriptPrinterName": NAME}
    for key, value in attributes.items():
        register_op_attr(_NAME, key, value)
    register_intrin_lowering(_NAME, target="llvm", f=_lower)


def holds_byte_products(mod: IRModule) -> bool:
    """Whether a function of the module computes such sums."""

    def stop(call: Call) -> tvm_ffi.VisitInterrupt | None:
        return tvm_ffi.VisitInterrupt() if is_byte_products(call) else None

    return any(tvm_ffi.structural_walk(f, (Call, stop)) is not None for f in mod.functions.values())


def accumulated(mod: IRModule) -> IRModule:
    """The module with each sum of a number and such products as one operation, as the instruction has it.

    LLVM adds them up in a register of its own otherwise. For functions whose loops are lowered.
    """

    def products_of(value: Expr) -> Call | None:
        return value if is_byte_products(value) and len(value.args) == 2 else None

    def merge(added: tirx.Add) -> Expr:
        for total, products in ((added.a, products_of(added.b)), (added.b, products_of(added.a))):
            if products is not None:
                return tirx.call_intrin(added.ty, _NAME, *products.args, total)
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


def _lower(call: Call) -> Expr:
    kind = str(call.ty)
    lanes = int(kind.partition("x")[2] or 1)
    left, right = call.args[:2]
    total = call.args[2] if len(call.args) > 2 else tirx.const(0, kind)
    if lanes not in _WORDS:
        return total + _written_out(left, right, kind)
    bits = _WORDS[lanes]
    as_bytes = [tirx.reinterpret(f"int8x{bits // 8}", word) for word in (left, right)]
    return tirx.call_llvm_pure_intrin(kind, f"llvm.x86.avx512.vpdpbusd.{bits}", total, *as_bytes)


def _written_out(left: Expr, right: Expr, kind: str) -> Expr:
    """The same by shifts, where no register is filled."""
    sums = tirx.const(0, kind)
    for place in range(4):
        unsigned, other = ((word >> tirx.const(8 * place, kind)) & tirx.const(255, kind) for word in (left, right))
        sums = sums + unsigned * ((other ^ tirx.const(128, kind)) - tirx.const(128, kind))
    return sums
