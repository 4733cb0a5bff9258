"""Calls that are alike get one kernel, made once: steps of a recurrent network and layers of a transformer repeat.

TVM makes the kernel of every call anew, and then finds that it has it, which takes milliseconds of each.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi
from tvm import relax
from tvm.ir.expr import GenericConst

from pruner_engine.tasks.graph import operator_of
from pruner_engine.tasks.kernels.norms import Legalize


@dataclass(frozen=True)
class _Made:
    """What a call became: a call of a kernel with some of its own operands.

    Attributes:
        call: of the kernel.
        places: of its operands, among those of the call that it was made of.
    """

    call: relax.Call
    places: Sequence[int]

    def with_operands(self, operands: Sequence[relax.Expr]) -> relax.Call:
        kernel, _, *rest = self.call.args
        given = relax.Tuple([operands[place] for place in self.places])
        return relax.Call(self.call.op, [kernel, given, *rest], self.call.attrs, self.call.ty_args)


def made_once(own: Mapping[str, Legalize], operators: Collection[str]) -> dict[str, Legalize]:
    """What `LegalizeOps` shall take: for each of a model's operators our own kernel or TVM's, made once of calls alike.

    To be used for one module, whose kernels it remembers.
    """
    stock = {name: tvm.ir.Op.get(name).get_attr("FLegalize") for name in operators if name not in own}
    return {name: _remembering(legalize) for name, legalize in {**stock, **own}.items() if legalize is not None}


def _remembering(legalize: Legalize) -> Legalize:
    known: dict[Any, _Made | None] = {}

    def legalized(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        operands = [*_operands(call.args)]
        key = (*map(operands.index, operands), *_likeness(call))  # one that is given twice may be read once
        if (there := known.get(key)) is not None:
            return there.with_operands(operands)
        made = legalize(builder, call)
        known[key] = _remembered(made, operands)
        return made

    return legalized


def _remembered(made: relax.Expr, operands: Sequence[relax.Expr]) -> _Made | None:
    """None where it is no call of a kernel with operands of the call that it was made of alone."""
    if operator_of(made) != "relax.call_tir":
        return None
    place_of = {operand: place for place, operand in enumerate(operands)}
    given = made.args[1].fields
    return _Made(made, [place_of[one] for one in given]) if all(one in place_of for one in given) else None


def _likeness(call: relax.Call) -> tuple[Any, ...]:
    """What the kernel may depend on: types, and the values of what is no tensor that is known only when it runs."""
    whole = [tvm_ffi.StructuralKey(part) for part in (call.ty, call.attrs, call.ty_args) if part is not None]
    return (*whole, *map(_of_argument, call.args))


def _of_argument(value: relax.Expr) -> Any:
    if isinstance(value, relax.Tuple):
        return tuple(map(_of_argument, value.fields))
    if not isinstance(value, relax.Var | GenericConst):
        return tvm_ffi.StructuralKey(value)
    held = value.value if isinstance(value, GenericConst) and math.prod(value.value.shape) == 1 else None
    ty = tvm_ffi.StructuralKey(value.ty)
    return ty if held is None else (ty, held.numpy().tobytes())  # a single number may be written into the kernel


def _operands(values: Sequence[relax.Expr]) -> Iterator[relax.Expr]:
    """Those that a kernel can be given, fields of tuples, too."""
    for value in values:
        if isinstance(value, relax.Tuple):
            yield from _operands(value.fields)
        elif isinstance(value, relax.Var | GenericConst):
            yield value
