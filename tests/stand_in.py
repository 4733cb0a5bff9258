"""A stand-in for the driver of a GPU: kernels do nothing there, all else is as it would be; and a build that waits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput

# What TVM's CUDA runtime takes from CUDA's. Memory is the host's. A launch for which the file BREAKS is there is an
# illegal access: from then on every call in that process fails. LOG gets the processes that ask for memory, and the
# graphs that are recorded and launched. While a graph is recorded nothing may wait for the device or ask for memory.
# As with CUDA's own, a process that was forked after the first call of any function has lost the device.
RUNTIME = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int broken = 0, recording = 0;
static int used = 0;
static void forked(void) { if (used) broken = 3; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forked); }
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
int cudaSetDevice(int device) { return used = 1, *getenv("CUDA_VISIBLE_DEVICES") ? touch("context") : 100; }
int cudaGetDevice(int *device) { return *device = 0; }
int cudaGetDeviceCount(int *count) { return used = 1, *count = 1, getenv("STAND_IN_NO_DEVICE") ? 35 : broken; }
int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  const char *minor = getenv("STAND_IN_MINOR");
  // the second-level cache; compute capability 9.0, or another minor one
  *value = attribute == 38 ? 1 << 20 : attribute == 75 ? 9 : attribute == 76 && minor ? atoi(minor) : 0;
  return broken;
}
int cudaMalloc(void **to, size_t size) { return *to = calloc(1, size + 256), recording ? 900 : touch("memory"); }
int cudaFree(void *it) { return broken; }
int cudaMemGetInfo(size_t *left, size_t *all) { return *left = *all = 1l << 30, broken; }
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
  if (!broken) memcpy(to, from, size);
  return broken;
}
int cudaEventCreate(void **event) { return *event = calloc(1, sizeof(double)), broken; }
int cudaEventRecord(void *event, void *stream) { return *(double *)event = now(), broken; }
int cudaEventElapsedTime(float *ms, void *from, void *to) { return *ms = *(double *)to - *(double *)from, broken; }
int cudaEventSynchronize(void *event) { return recording ? 900 : broken; }
int cudaEventDestroy(void *event) { return broken; }
int cudaStreamSynchronize(void *stream) { return recording ? 900 : broken; }
int cudaStreamCreate(void **stream) { return *stream = malloc(1), broken; }
int cudaStreamDestroy(void *stream) { return broken; }
int cudaStreamBeginCapture(void *stream, int mode) {
  return getenv("STAND_IN_WITHOUT_GRAPHS") ? 900 : (recording = 1, touch("record"));
}
int cudaStreamEndCapture(void *stream, void **graph) { return recording = 0, *graph = malloc(1), broken; }
int cudaGraphInstantiate(void **to, void *graph, long flags) { return *to = malloc(1), broken; }
int cudaGraphLaunch(void *graph, void *stream) { return touch("graph"); }
int cudaGraphDestroy(void *graph) { return broken; }
int cudaGraphExecDestroy(void *graph) { return broken; }
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
UNUSED = """cudaFreeHost cudaGetDeviceProperties cudaMallocHost cudaMemcpyPeerAsync cudaStreamCreateWithFlags
cudaStreamWaitEvent cuDeviceGetName cuGetErrorName cuGetErrorString cuTensorMapEncodeTiled"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def held_builder(measurer: Measurer, item: MeasureInput) -> psutil.Process:
    """The only builder, stopped before its next candidate is handed to it: the build takes until it is resumed."""
    measurer.build([item], lambda result: None)
    (builder,) = psutil.Process(measurer._pipeline.pid).children()
    builder.suspend()
    return builder
