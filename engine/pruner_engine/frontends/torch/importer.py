"""TVM's importer of PyTorch programs, with operators of ours, held against what PyTorch says of each value.

A wrong type is converted (TVM computes all products as float32, whatever goes in); a wrong shape is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.fx import Node
from tvm import relax
from tvm.tirx import IntImm

from pruner_engine.errors import UserError
from pruner_engine.frontends.torch.operators import CONVERTERS
from pruner_engine.frontends.torch.operators.complex_numbers import is_of_complex, of_complex
from pruner_engine.frontends.torch.operators.conversion import Conversion


class Importer(Conversion):
    """Imports a program: each operator by our conversion where there is one, else by TVM's; checks what comes out."""

    def create_convert_map(self) -> dict[Any, Callable[[Node], Any]]:
        """How each operator is converted, by name."""
        converters = super().create_convert_map() | {name: partial(c, self) for name, c in CONVERTERS.items()}
        return {name: partial(self._checked, convert) for name, convert in converters.items()}

    def known(self) -> set[str]:
        """Names of the operators that it converts."""
        return {name for name in self.convert_map if isinstance(name, str)}

    def refuse_unknown(self, program: Any) -> None:
        """Raises UserError where a program calls operators that are not converted."""
        called = {node.target.__name__ for node in program.graph.nodes if node.op == "call_function"}
        unknown = {name.partition(".")[0] for name in called - self.known()} - {"with_effects"}  # which calls others
        if unknown:
            raise UserError(
                f"The model computes {', '.join(sorted(unknown))}, which cannot be imported.",
                "Write that part with other operators of PyTorch, or export the model without it.",
            )

    def _checked(self, convert: Callable[[Node], Any], node: Node) -> Any:
        made = of_complex(self, convert, node) if is_of_complex(node) else convert(node)
        if isinstance(made, relax.Call):  # without a type until it is emitted
            made = self.emit(made)
        meant = node.meta.get("val")
        if not isinstance(meant, torch.Tensor) or not isinstance(getattr(made, "ty", None), relax.TensorType):
            return made
        shape = list(made.ty.shape) if isinstance(made.ty.shape, relax.ShapeExpr) else None
        if shape is not None and not _may_be(shape, list(meant.shape)):
            raise ValueError(f"{node.target} of shape {shape} instead of {list(meant.shape)}")
        return self.as_type(made, meant.dtype)


def _may_be(shape: list[Any], meant: list[Any]) -> bool:
    """Whether a shape of TVM is one of PyTorch's, as far as both are known."""
    pairs = zip(shape, meant, strict=False)
    known = ((int(ours), theirs) for ours, theirs in pairs if isinstance(ours, IntImm) and type(theirs) is int)
    return len(shape) == len(meant) and all(ours == theirs for ours, theirs in known)
