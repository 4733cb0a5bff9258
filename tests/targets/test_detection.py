"""Detection tells what this machine has, without TVM."""

import contextlib
import os
import subprocess
import sys

import psutil
import pytest

from pruner_engine.processes import memory
from pruner_engine.processes.child import environment
from pruner_engine.targets import Device, cpu, detect_gpus, detect_host
from pruner_engine.targets import gpu as gpus
from pruner_engine.targets.cpu import vector_bits


def test_host_is_plausible():
    host = detect_host()
    assert host.kind == "cpu"
    assert 1 <= host.cores <= host.threads
    assert host.vector_bits == vector_bits(host.features)
    assert host.name and host.memory_bytes > 1 << 28
    sizes = [cache.bytes for cache in host.caches]
    assert sizes == sorted(sizes) and [c.level for c in host.caches] == sorted(c.level for c in host.caches)


@pytest.mark.parametrize(("told", "shared"), [(True, [1, 1, 2]), (False, [2, 2, 4])], ids=["told", "hidden"])
def test_caches_are_shared_by_cores_not_by_their_threads(tmp_path, monkeypatch, told, shared):
    """Two cores of two threads each; where a hypervisor hides that, each thread counts as a core."""
    for n in range(4):
        both = f"{n % 2},{n % 2 + 2}"
        files = {"topology/thread_siblings_list": both if told else ""}
        for index, cpus in enumerate([both, both, "0-3"]):
            about = {"level": index + 1, "size": "64K", "type": "Unified", "shared_cpu_list": cpus}
            files |= {f"cache/index{index}/{key}": str(value) for key, value in about.items()}
        for name, text in files.items():
            path = tmp_path / f"cpu{n}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    monkeypatch.setattr(cpu, "_SYS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    assert [cache.shared_by for cache in detect_host.__wrapped__().caches] == shared


@pytest.mark.parametrize(
    ("membership", "files", "cpus"),
    [
        ("0::/", {"cpu.max": "150000 100000"}, 2),
        ("0::/u/run.scope", {"u/run.scope/cpu.max": "max 100000", "u/cpu.max": "300000 100000"}, 3),
        ("0::/a/b", {"a/b/cpu.max": "100000 100000", "a/cpu.max": "300000 100000"}, 1),
        ("3:cpuset:/x\n2:cpu,cpuacct:/x", {"cpu/x/cpu.cfs_quota_us": "250000", "cpu/x/cpu.cfs_period_us": "100000"}, 3),
        ("0::/a", {"a/cpu.max": "max 100000"}, 1 << 16),
    ],
    ids=["a container's", "the one above", "the smallest", "version 1", "no limit"],
)  # fmt: skip
def test_the_smallest_quota_of_all_control_groups_counts(tmp_path, membership, files, cpus):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpu.granted(membership, tmp_path) == cpus


@pytest.mark.parametrize(
    ("membership", "files", "limits"),
    [
        ("0::/", {"memory.max": "4294967296"}, [1 << 32]),
        ("0::/u/run.scope", {"u/run.scope/memory.max": "max", "u/memory.max": "1024"}, [1024]),
        ("2:memory:/x", {"memory/x/memory.limit_in_bytes": "2048"}, [2048]),
        ("0::/a", {}, []),
    ],
    ids=["a container's", "the one above", "version 1", "no limit"],
)
def test_so_do_all_limits_of_memory(tmp_path, membership, files, limits):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert set(memory.granted(membership, tmp_path)) == set(limits)


def test_memory_is_the_machines_where_nothing_is_limited(tmp_path):
    assert memory.memory_bytes(tmp_path) == psutil.virtual_memory().total  # most desktops
    (tmp_path / "memory.max").write_text(str(1 << 20))
    assert memory.memory_bytes(tmp_path) == 1 << 20


def test_detection_imports_neither_tvm_nor_torch_and_agrees_between_processes():
    code = (
        "import sys; from pruner_engine.targets import detect_host, detect_gpus; detect_gpus();"
        "assert not {'tvm', 'torch', 'numpy'} & set(sys.modules); print(detect_host().fingerprint)"
    )
    told = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert told.stdout.strip() == detect_host().fingerprint


@pytest.mark.parametrize(
    ("listed", "seen"),
    [
        (None, [0, 1, 2]),
        ("", []),
        ("-1", []),
        ("2, 0", [2, 0]),
        ("1,7,0", [1]),
        ("GPU-b", [1]),
        ("GPU-", []),
        ("MIG-1", [0, 1, 2]),
    ],
)
def test_only_gpus_that_cuda_shows_are_detected(monkeypatch, listed, seen):
    known = [
        (f"GPU-{letter}0", Device("cuda", letter, letter, "sm_90", 132, 2048, 32, index=index))
        for index, letter in enumerate("abc")
    ]
    monkeypatch.setattr(gpus, "_devices", lambda nvml: known)
    if listed is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    monkeypatch.setattr(gpus, "_library", lambda: contextlib.nullcontext(object()))
    assert [found.index for found in gpus.detect_gpus.__wrapped__()] == seen


def test_gpus_are_cuda_devices_with_an_architecture():
    for gpu in detect_gpus():
        assert gpu.kind == "cuda" and gpu.arch.startswith("sm_") and gpu.cores > 0 and gpu.memory_bytes > 0


@pytest.mark.parametrize("lent", [True, False])
def test_matrix_units_whose_registers_are_not_lent_are_none(monkeypatch, lent):
    known = cpu._cpuinfo()
    flags = f"{known.get('flags', '')} amx_tile amx_int8"
    monkeypatch.setattr(cpu, "_cpuinfo", lambda: {**known, "flags": flags})
    monkeypatch.setattr(cpu, "lends_matrix_registers", lambda: lent)
    found = cpu.detect_host.__wrapped__().features
    assert {"amx-tile" in found, "amx-int8" in found} == {lent}


def test_no_registers_are_lent_that_the_processor_lacks():
    """Asked in a process of its own, since what is lent stays; a sandbox may lend none."""
    code = "from pruner_engine.processes.matrix_units import *; print(lends_matrix_registers())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() in ("False", str("amx_tile" in cpu._cpuinfo().get("flags", "").split()))
