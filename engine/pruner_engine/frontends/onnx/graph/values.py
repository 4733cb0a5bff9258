"""What is known of an ONNX model's values before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from pruner_engine.errors import UserError
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, graphs_within, nodes_within


class Values:
    """Types, constants and readers of the values that a graph sees, by their names."""

    def __init__(self, graph: onnx.GraphProto, outer: Values | None = None) -> None:
        """
        Args:
            graph: of a model whose shapes were inferred.
            outer: those of the graph around it.
        """
        self._types = {v.name: v.type.tensor_type for v in (*graph.input, *graph.value_info, *graph.output)}
        self._constants = {w.name: w for w in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant" and "value" in attributes_of(node):
                self._constants[node.output[0]] = attributes_of(node)["value"]
        self._makers = {name: node for node in graph.node for name in node.output}
        self._read = {o.name for inner in graphs_within(graph) for o in inner.output}
        self._read |= {name for node in nodes_within(graph) for name in node.input}
        if outer is not None:
            self._types, self._constants = outer._types | self._types, outer._constants | self._constants
            self._makers = outer._makers | self._makers

    def shape(self, name: str) -> list[int] | None:
        """None where an extent is not known."""
        if name in self._constants:
            return list(self._constants[name].dims)
        known = self._types.get(name)
        if known is None or not known.HasField("shape"):
            return None
        shape = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in known.shape.dim]
        return None if -1 in shape else shape

    def shape_for(self, node: onnx.NodeProto, number: int = 0) -> list[int]:
        """Of one of a node's inputs.

        Raises:
            UserError: it is not known.
        """
        shape = self.shape(node.input[number])
        if shape is None:
            raise refused(node, "has an input whose shape is known only when it runs")
        return shape

    def dtype(self, name: str) -> np.dtype[Any]:
        """float32 where it is not known."""
        return self.known_dtype(name) or np.dtype(np.float32)

    def known_dtype(self, name: str) -> np.dtype[Any] | None:
        if name in self._constants:
            return helper.tensor_dtype_to_np_dtype(self._constants[name].data_type)
        kind = self._types[name].elem_type if name in self._types else 0
        return helper.tensor_dtype_to_np_dtype(kind) if kind else None

    def constant(self, name: str) -> np.ndarray[Any, Any] | None:
        """None where the value is no constant, or has no name: an input that a node lacks."""
        if name in self._constants:
            return numpy_helper.to_array(self._constants[name])
        cast = self.maker(name, "Cast")  # as converters of halves write what has to stay float32
        if cast is None:
            return None
        known = self.constant(cast.input[0])
        return None if known is None else known.astype(helper.tensor_dtype_to_np_dtype(attributes_of(cast)["to"]))

    def maker(self, name: str, *operators: str) -> onnx.NodeProto | None:
        """The node that gives a value, where it is one of these operators."""
        node = self._makers.get(name)
        return node if node is not None and node.op_type in operators else None

    def added(self, name: str, base: str) -> np.ndarray[Any, Any] | None:
        """What is added to `base` to give a value; None where that is no constant."""
        total = self.maker(name, "Add")
        if total is None or base not in total.input:
            return None
        terms = [*total.input]
        terms.remove(base)
        return self.constant(terms[0])

    def is_read(self, name: str) -> bool:
        return bool(name) and name in self._read


def evaluated(node: onnx.NodeProto, constants: Sequence[onnx.TensorProto], opset: int) -> np.ndarray[Any, Any]:
    """What a node of ONNX's own makes of constants, which have the names of its inputs."""
    graph = helper.make_graph([node], "evaluated", [], [onnx.ValueInfoProto(name=node.output[0])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made: np.ndarray[Any, Any] = ReferenceEvaluator(model).run(None, {})[0]
    return made


def called(node: onnx.NodeProto) -> str:
    """A node's operator, and its name where it has one."""
    return " ".join(filter(None, (node.op_type, node.name)))


def refused(node: onnx.NodeProto, why: str) -> UserError:
    """The error of a node that TVM's importer would compute wrongly."""
    return UserError(f"{called(node)} {why}, which cannot be imported.", "Export the model with another form of it.")


@contextmanager
def refusing_unfit(node: onnx.NodeProto) -> Iterator[None]:
    """Refuse a node of a file that no exporter wrote, where what is made of its inputs and attributes fails."""
    try:
        yield
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise refused(node, "has inputs or attributes that do not fit each other") from error


def refuse_outputs(node: onnx.NodeProto, values: Values, outputs: Iterable[str]) -> None:
    """Refuse a node if outputs of it that cannot be imported are read.

    Raises:
        UserError: one of them is.
    """
    if any(map(values.is_read, outputs)):
        raise refused(node, "has further outputs that are used")


Writer = Callable[[Nodes, onnx.NodeProto, Values], bool]
