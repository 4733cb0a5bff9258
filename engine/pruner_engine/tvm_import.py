"""Import TVM without its two slow paths.

`tvm_ffi` imports torch if it can (2–3 s, 200 MB), and the TVMScript decorator collects source context for every frame
of the stack (`import tvm.s_tir.tensor_intrin`: 20–40 s instead of 2). Every process of the engine imports TVM this way,
and so builds kernels with our vector arithmetic, our products of bytes, our lowering and our tensor intrinsics.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Iterator
from typing import Any


def _plain_stack(context: int = 1) -> list[inspect.FrameInfo]:
    """The caller's frames without a search for their source files."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append(inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None))
        frame = frame.f_back  # type: ignore[assignment]
    return frames


@contextlib.contextmanager
def _stack_without_source() -> Iterator[None]:
    slow = inspect.stack
    inspect.stack = _plain_stack
    try:
        yield
    finally:
        inspect.stack = slow


def import_tvm(*, torch: bool = False, intrinsics: bool = False) -> Any:
    """Import and return the `tvm` module.

    Args:
        torch: let tvm_ffi load torch too; otherwise `import torch` still works later in this process.
        intrinsics: also load tensor intrinsics, TVM's and ours, which design spaces and tensorised builds need.
    """
    hidden = not torch and "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import tvm
    finally:
        if hidden:
            del sys.modules["torch"]
    from pruner_engine.byte_products import register_byte_products
    from pruner_engine.lowering import register_lowering
    from pruner_engine.vector_math import register_vector_math

    register_vector_math()
    register_byte_products()
    register_lowering()
    if intrinsics:
        from pruner_engine.tensor_intrinsics import register_tensor_intrinsics

        with _stack_without_source():
            register_tensor_intrinsics()
    return tvm
