"""What the launches of one kernel hand to each other on a GPU is allocated as the model's tensors are.

A kernel of several launches, as of a sum in parts, else asks TVM's runtime at each call for the memory between them.
The runtime keeps one piece for all kernels of a thread, and frees it for a larger one when a kernel needs more. A graph
that was recorded before would go on to use what was freed, whether that kernel is of the same model or of another.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import IRModule, relax
from tvm.ir import GlobalVar, Op
from tvm.ir.transform import PassContext, module_pass
from tvm.relax.expr_functor import PyExprMutator, mutator
from tvm.s_tir import SBlock, SBlockRealize
from tvm.tirx import IntImm, PrimFunc, Var

from pruner_engine.tasks.graph import fields_of


@module_pass(opt_level=0, name="MemoryBetweenLaunches")  # type: ignore[untyped-decorator]
def hand_over_memory_between_launches(mod: IRModule, _: PassContext) -> IRModule:
    """The module, scheduled for a GPU, with the memory between launches as further results of their kernels."""
    found = {variable: _between(function) for variable, function in mod.functions.items()}
    between = {variable: buffers for variable, buffers in found.items() if buffers}
    if not between:
        return mod
    others = {variable: function for variable, function in mod.functions.items() if variable not in between}
    rewriter = _Rewriter(IRModule(others, attrs=mod.attrs))
    for variable, buffers in between.items():
        # another variable of the same name: a variable keeps the type that its function had
        made = rewriter.builder_.add_func(_with_results(mod[variable], buffers), variable.name_hint)
        rewriter.made[variable] = made, buffers
    for variable, function in others.items():
        if isinstance(function, relax.Function):
            rewriter.builder_.update_func(variable, rewriter.visit_expr(function))
    return rewriter.builder_.get()


def _between(function: object) -> list[Var]:
    """The buffers in a GPU's memory that a kernel allocates, if their sizes are known.

    All of its buffers belong to the outermost block.
    """
    if not isinstance(function, PrimFunc) or not isinstance(function.body, SBlockRealize):
        return []
    outside = (buffer for buffer in function.body.block.alloc_buffers if buffer.scope() == "global")
    return [buffer for buffer in outside if all(isinstance(extent, IntImm) for extent in buffer.shape)]


def _with_results(kernel: PrimFunc, buffers: Sequence[Var]) -> PrimFunc:
    """The kernel with some of its own buffers as parameters behind the others, where results are."""
    realize = kernel.body
    root = realize.block
    left = [buffer for buffer in root.alloc_buffers if buffer not in buffers]
    block = SBlock(
        root.iter_vars,
        root.reads,
        root.writes,
        root.name_hint,
        root.body,
        root.init,
        left,
        root.match_buffers,
        root.annotations,
    )
    body = SBlockRealize(realize.iter_values, realize.predicate, block)
    return PrimFunc([*kernel.params, *buffers], body, kernel.ret_type, kernel.attrs)


@mutator
class _Rewriter(PyExprMutator):
    def __init__(self, mod: IRModule) -> None:
        super().__init__(mod)
        self.made: dict[GlobalVar, tuple[GlobalVar, Sequence[Var]]] = {}  # by kernel what it became, and its buffers

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call."""
        call = self.visit_expr_post_order(call)
        if call.op != Op.get("relax.call_tir") or call.args[0] not in self.made:
            return call
        (kernel, buffers), args = self.made[call.args[0]], call.args[1]
        (told,) = call.ty_args
        results = fields_of(told)
        own = [relax.TensorType(buffer.shape, str(buffer.dtype)) for buffer in buffers]
        every = self.builder_.emit(relax.call_tir(kernel, args, [*results, *own]))
        first = [relax.TupleGetItem(every, at) for at in range(len(results))]
        return relax.Tuple(first) if isinstance(told, relax.TupleType) else first[0]
