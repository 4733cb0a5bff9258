"""Detect NVIDIA GPUs through NVML, the driver's management library: no CUDA context, safe before a fork."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator, Sequence

from pruner_engine.targets.device import Cache, Device, fingerprint

_CLOCK_SM, _CLOCK_MEMORY = 1, 2
# (CUDA cores, maximal resident threads) of one multiprocessor by compute capability
_SM = {(7, 0): (64, 2048), (7, 2): (64, 2048), (7, 5): (64, 1024), (8, 0): (64, 2048), (8, 6): (128, 1536)}
_SM |= {(8, 7): (128, 1536), (8, 9): (128, 1536), (9, 0): (128, 2048), (10, 0): (128, 2048), (12, 0): (128, 1536)}
_SM[10, 3] = (128, 2048)


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


@functools.cache
def detect_gpus() -> list[Device]:
    """The NVIDIA GPUs of this host that CUDA shows to a program; empty where there is no driver.

    In the order of their places on the bus, which NVML keeps to and CUDA is told to keep to, here and in processes that
    are started from here: by itself it begins with the fastest.
    """
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    with _library() as nvml:
        found = [] if nvml is None else list(_devices(nvml))
    return _visible(found, os.environ.get("CUDA_VISIBLE_DEVICES"))


def detect_driver() -> tuple[str, tuple[int, int]]:
    """Version of the NVIDIA driver, "" where there is none, and the newest CUDA that it runs."""
    with _library() as nvml:
        if nvml is None:
            return "", (0, 0)
        text = ctypes.create_string_buffer(80)
        nvml.nvmlSystemGetDriverVersion(text, len(text))
        cuda = _uint(nvml.nvmlSystemGetCudaDriverVersion_v2)
        return text.value.decode(), (cuda // 1000, cuda % 1000 // 10)


@contextlib.contextmanager
def _library() -> Iterator[ctypes.CDLL | None]:
    """NVML ready for use, None where there is no driver."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        yield None
        return
    if nvml.nvmlInit_v2() != 0:
        yield None
        return
    try:
        yield nvml
    finally:
        nvml.nvmlShutdown()


def _visible(found: Sequence[tuple[str, Device]], listed: str | None) -> list[Device]:
    """Those that CUDA_VISIBLE_DEVICES lists, by number or by how the identifier begins, up to the first unknown."""
    if listed is None:
        return [gpu for _, gpu in found]
    chosen: list[Device] = []
    for word in map(str.strip, listed.split(",")):
        if word.startswith("MIG-"):  # a part of one of them, NVML does not say here of which
            return [gpu for _, gpu in found]
        named = word.startswith("GPU-")
        same = [gpu for uuid, gpu in found if (uuid.startswith(word) if named else str(gpu.index) == word)]
        if len(same) != 1:
            break
        chosen += same
    return chosen


def _devices(nvml: ctypes.CDLL) -> Iterator[tuple[str, Device]]:
    """All GPUs, each with its UUID."""
    for index in range(_uint(nvml.nvmlDeviceGetCount_v2)):
        handle = ctypes.c_void_p()
        if nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) != 0:
            continue
        text = ctypes.create_string_buffer(96)
        nvml.nvmlDeviceGetName(handle, text, len(text))
        name = text.value.decode()
        major, minor = ctypes.c_int(), ctypes.c_int()
        nvml.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(major), ctypes.byref(minor))
        cores_per_sm, threads = _SM.get((major.value, minor.value), (128, 1536))
        memory = _Memory()
        nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
        arch = f"sm_{major.value}{minor.value}"
        sms = max(1, _uint(nvml.nvmlDeviceGetNumGpuCores, handle) // cores_per_sm)
        # double data rate: two transfers a clock on every pin of the bus
        bus_bytes = _uint(nvml.nvmlDeviceGetMemoryBusWidth, handle) / 8
        nvml.nvmlDeviceGetUUID(handle, text, len(text))
        yield (
            text.value.decode(),
            Device(
                kind="cuda",
                name=name,
                fingerprint=fingerprint("cuda", name, arch, sms),
                arch=arch,
                cores=sms,
                threads=threads,
                vector_bits=32,
                caches=(Cache(1, 128 << 10, line=128),),
                memory_bytes=memory.total,
                clock_hz=_uint(nvml.nvmlDeviceGetMaxClockInfo, handle, _CLOCK_SM) * 1e6,
                memory_bandwidth=_uint(nvml.nvmlDeviceGetMaxClockInfo, handle, _CLOCK_MEMORY) * 2e6 * bus_bytes,
                index=index,
            ),
        )


def _uint(function: ctypes._NamedFuncPointer, *args: object) -> int:
    """The unsigned result of an NVML query, 0 where the driver does not know."""
    value = ctypes.c_uint()
    return value.value if function(*args, ctypes.byref(value)) == 0 else 0
