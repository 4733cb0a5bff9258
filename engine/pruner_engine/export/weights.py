"""Weights beside the library: constants of the model become parameters, whose values stand in a file of their own."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from safetensors.numpy import save_file
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import fields_of, nodes_of, size_of

WEIGHTS = "weights.safetensors"
_LEAST_BYTES = 1 << 10  # what is smaller stays in the library: a parameter costs more than it
# Of the weights of a library: LLVM, the linker and whoever loads it hold them several times, and 2 GB do not link.
_MANY_BYTES = 512 << 20


def without_weights(mod: tvm.IRModule) -> tuple[tvm.IRModule, list[np.ndarray]]:
    """Part a model, packed as its schedules want it, from its weights.

    Returns:
        The module whose "main" takes them behind its inputs, and their values in that order. Constants below a
        kilobyte, and those of functions other than "main", stay where they are.
    """
    main, lifter = mod["main"], _Lifter(mod)
    visited = lifter.visit_expr(main)
    parameters = [*visited.params, *lifter.lifted.values()]
    made = tvm.IRModule(mod.functions, attrs=mod.attrs)
    function = relax.Function(parameters, visited.body, visited.ret_ty, visited.is_pure, visited.attrs)
    # behind so many parameters the same tensors are given to each call: CUDA graphs may read them
    made.update_func(mod.get_global_var("main"), function.with_attr("num_input", len(main.params)))
    return made, [_array(const.value) for const in lifter.lifted]


def has_many(mod: tvm.IRModule) -> bool:
    """Whether the weights of "main" are too many to be kept in a library."""
    constants = {node for node in nodes_of(mod["main"]) if isinstance(node, GenericConst)}
    return sum(size_of(ty) for const in constants for ty in fields_of(const.ty)) > _MANY_BYTES


def _array(tensor: tvm.runtime.Tensor) -> np.ndarray:
    """A tensor's numbers, where they are if NumPy itself knows their type."""
    try:
        return np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError):
        return tensor.numpy()


@mutator
class _Lifter(PyExprMutator):
    def __init__(self, mod: tvm.IRModule) -> None:
        super().__init__(mod)
        self.lifted: dict[GenericConst, relax.Var] = {}  # what is used twice is kept once

    def visit_generic_const_(self, const: GenericConst) -> relax.Expr:
        """Called for each constant."""
        if not isinstance(const.ty, relax.TensorType) or size_of(const.ty) < _LEAST_BYTES:
            return const
        return self.lifted.setdefault(const, relax.Var(f"weight{len(self.lifted)}", const.ty))


def write_weights(values: list[np.ndarray], folder: Path) -> dict[str, Any]:
    """Write weights as safetensors.

    Returns:
        What a bundle's metadata tells of them: the file, and each one's shape, type and first byte, in the order in
        which the library takes them.
    """
    names = [f"weight{i}" for i in range(len(values))]
    path = folder / WEIGHTS
    path.touch()
    mode = path.stat().st_mode  # which save_file narrows to ourselves
    save_file({name: np.ascontiguousarray(value) for name, value in zip(names, values, strict=True)}, path)
    path.chmod(mode)
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    tensors = [
        {"shape": list(value.shape), "dtype": value.dtype.name, "offset": 8 + length + header[name]["data_offsets"][0]}
        for name, value in zip(names, values, strict=True)
    ]
    return {"file": WEIGHTS, "tensors": tensors}
