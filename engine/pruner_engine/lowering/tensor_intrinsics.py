"""Instructions that a schedule names, which must be registered where it is applied.

TVM describes those of all targets in TVMScript, which takes seconds to read: a process loads its target's own, and of
the 91 of NVIDIA GPUs the 28 that MetaSchedule's rules can name. Ours are the matrix instructions of these GPUs for
bfloat16, summed in float32: fragments as in TVM, which has none of it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator

from tvm.s_tir import TensorIntrin
from tvm.script import tirx as T
from tvm.target import Target

from pruner_engine.tvm_import import INTRINSICS

_SIZE = (16, 16, 16)
_TYPE, _SUM, _SCOPE = "bfloat16", "float32", "shared.dyn"
_IN_RULES = re.compile(r"wmma_(fill|sync)_16x16x16_|wmma_(load|store)_16x16x16_\w+_shared_dyn|mma_\w+_m16n8k8_")
_OF_CPU = {"x86_64": "x86", "aarch64": "arm_cpu", "arm64": "arm_cpu", "riscv64": "riscv_cpu"}


def intrinsic_groups() -> list[dict[str, str]]:
    """Names of the instructions that belong together, for a right operand stored by rows and by columns."""
    return [
        {
            "init": "wmma_fill_16x16x16_f32",
            "load_a": "wmma_load_16x16x16_bf16_a_shared_dyn",
            "load_b": f"wmma_load_16x16x16_bf16_b{stored}_shared_dyn",
            "compute": f"wmma_sync_16x16x16_bf16bf16f32{stored}",
            "store": "wmma_store_16x16x16_f32_shared_dyn",
        }
        for stored in ("", "_trans")
    ]


def load_tensor_intrinsics(target: Target) -> None:
    """Register what schedules for `target` may name; `resolve_target` does it for every target that it returns."""
    if target.kind.name == "cuda":
        _load_of_gpu()
    elif module := _OF_CPU.get(str(target.attrs.get("mtriple", platform.machine())).partition("-")[0]):
        _load(module)


@functools.cache
def _load_of_gpu() -> None:
    _register(name for name in _of_gpu() if _IN_RULES.match(name))
    from tvm.s_tir.tensor_intrin.cuda import get_wmma_load_intrin, get_wmma_sync_intrin

    with _stack_without_source():
        rows, columns = intrinsic_groups()
        TensorIntrin.register(rows["load_a"], *get_wmma_load_intrin(*_SIZE, _TYPE, _SCOPE, False, False))
        for group, transposed in ((rows, False), (columns, True)):
            TensorIntrin.register(group["load_b"], *get_wmma_load_intrin(*_SIZE, _TYPE, _SCOPE, True, transposed))
            TensorIntrin.register(group["compute"], *get_wmma_sync_intrin(*_SIZE, _TYPE, _SUM, transposed))


@functools.cache
def load_every_intrinsic_of_gpus() -> None:
    """Register also what TVM describes for NVIDIA GPUs and no rule of its own names, for rules that others write."""
    _register(name for name in _of_gpu() if not _IN_RULES.match(name))


def _register(names: Iterable[str]) -> None:
    with _stack_without_source():
        for name in names:
            TensorIntrin.register(name, *(T.prim_func(function, s_tir=True) for function in _of_gpu()[name]))


@functools.cache
def _of_gpu() -> dict[str, tuple[Callable[..., None], ...]]:
    """TVM's descriptions and implementations by the intrinsic's name, in TVMScript not read yet: 20 ms for each."""
    found: dict[str, tuple[Callable[..., None], ...]] = {}
    read, register = T.prim_func, TensorIntrin.register
    T.prim_func = lambda **options: lambda function: function
    TensorIntrin.register = lambda name, *functions: found.update({name: functions})
    try:
        importlib.import_module(f"{INTRINSICS}.cuda")
    finally:
        T.prim_func, TensorIntrin.register = read, register
    return found


def _load(module: str) -> None:
    with _stack_without_source():
        importlib.import_module(f"{INTRINSICS}.{module}")


@contextlib.contextmanager
def _stack_without_source() -> Iterator[None]:
    """TVMScript's decorator collects source text for every frame of the stack: 20–40 s for the GPU's instead of 4."""
    slow = inspect.stack
    inspect.stack = _plain_stack
    try:
        yield
    finally:
        inspect.stack = slow


def _plain_stack(context: int = 1) -> list[inspect.FrameInfo]:
    """The caller's frames without a search for their source files."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append(inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None))
        frame = frame.f_back  # type: ignore[assignment]
    return frames
