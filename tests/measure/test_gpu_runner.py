"""The way of a trial on a GPU with a stand-in for the driver: kernels do nothing there, all else is as it would be."""

import shutil
import subprocess
from collections import Counter

import numpy as np
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from schedules import task_of

HOPPER = resolve_target("h100")
# What TVM's CUDA runtime takes from CUDA's. Memory is the host's. A launch for which the file BREAKS is there is an
# illegal access: from then on every call in that process fails. LOG gets the processes that ask for memory.
RUNTIME = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int broken = 0;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
static int touch(const char *what) {
  FILE *log = fopen(getenv("STAND_IN_LOG"), "a");
  fprintf(log, "%d %s\\n", getpid(), what);
  fclose(log);
  return broken;
}
int cudaSetDevice(int device) { return *getenv("CUDA_VISIBLE_DEVICES") ? touch("context") : 100; }
int cudaGetDevice(int *device) { return *device = 0; }
int cudaGetDeviceCount(int *count) { return *count = 1, broken; }
int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 38 ? 1 << 20 : 0;  // the second-level cache
  return broken;
}
int cudaMalloc(void **to, size_t size) { return *to = calloc(1, size + 256), touch("memory"); }
int cudaFree(void *it) { return broken; }
int cudaMemGetInfo(size_t *left, size_t *all) { return *left = *all = 1l << 30, broken; }
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
  if (!broken) memcpy(to, from, size);
  return broken;
}
int cudaEventCreate(void **event) { return *event = calloc(1, sizeof(double)), broken; }
int cudaEventRecord(void *event, void *stream) { return *(double *)event = now(), broken; }
int cudaEventElapsedTime(float *ms, void *from, void *to) { return *ms = *(double *)to - *(double *)from, broken; }
int cudaStreamSynchronize(void *stream) { return broken; }
int cudaPeekAtLastError(void) { return broken; }
int cudaGetLastError(void) { return broken; }
const char *cudaGetErrorName(int error) { return error == 700 ? "cudaErrorIllegalAddress" : "cudaErrorNoDevice"; }
const char *cudaGetErrorString(int error) { return "told by a stand-in"; }
int cuModuleLoadData(void **module, const void *code) { return *module = malloc(1), 0; }
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { return *function = module, 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { return 0; }
int cuLaunchKernelEx(const void *config, void *function, void **arguments, void **more) {
  if (!remove(getenv("STAND_IN_BREAKS"))) broken = 700;
  return 0;
}
"""
# looked up when TVM's runtime is loaded, and never called
UNUSED = """cudaEventDestroy cudaEventSynchronize cudaFreeHost cudaGetDeviceProperties cudaGraphDestroy
cudaGraphExecDestroy cudaGraphInstantiate cudaGraphLaunch cudaMallocHost cudaMemcpyPeerAsync cudaStreamBeginCapture
cudaStreamCreate cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamEndCapture cudaStreamWaitEvent cuDeviceGetName
cuGetErrorName cuGetErrorString cuTensorMapEncodeTiled"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Its folder; processes that start from now on find it in place of CUDA."""
    compiler = shutil.which("cc") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C compiler")
    unused = "\n".join(f"int {name}(void) {{ return 801; }}" for name in UNUSED.split())
    (tmp_path / "driver.c").write_text(RUNTIME + unused)
    (tmp_path / "nothing.c").touch()
    (tmp_path / "version").write_text("libcudart.so.13 { global: *; };")
    version = f"-Wl,--version-script,{tmp_path / 'version'}"
    for name, source in (("libcudart.so.13", "driver.c"), ("libcuda.so.1", "nothing.c")):
        command = [compiler, "-x", "c", "-w", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", tmp_path / name]
        subprocess.run([*command, tmp_path / source, *([version] if source == "driver.c" else [])], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("STAND_IN_BREAKS", str(tmp_path / "breaks"))
    return tmp_path


def test_only_the_runner_touches_the_device_and_a_broken_one_is_replaced(stand_in):
    task = task_of("matmul:64,64,64", HOPPER)
    space = DesignSpace.generate(task, HOPPER)
    rows = space.sketches[0].sample(np.random.default_rng(0), 256)
    chosen = space.materialise([space.candidate(0, row) for row in rows])[:3]
    inputs = [MeasureInput(c.hash, c.schedule.mod) for c in chosen]
    results = []
    with Measurer(HOPPER, build_workers=1, check="all") as measurer:
        assert measurer.untuned(task).ok
        measurer.measure(task, inputs[:1], best_s=None, on_result=results.append)
        assert len({line.split()[0] for line in (stand_in / "log").read_text().splitlines()}) == 1
        (stand_in / "breaks").touch()
        measurer.measure(task, inputs[1:], best_s=None, on_result=results.append)
    well, broken, after = results
    assert well.ok and well.checked and all(0 < seconds < 1 for seconds in well.repeats)
    assert (broken.stage, broken.error) == ("run", "error")
    assert "cudaErrorIllegalAddress" in broken.message
    assert after.ok and after.checked
    touched = Counter(line.split()[0] for line in (stand_in / "log").read_text().splitlines())
    assert len(touched) == 2, "a runner, and the one that took its place"
