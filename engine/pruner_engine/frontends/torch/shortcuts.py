"""PyTorch says a program in other operators without what it does again and again, four fifths of the import of a small
model.

For each of its thirty libraries of operators it looks up all that the process has, and five hundred operators are given
twenty kernels each by a function whose annotations are made anew at every call.
"""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator
from typing import Any

import torch._ops
from torch._export import utils

_look_up: Any = getattr(utils, "_materialize_cpp_cia_ops", None)  # none in a version that does it otherwise

# as a type the same; what it is asked for it remembers, which that of `collections.abc` does not
torch._ops.Callable = typing.Callable


@contextlib.contextmanager
def operators_looked_up_once() -> Iterator[None]:
    """Operators are looked up now, and not again within: no library of them comes meanwhile."""
    if _look_up is None:
        yield
        return
    _look_up()
    utils._materialize_cpp_cia_ops = lambda: None
    try:
        yield
    finally:
        utils._materialize_cpp_cia_ops = _look_up
