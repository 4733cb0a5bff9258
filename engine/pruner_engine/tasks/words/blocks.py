"""Constant weights of few bits, in blocks along the depth that each have a scale, as they lie in 32-bit words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from pruner_engine.tasks.words.weights import LANES, on_grid

WORD_BITS = 32
_SIZES = (256, 128, 64, 32, 16)  # of blocks; before them, all of a column is tried as one
_WIDTHS = (4, 8)
_SAMPLED = 64  # blocks that are looked at first, which tell most other weights apart
_BLOCKS, _WEIGHTS = 1 << 14, 1 << 22  # whose grids are found together, at most: each takes memory meanwhile


@dataclass(frozen=True)
class BlockWeights:
    """Constant weights (steps + middle) · scale.

    Attributes:
        bits: of a step, which is unsigned: 4 or 8.
        words: int32 [blocks, words, columns], of steps along the depth, the first in the lowest bits; zeros fill up
            words and vectors.
        scales: float32 [blocks, columns].
        middles: float32 [blocks, columns], whole numbers; None where each is `least_step`.
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
    """Weights [depth, columns] as steps of few bits in the largest blocks that there are; None without a grid.

    A block's weights are whole numbers of at most 255 steps times its scale, to a few roundings of float32, or rounded
    to float16 or bfloat16. One number throughout only stands in for weights, of which its speed is to tell.
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
            if (found := _packed(blocks, bits)) is not None:
                return found
    return None


def words_apart(weights: BlockWeights) -> np.ndarray:
    """The steps as words int32 [words, columns], each of steps as far apart along the depth as there are words.

    So what is read of a word at one place of each is a row of neighbours.
    """
    several, rows = WORD_BITS // weights.bits, weights.depth
    flat = weights.words.reshape(-1, weights.words.shape[-1])
    made, step = np.empty_like(flat), max(LANES, _WEIGHTS // rows)
    for start in range(0, flat.shape[1], step):
        some = slice(start, start + step)
        steps = (flat[:, None, some] >> _shifts(weights.bits)) & ((1 << weights.bits) - 1)
        apart = steps.reshape(several, len(flat), -1).swapaxes(0, 1)
        made[:, some] = _in_words(apart.reshape(rows, -1), weights.bits)
    return made


def _some(blocks: np.ndarray) -> np.ndarray:
    """Some blocks, evenly apart, [size, sampled]."""
    count, _, columns = blocks.shape
    places = np.unique(np.linspace(0, count * columns - 1, _SAMPLED, dtype=int))
    return blocks[places // columns, :, places % columns].T


def _packed(blocks: np.ndarray, bits: int) -> BlockWeights | None:
    """Blocks [count, size, columns] as steps of so many bits; None where one has no such grid."""
    count, size, columns = blocks.shape
    wide = columns + -columns % LANES
    words = np.zeros((count, -(-size * bits // WORD_BITS), wide), np.int32)
    scales = np.zeros((count, wide), np.float32)
    middles = np.full((count, wide), least_step(bits), np.float32)
    step = max(LANES, min(_BLOCKS, _WEIGHTS // size))
    for block, start in product(range(count), range(0, columns, step)):
        some = slice(start, min(start + step, columns))
        found = on_grid(blocks[block, :, some], (1 << bits) - 1)
        if found is None:
            return None
        steps, scales[block, some] = found
        middle = _middle(steps, bits)
        words[block, :, some], middles[block, some] = _in_words(steps - middle, bits), middle
    return BlockWeights(bits, words, scales, middles if (middles != least_step(bits)).any() else None)


def least_step(bits: int) -> int:
    """The least signed number of so many bits, for which 0 stands where steps lie evenly around zero."""
    return -(1 << (bits - 1))


def _middle(steps: np.ndarray, bits: int) -> np.ndarray:
    """What is taken off the steps of each column so that none is below zero; that of signed numbers where it may be."""
    least = least_step(bits)
    middle: np.ndarray = np.maximum(steps.max(0) + least + 1, np.minimum(steps.min(0) - least, 0)) + least
    return middle


def _in_words(steps: np.ndarray, bits: int) -> np.ndarray:
    """Steps [size, columns] as words int32 [words, columns]."""
    several = WORD_BITS // bits
    whole = np.pad(steps, [(0, -len(steps) % several), (0, 0)]).astype(np.uint32)
    shifts = _shifts(bits).astype(np.uint32)
    words: np.ndarray = np.bitwise_or.reduce(whole.reshape(-1, several, steps.shape[1]) << shifts, axis=1)
    return words.view(np.int32)


def _shifts(bits: int) -> np.ndarray:
    """Of the places of a word, [places, 1]."""
    return np.arange(0, WORD_BITS, bits, dtype=np.int32)[:, None]
