"""Detect the CPU of this host from what the kernel tells; imports nothing heavy."""

from __future__ import annotations

import functools
import math
import os
import platform
import re
from pathlib import Path

from pruner_engine.processes.affinity import usable_cpus
from pruner_engine.processes.control_groups import MOUNTED, groups_of, membership, said
from pruner_engine.processes.matrix_units import lends_matrix_registers
from pruner_engine.targets.cache_files import caches_told
from pruner_engine.targets.device import COMMON_CACHES, Cache, Device, architecture, fingerprint

# what Linux calls it -> what LLVM calls it; only features that decide which kernels can run or pay
_X86 = {
    "sse4_2": "sse4.2",
    "avx": "avx",
    "avx2": "avx2",
    "fma": "fma",
    "f16c": "f16c",
    "avx512f": "avx512f",
    "avx512bw": "avx512bw",
    "avx512cd": "avx512cd",
    "avx512dq": "avx512dq",
    "avx512vl": "avx512vl",
    "avx512_vnni": "avx512vnni",
    "avx512_bf16": "avx512bf16",
    "avx512_fp16": "avx512fp16",
    "avx_vnni": "avxvnni",
    "amx_tile": "amx-tile",
    "amx_int8": "amx-int8",
    "amx_bf16": "amx-bf16",
}
_ARM = {
    "asimd": "neon",
    "asimddp": "dotprod",
    "asimdhp": "fullfp16",
    "i8mm": "i8mm",
    "bf16": "bf16",
    "sve": "sve",
    "sve2": "sve2",
}
# no part of a description; LLVM takes these, too, from the name of a model, and writes them without being asked
_UNASKED = {
    "abm": "lzcnt",
    "avx512_bitalg": "avx512bitalg",
    "avx512_vbmi2": "avx512vbmi2",
    "avx512_vpopcntdq": "avx512vpopcntdq",
    "avx512ifma": "avx512ifma",
    "avx512vbmi": "avx512vbmi",
    "bmi1": "bmi",
    "bmi2": "bmi2",
    "gfni": "gfni",
    "movbe": "movbe",
    "popcnt": "popcnt",
    "vaes": "vaes",
    "vpclmulqdq": "vpclmulqdq",
}
X86_FEATURES, ARM_FEATURES = tuple(_X86.values()), tuple(_ARM.values())
_ARM_CORES = {0xD0C: "Neoverse N1", 0xD40: "Neoverse V1", 0xD49: "Neoverse N2", 0xD4F: "Neoverse V2"}
_SYS = Path("/sys/devices/system/cpu")
_UNLIMITED = 1 << 16


@functools.cache
def detect_host() -> Device:
    """The CPU that this process runs on, limited to the cores that it may use."""
    info = _cpuinfo()
    arch = architecture(platform.machine())
    flags = _flags(info)
    if "amx_tile" in flags and not lends_matrix_registers():
        flags = {flag for flag in flags if not flag.startswith("amx")}
    features = tuple(sorted(llvm for linux, llvm in {**_X86, **_ARM}.items() if linux in flags))
    cpus = usable_cpus()
    cores, threads = _count(cpus)
    name = _name(info, arch)
    stepping = [info.get(key, "") for key in ("cpu family", "model", "stepping", "CPU part", "CPU revision")]
    return Device(
        kind="cpu",
        name=name,
        fingerprint=fingerprint(arch, name, stepping, features, cores, threads),
        arch=arch,
        cores=cores,
        threads=threads,
        vector_bits=vector_bits(features),
        caches=_caches(cpus),
        features=features,
        memory_bytes=_memory(),
        clock_hz=_clock(info),
    )


def lacking() -> list[str]:
    """LLVM's names of what newer x86 processors have beside the features of a description, and this one has not."""
    flags = _flags(_cpuinfo())
    return [llvm for linux, llvm in _UNASKED.items() if linux not in flags] if _X86.keys() & flags else []


def physical_cores() -> list[list[int]]:
    """The logical CPUs that this process may use, by physical core."""
    found: dict[str, list[int]] = {}
    for cpu in usable_cpus():
        found.setdefault(_core(cpu), []).append(cpu)
    return list(found.values())


def granted_cpus() -> int:
    """Logical CPUs that may be busy at a time: those that this process may use, capped by its control group's quota."""
    return _count(usable_cpus())[1]


def vector_bits(features: tuple[str, ...]) -> int:
    """Width of the widest vector registers that the features promise."""
    if "avx512f" in features:
        return 512
    return 256 if "avx" in features else 128


def _cpuinfo() -> dict[str, str]:
    """The first processor's entry of /proc/cpuinfo, or the same keys from py-cpuinfo elsewhere."""
    try:
        first = Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0]
    except OSError:
        import cpuinfo

        found = cpuinfo.get_cpu_info()
        return {"model name": found.get("brand_raw", ""), "flags": " ".join(found.get("flags", []))}
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())}


def _flags(info: dict[str, str]) -> set[str]:
    return set((info.get("flags") or info.get("Features") or "").split())


def _name(info: dict[str, str], arch: str) -> str:
    if name := info.get("model name"):
        return re.sub(r"\s+", " ", re.sub(r"\((R|TM)\)|CPU @.*", "", name)).strip()
    part = int(info.get("CPU part", "0"), 16)
    return _ARM_CORES.get(part, f"{arch} CPU")


def _count(cpus: list[int]) -> tuple[int, int]:
    """Physical cores and logical CPUs behind `cpus`, capped by the control group's quota."""
    quota = granted(membership())
    return max(1, min(len(set(map(_core, cpus))), quota)), max(1, min(len(cpus), quota))


def _core(cpu: int) -> str:
    """Equal for the logical CPUs of one physical core; where Linux does not tell, each is one."""
    return said(_SYS / f"cpu{cpu}/topology/thread_siblings_list") or str(cpu)


def granted(membership: str, mounted: Path = MOUNTED) -> int:
    """CPUs that a process's control group and those above it grant, rounded up; a large number where there is no limit.

    Arguments as those of `groups_of`.
    """
    return min(_limit(group) for group in groups_of(membership, "cpu", mounted))


def _limit(group: Path) -> int:
    limit, _, period = said(group / "cpu.max").partition(" ")
    if not limit:
        limit, period = said(group / "cpu.cfs_quota_us"), said(group / "cpu.cfs_period_us")
    return math.ceil(int(limit) / int(period)) if limit.isdigit() and period.isdigit() else _UNLIMITED


def _caches(cpus: list[int]) -> tuple[Cache, ...]:
    return caches_told(lambda name: said(_SYS / name), cpus[0], {cpu: _core(cpu) for cpu in cpus}) or COMMON_CACHES


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def _clock(info: dict[str, str]) -> float:
    khz = said(_SYS / "cpu0/cpufreq/cpuinfo_max_freq")
    if khz.isdigit():
        return int(khz) * 1e3
    return float(info.get("cpu MHz") or 0) * 1e6
