"""TVM's converter of TensorFlow Lite's operators, with quantised numbers as the real ones that they stand for.

TVM converts the quantised forms of some operators, each in its own way, and refuses those of the others and weights
that alone are quantised. Here an operator that takes or gives quantised numbers is converted as one of real numbers,
between `dequantize` and `quantize`: products of bytes are found in that later, as in ONNX files
(tasks/rewrites/quantised.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import tflite
from tvm import relax
from tvm.ir.expr import GenericConst
from tvm.relax.frontend.tflite.tflite_frontend import OperatorConverter, TensorWrapper

from pruner_engine.errors import UserError
from pruner_engine.frontends.tflite.complex_numbers import refuse_complex
from pruner_engine.frontends.tflite.file import code_of, operators_of, tensor_name
from pruner_engine.frontends.tflite.known import known_result
from pruner_engine.frontends.tflite.loops import loop
from pruner_engine.frontends.tflite.operators import OPERATORS
from pruner_engine.tasks.graph import extents_of

_OF_GRAPHS = {"CALL", "CALL_ONCE", "IF", "WHILE"}
_OF_STORED = {"BITCAST", "CAST", *_OF_GRAPHS}  # take bytes as they are, whatever they stand for
_HINT = "Convert it with built-in operators alone, or to ONNX."


class Converter(OperatorConverter):
    """What `from_tflite` makes of each graph of a model."""

    def __init__(self, model: tflite.Model, subgraph: tflite.SubGraph, *args: Any, **options: Any) -> None:
        super().__init__(model, subgraph, *args, **options)
        names = [tensor_name(subgraph, i) for i in range(subgraph.TensorsLength())]
        self._shared = {name for name, n in Counter(names).items() if n > 1 or not name}
        self._real = False  # whether tensors are said to be of real numbers
        self.convert_map |= {name: partial(convert, self) for name, convert in {**OPERATORS, "WHILE": loop}.items()}
        for name in self.convert_map.keys() - _OF_STORED:
            self.convert_map[name] = partial(self._in_reals, self.convert_map[name])
        taken = self.convert_map["DEQUANTIZE"]
        self.convert_map |= {"DEQUANTIZE": partial(self._same, taken), "QUANTIZE": partial(self._same, taken)}

    def check_unsupported_ops(self) -> None:
        """Called before anything is converted."""
        names = set(map(self.get_op_code_str, operators_of(self.subgraph)))
        if unknown := sorted(names - self.convert_map.keys()):
            raise UserError(f"The model has operators that cannot be imported: {', '.join(unknown)}.", _HINT)

    def get_op_code_str(self, op: tflite.Operator) -> str:
        """The operator's name; that of a custom one in its own words."""
        custom = (self.model.OperatorCodes(op.OpcodeIndex()).CustomCode() or b"").decode()
        if code_of(self.model, op) == tflite.BuiltinOperator.CUSTOM and custom != "TFLite_Detection_PostProcess":
            return custom or "an operator without a name"
        name: str = super().get_op_code_str(op)
        return name

    def convert_op_to_relax(self) -> None:
        """Convert all operators, in their order."""
        for op in operators_of(self.subgraph):
            name = self.get_op_code_str(op)
            refuse_complex(self, op, name)
            convert = self.convert_map[name]
            result = known_result(self, convert, op) if self._is_of_constants(op) else convert(op=op)
            if result is None:  # which TVM keeps for its readers
                continue
            made, outputs = self.bb.normalize(result), self.get_output_tensors(op)
            parts = [made] if len(outputs) == 1 else [made[i] for i in range(len(outputs))]
            for tensor, part in zip(outputs, parts, strict=True):
                self.give(tensor.tensor_idx, self._as_declared(part, tensor))

    def give(self, index: int, value: relax.Expr) -> None:
        """Let a tensor have this value; whole numbers that are known are constants to TVM, as if the file had them."""
        if isinstance(value, GenericConst) and "float" not in str(value.ty.dtype):
            self.set_prefetched_node(index, value.value.numpy())
        else:
            self.exp_tab.set_expr(self.key(index), value, force_override=True)

    def _is_of_constants(self, op: tflite.Operator) -> bool:
        """Whether an operator makes whole numbers of constants, such as sizes and counters of loops."""
        kinds = {self.get_tensor_type_str(tensor.tensor.Type()) for tensor in self.get_output_tensors(op)}
        if any("float" in kind for kind in kinds) or self.get_op_code_str(op) in _OF_GRAPHS:
            return False
        return not any(self.has_expr(one.tensor_idx) for one in self.get_input_tensors(op) if one.tensor_idx >= 0)

    def _as_declared(self, value: relax.Expr, tensor: TensorWrapper) -> relax.Expr:
        """The value in the type that the file says: TVM gives some integers as others."""
        value = self.bb.normalize(value)
        declared = self._get_relax_tensor_dtype(tensor)
        if not isinstance(value.ty, relax.TensorType) or str(value.ty.dtype) == declared:
            return value
        return self.bb.normalize(relax.op.astype(value, declared))

    def key(self, index: int) -> str:
        """What a tensor is called while it is converted: names of the file may be shared."""
        name = tensor_name(self.subgraph, index)
        return f"tensor {index}" if name in self._shared else name

    def get_expr(self, index: int) -> relax.Expr:
        """The value of a tensor that was computed, or is an input."""
        if self.has_expr(index):
            return self.exp_tab.get_expr(self.key(index))
        return relax.const(self.get_prefetched_node(index))

    def has_expr(self, index: int) -> bool:
        """Whether a tensor was computed, or is an input."""
        return bool(self.exp_tab.has_expr(self.key(index)))

    def is_prefetched(self, index: int) -> bool:
        """Whether TVM keeps the values of a constant."""
        return self.key(index) in self.prefetched_nodes

    def set_prefetched_node(self, index: int, value: Any) -> None:
        """Keep the values of a constant."""
        self.prefetched_nodes[self.key(index)] = value

    def get_prefetched_node(self, index: int) -> Any:
        """The values of a constant that were kept."""
        return self.prefetched_nodes[self.key(index)]

    def get_tensor_value(self, tensor: TensorWrapper, is_sparse: bool = False) -> Any:
        """The values of a constant."""
        if isinstance(tensor.tensor, _RealTensor):
            return tensor.tensor.real(self.get_tensor_value(tensor.tensor.held, is_sparse))
        if self.is_prefetched(tensor.tensor_idx):
            return self.get_prefetched_node(tensor.tensor_idx)
        return super().get_tensor_value(tensor, is_sparse)

    def get_tensor_shape(self, tensor: TensorWrapper) -> Any:
        """The shape of a tensor, of complex numbers without their parts; the file says 1 for what was open to it."""
        value = self.exp_tab.get_expr(self.key(tensor.tensor_idx)) if self.has_expr(tensor.tensor_idx) else None
        known = None if value is None else extents_of(self.bb.normalize(value).ty)
        if known is None:
            return super().get_tensor_shape(tensor)
        return np.array(known[:-1] if tensor.tensor.Type() == tflite.TensorType.COMPLEX64 else known, "int32")

    def get_tensors(self, indices: Any) -> list[TensorWrapper]:
        """Tensors by their indices."""
        found = super().get_tensors(indices)
        return [_as_real(tensor) if self._real and tensor.qnn_params else tensor for tensor in found]

    def _in_reals(self, convert: Callable[..., Any], op: tflite.Operator) -> Any:
        inputs, outputs = self.get_input_tensors(op), self.get_output_tensors(op)
        if not any(tensor.qnn_params for tensor in (*inputs, *outputs)):
            return convert(op=op)
        with self._with_real(inputs):
            result = convert(op=op)
        if result is None:
            return None
        if len(outputs) == 1:
            return self._quantised(result, outputs[0])
        parts = self.bb.normalize(result)
        return relax.Tuple([self._quantised(parts[i], tensor) for i, tensor in enumerate(outputs)])

    @contextmanager
    def _with_real(self, inputs: list[TensorWrapper]) -> Iterator[None]:
        """While the quantised tensors among an operator's inputs are real ones."""
        table = self.exp_tab.exprs
        quantised = {self.key(one.tensor_idx): one for one in inputs if one.qnn_params and not one.tensor.IsVariable()}
        held = {key: table.get(key) for key in quantised}
        for key, tensor in quantised.items():
            table[key] = self.bb.normalize(self.dequantize(self.get_tensor_expr(tensor), tensor))
        self._real = True
        try:
            yield
        finally:
            self._real = False
            for key, value in held.items():
                if value is None:
                    del table[key]
                else:
                    table[key] = value

    def _quantised(self, value: relax.Expr, tensor: TensorWrapper) -> relax.Expr:
        value = self.bb.normalize(value)
        return self.bb.normalize(self.quantize(value, tensor)) if tensor.qnn_params else value

    def _same(self, plain: Callable[..., Any], op: tflite.Operator) -> Any:
        """From one type to another: real numbers of a constant in halves, else what `_in_reals` makes of the same."""
        (tensor,) = self.get_input_tensors(op)
        if tensor.tensor.Type() == tflite.TensorType.FLOAT16:
            return plain(op=op)
        return self._in_reals(lambda op: self.get_tensor_expr(*self.get_input_tensors(op)), op)

    def extents(self, value: relax.Expr) -> list[int]:
        """The shape of a value.

        Raises:
            UserError: it is known only when the model runs.
        """
        extents = extents_of(self.bb.normalize(value).ty)
        if extents is None:
            raise UserError("The model has tensors whose shape is known only when it runs.", _HINT)
        return list(extents)


class _RealTensor:
    """A tensor of the file, said to be of real numbers."""

    def __init__(self, held: TensorWrapper) -> None:
        self.held = held

    def Type(self) -> int:  # as the file's own
        return int(tflite.TensorType.FLOAT32)

    def Quantization(self) -> None:
        return None

    def real(self, quantised: np.ndarray) -> np.ndarray:
        """The numbers that quantised ones of this tensor stand for."""
        scale, zero, axis = (self.held.qnn_params[name] for name in ("scale", "zero_point", "axis"))
        factors = scale.value.numpy()
        if factors.ndim:
            factors = factors.reshape([-1 if i == axis else 1 for i in range(quantised.ndim)])
        return (quantised.astype("float32") - zero.value.numpy()) * factors

    def __getattr__(self, name: str) -> Any:
        return getattr(self.held.tensor, name)


def _as_real(tensor: TensorWrapper) -> TensorWrapper:
    return TensorWrapper(tensor.tensor_idx, _RealTensor(tensor), tensor.buffer)
