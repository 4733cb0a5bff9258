"""Kernels for AMX on any machine: its instructions as functions of Python, as Intel's manual tells of them."""

from __future__ import annotations

import ctypes
import functools
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir import Call, Op, StringImm
from tvm.target import codegen
from tvm.tirx import AttrStmt, IntImm

from machines import result_of
from pruner_engine.lowering.words.tile_products import in_tiles

_LINE, _ROWS, _REGISTERS = 64, 16, 8
_LAYOUT = re.compile(r'@(\w+)_layout = private constant \[64 x i8\] c"([^"]+)"')


def result_in_python(mod: tvm.IRModule, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, int]:
    """What a scheduled kernel writes into the last of its arrays, and how many instructions for products it holds."""
    names = {codegen.llvm_lookup_intrinsic_id(f"llvm.x86.{name}"): name for name in _register()}
    layouts: dict[str, bytes] = {}
    used: list[str] = []

    def read(statement: AttrStmt) -> tirx.Stmt:
        if statement.attr_key != "pragma_import_llvm":
            return statement
        for name, text in _LAYOUT.findall(str(statement.value.value)):
            layouts[name] = bytes(int(byte, 16) for byte in text.split("\\")[1:])
        return statement.body

    def replace(call: Call) -> Call:
        if call.op.same_as(Op.get("tirx.call_extern")) and str(call.args[0].value) in layouts:
            return tirx.call_packed("amx.layout", StringImm(layouts[str(call.args[0].value)].hex()))
        if not call.op.same_as(Op.get("tirx.call_llvm_intrin")):
            return call
        used.append(names[int(call.args[0])])
        operands = [
            tirx.const(int(a), "int32") if isinstance(a, IntImm) and a.ty == "int8" else a for a in call.args[1:]
        ]
        return tirx.call_packed(f"amx.{used[-1]}", *operands)

    made = {}
    for variable, function in in_tiles(mod).functions.items():
        bare = tvm_ffi.structural_map(function, (AttrStmt, read), order="pre")
        made[variable] = tvm_ffi.structural_map(bare, (Call, replace))
    return result_of(tvm.IRModule(made), arrays), sum(name.startswith("tdp") for name in used)


@dataclass
class _Core(threading.local):
    """The registers of the core that a thread runs on."""

    rows: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    tiles: list[np.ndarray] = field(default_factory=list)


_CORE = _Core()


@functools.cache
def _register() -> tuple[str, ...]:
    """Names of the instructions."""
    tvm_ffi.register_global_func("amx.layout", _lay_out)
    instructions: dict[str, Callable[..., None]] = {
        "tilezero": _zero,
        "tileloadd64": _load,
        "tilestored64": _store,
        "tdpbusd": functools.partial(_product, _unsigned_by_signed),
        "tdpbf16ps": functools.partial(_product, _of_bfloat16),
        "tilerelease": _release,
    }
    for name, function in instructions.items():
        tvm_ffi.register_global_func(f"amx.{name}", function)
    return tuple(instructions)


def _lay_out(text: str) -> None:
    layout = bytes.fromhex(text)
    assert len(layout) == _LINE
    assert layout[0] == 1
    _CORE.bytes = [int.from_bytes(layout[16 + 2 * n : 18 + 2 * n], "little") for n in range(_REGISTERS)]
    _CORE.rows = list(layout[48 : 48 + _REGISTERS])
    assert all(0 < rows <= _ROWS for rows in _CORE.rows)
    assert all(0 < several <= _LINE for several in _CORE.bytes)
    _CORE.tiles = [np.zeros((_ROWS, _LINE), "uint8") for _ in range(_REGISTERS)]


def _release() -> None:
    _CORE.tiles = []


def _zero(register: int) -> None:
    _CORE.tiles[register][:] = 0


def _load(register: int, place: ctypes.c_void_p, stride: int) -> None:
    _CORE.tiles[register][:] = 0
    for row in range(_CORE.rows[register]):
        _CORE.tiles[register][row, : _CORE.bytes[register]] = _memory(register, place, stride, row)


def _store(register: int, place: ctypes.c_void_p, stride: int) -> None:
    for row in range(_CORE.rows[register]):
        _memory(register, place, stride, row)[:] = _CORE.tiles[register][row, : _CORE.bytes[register]]


def _memory(register: int, place: ctypes.c_void_p, stride: int, row: int) -> np.ndarray:
    kind = ctypes.c_uint8 * _CORE.bytes[register]
    return np.ctypeslib.as_array(kind.from_address(int(place.value or 0) + row * stride))


def _product(of: Callable[[np.ndarray, np.ndarray], np.ndarray], total: int, left: int, right: int) -> None:
    rows, depth, width = _CORE.rows[total], _CORE.rows[right], _CORE.bytes[total]
    assert (_CORE.rows[left], _CORE.bytes[left], _CORE.bytes[right]) == (rows, 4 * depth, width)
    words = [
        _CORE.tiles[register][:rows_of, :several].reshape(rows_of, -1, 4)
        for register, rows_of, several in ((left, rows, 4 * depth), (right, depth, width))
    ]
    sums = of(*words)
    there = _CORE.tiles[total][:rows, :width].view(sums.dtype)
    _CORE.tiles[total][:rows, :width] = (there + sums).view("uint8")


def _unsigned_by_signed(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("rkb,kcb->rc", left.astype("int32"), right.view("int8").astype("int32"), dtype="int32")


def _of_bfloat16(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    one, other = (_wide(words) for words in (left, right))
    return np.einsum("rkb,kcb->rc", one, other).astype("float32")


def _wide(words: np.ndarray) -> np.ndarray:
    """A bfloat16 is the upper half of a float32."""
    return (np.ascontiguousarray(words).view("uint16").astype("uint32") << 16).view("float32")
