"""CUDA kernels on a CPU: what TVM's code generator writes, compiled as C++ behind cuda_on_cpu.h, thread by thread.

Unlike a schedule whose threads run one after another (without_threads.py), this is what a GPU is given: with the
barriers that TVM has put in, memory that buffers share, vectors, shuffles, and instructions of Tensor Cores.
"""

from __future__ import annotations

import ctypes
import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tvm
import tvm_ffi
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock
from tvm.target import Target
from tvm.tirx.build import split_host_device_mods

_HEADER = Path(__file__).with_suffix(".h")
_AXES = [f"{kind}Idx.{axis}" for kind in ("block", "thread") for axis in "xyz"]
# later standards bring functions along whose declarations double the time to read what a kernel includes
_FLAGS = ["-std=gnu++14", "-O1", "-w", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off"]
_FLAGS += ["-fno-tree-ter"]  # of unrolled loops it makes expressions that take seconds to compile
if (_PROCESSOR := Path("/proc/cpuinfo")).exists() and " f16c " in _PROCESSOR.read_text():
    _FLAGS += ["-mf16c"]  # halves are converted by an instruction, not by a function
_ZONE = 256  # bytes on both sides of a buffer that nobody may write
_DIVERGENT = 1  # what a launch returns
_SEEN: list[str] = []


class DivergentBarrierError(Exception):
    """Some threads of a block have ended, or wait elsewhere, while others wait at a barrier."""


@tvm_ffi.register_global_func("tvm_callback_cuda_postproc", override=True)
def _source(code: str, _target: Target) -> str:
    if _SEEN and not _SEEN[-1]:
        _SEEN[-1] = str(code)
        raise RuntimeError("nothing is to be compiled by CUDA's compiler")
    return code


@dataclass(frozen=True)
class _Launch:
    """One kernel that the host starts.

    Attributes:
        buffers: names of what it is given.
        extents: of the grid and of its blocks, x, y and z of each.
        shared: bytes of dynamic shared memory.
    """

    kernel: str
    buffers: list[str]
    extents: list[int]
    shared: int


class KernelsOnCpu:
    """The kernels of a scheduled module, ready to be called.

    Args:
        mod: one function "main", as a builder gets it.
        target: a CUDA device, of which only the code is asked for.
        edit: what becomes of the code, such as a fault that is to be found.

    Attributes:
        source: in CUDA, without what it includes.
    """

    def __init__(self, mod: tvm.IRModule, target: Target, edit: Callable[[str], str] = lambda source: source) -> None:
        host, device = _lowered(mod, target)
        self.source = edit(_code(device, target))
        self._params = [str(param.name) for param in mod["main"].params]
        text = host.script()
        aliases = dict(re.findall(r"(\w+) = (?:T\.decl_buffer\(.*, data=)?(\w+)\.(?:data\)|view\()", text))
        self._own = {
            name: np.empty(int(size), dtype or "float32")
            for name, size, dtype in re.findall(r'(\w+) = T\.alloc_buffer\(\((\d+),\)(?:, "(\w+)")?\)', text)
        }
        self._launches = [_launch(call, aliases) for call in re.findall(r"T\.call_ffi_kernel\((.*)\)", text)]
        assert self._launches
        self._folder = tempfile.TemporaryDirectory()
        self._library = _compiled(self.source, Path(self._folder.name))

    def __call__(self, arrays: Sequence[np.ndarray], order: int = 0) -> list[np.ndarray]:
        """What the buffers of the arguments hold afterwards.

        Args:
            arrays: of all arguments; none is changed.
            order: in which the threads of a block take turns: 0 upwards, 1 downwards, others by chance with that seed.

        Raises:
            DivergentBarrierError: a barrier is not reached by all threads.
        """
        zones = {name: _Zoned(array) for name, array in zip(self._params, arrays, strict=True)}
        zones |= {name: _Zoned(np.full_like(array, _poison(array.dtype))) for name, array in self._own.items()}
        for launch in self._launches:
            pointers = (ctypes.c_void_p * len(launch.buffers))(*(zones[name].address for name in launch.buffers))
            extents = (ctypes.c_uint * 6)(*launch.extents)
            run = getattr(self._library, f"run_{launch.kernel}")
            code = run(pointers, extents, ctypes.c_size_t(launch.shared), order)
            assert code in (0, _DIVERGENT), f"{launch.kernel}: {code}"
            if code:
                raise DivergentBarrierError(launch.kernel)
        assert all(zone.is_whole for zone in zones.values()), "a kernel wrote beyond a buffer"
        return [zones[name].array for name in self._params]


class _Zoned:
    """A copy of an array between bytes that have to stay as they are."""

    def __init__(self, array: np.ndarray) -> None:
        begin = 64
        self._bytes = np.full(array.nbytes + 2 * _ZONE + begin, 0xFF, np.uint8)
        shift = -self._bytes.ctypes.data % begin + _ZONE
        self._inside = slice(shift, shift + array.nbytes)
        self.array = self._bytes[self._inside].view(array.dtype).reshape(array.shape)
        self.array[...] = array

    @property
    def address(self) -> int:
        return int(self.array.ctypes.data)

    @property
    def is_whole(self) -> bool:
        outside = self._bytes[: self._inside.start], self._bytes[self._inside.stop :]
        return all((side == 0xFF).all() for side in outside)


def _poison(dtype: np.dtype) -> float:
    return float("nan") if dtype.kind == "f" else 77


def _lowered(mod: tvm.IRModule, target: Target) -> tuple[tvm.IRModule, tvm.IRModule]:
    """The host's part and the device's, as a builder makes them."""
    mod = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod)
    with target, tvm.transform.PassContext(opt_level=3, config={"tirx.disable_assert": True}):
        lower, _, finalize = tvm.tirx.get_tir_pipeline("s_tir")
        host, devices = split_host_device_mods(lower(tvm.tirx.transform.BindTarget(target.with_host("llvm"))(mod)))
        (device,) = devices.values()
        return host, finalize()(device)


