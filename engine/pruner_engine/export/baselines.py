"""Latency and outputs of a model untuned, tuned, and in libraries that people use, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tvm

from pruner_engine.errors import StoppedError, UserError
from pruner_engine.export.build import compile_model
from pruner_engine.export.files import run as runner
from pruner_engine.export.library import give_up_graphs, write_library
from pruner_engine.export.script import Look, Script, unseen

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts

#: the libraries, and the kinds of models that each runs
RUNS = {"onnxruntime": ("onnx", "pt2"), "torch": ("pt2",), "torch.compile": ("pt2",), "litert": ("tflite",)}
_MODULES = {"torch.compile": "torch", "litert": "ai_edge_litert"}  # where they are not called as the library
_NOT_INSTALLED = "not installed"
_NO_CONVERTER = "converting an exported program needs the package onnxscript"
#: notes that are true only until somebody installs something
MISSING = (_NOT_INSTALLED, _NO_CONVERTER)


@dataclass(frozen=True)
class Timing:
    """The latency that one process measured, or why it could not.

    Attributes:
        name: tuned | untuned | onnxruntime | torch | torch.compile | litert.
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


def example_inputs(model: ModelFacts) -> list[np.ndarray]:
    """Random arrays for the inputs of a model, in its order."""
    return runner.random_inputs([spec.as_json() for spec in model.inputs])


def time_library(
    name: str,
    folder: Path,
    model: ModelFacts,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int = 10,
    *,
    profile: bool = False,
    limit_s: float | None = None,
) -> Timing:
    """Run a bundle's library with the bundle's own runner; one that fails on a GPU is tried without graphs.

    Args:
        profile: time its kernels, too, which takes six inferences more.
        limit_s: as that of a `Script`.

    Raises:
        UserError: it does not run.
    """
    command = ["run.py", "--bundle", str(folder), "--threads", str(threads), "--bench", "--repeats", str(repeats)]
    asked = ["--profile", "--json"] if profile else ["--json"]
    try:
        with Script([*command, *asked], "", model, inputs, threads, limit_s) as script:
            report, outputs = script.outcome()
    except UserError:
        if not give_up_graphs(folder):
            raise
        return time_library(name, folder, model, inputs, threads, repeats, profile=profile, limit_s=limit_s)
    kernels = report.get("kernels", {})
    return Timing(name, tuple(report["repeats"]), threads, f"tvm {tvm.__version__}", outputs, kernels)


def time_untuned(
    model: ModelFacts,
    prepared: tvm.IRModule,
    target: tvm.target.Target,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int,
) -> Timing:
    """The model as TVM compiles it without tuning.

    Raises:
        UserError: it does not compile or run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        write_library(compile_model(prepared, target), model, target, threads, Path(scratch))
        return time_library("untuned", Path(scratch), model, inputs, threads, repeats)


def time_reference(library: str, model: ModelFacts, *args: Any, **options: Any) -> Timing:
    """Time the model in a library now; arguments as those of `Reference`."""
    with Reference(library, model, *args, **options) as reference:
        return reference.timing()


class Reference:
    """ONNX Runtime, PyTorch or LiteRT as it times a model, in two steps: it loads, and it times; a context manager.

    Loading takes seconds, mostly imports and a conversion, and may go on beside other work. Nothing else may work while
    it times. ONNX Runtime gets an exported program as PyTorch's exporter converts it.

    Args:
        library: a key of `RUNS`.
        folder: keeps the model's file and what it was converted to for the next time, by any library.
        kinds: of models that it is to run, in place of those of `RUNS`.
    """

    def __init__(
        self,
        library: str,
        model: ModelFacts,
        inputs: Sequence[np.ndarray],
        threads: int,
        repeats: int = 10,
        device: str = "cpu",
        folder: Path | None = None,
        kinds: Sequence[str] = (),
    ) -> None:
        self._library, self._model, self._inputs, self._threads = library, model, inputs, threads
        self._repeats, self._device, self._folder = repeats, device, folder
        self._why_not = _why_not(library, model, kinds or RUNS[library])
        self._script: Script | None = None
        self._ends = contextlib.ExitStack()

    @property
    def may_run(self) -> bool:
        """Whether it can run the model, as far as is known without trying."""
        return not self._why_not

    def begin(self) -> None:
        """Have it load, where it can run the model."""
        if self._why_not or self._script is not None:
            return
        file = self._model.file.place
        if file is None:
            folder = self._folder or Path(self._ends.enter_context(tempfile.TemporaryDirectory()))
            file = folder / f"model.{self._model.kind}"
            if not file.exists():
                file.write_bytes(self._model.file.content())
        request = request_of(self._library, self._model, file, self._threads, self._repeats, self._device)
        script = Script(["reference.py"], json.dumps(request), self._model, self._inputs, self._threads)
        self._script = self._ends.enter_context(script)

    def settle(self, look: Look = unseen) -> None:
        """Wait until what was begun has loaded, so that it takes no time from others."""
        if self._script is None:
            return
        try:
            self._script.settle(look)
        except StoppedError:
            raise
        except UserError as error:
            self._why_not = str(error)
            self.close()

    def timing(self, look: Look = unseen) -> Timing:
        """Time the model; where that is not possible, a note in place of repeats says why."""
        self.begin()
        if self._script is None:
            return Timing(self._library, (), self._threads, self._why_not)
        try:
            report, outputs = self._script.outcome(look)
        except StoppedError:
            raise
        except UserError as error:
            return Timing(self._library, (), self._threads, str(error))
        return Timing(self._library, tuple(report["repeats"]), self._threads, report["version"], outputs)

    def close(self) -> None:
        """End its process."""
        self._script = None
        self._ends.close()

    def __enter__(self) -> Reference:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def libraries_of(model: ModelFacts) -> list[str]:
    """Whose latencies are of interest: LiteRT has its own files to itself."""
    return [name for name in RUNS if (name == "litert") == (model.kind == "tflite")]


def _why_not(library: str, model: ModelFacts, kinds: Sequence[str]) -> str:
    """Why the library cannot run the model; empty where it may."""
    if library == "onnxruntime" and model.kind == "pt2" and find_spec("onnxscript") is None:
        return _NO_CONVERTER
    if model.kind not in kinds:
        return f"runs {' and '.join(kinds)} files only"
    return "" if find_spec(_MODULES.get(library, library)) else _NOT_INSTALLED


def request_of(library: str, model: ModelFacts, file: Path, threads: int, repeats: int, device: str) -> dict[str, Any]:
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
