"""What the conversion of an operator goes by: TVM's importer, its own conversions as they are, and its builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.fx import Node
from tvm import relax
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

from pruner_engine.frontends.torch.nodes import type_name


class Conversion(ExportedProgramImporter):
    """What converts an operator: it emits expressions, and may ask TVM for its own conversion."""

    def create_convert_map(self) -> dict[Any, Callable[[Node], Any]]:
        """How each operator is converted, by name."""
        self._stock: dict[Any, Callable[[Node], Any]] = super().create_convert_map()
        return self._stock

    def stock(self, node: Node, instead: Mapping[Node, relax.Expr] | None = None) -> Any:
        """What TVM makes of a node, with other values in place of some of its operands'."""
        before = {operand: self.env[operand] for operand in instead or ()}
        self.env.update(instead or {})
        try:
            return self._stock[node.target.__name__](node)
        finally:
            self.env.update(before)

    def emit(self, value: relax.Expr) -> relax.Var:
        return self.block_builder.emit(value)

    def as_type(self, value: relax.Expr, dtype: torch.dtype) -> relax.Expr:
        wanted = type_name(dtype)
        return value if str(value.ty.dtype) == wanted else self.emit(relax.op.astype(value, wanted))
