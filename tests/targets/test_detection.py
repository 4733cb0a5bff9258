"""Detection tells what this machine has, without TVM."""

import subprocess
import sys

from pruner_engine.child import environment
from pruner_engine.targets import detect_gpus, detect_host
from pruner_engine.targets.cpu import vector_bits


def test_host_is_plausible():
    host = detect_host()
    assert host.kind == "cpu"
    assert 1 <= host.cores <= host.threads
    assert host.vector_bits == vector_bits(host.features)
    assert host.name and host.memory_bytes > 1 << 28
    sizes = [cache.bytes for cache in host.caches]
    assert sizes == sorted(sizes) and [c.level for c in host.caches] == sorted(c.level for c in host.caches)


def test_detection_imports_neither_tvm_nor_torch_and_agrees_between_processes():
    code = (
        "import sys; from pruner_engine.targets import detect_host, detect_gpus; detect_gpus();"
        "assert not {'tvm', 'torch', 'numpy'} & set(sys.modules); print(detect_host().fingerprint)"
    )
    told = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert told.stdout.strip() == detect_host().fingerprint


def test_gpus_are_cuda_devices_with_an_architecture():
    for gpu in detect_gpus():
        assert gpu.kind == "cuda" and gpu.arch.startswith("sm_") and gpu.cores > 0 and gpu.memory_bytes > 0
