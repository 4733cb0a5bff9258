"""Draft features: the analyzer's symbols, penalties and times of a candidate, as a vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruner_engine.draft import analyzer_for
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace

# each figure has a column of its own, whichever device and cache levels there are
_TIMES = ("compute", "overhead", "L1", "L2", "L3", "memory", "launch")
_UNSEEN = ("lines", "trips")  # of a GPU, part of the latency only: the models that ship know no column for them
_FIGURES = (
    *("flops", "parallel", "vector", "accumulators", "loads_per_step", "unroll", "steps"),
    *("L1_bytes", "L2_bytes", "L3_bytes"),
    *("flops_thread", "registers_thread", "memory_operations_thread", "dram_bytes", "shared_bytes"),
    *("blocks", "threads", "vthreads"),
)
_PENALTIES = ("lanes", "registers", "warp", "wave", "reuse")
_COLUMNS = {name: i for i, name in enumerate((*_TIMES, *_FIGURES, *_PENALTIES), 2)}
WIDTH = 2 + len(_COLUMNS)
LATENCY = 1  # column of the predicted latency
_NANOSECONDS = 1e9


def draft_features(space: DesignSpace, candidates: Sequence[Candidate]) -> list[np.ndarray]:
    """log2 of the analyzer's figures, before any calibration, which changes while a run goes on.

    Returns:
        Per candidate float32[32]: 1 where its sketch has a closed form; the predicted latency; then, with a closed
        form, the time components, symbols and penalties.
    """
    analyzer = analyzer_for(space)
    found = np.zeros((len(candidates), WIDTH), np.float32)
    for sketch in space.sketches:
        members = [i for i, c in enumerate(candidates) if c.sketch == sketch.index]
        if not members:
            continue
        figures = analyzer.figures(sketch.index, np.array([candidates[i].row for i in members]))
        times = {name: _NANOSECONDS * values for name, values in figures.items() if name in (*_TIMES, *_UNSEEN)}
        found[members, 0] = 1.0 if times else 0.0
        latency = np.sum(list(times.values()), axis=0) if times else _NANOSECONDS * figures["latency"]
        found[members, LATENCY] = _log(latency)
        for name, values in (figures | times).items():
            if name in _COLUMNS:
                found[members, _COLUMNS[name]] = _log(values)
    return list(found)


def _log(values: np.ndarray) -> np.ndarray:
    return np.log2(np.maximum(values, 0.0) + 1.0)
