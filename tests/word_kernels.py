"""A product of matrices of words, as the tests of bytes and of bfloat16 multiply them."""

from __future__ import annotations

import numpy as np
import tvm
from tvm import te
from tvm.s_tir import Schedule

from pruner_engine.lowering.words.sums import WordProducts


def product_of_words(lanes: int, products: WordProducts) -> tvm.IRModule:
    """8 x 16 words by 16 x 32, in vectors of some lanes."""
    left, right = te.placeholder((8, 16), "int32", "left"), te.placeholder((16, 32), "int32", "right")
    k = te.reduce_axis((0, 16), "k")
    total = te.compute((8, 32), lambda i, j: te.sum(products.of(left[i, k], right[k, j]), axis=k), name="total")
    sch = Schedule(te.create_prim_func([left, right, total]))
    block = sch.get_sblock("total")
    i, j, k = sch.get_loops(block)
    j, lane = sch.split(j, [None, lanes])
    sch.reorder(i, j, k, lane)
    sch.vectorize(lane)
    sch.decompose_reduction(block, k)
    return sch.mod


def words_of(numbers: np.ndarray) -> np.ndarray:
    """An array of smaller numbers as words along its last axis."""
    return np.ascontiguousarray(numbers).view("int32")
