"""The paper's penalties against its formulas, written out for single kernels with numbers of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from draft.spaces import DEVICES, GPU, analyzer_of, space_of
from pruner_engine.space.decision import TileDecision

M, N, K = 128, 256, 64


def explained(rows=40):
    """Tiles and explanation of random rows of a matrix product: block, virtual thread, thread and two serial levels."""
    space = space_of(f"matmul:{M},{N},{K}", GPU)
    analyzer = analyzer_of(space)
    for sketch in space.sketches:
        tiles = [c for c, d in zip(sketch.columns, sketch.decisions, strict=True) if isinstance(d, TileDecision)]
        for row in sketch.sample(np.random.default_rng(2), rows):
            yield tuple(row[columns].tolist() for columns in tiles), analyzer.explain(sketch.index, row)


def test_what_a_thread_does_is_counted_from_the_tiles():
    for (i, j, _), told in explained():
        down, across = (tile[1] * tile[3] * tile[4] for tile in (i, j))
        symbols = told.symbols
        assert symbols["blocks"] == i[0] * j[0]
        assert symbols["vthreads"] == i[1] * j[1]
        assert symbols["threads"] == i[2] * j[2]
        assert symbols["flops"] == 2 * M * N * K
        assert symbols["flops_thread"] == 2 * down * across * K
        assert symbols["registers_thread"] == down * across + down + across
        assert symbols["memory_operations_thread"] == down * across + K * (down + across)


def test_the_penalties_are_those_of_the_paper():
    cores, limits = DEVICES[GPU].cores, DEVICES[GPU].gpu
    seen = set()
    for _, told in explained():
        symbols, penalties = told.symbols, told.penalties
        warps = math.ceil(symbols["threads"] / 32)
        assert penalties["warp"] == pytest.approx(symbols["threads"] / 32 / warps)
        few = symbols["blocks"] < cores
        units = symbols["blocks"] * min(warps, 4) if few else symbols["blocks"]
        slots = cores * 4 if few else cores
        wave = units / (math.ceil(units / slots) * slots)
        # beyond the paper: schedulers stay idle where all blocks of a multiprocessor together have too few warps
        shared = max(symbols["shared_bytes"], 1)
        resident = max(1, min(limits.max_threads_sm // symbols["threads"], limits.shared_memory_sm // shared))
        filled = 1 if few else min(1, min(resident, symbols["blocks"] / cores) * warps / limits.schedulers)
        assert penalties["wave"] == pytest.approx(wave * filled)
        assert penalties["registers"] == pytest.approx(
            max(1, symbols["registers_thread"] / limits.max_registers_thread)
        )
        per_operation = symbols["flops_thread"] / symbols["memory_operations_thread"]
        assert penalties["reuse"] == pytest.approx(1 + 1 / (1 + per_operation))
        seen |= {("few", few), ("spilled", penalties["registers"] > 1), ("whole warps", penalties["warp"] == 1)}
    assert len(seen) == 6, "both sides of each were met"
