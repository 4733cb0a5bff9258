"""Latency and outputs of a model untuned, tuned, and in ONNX Runtime and PyTorch, each in a process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tvm

from pruner_engine.errors import UserError
from pruner_engine.export.build import compile_model
from pruner_engine.export.contents import FILES
from pruner_engine.export.files import run as runner
from pruner_engine.export.library import give_up_graphs, write_library
from pruner_engine.processes.lifetime import die_with_parent

if TYPE_CHECKING:
    from pruner_engine.frontends import LoadedModel

#: the libraries, and the kinds of models that each runs
RUNS = {"onnxruntime": ("onnx", "pt2"), "torch": ("pt2",), "torch.compile": ("pt2",)}
_TIMEOUT_S = 900
_NOT_INSTALLED = "not installed"
_NO_CONVERTER = "converting an exported program needs the package onnxscript"
#: notes that are true only until somebody installs something
MISSING = (_NOT_INSTALLED, _NO_CONVERTER)


@dataclass(frozen=True)
class Timing:
    """The latency that one process measured, or why it could not.

    Attributes:
        name: tuned | untuned | onnxruntime | torch | torch.compile.
        repeats: seconds an inference, one value a repeat; empty where it could not be measured.
        note: version of the library, or why there is no latency.
        outputs: of the first inference, in the model's order.
        kernels: seconds and calls in one inference by kernel name, where they were asked for; libraries of TVM only.
    """

    name: str
    repeats: tuple[float, ...]
    threads: int
    note: str = ""
    outputs: list[np.ndarray] = field(default_factory=list, repr=False)
    kernels: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)

    @property
    def seconds(self) -> float | None:
        """Median of the repeats."""
        return statistics.median(self.repeats) if self.repeats else None

    def joined(self, earlier: Timing) -> Timing:
        """This timing with the repeats of an earlier one of the same thing."""
        return replace(self, repeats=earlier.repeats + self.repeats)

    def as_json(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "repeats": list(self.repeats), "threads": self.threads, "note": self.note}


def example_inputs(model: LoadedModel, seed: int = 0) -> list[np.ndarray]:
    """Random arrays for the inputs of a model, in its order."""
    return runner.random_inputs([spec.as_json() for spec in model.inputs], seed)


def time_library(
    name: str,
    folder: Path,
    model: LoadedModel,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int = 10,
    *,
    profile: bool = False,
) -> Timing:
    """Run a bundle's library with the bundle's own runner; one that fails on a GPU is tried without graphs.

    Args:
        profile: time its kernels, too, which takes six inferences more.

    Raises:
        UserError: it does not run.
    """
    try:
        return _time_library(name, folder, model, inputs, threads, repeats, profile)
    except UserError:
        if not give_up_graphs(folder):
            raise
        return _time_library(name, folder, model, inputs, threads, repeats, profile)


def _time_library(
    name: str,
    folder: Path,
    model: LoadedModel,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int,
    profile: bool,
) -> Timing:
    command = ["run.py", "--bundle", str(folder), "--threads", str(threads), "--bench", "--repeats", str(repeats)]
    asked = ["--profile", "--json"] if profile else ["--json"]
    report, outputs = _in_child([*command, *asked], "", model, inputs, threads)
    kernels = report.get("kernels", {})
    return Timing(name, tuple(report["repeats"]), threads, f"tvm {tvm.__version__}", outputs, kernels)


def time_untuned(
    model: LoadedModel,
    prepared: tvm.IRModule,
    target: tvm.target.Target,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int = 10,
) -> Timing:
    """The model as TVM compiles it without tuning.

    Raises:
        UserError: it does not compile or run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        write_library(compile_model(prepared, target), model, target, threads, Path(scratch))
        return time_library("untuned", Path(scratch), model, inputs, threads, repeats)


def time_reference(
    library: str,
    model: LoadedModel,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int = 10,
    device: str = "cpu",
    folder: Path | None = None,
    kinds: Sequence[str] = (),
) -> Timing:
    """Time the model in ONNX Runtime or PyTorch; where that is not possible, a note in place of repeats says why.

    ONNX Runtime gets an exported program as PyTorch's exporter converts it.

    Args:
        library: a key of `RUNS`.
        folder: keeps the model's file and what it was converted to for the next time, by any library.
        kinds: of models that it is to run, in place of those of `RUNS`.
    """
    kinds = kinds or RUNS[library]
    if library == "onnxruntime" and model.kind == "pt2" and find_spec("onnxscript") is None:
        return Timing(library, (), threads, _NO_CONVERTER)
    if model.kind not in kinds:
        return Timing(library, (), threads, f"runs {' and '.join(kinds)} files only")
    if find_spec(library.partition(".")[0]) is None:
        return Timing(library, (), threads, _NOT_INSTALLED)
    with nullcontext(folder) if folder else tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / f"model.{model.kind}"
        if not file.exists():
            file.write_bytes(model.content)
        request = request_of(library, model, file, threads, repeats, device)
        try:
            report, outputs = _in_child(["reference.py"], json.dumps(request), model, inputs, threads)
        except UserError as error:
            return Timing(library, (), threads, str(error))
    return Timing(library, tuple(report["repeats"]), threads, report["version"], outputs)


def request_of(library: str, model: LoadedModel, file: Path, threads: int, repeats: int, device: str) -> dict[str, Any]:
    """The request that reference.py reads."""
    return {
        "library": library,
        "kind": model.kind,
        "name": model.name,
        "model": str(file),
        "input_specs": [spec.as_json() for spec in model.inputs],
        "output_specs": [spec.as_json() for spec in model.outputs],
        "threads": threads,
        "repeats": repeats,
        "device": device,
        "dtype": model.dtype,
    }


def _in_child(
    script: list[str], text: str, model: LoadedModel, inputs: Sequence[np.ndarray], threads: int
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Run one of our scripts on the inputs; native code that crashes there does no harm here.

    Args:
        script: one of `FILES` and its arguments, to which files of inputs and outputs are added.
        text: its standard input.

    Returns:
        What it printed, and the outputs.

    Raises:
        UserError: it fails, crashes or takes too long.
    """
    name, *arguments = script
    # unbound, as measurements and bundles run
    env = {"TVM_BIND_THREADS": "0", **os.environ, "TVM_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as scratch:
        given, made = str(Path(scratch) / "inputs.npz"), str(Path(scratch) / "outputs.npz")
        runner.write_arrays(given, [spec.as_json() for spec in model.inputs], inputs)
        command = [sys.executable, str(FILES / name), *arguments, "--inputs", given, "--outputs", made]
        try:
            done = subprocess.run(
                command,
                input=text,
                capture_output=True,
                text=True,
                env=env,
                timeout=_TIMEOUT_S,
                check=False,
                # an engine that is killed must not leave a library behind that keeps the device busy
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
        except subprocess.TimeoutExpired as error:
            raise UserError(f"It did not finish within {_TIMEOUT_S} s.") from error
        if done.returncode < 0:
            raise UserError(f"It crashed with signal {-done.returncode}.")
        if done.returncode:
            raise UserError(f"It failed: {' '.join(done.stderr.strip().splitlines()[-1:])}")
        try:
            report = json.loads(done.stdout)
        except ValueError as error:
            raise UserError(f"It printed what is no result: {done.stdout.strip()[:200]}") from error
        return report, runner.read_arrays(made, [spec.as_json() for spec in model.outputs])