def _code(device: tvm.IRModule, target: Target) -> str:
    _SEEN.append("")
    try:
        tvm.get_global_func("target.build.cuda")(device, target)
    except RuntimeError:
        if not _SEEN[-1]:
            raise
    source = _SEEN.pop()
    return source[source.index('extern "C" __global__') :]


def _launch(call: str, aliases: dict[str, str]) -> _Launch:
    given, names = re.fullmatch(r"(.*), launch_params=\[(.*?)\].*", call).groups()
    kernel, *rest = given.split(", ")
    buffers = [part.removesuffix(".data") for part in rest if part.endswith(".data")]
    numbers = [int(re.sub(r"T\.int\d+\((\d+)\)", r"\1", part)) for part in rest[len(buffers) :]]
    values = dict(zip(re.findall(r'"([\w.]+)"', names), numbers, strict=True))
    return _Launch(
        kernel.strip('"'),
        [aliases.get(name, name) for name in buffers],
        [values.pop(axis, 1) for axis in _AXES],
        values.pop("tirx.use_dyn_shared_memory", 0),
    )


def _compiled(source: str, folder: Path) -> ctypes.CDLL:
    body = re.sub(
        r"__shared__ alignas\(\d+\) ([\w ]+?) (\w+)\[(\d+)\];",
        r"static fibers::Shared<\1, \3> \2_shared; \1* \2 = \2_shared.data;",
        source,
    )
    body = re.sub(
        r"extern __shared__ __align__\(\d+\) uchar (\w+)\[\];", r"uchar* \1 = fibers::dynamic_shared();", body
    )
    body = re.sub(r"\bptx_cp_async_legacy_(?:pred_)?c[ag]_(\d+)_(\d+)_(\d+)\(", r"fibers::copy<\1, \2, \3>(", body)
    body = re.sub(r"tvm_builtin_ptx_cp_async_commit_group_\w+\(\)", "fibers::commit_copies()", body)
    body = re.sub(r"tvm_builtin_ptx_cp_async_wait_group_\w+_(\d+)\(\)", r"fibers::wait_for_copies(\1)", body)
    assert "__shared__" not in body and "asm" not in body, body
    entries = []
    for kernel, params in re.findall(r"__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\((.*?)\) \{", body):
        types = [param.replace("__restrict__", "").rsplit(maxsplit=1)[0] for param in params.split(", ")]
        given = ", ".join(f"({kind})given[{at}]" for at, kind in enumerate(types))
        entries.append(
            f"ENTRY int run_{kernel}(void** given, unsigned* extents, size_t shared, int order) {{\n"
            f"  return fibers::launch(extents, shared, order, [](void** given) {{ {kernel}({given}); }}, given);\n}}\n"
        )
    common = Path(_common().name)
    lines = [f'#include "{common / _HEADER.name}"', body, *entries]
    (folder / "kernels.cc").write_text("\n".join(lines), encoding="utf-8")
    library = folder / "kernels.so"
    # what it needs of the C++ library comes with threads.so: to search that one takes as long as to compile a kernel
    command = ["g++", *_FLAGS, "-shared", "-nostdlib", str(folder / "kernels.cc"), str(common / "threads.so"), "-lgcc"]
    command += ["-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr[:3000]}\n{body[:3000]}"
    return ctypes.CDLL(str(library))


@functools.cache
def _common() -> tempfile.TemporaryDirectory:
    """A folder with what every kernel includes, read once, and the library that runs its threads."""
    folder = tempfile.TemporaryDirectory()
    header = Path(folder.name) / _HEADER.name
    shutil.copy(_HEADER, header)
    subprocess.run(["g++", *_FLAGS, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    threads = str(_HEADER.with_suffix(".cc"))
    flags = [flag for flag in _FLAGS if "visibility" not in flag]
    subprocess.run(["g++", *flags, "-shared", threads, "-o", str(header.with_name("threads.so"))], check=True)
    return folder
