"""What the driver's management library is asked, and what is made of the answers of an H100."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from pruner_engine.processes.child import environment

# The functions of NVML that detection calls, with their types in NVIDIA's header; `cores` is what some drivers hide
NVML = """
#include <string.h>
typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned processors, others[7]; unsigned long long megabytes; } Part;
static int device, parts[2];
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned length) { strncpy(text, "580.159.04", length); return 0; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) { *handle = &device; return index != 0; }
int nvmlDeviceGetMigMode(void *handle, unsigned *now, unsigned *later) {
  *now = *later = SLICED;
  return handle != &device;
}
int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count) { *count = 7; return handle != &device; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **part) {
  *part = parts + index / 3;  // some numbers are not taken
  return index % 3 || index / 3 > 1 ? 6 : handle != &device;
}
int nvmlDeviceGetAttributes_v2(void *handle, Part *part) {
  part->processors = handle == parts ? 60 : 16, part->megabytes = handle == parts ? 40448 : 9984;
  return handle != parts && handle != parts + 1;
}
int nvmlDeviceGetName(void *handle, char *text, unsigned length) {
  if (handle == parts || handle == parts + 1) {
    strncpy(text, handle == parts ? "NVIDIA H100 80GB HBM3 MIG 3g.40gb" : "NVIDIA H100 80GB HBM3 MIG 1g.10gb", length);
    return 0;
  }
  if (handle != &device) return 2;
  strncpy(text, "NVIDIA H100 80GB HBM3", length);
  return 0;
}
int nvmlDeviceGetUUID(void *handle, char *text, unsigned length) {
  strncpy(text, handle == parts ? "MIG-aaaa" : handle == parts + 1 ? "MIG-bbbb" : "GPU-1111", length);
  return handle != parts && handle != parts + 1 && handle != &device;
}
int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor) {
  *major = 9, *minor = 0;
  return handle != &device;
}
int nvmlDeviceGetMemoryInfo(void *handle, Memory *memory) {
  memory->total = 85520809984ull, memory->free = 85017493504ull, memory->used = 503316480ull;
  return handle != &device;
}
int nvmlDeviceGetNumGpuCores(void *handle, unsigned *cores) { *cores = 16896; return HIDDEN ? 3 : handle != &device; }
int nvmlDeviceGetMemoryBusWidth(void *handle, unsigned *bits) { *bits = 5120; return handle != &device; }
int nvmlDeviceGetMaxClockInfo(void *handle, int kind, unsigned *megahertz) {
  *megahertz = kind == 1 ? 1980 : kind == 2 ? 2619 : 0;
  return handle != &device;
}
"""
CODE = """
import json
from pruner_engine.targets.gpu import detect_driver, detect_gpus
told = {"driver": detect_driver(), "gpus": [gpu.as_json() for gpu in detect_gpus()]}
if PROFILE:
    from pruner_engine.tvm_import import import_tvm
    import_tvm()
    from pruner_engine.targets.profiling import known_profile
    from pruner_engine.targets.target import resolve_target
    target = resolve_target("cuda")
    told |= {"target": target.export(), "profile": known_profile(target).profile.as_json()}
print(json.dumps(told, default=lambda value: dict(value) if hasattr(value, "items") else list(value)))
"""


def told(folder, *, hidden=False, profile=False, sliced=False, visible=None, lacks="nothing"):
    """What a process says that finds such a driver."""
    compiler = shutil.which("cc") or shutil.which("g++")
    if compiler is None or sys.platform != "linux":
        pytest.skip("no C compiler")
    source = folder / "nvml.c"
    source.write_text(
        NVML.replace("HIDDEN", str(int(hidden))).replace("SLICED", str(int(sliced))).replace(lacks, "none")
    )
    command = [compiler, "-x", "c", "-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1", "-o"]
    subprocess.run([*command, folder / "libnvidia-ml.so.1", source], check=True)
    env = environment(LD_LIBRARY_PATH=str(folder), XDG_CACHE_HOME=str(folder))
    env = {name: value for name, value in env.items() if name != "CUDA_VISIBLE_DEVICES"}
    env |= {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    code = CODE.replace("PROFILE", str(profile))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="a real one is here")  # noqa: PTH110
@pytest.mark.parametrize("hidden", [False, True])
def test_an_h100_is_detected(tmp_path, hidden):
    found = told(tmp_path, hidden=hidden)
    assert found["driver"] == ["580.159.04", [13, 0]]
    (gpu,) = found["gpus"]
    assert (gpu["name"], gpu["arch"], gpu["memory_bytes"]) == ("NVIDIA H100 80GB HBM3", "sm_90", 85520809984)
    assert gpu["cores"] == (1 if hidden else 132)
    assert gpu["clock_hz"] == pytest.approx(1.98e9) and gpu["memory_bandwidth"] == pytest.approx(3.352e12, rel=1e-3)


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="a real one is here")  # noqa: PTH110
def test_it_is_tuned_for_what_it_is(tmp_path):
    found = told(tmp_path, hidden=True, profile=True)
    target = found["target"]
    assert (target["kind"], target["arch"], target["max_threads_per_block"]) == ("cuda", "sm_90a", 1024)
    profile = found["profile"]
    assert (profile["source"], profile["cores"], profile["gpu"]["tensor_flops"]) == ("preset", 132, 989e12)
    assert profile["dram_bandwidth"] == pytest.approx(3.352e12, rel=1e-3)


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="a real one is here")  # noqa: PTH110
@pytest.mark.parametrize(("visible", "cores"), [(None, 60), ("0", 60), ("MIG-bbbb", 16), ("MIG-bbbb,MIG-aaaa", 16)])
def test_of_a_gpu_that_is_shared_out_a_program_has_one_slice(tmp_path, visible, cores):
    (gpu,) = told(tmp_path, sliced=True, visible=visible)["gpus"]
    assert gpu["cores"] == cores and gpu["arch"] == "sm_90" and "MIG" in gpu["name"]
    assert gpu["memory_bytes"] == (40448 if cores == 60 else 9984) << 20
    assert gpu["memory_bandwidth"] == pytest.approx(3.352e12 * gpu["memory_bytes"] / 85520809984, rel=1e-3)


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="a real one is here")  # noqa: PTH110
def test_a_slice_is_tuned_for_as_much_of_the_gpu_as_it_has(tmp_path):
    profile = told(tmp_path, profile=True, sliced=True)["profile"]
    assert profile["cores"] == 60 and profile["gpu"]["tensor_flops"] == pytest.approx(989e12 * 60 / 132)


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="a real one is here")  # noqa: PTH110
@pytest.mark.parametrize(
    "lacks", ["nvmlDeviceGetNumGpuCores", "nvmlDeviceGetMigMode", "nvmlSystemGetCudaDriverVersion_v2"]
)
def test_a_library_of_fewer_functions_tells_less(tmp_path, lacks):
    (gpu,) = told(tmp_path, lacks=lacks)["gpus"]
    assert gpu["name"] == "NVIDIA H100 80GB HBM3" and gpu["cores"] == (1 if "Cores" in lacks else 132)
