"""Candidates that misbehave, as modules of the task `matmul:32,32,32`."""

from __future__ import annotations

import tvm

SHAPE = 'T.Buffer((32, 32), "float32")'


def _kernel(body: str) -> tvm.IRModule:
    lines = "\n".join("        " + line for line in body.splitlines())
    source = f"""

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: {SHAPE}, B: {SHAPE}, C: {SHAPE}):
        T.func_attr({{"tirx.noalias": True}})
{lines}
"""
    return tvm.script.from_source(source)


def calling(function: str, *args: int, once_in: int = 1) -> tvm.IRModule:
    """A kernel that calls a function of the C library, at each of its calls or at some, and writes zeros."""
    values = "".join(f", {value}" for value in args)
    return _kernel(
        f'if T.call_extern("int32", "rand") % {once_in} == 0:\n'
        f'    T.evaluate(T.call_extern("int32", "{function}"{values}))\n'
        "for i, j in T.grid(32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj = T.axis.remap("SS", [i, j])\n'
        "        C[vi, vj] = T.float32(0)"
    )


def calling_in_a_block(function: str, *args: int) -> tvm.IRModule:
    """The same at each element, so that passes over whole models take it for a kernel."""
    values = "".join(f", {value}" for value in args)
    return _kernel(
        "for i, j in T.grid(32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj = T.axis.remap("SS", [i, j])\n'
        f'        T.evaluate(T.call_extern("int32", "{function}"{values}))\n'
        "        C[vi, vj] = A[vi, vj] + B[vi, vj]"
    )


def segfault(once_in: int = 1) -> tvm.IRModule:
    """Raises SIGSEGV in itself."""
    return calling("raise", 11, once_in=once_in)


def abort(once_in: int = 1) -> tvm.IRModule:
    return calling("abort", once_in=once_in)


def leave(once_in: int = 1) -> tvm.IRModule:
    """Ends its process as if all were well."""
    return calling("_exit", 0, once_in=once_in)


def hang() -> tvm.IRModule:
    return calling("pause")


def fork(once_in: int = 1) -> tvm.IRModule:
    """Leaves copies of its process behind."""
    return calling("fork", once_in=once_in)


def unknown() -> tvm.IRModule:
    """Calls what is not there."""
    return calling("pruner_no_such_function")


def allocate(gigabytes: int = 64) -> tvm.IRModule:
    """Wants far more memory than it may have, and touches it."""
    size = gigabytes << 28
    return _kernel(
        f'D = T.sblock_alloc_buffer(({size},), "float32")\n'
        f"for i in range({size}):\n"
        '    with T.sblock("D"):\n'
        "        v = T.axis.spatial(%d, i)\n" % size + "        D[v] = A[v % 32, 0]\n"
        "for i, j in T.grid(32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj = T.axis.remap("SS", [i, j])\n'
        f"        C[vi, vj] = D[vi * {size // 32 - 1} + vj]"
    )


def wrong(factor: float = 1.001) -> tvm.IRModule:
    """Nearly the product."""
    return _kernel(
        "for i, j, k in T.grid(32, 32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj, vk = T.axis.remap("SSR", [i, j, k])\n'
        "        with T.init():\n"
        "            C[vi, vj] = T.float32(0)\n"
        f"        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj] * T.float32({factor})"
    )


def lazy() -> tvm.IRModule:
    """Leaves its last row as it was."""
    return _kernel(
        "for i, j, k in T.grid(31, 32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj, vk = T.axis.remap("SSR", [i, j, k])\n'
        "        with T.init():\n"
        "            C[vi, vj] = T.float32(0)\n"
        "        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]"
    )


def hides_nan() -> tvm.IRModule:
    """The product, where a NaN of A counts as a number."""
    return _kernel(
        "for i, j, k in T.grid(32, 32, 32):\n"
        '    with T.sblock("C"):\n'
        '        vi, vj, vk = T.axis.remap("SSR", [i, j, k])\n'
        "        with T.init():\n"
        "            C[vi, vj] = T.float32(0)\n"
        "        C[vi, vj] = C[vi, vj] + T.max(A[vi, vk], T.float32(-1e30)) * B[vk, vj]"
    )


def long_build() -> tvm.IRModule:
    """Unrolls into a million statements."""
    return _kernel(
        "for i in T.unroll(1000000):\n"
        '    with T.sblock("C"):\n'
        "        v = T.axis.spatial(1000000, i)\n"
        "        C[v % 32, v // 32 % 32] = A[v // 7 % 32, v % 32] * T.float32(3) + B[v % 32, v // 5 % 32]"
    )
