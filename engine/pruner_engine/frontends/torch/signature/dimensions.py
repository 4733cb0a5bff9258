"""Open dimensions that follow from another, such as 8*h: what PyTorch forgets of the other when it reads an archive.

It then notes ranges and example values by the whole expression, as if that were a symbol, and fails to decompose.
"""

from __future__ import annotations

from typing import Any

import sympy
from torch._export.utils import _get_shape_env_from_gm


def known_by_their_symbols(program: Any) -> Any:
    """The `torch.export.ExportedProgram`, whose open dimensions have ranges and example values by their symbols."""
    known = _get_shape_env_from_gm(program.graph_module)
    if known is None:
        return program
    for expression in [key for key in known.var_to_range if not isinstance(key, sympy.Symbol)]:
        del known.var_to_range[expression]
    for expression in [key for key in known.backed_var_to_val if not isinstance(key, sympy.Symbol)]:
        value = known.backed_var_to_val.pop(expression)
        symbol, *others = expression.free_symbols
        if not others and symbol not in known.backed_var_to_val:
            known.add_backed_var_to_val(symbol, int(sympy.solve(expression - value, symbol)[0]))
    return program
