#!/usr/bin/env python3
"""Run this bundle. Needs Python 3.10 or later, and the packages that metadata.json lists under "needs". The libraries
of the TVM runtime are those in runtime/ or, where there are none, of the package apache-tvm.

    python run.py                              one inference on random inputs, prints the outputs' shapes
    python run.py --inputs in.npz --outputs out.npz
    python run.py --bench                      latency: median and spread
    python run.py --profile                    time of each kernel

An .npz file holds one array per input or output, under the name that metadata.json gives it.
From Python: `Model(folder).run(array, ...)` gives a list of arrays.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import statistics
import sys
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

DLPACK = {"cpu": 1, "cuda": 2}  # its numbers of the devices
_TVM = "apache-tvm"
_CUDART = "libcudart.so.13"
GRAPH = "vm.builtin.cuda_graph.run_or_capture"
NOT_IN_NUMPY = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_EXISTS, _CAPABILITY = 0, 4  # TVM's numbers of what a device is asked
_POOLED = 2  # the virtual machine keeps freed memory for the next call
# the libraries of TVM's runtime, the second of which has sorts, and a function that each brings along
_CPU = {"libtvm_runtime.so": "runtime.TVMTensorAllocWithScope", "libtvm_runtime_extra.so": "tvm.contrib.sort.argsort"}
# what LLVM calls a feature of an Arm processor -> what Linux calls it
_ARM = {"neon": "asimd", "dotprod": "asimddp", "fullfp16": "asimdhp"}
_RUNTIME = {"cpu": _CPU, "cuda": {**_CPU, "libtvm_runtime_cuda.so": "device_api.cuda"}}


class Model:
    """A tuned model, loaded and ready to run. Threads may share it: they take turns."""

    def __init__(self, folder: str | Path, threads: int | None = None) -> None:
        """Load the library.

        Args:
            folder: the bundle.
            threads: worker threads; None takes TVM_NUM_THREADS or, where that is no number, the one it was tuned with,
                but no more than there are processors here. Fixed for the process by the first model that is loaded.
        """
        folder = Path(folder).resolve()
        self.metadata: dict[str, Any] = json.loads((folder / "metadata.json").read_text("utf-8"))
        _refuse_architecture(self.metadata["device"].get("arch"))
        if threads is None and not os.environ.get("TVM_NUM_THREADS", "").isdecimal():
            threads = min(self.metadata["threads"], _processors())
        if threads is not None:
            os.environ["TVM_NUM_THREADS"] = str(threads)
        # bound to the first processors, threads would share cores where those are siblings, or another program's
        os.environ.setdefault("TVM_BIND_THREADS", "0")
        if missing := missing_features(self.metadata["device"].get("features", ())):
            warnings.warn(
                f"compiled for {', '.join(missing)}, which this processor lacks: it may stop at an illegal instruction",
                stacklevel=2,
            )
        self._ffi = _import_ffi()
        kind = self.metadata["device"]["kind"]
        _load_runtime(self._ffi, folder, kind, self.metadata.get("versions", {}).get(_TVM))
        if kind == "cuda":
            _refuse_gpu(self._ffi, self.metadata["target"]["arch"])
        self._device = self._ffi.device(kind, 0)
        self._library = str(folder / "model.so")
        self._vm = self._machine(graphs=self.metadata.get("graphs", True))
        self._main = self._vm["main"]
        self._turn = threading.Lock()  # a virtual machine carries out one call, and Python's own lock is given up in it
        self._allocate = self._ffi.get_global_func("runtime.TVMTensorAllocWithScope")
        self._fill = self._ffi.get_global_func("runtime.TVMTensorCopyFromBytes")
        self._read = self._ffi.get_global_func("runtime.TVMTensorCopyToBytes")
        self._weights = self._read_weights(folder)

    def run(self, *inputs: np.ndarray) -> list[np.ndarray]:
        """One inference; arrays in the order of metadata.json's inputs, any memory layout."""
        return self.fetch(self.call(self.tensors(inputs)))

    def tensors(self, inputs: Sequence[np.ndarray]) -> list[Any]:
        """Copy arrays to the device.

        Raises:
            ValueError: a shape or a type does not fit what the library was compiled for.
        """
        specs = self.metadata["inputs"]
        if len(inputs) != len(specs):
            wanted = "1 input" if len(specs) == 1 else f"{len(specs)} inputs"
            raise ValueError(f"the model takes {wanted}, not {len(inputs)}")
        return [self._tensor(spec, value) for spec, value in zip(specs, inputs, strict=True)]

    def call(self, tensors: Sequence[Any]) -> Any:
        """Run on device tensors; the result stays on the device."""
        with self._turn:
            return self._main(*tensors, *self._weights)

    def fetch(self, result: Any) -> list[np.ndarray]:
        """Copy outputs to arrays."""
        if isinstance(result, self._ffi.Tensor):
            result = [result]
        return [self._array(tensor) for tensor in result]

    def bench(self, tensors: Sequence[Any], repeats: int) -> list[float]:
        """Seconds of one inference, one value a repeat."""
        wait = self._ffi.get_global_func("runtime.Device_StreamSync")

        def call() -> None:
            self.call(tensors)
            wait(self._device, 0)

        return measure(call, repeats)

    def profile(self, inputs: Sequence[np.ndarray], repeats: int = 5) -> dict[str, dict[str, float]]:
        """Seconds and calls of each function in one inference (median of the repeats), by name."""
        tensors = self.tensors(inputs)
        vm = self._machine(graphs=False)  # its own, since an instrument stays; within a graph kernels cannot be watched
        vm["main"](*tensors, *self._weights)
        synchronize = self._ffi.get_global_func("runtime.Device_StreamSync")
        watch = _Watch((lambda: synchronize(self._device, 0)) if self._on_gpu else lambda: None)
        vm["set_instrument"](self._ffi.convert(watch.see))
        for _ in range(repeats):
            watch.begin()
            vm["main"](*tensors, *self._weights)
        return {
            name: {"seconds": statistics.median(sum(run[name]) for run in watch.runs), "calls": len(calls)}
            for name, calls in watch.runs[0].items()
        }

    def _machine(self, *, graphs: bool = True) -> Any:
        """The library in a virtual machine of its own; on a GPU what graphs stand for may be called one by one."""
        recorded = self._ffi.get_global_func(GRAPH, allow_missing=True)
        if recorded is not None and not graphs:
            invoke = self._ffi.get_global_func("vm.builtin.invoke_closure")
            self._ffi.register_global_func(
                GRAPH, lambda machine, part, given, *_: invoke(machine, part, *given), override=True
            )
        try:
            vm = self._ffi.load_module(self._library)["vm_load_executable"]()
            devices = [int(self._device.dlpack_device_type()), 0, _POOLED]
            vm["vm_initialization"](*devices, *([DLPACK["cpu"], 0, _POOLED] if self._on_gpu else []))
        finally:
            if recorded is not None and not graphs:
                self._ffi.register_global_func(GRAPH, recorded, override=True)
        return vm

    @property
    def _on_gpu(self) -> bool:
        return bool(self._device.dlpack_device_type() != DLPACK["cpu"])

    def _tensor(self, spec: dict[str, Any], value: np.ndarray) -> Any:
        value, shape = _as_specified(np.asarray(value), spec), tuple(spec["shape"])
        if value.shape != shape:
            raise ValueError(f"input {spec['name']} has the shape {list(value.shape)}, compiled for {list(shape)}")
        return self._on_device(shape, spec["dtype"], np.ascontiguousarray(value))

    def _on_device(self, shape: tuple[int, ...], dtype: str, data: np.ndarray) -> Any:
        # TVM's own allocation: kernels rely on 64-byte alignment, which numpy does not promise
        tensor = self._allocate(self._ffi.Shape(shape), self._ffi.dtype(dtype), self._device, None)
        self._fill(tensor, ctypes.c_void_p(data.ctypes.data), data.nbytes)
        return tensor

    def _read_weights(self, folder: Path) -> list[Any]:
        """The weights that stand beside the library, in the order in which it takes them."""
        beside = self.metadata.get("weights")
        if not beside:
            return []
        data = np.memmap(folder / beside["file"], np.uint8, "r")
        weights = []
        for spec in beside["tensors"]:
            shape, begin = tuple(spec["shape"]), spec["offset"]
            end = begin + math.prod(shape) * _numpy_dtype(spec["dtype"]).itemsize
            if end > len(data):
                raise ValueError(f"{beside['file']} is too short")
            weights.append(self._on_device(shape, spec["dtype"], data[begin:end]))
        return weights

    def _array(self, tensor: Any) -> np.ndarray:
        out = np.empty(tuple(int(d) for d in tensor.shape), _numpy_dtype(str(tensor.dtype)))
        self._read(tensor, ctypes.c_void_p(out.ctypes.data), out.nbytes)
        return out


