"""A model as the engine works with it."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psutil
import tvm
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.protocol import ModelInput
from pruner_engine.tasks.rewriting import extents_of, fields_of
from pruner_engine.tasks.task import TensorSpec


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model with concrete shapes.

    Attributes:
        name: file stem, or the workload's text.
        kind: onnx | pt2 | tvmscript | workload.
        source: where it was loaded from.
        sha256: of `content`, hexadecimal.
        content: the file itself (external weights folded in), enough to load the model again.
        mod: Relax module whose function "main" takes `inputs`; weights are constants.
        inputs, outputs: in the order of the function.
        dtype: float type of products that were converted from float32 (see precision.py).
    """

    name: str
    kind: str
    source: str
    content: bytes = field(repr=False)
    mod: tvm.IRModule = field(repr=False)
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    dtype: str = "float32"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def bind_dims(declared: Sequence[ModelInput], given: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Concrete shapes of all inputs.

    Args:
        declared: the model's inputs; a dimension is a number, or a name where it must be given.
        given: shapes by input name.

    Raises:
        UserError: a shape is missing, of another rank, contradicts a fixed dimension, gives a name two values or one
            that the model was not made for.
    """
    # Projects of before have TVM's spelling of a name, such as input_1 for input.1
    spelled = {re.sub(r"\W", "_", i.name): i.name for i in declared} | {i.name: i.name for i in declared}
    given = {spelled.get(name, name): shape for name, shape in given.items()}
    if unknown := set(given) - {i.name for i in declared}:
        names = ", ".join(i.name for i in declared)
        raise UserError(f"The model has no input {', '.join(sorted(unknown))}.", f"Its inputs are: {names}.")
    known: dict[str, int] = {}
    for item in declared:
        if item.name not in given:
            continue
        shape = given[item.name]
        if len(shape) != len(item.shape) or any(
            n < 1 or (isinstance(d, int) and d != n) for d, n in zip(item.shape, shape, strict=True)
        ):
            raise UserError(
                f"Input {item.name} has shape {_text(item.shape)}, {_text(shape)} does not fit.", _hint(item)
            )
        for dim, n in zip(item.shape, shape, strict=True):
            if not isinstance(dim, str):
                continue
            if known.setdefault(dim, n) != n:
                raise UserError(f"Dimension {dim} is given both {known[dim]} and {n}.", "Give it one value.")
            least, largest = item.bounds.get(dim, (1, None))
            if n < least or (largest is not None and n > largest):
                fits = f"{least} or more" if largest is None else f"{least} to {largest}"
                raise UserError(
                    f"Dimension {dim} of input {item.name} is {n}, and the model was exported for {fits}.",
                    "Give a value in that range, or export the model for another one.",
                )
    shapes = {i.name: tuple(known.get(d, d) if isinstance(d, str) else d for d in i.shape) for i in declared}
    for item in declared:
        if any(isinstance(d, str) for d in shapes[item.name]):
            raise UserError(f"Input {item.name} has a dynamic shape {_text(item.shape)}.", _hint(item))
    return {name: tuple(int(d) for d in shape) for name, shape in shapes.items()}


def declared_inputs(mod: tvm.IRModule) -> list[ModelInput]:
    """Inputs of "main"; symbolic dimensions by their names."""
    found = []
    attrs = mod["main"].attrs or {}
    least, largest = (attrs.get(f"tir_var_{side}_bound", {}) for side in ("lower", "upper"))
    for param in mod["main"].params:
        if not isinstance(param.ty, relax.TensorType) or not isinstance(param.ty.shape, relax.ShapeExpr):
            raise UserError(f'Input "{param.name}" is not a tensor of known rank.', "Only tensors can be tuned.")
        shape = [int(d) if isinstance(d, tvm.tirx.IntImm) else str(d) for d in param.ty.shape]
        bounds = {
            dim: (max(1, int(least.get(dim, 1))), int(largest[dim]) if dim in largest else None)
            for dim in shape
            if isinstance(dim, str) and (dim in least or dim in largest)
        }
        found.append(ModelInput(name=param.name, shape=shape, dtype=str(param.ty.dtype), bounds=bounds))
    return found


def bind(mod: tvm.IRModule, shapes: dict[str, tuple[int, ...]]) -> tvm.IRModule:
    """The module with its symbolic dimensions replaced by those of `shapes`.

    Raises:
        UserError: the model cannot be computed with them.
    """
    values = {
        dim: shapes[item.name][axis]
        for item in declared_inputs(mod)
        for axis, dim in enumerate(item.shape)
        if isinstance(dim, str)
    }
    try:
        return relax.transform.BindSymbolicVars(values, "main")(mod) if values else mod
    except (RuntimeError, ValueError) as error:  # what its operators say of shapes that do not fit
        told = ", ".join(f"{dim}={value}" for dim, value in values.items())
        why = re.sub(r'ir\.Op\(.*?name="(.*?)".*?support_level=\d+\)', r"\1", str(error).strip().splitlines()[-1])
        raise UserError(
            f"The model does not work with {told}: {why}",
            "Give shapes within what it was exported for.",
        ) from error


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
    if math.prod(extents) > psutil.virtual_memory().total:
        raise UserError(f'"{name}" of shape {_text(extents)} does not fit into memory.', "Give a smaller shape.")
    return TensorSpec(name, extents, str(ty.dtype))


def _hint(item: ModelInput) -> str:
    shape = ",".join(str(d) for d in item.shape)
    return f"Give it a shape, such as --input {item.name}={shape} with a number for every name."


def _text(shape: Sequence[int | str]) -> str:
    return f"({', '.join(str(d) for d in shape)})"
