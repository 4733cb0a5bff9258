"""Import TVM without its slow paths.

`tvm_ffi` imports torch if it can (2–3 s, 200 MB), TVM imports tensor intrinsics of all targets, 250 functions in
TVMScript (3–5 s), as soon as a design space is made, and fifty of its modules list all names of functions (0.2 s).
Schedules of matrices by tiles, which come with TVM's part for CUDA, are not ours: its 45 modules are left out.
It also asks its library for a hundred things that it does not have, and the first error in C++ reads the symbols of the
whole library for its stack (0.3 to 0.9 s, 40 MB).
Every process of the engine imports TVM this way, and so builds kernels with our vector arithmetic, our products of
bytes and our lowering; intrinsics come with the target that has them, see `lowering/tensor_intrinsics.py`.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pruner_engine.processes.loading import loading

INTRINSICS = "tvm.s_tir.tensor_intrin"
SESSIONS = "tvm.runtime.disco"
TILES = "tvm.backend.cuda.tile_primitive"


def import_tvm() -> Any:
    """Import and return the `tvm` module; torch, if it is wanted, can still be imported later."""
    with loading():
        tvm = _imported()
        _register()
    return tvm


def _imported() -> Any:
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    _leave_out_tiles()
    try:
        with _listing_what_is_new(), _without_errors():
            import tvm
    finally:
        if hidden:
            del sys.modules["torch"]
    if INTRINSICS not in sys.modules:
        _name_package(INTRINSICS, tvm.s_tir.__path__)
        tvm.s_tir.tensor_intrin = sys.modules[INTRINSICS]
    return tvm


def _leave_out_tiles() -> None:
    spec = None if "tvm" in sys.modules else importlib.machinery.PathFinder.find_spec("tvm")
    if spec is not None and spec.submodule_search_locations:
        _name_package(TILES, [str(Path(spec.submodule_search_locations[0], "backend", "cuda"))])


@contextlib.contextmanager
def _listing_what_is_new() -> Iterator[None]:
    """Names of TVM's functions are listed anew only where some have come."""
    from tvm_ffi import registry

    listed, known = registry.list_global_func_names, list[str]()

    def names() -> list[str]:
        if registry.get_global_func("ffi.FunctionListGlobalNamesFunctor")()(-1) != len(known):
            known[:] = listed()
        return known

    registry.list_global_func_names = names
    try:
        yield
    finally:
        registry.list_global_func_names = listed


@contextlib.contextmanager
def _without_errors() -> Iterator[None]:
    """What would fail in C++ and is passed over fails in Python, without a stack of C++."""
    import tvm_ffi

    init, patched = tvm_ffi.init_ffi_api, dict[str, Any]()

    def init_with_operators(namespace: str, module: str | None = None) -> None:
        init(namespace, module)
        if namespace == "ir" and not patched:
            api = sys.modules[module or namespace]
            patched.update(GetOp=api.GetOp, RegisterOpAttr=api.RegisterOpAttr, api=api)
            _guard_operators(api)

    tvm_ffi.init_ffi_api = init_with_operators
    sys.modules[SESSIONS] = None  # type: ignore[assignment]  # its part of the library is never there
    try:
        yield
    finally:
        tvm_ffi.init_ffi_api = init
        sys.modules.pop(SESSIONS, None)
        api = patched.pop("api", None)
        for name, function in patched.items():
            setattr(api, name, function)


def _guard_operators(api: Any) -> None:
    """Operators that are asked for are looked up here, and names that they have already are not given again."""
    get, give, tell = api.GetOp, api.RegisterOpAttr, api.OpGetAttr
    known = set(api.ListOpNames())

    def get_known(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"operator {name} is not registered")
        return get(name)

    def give_new(name: str, key: str, value: Any, level: int) -> None:
        if name in known and isinstance(value, str) and tell(get(name), key) == value:
            return
        give(name, key, value, level)
        known.add(name)  # an operator comes with its first attribute

    api.GetOp, api.RegisterOpAttr = get_known, give_new


@functools.cache
def _register() -> None:
    from tvm_ffi import register_error

    from pruner_engine.lowering.pipeline import register_lowering
    from pruner_engine.lowering.vectors.functions import register_vector_math
    from pruner_engine.lowering.words.products import register_word_products

    register_error(KeyboardInterrupt)  # or ^C in what TVM calls back would be an error of ours
    register_vector_math()
    register_word_products()
    register_lowering()
    gc.freeze()  # what came along stays: the first search for garbage among it takes a twelfth of the time to import it


def _name_package(name: str, path: Iterable[str]) -> None:
    """Make a package known whose modules can be imported one by one: its own code, which imports all, never runs."""
    spec = importlib.machinery.PathFinder.find_spec(name, list(path))
    if spec is not None:  # or this is another TVM than ours, of which the doctor tells
        sys.modules[name] = importlib.util.module_from_spec(spec)
