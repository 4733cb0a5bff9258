"""Pre-flight: would a tuning work on this machine, and what to do if not. Works where TVM is missing or broken."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pruner_engine import units
from pruner_engine.errors import UserError
from pruner_engine.measure.building.linker import cross_linker, linker
from pruner_engine.measure.workers.folder import refuse_noexec
from pruner_engine.plugins import hint_to_take_away, installed_plugins
from pruner_engine.processes.child import environment, import_command, module_command
from pruner_engine.protocol import Check, DoctorReport
from pruner_engine.requirements import OLDEST, TVM, installed, is_old
from pruner_engine.targets import detect_gpus, detect_host
from pruner_engine.targets.cuda_compiler import find_cuda_compiler
from pruner_engine.targets.gpu import CUDA, DRIVER, detect_driver

_REINSTALL = "Reinstall the dependencies: `pip install --force-reinstall .` in the folder of Pruner Studio."
_TRIAL_LIMIT_S = 120
_FREE_BYTES = 1 << 30


def run_checks() -> DoctorReport:
    """All checks; takes some seconds, since the last one builds and runs a kernel."""
    checks = [*_software(), *_plugins(), *_machine(), *_trial()]
    return DoctorReport(ok=all(c.ok for c in checks if c.needed), checks=checks)


def _software() -> Iterator[Check]:
    version = platform.python_version()
    supported = (3, 10) <= sys.version_info[:2] <= (3, 13)
    yield Check("Python", supported, version, "" if supported else "Use Python 3.10 to 3.13.")
    tvm, ffi = installed("apache-tvm"), installed("apache-tvm-ffi")
    hint = "" if tvm == TVM else f'Install the one that is needed: pip install "apache-tvm=={TVM}".'
    yield Check("TVM", tvm == TVM, tvm or "not installed", hint)
    # 0.1.15 crashes this TVM, 0.1.13 does not load
    paired = ffi.startswith("0.1.14")
    hint = "" if paired else 'Install the matching one: pip install "apache-tvm-ffi>=0.1.14.post0,<0.1.15".'
    yield Check("TVM ffi", paired, ffi or "not installed", hint)
    yield from (_library("PyTorch", "torch"), _library("ONNX", "onnx"), _library("NumPy", "numpy"))
    ort = installed("onnxruntime")
    hint = "" if ort else "Install it for comparison and faster import of ONNX files: pip install onnxruntime."
    yield Check("ONNX Runtime", bool(ort), ort or "not installed", hint, needed=False)


def _library(name: str, distribution: str) -> Check:
    version, oldest = installed(distribution), OLDEST[distribution]
    if not version:
        return Check(name, False, "not installed", f'Install it: pip install "{distribution}>={oldest}".')
    if is_old(distribution, version):
        hint = f'It is older than what is needed. Update it: pip install "{distribution}>={oldest}".'
        return Check(name, False, version, hint)
    if failure := _import_failure(distribution):
        hint = f'Install it anew: pip install --force-reinstall "{distribution}>={oldest}".'
        return Check(name, False, f"{version}, cannot be loaded: {failure}", hint)
    return Check(name, True, version)


def _import_failure(module: str) -> str:
    """What Python says of importing a library, "" if it can; in a process, since a broken one may crash."""
    try:
        done = subprocess.run(
            import_command(module),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=_TRIAL_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_TRIAL_LIMIT_S} s"
    said = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
    return said[-1][:200] if done.returncode else ""


def _plugins() -> Iterator[Check]:
    """What is installed is loaded with every question to an engine, which it ends if it fails."""
    for entry in installed_plugins():
        failure, value = _import_failure(entry.module), f"{entry.name} ({entry.value})"
        yield Check(
            "Plugin", not failure, f"{value}: {failure}" if failure else value, failure and hint_to_take_away(entry)
        )


def _machine() -> Iterator[Check]:
    try:
        yield Check("Linker", True, linker()[0])
    except UserError as error:
        yield Check("Linker", False, error.message, error.hint)
    host = detect_host()
    yield _linker_for_boards("x86_64" if host.arch == "aarch64" else "aarch64")
    yield _temp()
    caches = ", ".join(f"L{c.level} {units.size(c.bytes)}" for c in host.caches)
    yield Check("CPU", True, f"{host.name}, cores: {host.cores}, threads: {host.threads}")
    yield Check("Vector unit", True, f"{host.vector_bits} bits ({', '.join(host.features) or 'no extensions'})")
    yield Check("Caches", bool(host.caches), caches, needed=False)
    yield from _gpus()


def _linker_for_boards(arch: str) -> Check:
    try:
        return Check("Linker for boards", True, f"{arch}: {cross_linker(f'{arch}-linux-gnu')[0]}", needed=False)
    except UserError as error:
        hint = f"Without it boards of {arch} need gcc. {error.hint}"
        return Check("Linker for boards", False, f"none for {arch}", hint, needed=False)


def _temp() -> Check:
    try:
        folder = Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        return Check("Temporary files", False, str(error.strerror), "Free some space, or set TMPDIR.")
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"0" * 4096)
            file.flush()
    except OSError as error:
        return Check("Temporary files", False, f"{folder}: {error.strerror}", "Make it writable, or set TMPDIR.")
    try:
        refuse_noexec(folder)
    except UserError as error:
        return Check("Temporary files", False, error.message, error.hint)
    free = shutil.disk_usage(folder).free
    enough = free >= _FREE_BYTES
    return Check(
        "Temporary files", enough, f"{folder}, {units.size(free)} free", "" if enough else "Free 1 GB, or set TMPDIR."
    )


def _gpus() -> Iterator[Check]:
    gpus = detect_gpus()
    driver, cuda = detect_driver()
    if not driver:
        yield Check("NVIDIA driver", False, "none answers", "Only needed to tune for a GPU that is here.", needed=False)
    else:
        fits = cuda >= CUDA
        hint = "" if fits else f"Update it: TVM is built for CUDA {CUDA[0]}, whose first driver was {DRIVER}."
        yield Check("NVIDIA driver", fits, f"{driver}, up to CUDA {cuda[0]}.{cuda[1]}", hint, needed=False)
    for gpu in gpus:
        yield Check(
            "GPU", True, f"{gpu.name} ({gpu.arch}, {gpu.cores} SMs, {units.size(gpu.memory_bytes)})", needed=False
        )
    try:
        yield Check("CUDA compiler", True, str(find_cuda_compiler()), needed=False)
    except UserError as error:
        yield Check("CUDA compiler", False, error.message, error.hint, needed=False)


def _trial() -> Iterator[Check]:
    """LLVM, and one kernel compiled, loaded, run and checked, on the CPU and on the GPU if there is one."""
    facts, failure = _selftest("auto")
    llvm = facts.get("llvm", "")
    yield Check("LLVM", bool(llvm), llvm or "unknown", "" if llvm else _REINSTALL)
    hint = facts.get("hint", _REINSTALL) if failure else ""
    yield Check("One kernel", not failure, failure or facts["done"], hint)
    if detect_gpus():
        facts, failure = _selftest("cuda")
        hint = facts.get("hint", "See the checks of driver and CUDA compiler.") if failure else ""
        yield Check("One kernel on the GPU", not failure, failure or facts["done"], hint, needed=False)


def _selftest(target: str) -> tuple[dict[str, str], str]:
    """What the trial said, and why it failed, "" if it did not; in a process, since it may crash."""
    stage, out, tail = "import TVM", "", ""
    try:
        done = subprocess.run(
            module_command("pruner_engine.diagnostics.selftest", target),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=_TRIAL_LIMIT_S,
            check=False,
        )
        out = done.stdout
        tail = (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1]
    except subprocess.TimeoutExpired as late:
        out, tail = bytes(late.stdout or b"").decode(errors="replace"), f"no answer within {_TRIAL_LIMIT_S} s"
    said = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    stage = next((m["stage"] for m in reversed(said) if "stage" in m), stage)
    facts = {key: value for message in said for key, value in message.items()}
    return facts, "" if "done" in facts else f"could not {stage}: {facts.get('error') or tail}"
