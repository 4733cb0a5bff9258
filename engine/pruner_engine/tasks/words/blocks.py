"""Constant weights of few bits, in blocks along the depth that each have a scale, as they lie in 32-bit words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pruner_engine.tasks.words.weights import LANES, on_grid

WORD_BITS = 32
_SIZES = (256, 128, 64, 32, 16)  # of blocks; before them, all of a column is tried as one
_WIDTHS = (4, 8)
_SAMPLED = 64  # blocks that are looked at first, which tell most other weights apart
_AT_ONCE = 1 << 14  # blocks whose grids are found together: each takes some kilobytes meanwhile


@dataclass(frozen=True)
class BlockWeights:
    """Constant weights (steps + middle) · scale.

    Attributes:
        bits: of a step, which is signed: 4 or 8.
        words: int32 [blocks, words, columns], of steps along the depth, the first in the lowest bits; zeros fill up
            words and vectors.
        scales: float32 [blocks, columns].
        middles: float32 [blocks, columns], whole numbers; None where they are all zero.
    """

    bits: int
    words: np.ndarray
    scales: np.ndarray
    middles: np.ndarray | None

    @property
    def depth(self) -> int:
        """Weights of a column, with those that fill up words."""
        blocks, words, _ = self.words.shape
        return blocks * words * (WORD_BITS // self.bits)


def block_weights(weights: np.ndarray) -> BlockWeights | None:
    """Weights float32 [depth, columns] as steps of few bits in the largest blocks that there are; None without a grid.

    A block's weights are whole numbers of at most 255 steps times its scale, to a few roundings of float32. One number
    throughout only stands in for weights, of which its speed is to tell.
    """
    depth, columns = weights.shape
    if weights.min() == weights.max():
        return None
    for size in [depth, *(size for size in _SIZES if size < depth)]:
        whole = np.pad(weights, [(0, -depth % size), (0, 0)]) if depth % size else weights
        blocks = whole.reshape(-1, size, columns)
        if on_grid(_some(blocks)) is None:
            continue
        for bits in _WIDTHS:
            if (found := _on_grids(blocks, bits)) is not None:
                return _in_words(*found, bits)
    return None


def _some(blocks: np.ndarray) -> np.ndarray:
    """Some blocks, evenly apart, float32 [size, sampled]."""
    count, _, columns = blocks.shape
    places = np.unique(np.linspace(0, count * columns - 1, _SAMPLED, dtype=int))
    return blocks[places // columns, :, places % columns].T


def _on_grids(blocks: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Steps int32 [blocks, size, columns] and scales float32 [blocks, columns]; None where a block has no grid."""
    steps, scales = np.empty(blocks.shape, np.int32), np.empty((len(blocks), blocks.shape[2]), np.float32)
    for at, part in _parts(blocks):
        found = on_grid(part, (1 << bits) - 1)
        if found is None:
            return None
        steps[at], scales[at[0], at[2]] = found
    return steps, scales


def _parts(blocks: np.ndarray) -> Iterator[tuple[tuple[int, slice, slice], np.ndarray]]:
    """Places of neighbouring columns of a block, and what is there."""
    count, _, columns = blocks.shape
    for block in range(count):
        for start in range(0, columns, _AT_ONCE):
            at = (block, slice(None), slice(start, start + _AT_ONCE))
            yield at, blocks[at]


def _in_words(steps: np.ndarray, scales: np.ndarray, bits: int) -> BlockWeights:
    most, least = steps.max(1), steps.min(1)
    highest = (1 << bits - 1) - 1
    middles = np.maximum(most - highest, np.minimum(least + highest + 1, 0))
    several = WORD_BITS // bits
    blocks, size, columns = steps.shape
    beyond = [(0, 0), (0, -size % several), (0, -columns % LANES)]
    apart = np.pad(steps - middles[:, None], beyond) & ((1 << bits) - 1)
    parts = apart.astype(np.uint32).reshape(blocks, -1, several, apart.shape[-1])
    shifts = np.arange(several, dtype=np.uint32)[:, None] * np.uint32(bits)
    words = np.bitwise_or.reduce(parts << shifts, axis=2).view(np.int32)
    wide = [(0, 0), beyond[-1]]
    return BlockWeights(
        bits,
        words,
        np.pad(scales, wide),
        np.pad(middles, wide).astype(np.float32) if middles.any() else None,
    )