class _Watch:
    """Times the functions that a virtual machine calls, as its instrument.

    What passes between two calls is the cost of watching, which depends on their arguments: it is taken off.

    Args:
        wait: until the device has done all that it was given.

    Attributes:
        runs: of each inference the seconds of every call, by the function's name.
    """

    def __init__(self, wait: Callable[[], None]) -> None:
        self.runs: list[dict[str, list[float]]] = []
        self._wait = wait
        self._left = self._watching = 0.0  # when the instrument was left last, and what that cost before the call

    def begin(self) -> None:
        """Begin an inference."""
        self.runs.append({})
        self._left = time.perf_counter()

    def see(self, _function: Any, name: str, before: bool, *_: Any) -> int:
        """Called by the virtual machine before and after each call; 0 lets it go on."""
        if str(name) == GRAPH:  # stands for the kernels in it
            return 0
        self._wait()
        lasted = time.perf_counter() - self._left
        if before:
            self._watching = lasted
        else:
            self.runs[-1].setdefault(str(name), []).append(max(0.0, lasted - self._watching))
        self._left = time.perf_counter()
        return 0


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _architecture() -> str:
    """Of the processor, by the name that metadata.json has for it."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def _refuse_architecture(wanted: str | None) -> None:
    """Raises SystemExit where the library is of another kind of processor: the system's loader has no words for it."""
    here = _architecture()
    if wanted and here and wanted != here:
        raise SystemExit(f"This bundle is for {wanted} processors, and this one is {here}: copy it to such a machine.")


