"""TVM's conversions of half precision, kept out of kernels that have no use for them.

TVM puts two functions, which convert float16 to and from float32, into every module. They are longer than many a
kernel, and LLVM optimises and emits them each time.
"""

from __future__ import annotations

import re

from tvm import IRModule
from tvm.ir import CallingConv
from tvm.tirx import Evaluate, PrimFunc

_NAMES = ("__truncsfhf2", "__extendhfsf2")
_SMALL_FLOAT = re.compile("float(?!32|64)")  # those of fewer bits are computed in float16


def without_conversions(mod: IRModule, text: str) -> IRModule:
    """Kernels for a CPU; empty functions of the same names, which LLVM's linker prefers, where no conversion is needed.

    Args:
        mod: the kernels.
        text: their JSON, which names the types of all their numbers.
    """
    if _SMALL_FLOAT.search(text):
        return mod
    empty = {name: PrimFunc([], Evaluate(0)).with_attr(_attrs(name)) for name in _NAMES}
    return IRModule({**dict(mod.functions.items()), **empty}, attrs=mod.attrs)


def _attrs(symbol: str) -> dict[str, object]:
    """Those of a function that no other is put around."""
    return {"global_symbol": symbol, "calling_conv": int(CallingConv.C_PACKED_FUNC)}
