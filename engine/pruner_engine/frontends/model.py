"""A model as the engine works with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import tvm
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import reason_of, with_reason
from pruner_engine.frontends.model_file import ModelFile
from pruner_engine.processes.memory import memory_bytes
from pruner_engine.protocol import ModelInput
from pruner_engine.tasks.graph import extents_of, fields_of, size_of
from pruner_engine.tasks.task import TensorSpec


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelFacts:
    """What is known of a model with concrete shapes once its module is not needed any more.

    Attributes:
        name: file stem, or the workload's text.
        kind: onnx | pt2 | tflite | tvmscript | workload.
        source: where it was loaded from.
        file: the file itself.
        inputs, outputs: in the order of the function.
        dtype: float type of products that were converted from float32 (see precision.py).
        coarsest: the float type with the fewest bits on the way.
        rounds: whether real numbers are rounded to bytes on the way.
        shares: of each output, whether its numbers are parts of 1; empty where nobody looked.
    """

    name: str
    kind: str
    source: str
    file: ModelFile
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    dtype: str = "float32"
    coarsest: str = "float32"
    rounds: bool = False
    shares: tuple[bool, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedModel(ModelFacts):
    """A model and its module.

    Attributes:
        mod: Relax module whose function "main" takes `inputs`; weights are constants.
    """

    mod: tvm.IRModule = field(repr=False)

    @property
    def facts(self) -> ModelFacts:
        """Without the module, whose weights fill the memory."""
        return ModelFacts(**{known.name: getattr(self, known.name) for known in fields(ModelFacts)})


def bind_dims(declared: Sequence[ModelInput], given: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Concrete shapes of all inputs.

    Args:
        declared: the model's inputs; a dimension is a number, or a name where it must be given.
        given: shapes by input name.

    Raises:
        UserError: a shape is missing, of another rank, contradicts a fixed dimension, gives a name two values or one
            that the model was not made for.
    """
    given = _by_own_names(declared, given)
    known: dict[str, int] = {}
    for item in declared:
        for dim, n in _open_dims(item, given[item.name]) if item.name in given else ():
            if known.setdefault(dim, n) != n:
                raise UserError(f"Dimension {dim} is given both {known[dim]} and {n}.", "Give it one value.")
            _refuse_beyond_bounds(item, dim, n)
    shapes = {i.name: tuple(known.get(d, d) if isinstance(d, str) else d for d in i.shape) for i in declared}
    for item in declared:
        if any(isinstance(d, str) for d in shapes[item.name]):
            raise UserError(f"Input {item.name} has a dynamic shape {_text(item.shape)}.", _hint(item))
    return {name: tuple(int(d) for d in shape) for name, shape in shapes.items()}


