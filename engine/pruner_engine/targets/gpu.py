"""Detect NVIDIA GPUs through NVML, the driver's management library: no CUDA context, safe before a fork."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pruner_engine.targets.device import Cache, Device, fingerprint
from pruner_engine.targets.multiprocessors import multiprocessor

#: the CUDA that TVM's runtime is built for, the first driver that runs it, and the oldest generation that it runs on
CUDA, DRIVER, GENERATION = (13, 0), "580", 75
_CLOCK_SM, _CLOCK_MEMORY = 1, 2
_SLICE = "MIG-"  # how the identifiers of a GPU's slices begin


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Attributes(ctypes.Structure):
    """How much of its GPU a slice has."""

    _fields_ = (("multiprocessors", ctypes.c_uint), ("others", ctypes.c_uint * 7), ("megabytes", ctypes.c_ulonglong))


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


@functools.cache
def detect_driver() -> tuple[str, tuple[int, int]]:
    """Version of the NVIDIA driver, "" where there is none, and the newest CUDA that it runs, (0, 0) if untold."""
    with _library() as nvml:
        if nvml is None:
            return "", (0, 0)
        text = ctypes.create_string_buffer(80)
        _ask(nvml, "nvmlSystemGetDriverVersion", text, len(text))
        cuda = _uint(nvml, "nvmlSystemGetCudaDriverVersion_v2")
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
    """Those that CUDA_VISIBLE_DEVICES lists, by number or by how the identifier begins, up to the first unknown.

    A program sees one slice of a GPU that is shared out (MIG) and nothing beside it: the first, unless one is named.
    """
    whole = [(uuid, gpu) for at, (uuid, gpu) in enumerate(found) if gpu.index not in [g.index for _, g in found[:at]]]
    chosen: list[tuple[str, Device]] = whole if listed is None else []
    for word in map(str.strip, listed.split(",") if listed is not None else ()):
        if word.startswith(_SLICE):
            same = [(uuid, gpu) for uuid, gpu in found if uuid.startswith(word)]
            if not same:  # an older way to name one, or nobody may know its name here
                return [gpu for _, gpu in whole]
        elif word.startswith("GPU-"):
            same = [(uuid, gpu) for uuid, gpu in whole if uuid.startswith(word)]
        else:
            same = [(uuid, gpu) for uuid, gpu in whole if str(gpu.index) == word]
        if len(same) != 1:
            break
        chosen += same
    sliced = bool(chosen) and chosen[0][0].startswith(_SLICE)
    return [gpu for _, gpu in (chosen[:1] if sliced else chosen)]


def _devices(nvml: ctypes.CDLL) -> Iterator[tuple[str, Device]]:
    """All GPUs, each with its UUID; of one that is shared out, its slices."""
    for index in range(_uint(nvml, "nvmlDeviceGetCount_v2")):
        handle = ctypes.c_void_p()
        if not _ask(nvml, "nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle)):
            continue
        gpu = _device(nvml, handle, index)
        yield from list(_slices(nvml, handle, gpu)) or [(_text(nvml, "nvmlDeviceGetUUID", handle), gpu)]


def _device(nvml: ctypes.CDLL, handle: ctypes.c_void_p, index: int) -> Device:
    major, minor, memory = ctypes.c_int(), ctypes.c_int(), _Memory()
    _ask(nvml, "nvmlDeviceGetCudaComputeCapability", handle, ctypes.byref(major), ctypes.byref(minor))
    each = multiprocessor(10 * major.value + minor.value)
    _ask(nvml, "nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
    name, arch = _text(nvml, "nvmlDeviceGetName", handle), f"sm_{major.value}{minor.value}"
    sms = max(1, _uint(nvml, "nvmlDeviceGetNumGpuCores", handle) // each.lanes)
    # double data rate: two transfers a clock on every pin of the bus
    bus_bytes = _uint(nvml, "nvmlDeviceGetMemoryBusWidth", handle) / 8
    return Device(
        kind="cuda",
        name=name,
        fingerprint=fingerprint("cuda", name, arch, sms),
        arch=arch,
        cores=sms,
        threads=each.threads,
        vector_bits=32,
        caches=(Cache(1, 128 << 10, line=128),),
        memory_bytes=memory.total,
        clock_hz=_uint(nvml, "nvmlDeviceGetMaxClockInfo", handle, _CLOCK_SM) * 1e6,
        memory_bandwidth=_uint(nvml, "nvmlDeviceGetMaxClockInfo", handle, _CLOCK_MEMORY) * 2e6 * bus_bytes,
        index=index,
    )


def _slices(nvml: ctypes.CDLL, handle: ctypes.c_void_p, gpu: Device) -> Iterator[tuple[str, Device]]:
    """The parts that a GPU is divided into (MIG), each of which programs take for a GPU; none of one that is not."""
    now, later = ctypes.c_uint(), ctypes.c_uint()
    if not _ask(nvml, "nvmlDeviceGetMigMode", handle, ctypes.byref(now), ctypes.byref(later)) or not now.value:
        return
    for at in range(_uint(nvml, "nvmlDeviceGetMaxMigDeviceCount", handle)):
        part, told = ctypes.c_void_p(), _Attributes()
        if not _ask(nvml, "nvmlDeviceGetMigDeviceHandleByIndex", handle, at, ctypes.byref(part)):
            continue
        if not _ask(nvml, "nvmlDeviceGetAttributes_v2", part, ctypes.byref(told)):
            continue
        name, memory = _text(nvml, "nvmlDeviceGetName", part), told.megabytes << 20
        yield (
            _text(nvml, "nvmlDeviceGetUUID", part),
            replace(
                gpu,
                name=name,
                fingerprint=fingerprint("cuda", name, gpu.arch, told.multiprocessors),
                cores=told.multiprocessors,
                memory_bytes=memory,
                memory_bandwidth=gpu.memory_bandwidth * memory / (gpu.memory_bytes or memory),
            ),
        )


def _ask(nvml: ctypes.CDLL, function: str, *args: object) -> bool:
    """Whether NVML answers; some systems' knows fewer functions."""
    asked = getattr(nvml, function, None)
    return asked is not None and asked(*args) == 0


def _text(nvml: ctypes.CDLL, function: str, handle: ctypes.c_void_p) -> str:
    text = ctypes.create_string_buffer(96)
    _ask(nvml, function, handle, text, len(text))
    return text.value.decode(errors="replace")


def _uint(nvml: ctypes.CDLL, function: str, *args: object) -> int:
    """The unsigned result of an NVML query, 0 where the driver does not know."""
    value = ctypes.c_uint()
    return value.value if _ask(nvml, function, *args, ctypes.byref(value)) else 0
