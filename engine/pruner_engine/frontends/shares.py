"""Which outputs of a model are shares of a whole, such as probabilities: the values of a sigmoid or a softmax."""

from __future__ import annotations

import tvm
from tvm import relax

from pruner_engine.tasks.graph import bindings_of, operator_of

_SHARES = {"relax.sigmoid", "relax.nn.softmax"}
_MOVES = {
    f"relax.{name}"
    for name in ("astype", "expand_dims", "flatten", "permute_dims", "reshape", "split", "squeeze", "strided_slice")
}


def shares_of(mod: tvm.IRModule) -> tuple[bool, ...]:
    """Of each output of "main", whether all its numbers are, however they were moved."""
    function = mod["main"]
    bound = bindings_of(function)

    def value(one: relax.Expr) -> relax.Expr:
        while one in bound:
            one = bound[one]
        return one

    def is_share(one: relax.Expr) -> bool:
        made = value(one)
        if isinstance(made, relax.TupleGetItem):
            return is_share(made.tuple_value)
        if operator_of(made) == "relax.concat":
            whole = value(made.args[0])
            return isinstance(whole, relax.Tuple) and all(map(is_share, whole.fields))
        return operator_of(made) in _SHARES or (operator_of(made) in _MOVES and is_share(made.args[0]))

    made = value(function.body.body if isinstance(function.body, relax.SeqExpr) else function.body)
    return tuple(map(is_share, made.fields if isinstance(made, relax.Tuple) else [made]))
