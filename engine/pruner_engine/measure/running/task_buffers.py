"""What the kernels of one task are run on, and what their outputs are compared with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm.runtime import Tensor

from pruner_engine.measure.running.correctness import difference, make_array
from pruner_engine.measure.running.references import reference_file
from pruner_engine.measure.running.stopwatch import Stopwatch
from pruner_engine.measure.running.timing_arguments import Arena, TimingArguments
from pruner_engine.measure.running.weight_layout import rewrite
from pruner_engine.measure.workers import wire

_REFERENCE_S = 0.3  # a slow untuned kernel is run on fewer kinds of inputs: on none after this, but the first


class TaskBuffers:
    """Inputs, buffers and reference outputs that the kernels of one task share.

    Args:
        arena: memory that outlives the task, for copies of arguments.

    Attributes:
        timing: what the kernels are timed with.
        failure: what the last kernel that failed raised. After an illegal access on a GPU the driver refuses to free
            memory, and TVM ends the process over it: what the failed call holds is kept until its answer is given.
    """

    def __init__(self, job: wire.Run, device: Any, folder: Path, arena: Arena | None = None) -> None:
        self.name = job.task
        self.device = device
        self.failure: Exception | None = None
        self._args = job.args
        self._facts = job.facts
        self._folder = folder
        self._works_here = job.device == "cpu" and job.fleet is None  # for another device this thread just waits
        self.timing = TimingArguments(job.reuse, self._values, self._put, arena or Arena())

    def _values(self, index: int, shape: Sequence[int], kind: str = "random") -> np.ndarray:
        """What an argument may hold, in the order of a layout or another."""
        below, words = self._facts.bounds.get(index), self._facts.words.get(index, "")
        if kind == "nan" and index in self._facts.finite:
            kind = "random"
        return make_array(tuple(shape), self._args[index].dtype, index, kind, self._facts.reduction, below, words)

    def _put(self, array: np.ndarray) -> Tensor:
        return tvm.runtime.tensor(array, self.device)

    def _reference(self, kind: str) -> Path:
        return reference_file(self._folder, self.name, kind)

    @property
    def has_reference(self) -> bool:
        """Whether the untuned kernel's outputs are known."""
        return self._reference(self._facts.inputs[0]).exists()

    def keep_reference(self, kernel: Any, about: wire.Kernel) -> float:
        """Store the kernel's outputs as the reference, for fewer kinds of inputs if it takes long.

        Returns:
            Seconds of the fastest call; 0 where one tells nothing.
        """
        started, took = time.perf_counter(), list[float]()
        for kind in self._facts.inputs:
            if took and time.perf_counter() - started > _REFERENCE_S:
                break
            outputs, seconds = self._evaluate(kernel, about, kind)
            part = self._reference(kind).with_suffix(".part")  # half a reference would fail every good schedule
            part.write_bytes(b"".join(out.tobytes() for out in outputs))
            part.replace(self._reference(kind))
            took.append(seconds)
        return min(took)

    def difference(self, kernel: Any, about: wire.Kernel) -> str:
        """Empty, or a sentence about the first output that differs from the reference."""
        for kind in self._facts.inputs:
            if not self._reference(kind).exists():
                continue
            rest = memoryview(self._reference(kind).read_bytes())
            for out in self._evaluate(kernel, about, kind)[0]:
                reference = np.frombuffer(rest[: out.nbytes], out.dtype).reshape(out.shape)
                rest = rest[out.nbytes :]
                if wrong := difference(
                    out, reference, self._facts.reduction, self._facts.epsilon, rounds=self._facts.rounds
                ):
                    return f"With {kind} inputs, {wrong}"
        return ""

    def _evaluate(self, kernel: Any, about: wire.Kernel, kind: str) -> tuple[list[np.ndarray], float]:
        """Outputs for a kind of inputs, and seconds of the call, 0 if they tell nothing.

        Output buffers start with what is no result.
        """
        outputs = self._facts.outputs
        arrays = [
            self._values(index, arg.shape, "random" if index in outputs else kind)
            for index, arg in enumerate(self._args)
        ]
        for index, text in about.layouts.items():
            arrays[index] = rewrite(arrays[index], tvm.ir.load_json(text), tuple(about.args[index].shape))
        tensors = [self._put(array) for array in arrays]
        watch = Stopwatch()
        kernel(*tensors)
        self.device.sync()
        seconds, stopped = watch.read()
        return [tensors[index].numpy() for index in outputs], 0.0 if stopped and self._works_here else seconds
