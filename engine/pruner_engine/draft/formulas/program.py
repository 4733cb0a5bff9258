"""Formulas compiled once and evaluated for matrices of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pruner_engine.draft.formulas.columns import Value
from pruner_engine.draft.formulas.compilation import compile_formulas

_MEMORY = 1 << 20  # bytes of all registers, so that they stay in the L2 cache
_LEAST = 4096  # rows at a time: fewer, and the calls cost more than the arithmetic


class Program:
    """Evaluates formulas for many rows at once.

    Args:
        dtype: of the arithmetic. float32 takes half the time, its integers are exact below 2**24, not 2**53.

    Attributes:
        length: array operations of one evaluation.
    """

    def __init__(self, outputs: Sequence[Value], dtype: type[np.floating[Any]] = np.float64) -> None:
        self._code = compile_formulas(outputs, dtype)
        self.length = len(self._code.steps)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The formulas' values, float[outputs, n], of int32[n, width]."""
        dtype, registers = self._code.dtype, len(self._code.registers)
        results = np.empty((len(self._code.outputs), len(rows)), dtype)
        fitting = _MEMORY // (dtype.itemsize * max(1, registers))
        chunk = max(1, min(max(_LEAST, fitting), len(rows)))
        memory = np.empty((registers, chunk), dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            for start in range(0, len(rows), chunk):
                part = rows[start : start + chunk].T.astype(dtype, order="C")
                self._run(part, memory[:, : part.shape[1]], results[:, start : start + chunk])
        return results

    def _run(self, columns: np.ndarray, memory: np.ndarray, results: np.ndarray) -> None:
        """Evaluate one chunk.

        Args:
            columns: the decisions, float[width, n].
            memory: for the registers, float[registers, n].
            results: takes the values, float[outputs, n].
        """
        code, slots, bits = self._code, list(self._code.slots), self._code.bits
        for slot, index in code.decisions:
            slots[slot : slot + 2] = columns[index], columns[index].view(bits)
        for slot, register in zip(code.registers, memory, strict=True):
            slots[slot : slot + 2] = register, register.view(bits)
        for operation, operands in code.steps:
            operation(*operands(slots))
        for result, slot in zip(results, code.outputs, strict=True):
            result[:] = slots[slot]
