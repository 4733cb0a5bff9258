"""Runs kernels for Arm processors: in an emulator, where there is one (Debian: qemu-user-static)."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi
from tvm import IRModule
from tvm.target import Target

from pruner_engine.processes.child import module_command

EMULATOR = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")

# calls the kernel on the tensors of its input (for each the number of axes, type and extents, then the size and the
# bytes), and writes their bytes; no C library is at hand, and what a kernel asks of TVM's is one thread's work here
_MAIN = r"""
#include <stdint.h>
#include <tvm/ffi/c_api.h>
int __tvm_ffi_main(void *self, const TVMFFIAny *args, int32_t count, TVMFFIAny *result);
static _Alignas(64) char memory[1 << 26];
static uint64_t used;
static long ask(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
static void *take(uint64_t size) {
  void *at = memory + used;
  used += (size + 63) / 64 * 64;
  return at;
}
static void move(long call, int file, char *at, uint64_t size) {
  while (size) {
    long done = ask(call, file, (long)at, size);
    if (done <= 0) ask(93, 2, 0, 0);
    at += done;
    size -= done;
  }
}
static int64_t number(void) { int64_t got; move(63, 0, (char *)&got, 8); return got; }
void *memset(void *at, int byte, unsigned long size) { for (volatile char *p = at; size--;) *p++ = byte; return at; }
void *memcpy(void *to, const void *from, unsigned long size) {
  for (volatile char *p = to; size--;) *p++ = *(const char *)from++;
  return to;
}
struct group { void *sync; int32_t tasks; };
static int launch(int (*work)(int, struct group *, void *), void *data, int tasks) {
  struct group all = {0, tasks ? tasks : 3};
  for (int task = 0; task < all.tasks; ++task) if (work(task, &all, data)) return -1;
  return 0;
}
static void *lend(int kind, int id, uint64_t size, int code, int bits) { return take(size); }
static int take_back(int kind, int id, void *memory) { return 0; }
/* what TVM fills in when it loads a library */
extern void *__TVMBackendParallelLaunch, *__TVMBackendAllocWorkspace, *__TVMBackendFreeWorkspace;
#pragma weak __TVMBackendParallelLaunch
#pragma weak __TVMBackendAllocWorkspace
#pragma weak __TVMBackendFreeWorkspace
void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t count) {}
void _start(void) {
  TVMFFIAny args[16] = {}, result = {};
  DLTensor all[16] = {};
  int64_t sizes[16], tensors = number();
  if (&__TVMBackendParallelLaunch) __TVMBackendParallelLaunch = launch;
  if (&__TVMBackendAllocWorkspace) __TVMBackendAllocWorkspace = lend;
  if (&__TVMBackendFreeWorkspace) __TVMBackendFreeWorkspace = take_back;
  for (int t = 0; t < tensors; ++t) {
    all[t].ndim = number();
    int64_t type = number();
    all[t].dtype = (DLDataType){type >> 8, type & 255, 1};
    all[t].device.device_type = kDLCPU;
    all[t].shape = take(8 * all[t].ndim);
    for (int axis = 0; axis < all[t].ndim; ++axis) all[t].shape[axis] = number();
    move(63, 0, all[t].data = take(sizes[t] = number()), sizes[t]);
    args[t].type_index = kTVMFFIDLTensorPtr;
    args[t].v_ptr = &all[t];
  }
  if (__tvm_ffi_main(0, args, tensors, &result)) ask(93, 1, 0, 0);
  for (int t = 0; t < tensors; ++t) move(64, 1, all[t].data, sizes[t]);
  ask(93, 0, 0, 0);
}
"""
_CODES = {"i": 0, "u": 1, "f": 2, "V": 4}  # DLPack's, of numpy's kinds; the last is bfloat16


def run_on_arm(mod: IRModule, target: Target, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The arguments of a module's "main" after a call of it. Without an emulator the test that asks is skipped."""
    if EMULATOR is None:
        pytest.skip("no emulator of Arm processors")
    given = [np.int64(len(arrays)).tobytes()]
    for array in map(np.ascontiguousarray, arrays):
        code = _CODES[array.dtype.kind] << 8 | array.dtype.itemsize * 8
        given += [np.array([array.ndim, code, *array.shape, array.nbytes], np.int64).tobytes(), array.tobytes()]
    with tempfile.TemporaryDirectory() as folder:
        kernel, program = Path(folder) / "kernel.o", Path(folder) / "program"
        tvm.tirx.build(mod, target=target).write_to_file(str(kernel))
        _zig("ld.lld", "-static", "-o", str(program), str(_caller()), str(kernel))
        command = [EMULATOR, "-cpu", "max", str(program)]
        left = subprocess.run(command, input=b"".join(given), check=True, timeout=120, stdout=subprocess.PIPE).stdout
    results = []
    for array in arrays:
        results.append(np.frombuffer(left[: array.nbytes], array.dtype).reshape(array.shape))
        left = left[array.nbytes :]
    return results


@functools.cache
def _caller() -> Path:
    """What calls a kernel, as an object file."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    source, made = folder / "main.c", folder / "main.o"
    source.write_text(_MAIN)
    include = Path(tvm_ffi.__file__).parent / "include"
    options = ["-target", "aarch64-linux-none", "-ffreestanding", "-fno-builtin", "-fno-sanitize=all", "-O1", "-w"]
    _zig("cc", "-c", *options, f"-I{include}", "-o", str(made), str(source))
    return made


def _zig(*command: str) -> None:
    subprocess.run(module_command("ziglang", *command), check=True)
