"""What files of others may hold: schedules and kernels that bring no native code along.

A schedule can have TVM link LLVM's language into a kernel (`pragma_import_llvm`), and a kernel can call any function of
the process by its name. A design space makes neither: both are refused wherever a trace or a kernel is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import tvm_ffi
from tvm import IRModule
from tvm.ir import Call, Op
from tvm.s_tir import SBlock
from tvm.tirx import AttrStmt, For

_IMPORTS = re.compile(r"pragma_import")
_CALLS = re.compile(r"\b(call_\w*(extern|packed|llvm)|tvm_call_|tvm_stack_make_)")


class ForeignCodeError(ValueError):
    """A schedule or a kernel would bring native code along, or call some."""


def read_trace(text: str) -> Any:
    """The trace of a JSON text, as `Trace.apply_json_to_schedule` reads it.

    Raises:
        ForeignCodeError: it would bring native code along.
        ValueError: it is no JSON.
    """
    return inert(json.loads(text))


def inert(trace: Any) -> Any:
    """The trace itself, as JSON has it.

    Raises:
        ForeignCodeError: it would bring native code along.
    """
    if any(_IMPORTS.search(word) or _CALLS.search(word) for word in _texts(trace)):
        raise ForeignCodeError("The schedule brings native code along.")
    return trace


def refuse_code(mod: IRModule) -> IRModule:
    """The module itself.

    Raises:
        ForeignCodeError: a function of it imports native code, or calls some by its name.
    """
    found: list[str] = []
    looks = (
        (Call, lambda call: found.append(call.op.name if isinstance(call.op, Op) else "tvm_call_")),
        (AttrStmt, lambda statement: found.append(str(statement.attr_key))),
        ((For, SBlock), lambda node: found.extend(map(str, node.annotations))),
    )
    for function in mod.functions.values():
        tvm_ffi.structural_walk(function, looks)
    if any(_IMPORTS.search(name) or _CALLS.search(name) for name in found):
        raise ForeignCodeError("A kernel brings native code along.")
    return mod


def _texts(value: Any) -> Iterator[str]:
    """All texts of a JSON value, and of the JSON in them: a trace has index maps and types as such."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value
        if value.lstrip(' "')[:1] in ("{", "["):
            try:
                inner = json.loads(value)
            except ValueError:
                return
            yield from _texts(inner)