def _refuse_gpu(ffi: Any, wanted: str) -> None:
    """Raises SystemExit where the first GPU does not load machine code of an architecture, such as sm_90a.

    It loads that of its own generation and no later one; with an "a" of its own alone.
    """
    attribute = ffi.get_global_func("runtime.GetDeviceAttr")
    if not attribute(DLPACK["cuda"], 0, _EXISTS):
        raise SystemExit(f"No NVIDIA GPU with a driver of CUDA 13 answers here, and this bundle is for one ({wanted}).")
    (major, minor), code = attribute(DLPACK["cuda"], 0, _CAPABILITY).split("."), "".join(filter(str.isdigit, wanted))
    if code != major + minor and (wanted.endswith("a") or code[:-1] != major or code[-1] > minor):
        choice = "tune for it, or let CUDA_VISIBLE_DEVICES choose another"
        raise SystemExit(f"This bundle is for a GPU of {wanted}, and the first here is of sm_{major}{minor}: {choice}.")


def missing_features(needed: Sequence[str], cpuinfo: str | Path = "/proc/cpuinfo") -> list[str]:
    """Which of LLVM's names of features this processor lacks; none where the system does not tell."""
    arm = _architecture() == "aarch64"
    try:
        lines = Path(cpuinfo).read_text("utf-8").splitlines()
    except OSError:
        return []
    # an emulated processor may read here of the one that emulates it, which has lines of another name
    told = (line.partition(":")[2].split() for line in lines if line.startswith("Features" if arm else "flags"))
    flags = next(told, None)
    if flags is None:
        return []
    if arm:
        return [name for name in needed if _ARM.get(name, name) not in flags]
    # Linux says avx512_vnni and sse4_2 where LLVM says avx512vnni and sse4.2
    known = {flag.replace("_", "") for flag in flags}
    return [name for name in needed if name.replace(".", "").replace("-", "") not in known]


def measure(
    call: Callable[[], Any], repeats: int, at_least_s: float = 0.02, warm_up_s: float = 0.2, at_most_s: float = 10.0
) -> list[float]:
    """Seconds a call, one value a repeat of `at_least_s` or one call; none begins after `at_most_s`, but the first."""
    spent, calls = 0.0, 0
    while (calls < 2 and spent < at_most_s) or (spent < warm_up_s and calls < 1000):
        started = time.perf_counter()
        call()
        spent += time.perf_counter() - started
        calls += 1
    number = max(1, round(at_least_s * calls / max(spent, 1e-9)))
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in range(number):
            call()
        lasted = time.perf_counter() - started
        seconds.append(lasted / number)
        spent += lasted
        if spent > at_most_s:
            break
    return seconds


