"""What rewrites of a model's graph have in common."""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator


def rewritten(mod: tvm.IRModule, rewriter: PyExprMutator) -> tvm.IRModule:
    """The module with "main" as the rewriter, made for it, leaves it."""
    rewriter.builder_.update_func(mod.get_global_var("main"), rewriter.visit_expr(mod["main"]))
    return rewriter.builder_.get()


def is_constant_nhwc(call: relax.Call) -> bool:
    """Whether a convolution of images has constant filters and channels last."""
    layouts = (call.attrs.data_layout, call.attrs.kernel_layout, call.attrs.out_layout)
    return isinstance(call.args[1], GenericConst) and layouts == ("NHWC", "HWIO", "NHWC")
