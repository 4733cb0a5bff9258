"""A reshape that gives a model's result is a view of what the last kernel computed, as every other reshape is.

TVM makes views of the reshapes between kernels, and of those whose results are in a tuple. The single result of a model
it copies, which of a language model's logits (128 tokens of 50 257 words, 25 MB) is 4 % of an inference, and on a GPU a
launch more. What a kernel computes for the caller is never in memory that a recorded graph has to itself.
"""

from __future__ import annotations

from typing import Any

from tvm import IRModule, relax
from tvm.ir.transform import PassContext, module_pass
from tvm.relax.analysis import has_reshape_pattern

from pruner_engine.tasks.graph import operator_of

_MAIN = "main"


@module_pass(opt_level=0, name="ResultsAsViews")  # type: ignore[untyped-decorator]
def results_as_views(mod: IRModule, _: PassContext) -> IRModule:
    """The module with a name within the dataflow for such a result, which TVM asks for before it makes a view."""
    main = mod[_MAIN]
    blocks = [_named(mod, block) if isinstance(block, relax.DataflowBlock) else block for block in main.body.blocks]
    body = relax.SeqExpr(blocks, main.body.body)
    made = IRModule(mod.functions, attrs=mod.attrs)
    made.update_func(
        mod.get_global_var(_MAIN), relax.Function(main.params, body, main.ret_ty, main.is_pure, main.attrs)
    )
    return made


def _named(mod: IRModule, block: relax.DataflowBlock) -> relax.DataflowBlock:
    computed: dict[relax.Var, Any] = {}  # within the block; nothing but a view of it is the caller's
    bindings = []
    for binding in block.bindings:
        if isinstance(binding.var, relax.DataflowVar):
            computed[binding.var] = binding.value
            bindings.append(binding)
        elif _reshapes(mod, binding.value) and _is_kernel(mod, computed.get(binding.value.args[1][0])):
            view = relax.DataflowVar("view", binding.var.ty)
            bindings += [relax.VarBinding(view, binding.value), relax.VarBinding(binding.var, view)]
        else:
            bindings.append(binding)
    return relax.DataflowBlock(bindings)


def _is_kernel(mod: IRModule, value: Any) -> bool:
    """Whether it is what a kernel computes into memory of its own: not an input of the model, nor a view of one."""
    return operator_of(value) == "relax.call_tir" and not _reshapes(mod, value)


def _reshapes(mod: IRModule, value: Any) -> bool:
    return operator_of(value) == "relax.call_tir" and has_reshape_pattern(mod[value.args[0]])