def random_inputs(specs: Sequence[dict[str, Any]], seed: int = 0) -> list[np.ndarray]:
    """Arrays for specifications: normal floats; 0 and 1 for whole numbers, which are valid ids, masks and flags."""
    generator = np.random.default_rng(seed)
    arrays = []
    for spec in specs:
        dtype = _numpy_dtype(spec["dtype"])
        integral = spec["dtype"].startswith(("int", "uint", "bool"))
        values = generator.integers(0, 2, spec["shape"]) if integral else generator.standard_normal(spec["shape"])
        arrays.append(np.asarray(values).astype(dtype))
    return arrays


def read_arrays(path: str | Path, specs: Sequence[dict[str, Any]]) -> list[np.ndarray]:
    """Arrays of an .npz file in the order and the types of the specifications.

    Raises:
        KeyError: one is not there.
        ValueError, EOFError, OSError, zipfile.BadZipFile: it is no such file.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):  # numpy takes what it does not know for a pickle
        raise ValueError(f"{path} is not an .npz file") from None
    if isinstance(loaded, np.ndarray):
        raise ValueError(f"{path} is a single array, not an .npz file of arrays with names")
    with loaded as archive:
        if missing := [spec["name"] for spec in specs if spec["name"] not in archive.files]:
            raise KeyError(f"{missing[0]}. It has {', '.join(archive.files) or 'none'}.")
        return [_as_specified(archive[spec["name"]], spec) for spec in specs]


def _as_specified(array: np.ndarray, spec: dict[str, Any]) -> np.ndarray:
    """An array in the type of a specification, where that costs no more than digits."""
    dtype = _numpy_dtype(spec["dtype"])
    if array.dtype.type is np.void:  # types that numpy does not know itself are read back as raw bytes
        return array.view(dtype)
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError(f"input {spec['name']} has the type {array.dtype}, compiled for {dtype}")
    return array.astype(dtype, copy=False)


def write_arrays(path: str | Path, specs: Sequence[dict[str, Any]], arrays: Sequence[np.ndarray]) -> None:
    """Write arrays under the names of the specifications."""
    with zipfile.ZipFile(path, "w") as archive:  # as numpy.savez does, which takes no array called "file"
        for spec, value in zip(specs, arrays, strict=True):
            with archive.open(f"{spec['name']}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(value), allow_pickle=False)


def _numpy_dtype(name: str) -> np.dtype:
    if name in NOT_IN_NUMPY:
        try:
            import ml_dtypes
        except ImportError:
            raise SystemExit(f"The package ml_dtypes, which has {name}, is missing: pip install ml_dtypes") from None
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def _import_ffi() -> Any:
    # tvm_ffi imports torch where it is installed, which takes seconds and is not needed here
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import tvm_ffi
    except ImportError:
        raise SystemExit("The package apache-tvm-ffi is missing: pip install apache-tvm-ffi") from None
    finally:
        if hidden:
            del sys.modules["torch"]
    return tvm_ffi


def _load_runtime(ffi: Any, folder: Path, kind: str, version: str | None) -> None:
    """Load the TVM runtime: from the bundle, or from an installed `tvm` package.

    A process that loads it twice is aborted: what another bundle or `import tvm` has loaded stays, and the package's
    own comes first where it is of the bundle's version, since `import tvm` may still follow.
    """
    folders, own = [folder / "runtime"], _installed_version()
    exactly = f"{_TVM}=={version}" if version else _TVM
    installed = importlib.util.find_spec("tvm")
    if installed is not None and installed.submodule_search_locations:
        package = Path(installed.submodule_search_locations[0]) / "lib"
        folders.insert(0 if own == version else 1, package)
        if own != version and not folders[0].is_dir():
            text = f"compiled with {exactly}, and {own} is installed here: if it fails, pip install {exactly}"
            warnings.warn(text, stacklevel=3)
    if kind == "cuda":
        _load_cudart()
    for name, function in _RUNTIME[kind].items():
        if ffi.get_global_func(function, allow_missing=True) is not None:
            continue
        found = next((place / name for place in folders if (place / name).is_file()), None)
        if found is None:
            raise SystemExit(f"{name} is missing: put it into {folder / 'runtime'} or pip install {exactly}")
        try:
            ctypes.CDLL(str(found), ctypes.RTLD_GLOBAL)
        except OSError as error:
            needed = f" It needs an NVIDIA driver and {_CUDART} of CUDA 13." if "cuda" in name else ""
            raise SystemExit(f"{name} cannot be loaded: {error}.{needed}") from None


def _installed_version() -> str | None:
    try:
        return importlib.metadata.version(_TVM)
    except importlib.metadata.PackageNotFoundError:
        return None


def _load_cudart() -> None:
    """Load CUDA's runtime, also from where the system's loader does not look; TVM's names it if it is nowhere.

    Of several GPUs the first on the bus is meant, as while it was tuned; by itself CUDA begins with the fastest.
    """
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    found = importlib.util.find_spec("nvidia")  # the Python packages of CUDA's libraries
    packages = [Path(place) for place in (found.submodule_search_locations or [])] if found else []
    homes = [Path(os.environ[name]) for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)]
    folders = [folder for package in packages for folder in sorted(package.glob("*/lib"))]
    folders += [home / "lib64" for home in (*homes, Path("/usr/local/cuda"))]
    for path in (_CUDART, *(str(folder / _CUDART) for folder in folders)):
        try:
            ctypes.CDLL(path)
        except OSError:
            continue
        return


def main() -> int:
    options = _options()
    try:
        model = Model(options.bundle, options.threads)
    except (OSError, ValueError, KeyError, RuntimeError) as error:  # TVM raises the last
        told = " ".join(str(error).strip().splitlines()[:1])
        raise SystemExit(f"{options.bundle} is not a bundle that can be loaded: {told}") from None
    inputs, tensors = _inputs(model, options.inputs)
    outputs = model.fetch(model.call(tensors))
    specs = model.metadata["outputs"]
    if options.outputs:
        try:
            write_arrays(options.outputs, specs, outputs)
        except OSError as error:
            raise SystemExit(f"the outputs cannot be written: {error}") from None
    report: dict[str, Any] = {
        "threads": int(os.environ["TVM_NUM_THREADS"]),
        "outputs": [{**spec, "shape": list(o.shape)} for spec, o in zip(specs, outputs, strict=True)],
    }
    if options.bench:
        report["repeats"] = model.bench(tensors, options.repeats)
        report["seconds"] = statistics.median(report["repeats"])
    if options.profile:
        report["kernels"] = model.profile(inputs)
    sys.stdout.write((json.dumps(report) if options.json else _text(report)) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run a tuned model.")
    parser.add_argument("--bundle", default=Path(__file__).parent, help="folder of the bundle")
    parser.add_argument("--inputs", help=".npz with the inputs; random ones without")
    parser.add_argument("--outputs", help=".npz to write the outputs to")
    parser.add_argument("--threads", type=_count, help="worker threads")
    parser.add_argument("--bench", action="store_true", help="measure the latency")
    parser.add_argument("--repeats", type=_count, default=20, help="repeats of --bench")
    parser.add_argument("--profile", action="store_true", help="measure each kernel")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _inputs(model: Model, file: str | None) -> tuple[list[np.ndarray], list[Any]]:
    """Arrays of a file, or random ones, and what they are on the device."""
    specs = model.metadata["inputs"]
    try:
        inputs = read_arrays(file, specs) if file else random_inputs(specs)
        return inputs, model.tensors(inputs)
    except KeyError as error:
        raise SystemExit(f"{file} lacks an input: {error.args[0]}") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise SystemExit(f"these inputs cannot be used: {error}") from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a number of 1 or more")
    return int(text)


def _text(report: dict[str, Any]) -> str:
    lines = [f"output {o['name']}: {o['shape']} {o['dtype']}" for o in report["outputs"]]
    if "seconds" in report:
        ordered = [f"{s * 1e3:.3f}" for s in (min(report["repeats"]), report["seconds"], max(report["repeats"]))]
        threads = "1 thread" if report["threads"] == 1 else f"{report['threads']} threads"
        lines.append(f"latency: {ordered[1]} ms median ({ordered[0]} to {ordered[2]}), {threads}")
    kernels = sorted(report.get("kernels", {}).items(), key=lambda item: -item[1]["seconds"])
    lines += [f"{k['seconds'] * 1e3:10.3f} ms {k['calls']:5} x  {name}" for name, k in kernels]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
