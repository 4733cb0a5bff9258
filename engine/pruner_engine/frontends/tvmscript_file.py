"""TVMScript files. Reading one runs the Python in it, so that the user has to agree first."""

from __future__ import annotations

import ast
import re

import tvm
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends.consent import agree
from pruner_engine.frontends.importing import first_line


def parse(content: bytes, name: str, *, allow_code: bool) -> tvm.IRModule:
    """The module in a TVMScript text: a Relax module with "main", or one TIR function, its output the last argument.

    Raises:
        UserError: the user has not agreed to run code, or the text is not such a module.
    """
    if not allow_code:
        raise UserError(
            f"{name} is a TVMScript file: reading it runs the Python code in it.",
            "If you trust its origin, agree with --allow-code.",
        )
    agree(content)
    try:
        parsed = tvm.script.from_source(_without_imports(content.decode(), name))
    except (Exception, SystemExit) as error:  # whatever the file's own code raises
        raise UserError(
            f"{name} is not valid TVMScript: {_told(error)}.",
            "Write it as `mod.script()` prints a module; imports may stand above it.",
        ) from error
    if isinstance(parsed, tvm.tirx.PrimFunc):
        return _wrap(parsed, name)
    if isinstance(parsed, relax.Function):
        parsed = tvm.IRModule({"main": parsed})
    if not isinstance(parsed, tvm.IRModule) or "main" not in [g.name_hint for g in parsed.get_global_vars()]:
        raise UserError(f'{name} has no function "main".', "Name the model's entry function main.")
    main = parsed["main"]
    return _wrap(main, name) if isinstance(main, tvm.tirx.PrimFunc) else parsed


def _without_imports(text: str, name: str) -> str:
    """TVM's parser knows no imports, and has the names that they customarily give: T, R, I and tvm."""
    lines = text.split("\n")
    for node in ast.parse(text, name).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            end = node.end_lineno or node.lineno
            lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
    return "\n".join(lines)


def _told(error: BaseException) -> str:
    """What an error of the parser says; TVM's ends in a picture of the line that it names."""
    found = re.search(r"^ *--> .*?:(\d+):", str(error), re.MULTILINE)
    return first_line(error).removeprefix("error: ") + (f" (line {found[1]})" if found else "")


def _wrap(kernel: tvm.tirx.PrimFunc, name: str) -> tvm.IRModule:
    """A Relax module that calls the kernel.

    Raises:
        UserError: it has a parameter that is no buffer, or no parameters.
    """
    if not kernel.params or any(not isinstance(p.ty, tvm.tirx.BufferType) for p in kernel.params):
        raise UserError(
            f"{name} has a function whose parameters are not all buffers.",
            "Give it T.Buffer parameters, the last of them for its output.",
        )
    builder = relax.BlockBuilder()
    types = [relax.TensorType(p.ty.shape, str(p.ty.dtype)) for p in kernel.params]
    params = [relax.Var(p.name, ty) for p, ty in zip(kernel.params[:-1], types[:-1], strict=True)]
    symbol = builder.add_func(kernel.without_attr("global_symbol"), "kernel")
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(relax.call_tir(symbol, params, types[-1])))
        builder.emit_func_output(result)
    return builder.get()
