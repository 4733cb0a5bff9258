"""Compile CUDA sources with NVRTC or nvcc, whichever is there, on a machine with a GPU or without.

TVM compiles a kernel while it generates code, if its CUDA runtime is loaded, by the function tvm_callback_cuda_compile;
otherwise the library holds the source, to be compiled wherever it is loaded. Ours always hold the finished binary.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pruner_engine.errors import UserError

_HINT = (
    "Install the CUDA toolkit with nvcc and a C++ compiler, or: "
    "pip install cuda-bindings nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl."
)
_DRIVER, _CUDART = "libcuda.so.1", "libcudart.so.13"
# What TVM's generated code includes, in its turn too; in Python packages each comes with another one. The last lies in
# a folder of its own since CUDA 13.
_HEADERS = (("cuda_runtime.h",), ("mma.h",), ("crt/host_defines.h",), ("cuda/std/cstdint", "cccl/cuda/std/cstdint"))
_VERSION = re.compile(r"^#define CUDART_VERSION\s+(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class CudaCompiler:
    """What compiles CUDA sources.

    Attributes:
        kind: nvrtc, a library that compiles within the process, or nvcc.
        version: its own, such as "13.0".
        home: folder of the toolkit: include/ and, for nvcc, bin/.
    """

    kind: Literal["nvrtc", "nvcc"]
    version: str
    home: Path

    def __str__(self) -> str:
        return f"{'NVRTC' if self.kind == 'nvrtc' else 'nvcc'} {self.version}"


@functools.cache
def find_cuda_compiler() -> CudaCompiler:
    """NVRTC where it is installed with the headers that kernels include, else nvcc.

    Raises:
        UserError: there is neither.
    """
    version = _nvrtc_version()
    headers = _headers_of(version) if version else None
    if headers is not None:
        return CudaCompiler("nvrtc", version, headers)
    nvcc = find_nvcc()
    if nvcc is None:
        if version:
            raise UserError(f"NVRTC {version} is there, but not the headers of its CUDA, and no nvcc was found.", _HINT)
        raise UserError("No compiler for CUDA was found: neither NVRTC with its headers nor nvcc.", _HINT)
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        raise UserError("nvcc is there, but not the C++ compiler that it needs.", "Install g++, or NVRTC.")
    return CudaCompiler("nvcc", _nvcc_version(nvcc), nvcc.parents[1])


def find_nvcc() -> Path | None:
    """The nvcc of the likeliest toolkit that has one, whether it is on the path or not."""
    programs = (home / "bin" / "nvcc" for home in _homes())
    return next((program for program in programs if os.access(program, os.X_OK)), None)


def use_cuda_compiler() -> None:
    """Have TVM compile every CUDA kernel of this process as it generates its code; no GPU is touched.

    Call it after TVM was imported, and compile within the scope of the target, which says the architecture.

    Raises:
        UserError: there is no compiler.
    """
    import tvm_ffi

    compiler = find_cuda_compiler()
    os.environ["CUDA_PATH"] = str(compiler.home)  # where TVM looks for headers
    if compiler.kind == "nvcc":
        os.environ["PATH"] = os.pathsep.join([str(compiler.home / "bin"), os.environ.get("PATH", os.defpath)])
    elif (templates := compiler.home / "include" / "cccl").is_dir():
        os.environ["TVM_CUDA_NVRTC_EXTRA_OPTS"] = f"-I{templates}"  # where Python packages keep them
    os.environ["TVM_CUDA_COMPILE_MODE"] = compiler.kind
    import tvm.support.nvcc  # noqa: F401  registers tvm_callback_cuda_compile

    if tvm_ffi.get_global_func("ffi.Module.create.cuda", allow_missing=True) is None:
        _load_runtime()


def _load_runtime() -> None:
    """Load TVM's CUDA runtime where it could not load itself.

    CUDA's own runtime may lie in a Python package, where the system does not look. In the place of a missing driver an
    empty library does: compiling calls no function of it.
    """
    from tvm.base import _LOADED_LIBS

    runtime = Path(_LOADED_LIBS["tvm_runtime"]._name).with_name("libtvm_runtime_cuda.so")
    with tempfile.TemporaryDirectory() as folder:
        driver = _DRIVER if _loads(_DRIVER) else str(_empty_library(Path(folder), _DRIVER))
        # lazily: the driver's functions are missing, and only looked up when called
        dlopen = ctypes.CDLL(None).dlopen
        dlopen.restype, dlopen.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
        dlopen(os.fsencode(driver), os.RTLD_LAZY)
        any(dlopen(os.fsencode(path), os.RTLD_LAZY) for path in _cudart())  # the first that can be loaded here
        loaded = dlopen(os.fsencode(runtime), os.RTLD_LAZY)
    if not loaded:
        raise UserError(f"TVM's CUDA runtime could not be loaded: it needs {_CUDART}.", _HINT)


def _cudart() -> list[str]:
    """CUDA's runtime where it lies in a Python package or a toolkit of which the system's loader was not told."""
    packaged = [library for package in _packages() for library in package.glob(f"*/lib/{_CUDART}")]
    toolkits = [home / folder / _CUDART for home in _homes() for folder in ("lib64", "lib")]
    return [str(library) for library in (*packaged, *toolkits) if library.exists()]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _empty_library(folder: Path, name: str) -> Path:
    """A shared library without a single symbol of its own that answers to `name`."""
    ld = shutil.which("ld")
    if ld is None:
        raise UserError("Compiling for a GPU without a driver needs the linker ld.", "Install binutils.")
    (folder / "nothing").touch()
    commands = (
        ["-r", "-b", "binary", "-o", "nothing.o", "nothing"],
        ["-shared", "-soname", name, "-o", name, "nothing.o"],
    )
    for arguments in commands:
        subprocess.run([ld, *arguments], cwd=folder, check=True, capture_output=True)
    return folder / name


def _homes() -> list[Path]:
    """Folders that may be a CUDA toolkit, the likeliest first."""
    named = [os.environ.get(name, "") for name in ("CUDA_PATH", "CUDA_HOME")]
    nvcc = shutil.which("nvcc")
    found = [Path(name) for name in named if name]
    found += [Path(nvcc).resolve().parents[1]] if nvcc else []
    found += [Path("/usr/local/cuda")]
    return found + [folder for package in _packages() for folder in (package, *package.glob("cu[0-9]*"))]


def _headers_of(version: str) -> Path | None:
    """The likeliest toolkit with headers for NVRTC of a version: the same, else another of its major version.

    A toolkit of an older CUDA may lie beside the Python packages, or the other way round.
    """
    versions = {home: _headers_version(home) for home in _homes() if _has_headers(home)}
    alike = [home for home, found in versions.items() if found.partition(".")[0] == version.partition(".")[0]]
    return next((home for home in alike if versions[home] == version), next(iter(alike), None))


def _has_headers(home: Path) -> bool:
    """Whether all that kernels include is there: of a part of it one would hear only when every build fails."""
    return all(any((home / "include" / name).exists() for name in names) for names in _HEADERS)


def _headers_version(home: Path) -> str:
    """Version of CUDA that the headers of a toolkit belong to, "" where they do not say."""
    try:
        found = _VERSION.search((home / "include" / "cuda_runtime_api.h").read_text("utf-8", errors="replace"))
    except OSError:
        return ""
    return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else ""


def _packages() -> list[Path]:
    """The folders of NVIDIA's Python packages: libraries and headers of the toolkit, without its programs."""
    spec = importlib.util.find_spec("nvidia")
    return [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []


def _nvrtc_version() -> str:
    """Version of the NVRTC that can be called from Python, "" where there is none."""
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None:
        return ""
    try:
        for package in _packages():
            # the second opens the first by its bare name, so that it has to be loaded already
            for pattern in ("*/lib/libnvrtc-builtins.so.*", "*/lib/libnvrtc.so.*"):
                for library in package.glob(pattern):
                    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
        from cuda.bindings import nvrtc

        status, major, minor = nvrtc.nvrtcVersion()
    except Exception:  # whatever a loader raises means that the library is not there, or is another machine's
        return ""
    return f"{major}.{minor}" if int(status) == 0 else ""


def _nvcc_version(nvcc: Path) -> str:
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    return next((word.strip(",") for word in done.stdout.split() if word[0].isdigit() and "." in word), "")