def _by_own_names(declared: Sequence[ModelInput], given: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """The shapes by the names that the model has for its inputs."""
    # Projects of before have TVM's spelling of a name, such as input_1 for input.1
    spelled = {re.sub(r"\W", "_", i.name): i.name for i in declared} | {i.name: i.name for i in declared}
    found = {spelled.get(name, name): shape for name, shape in given.items()}
    if unknown := set(found) - {i.name for i in declared}:
        names = ", ".join(i.name for i in declared)
        raise UserError(f"The model has no input {', '.join(sorted(unknown))}.", f"Its inputs are: {names}.")
    return found


def _open_dims(item: ModelInput, shape: Sequence[int]) -> list[tuple[str, int]]:
    """The names of an input's dimensions, and what they are in a shape."""
    if len(shape) != len(item.shape) or any(
        n < 1 or (isinstance(d, int) and d != n) for d, n in zip(item.shape, shape, strict=True)
    ):
        raise UserError(f"Input {item.name} has shape {_text(item.shape)}, {_text(shape)} does not fit.", _hint(item))
    return [(dim, n) for dim, n in zip(item.shape, shape, strict=True) if isinstance(dim, str)]


def _refuse_beyond_bounds(item: ModelInput, dim: str, n: int) -> None:
    least, largest = item.bounds.get(dim, (1, None))
    if n < least or (largest is not None and n > largest):
        fits = f"{least} or more" if largest is None else f"{least} to {largest}"
        raise UserError(
            f"Dimension {dim} of input {item.name} is {n}, and the model was exported for {fits}.",
            "Give a value in that range, or export the model for another one.",
        )


def declared_inputs(mod: tvm.IRModule) -> list[ModelInput]:
    """Inputs of "main"; symbolic dimensions by their names, or as 8*h+1 where they follow from one of that name."""
    found = []
    for param in mod["main"].params:
        if not isinstance(param.ty, relax.TensorType) or not isinstance(param.ty.shape, relax.ShapeExpr):
            raise UserError(f'Input "{param.name}" is not a tensor of known rank.', "Only tensors can be tuned.")
        dims = [_dim(param.name, extent) for extent in param.ty.shape]
        shape: list[int | str] = [dim if isinstance(dim, int) else dim.text for dim in dims]
        bounds = {
            dim.text: limits for dim in dims if isinstance(dim, _Dim) and (limits := _bounds(mod, dim)) is not None
        }
        found.append(ModelInput(name=param.name, shape=shape, dtype=str(param.ty.dtype), bounds=bounds))
    return found


@dataclass(frozen=True)
class _Dim:
    """An open dimension: factor * the symbol of that name + offset."""

    name: str
    factor: int
    offset: int

    @property
    def text(self) -> str:
        scaled = self.name if self.factor == 1 else f"{self.factor}*{self.name}"
        return f"{scaled}{self.offset:+}" if self.offset else scaled


def _dim(name: str, extent: tvm.tirx.PrimExpr) -> int | _Dim:
    """A dimension of the input of that name."""
    if isinstance(extent, tvm.tirx.IntImm):
        return int(extent)
    if isinstance(extent, tvm.tirx.Var):
        return _Dim(extent.name, 1, 0)
    symbols = tvm.tirx.analysis.undefined_vars(extent)
    parts = tvm.sym.detect_linear_equation(extent, symbols) if len(symbols) == 1 else []
    if len(parts) != 2 or not all(isinstance(part, tvm.tirx.IntImm) for part in parts) or int(parts[0]) < 1:
        raise UserError(
            f"Input {name} has a dimension that is computed, {extent}.",
            "Export the model with a name of its own for that dimension, or with a fixed shape.",
        )
    return _Dim(symbols[0].name, *map(int, parts))


def _bounds(mod: tvm.IRModule, dim: _Dim) -> tuple[int, int | None] | None:
    """The least and the largest value of a dimension; None where any will do."""
    attrs = mod["main"].attrs or {}
    least, largest = (attrs.get(f"tir_var_{side}_bound", {}).get(dim.name) for side in ("lower", "upper"))
    if least is None and largest is None and (dim.factor, dim.offset) == (1, 0):
        return None
    low = dim.factor * max(1, int(least or 1)) + dim.offset
    return max(1, low), None if largest is None else dim.factor * int(largest) + dim.offset


def bind(mod: tvm.IRModule, shapes: Mapping[str, Sequence[int]]) -> tvm.IRModule:
    """The module with its symbolic dimensions replaced by those of `shapes`.

    Raises:
        UserError: the model cannot be computed with them.
    """
    own = {str(extent) for param in mod["main"].params for extent in param.ty.shape}
    for param in mod["main"].params:
        for dim in (_dim(param.name, extent) for extent in param.ty.shape):
            if isinstance(dim, _Dim) and dim.name not in own:  # which TVM cannot be given
                raise UserError(
                    f"Dimension {dim.text} of input {param.name} follows from {dim.name}, which no input has.",
                    "Export the model with a name of its own for that dimension, or with a fixed shape.",
                )
    values = values_of(mod, shapes)
    try:
        return relax.transform.BindSymbolicVars(values, "main")(mod) if values else mod
    except (RuntimeError, ValueError) as error:  # what its operators say of shapes that do not fit
        raise refused_with(values, reason_of(error, line=-1)) from error


def values_of(mod: tvm.IRModule, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """What the symbols in the inputs of "main" are, by name, where these have such shapes.

    Raises:
        UserError: a dimension that follows from a symbol cannot be what is given.
    """
    values: dict[str, int] = {}
    for param in mod["main"].params:
        for extent, given in zip(param.ty.shape, shapes[param.name], strict=True):
            dim = _dim(param.name, extent)
            if isinstance(dim, int):
                continue
            value, rest = divmod(given - dim.offset, dim.factor)
            if rest or values.setdefault(dim.name, value) != value:
                known = f" where {dim.name} is {values[dim.name]}" if dim.name in values else ""
                raise UserError(
                    f"Dimension {dim.text} of input {param.name} cannot be {given}{known}.",
                    f"Give it a value that {dim.text} has for a whole number {dim.name}.",
                )
    return values


def refused_with(values: Mapping[str, int], why: str) -> UserError:
    """That the operators of a model do not work with such values of its symbols, and why where that is known."""
    told = ", ".join(f"{dim}={value}" for dim, value in values.items())
    return UserError(
        with_reason(f"The model does not work with {told}", why), "Give shapes within what it was exported for."
    )


def signature(
    mod: tvm.IRModule, output_names: Sequence[str] = (), input_names: Sequence[str] = ()
) -> tuple[tuple[TensorSpec, ...], ...]:
    """(inputs, outputs) of "main", read from its types; names of inputs are the function's where none are given.

    Raises:
        UserError: an input or output is no tensor, does not fit into memory, or its shape is still dynamic.
    """
    main = mod["main"]
    fields = fields_of(main.ret_ty)
    names = list(output_names) if len(output_names) == len(fields) else [f"output{i}" for i in range(len(fields))]
    own = [p.name for p in main.params]
    given = list(input_names) if len(input_names) == len(own) else own
    return (
        tuple(spec_of(name, p.ty) for name, p in zip(given, main.params, strict=True)),
        tuple(spec_of(name, ty) for name, ty in zip(names, fields, strict=True)),
    )


def spec_of(name: str, ty: relax.TensorType) -> TensorSpec:
    """The spec of a Relax tensor type."""
    shape = extents_of(ty)
    if shape is None:
        raise UserError(
            f'"{name}" has no fixed tensor shape; the engine measures fixed shapes only.',
            "Export the model with fixed shapes.",
        )
    extents = tuple(shape)
    if min(extents, default=1) < 1:
        raise UserError(f'"{name}" of shape {_text(extents)} has no elements.', "Give a larger shape.")
    if size_of(ty) > memory_bytes():
        raise UserError(f'"{name}" of shape {_text(extents)} does not fit into memory.', "Give a smaller shape.")
    return TensorSpec(name, extents, str(ty.dtype))


def _hint(item: ModelInput) -> str:
    if all(isinstance(d, int) for d in item.shape):
        return "It is fixed: leave it out, or export the model for another one."
    shape = ",".join(str(d) for d in item.shape)
    return f"Give it a shape, such as --input {item.name}={shape} with a number for every name."


def _text(shape: Sequence[int | str]) -> str:
    return f"({', '.join(str(d) for d in shape)})"
