"""What LLVM makes of loops whose inside is unrolled: vectors, and scratch buffers that are never in memory."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import tvm
from tvm.script import from_source
from tvm.target import Target

from draft.spaces import CPU, DEVICES, analyzer_of, space_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.cpu.latency import _reduction_run
from pruner_engine.draft.cpu.postproc import _in_vectors, postprocessed
from pruner_engine.draft.formulas.program import Program
from pruner_engine.draft.nests.replay import Replay
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.task import TuningTask

POOL = "maxpool:1,16,32,32,3,stride=2,pad=1"
LANES = 16


def rows_of(sketch):
    """All rows of a small sketch, and the names of what they decide."""
    return np.array([np.concatenate(values) for values in product(*(d.values() for d in sketch.decisions))])


def plain_sketch(space):
    """The sketch without a factored reduction: one pool, one padded copy that goes to any loop or is inlined."""
    return min(space.sketches, key=lambda s: len(s.decisions))


def described(space, sketch, location):
    """The plans of the pool with the padded copy at a location, and every number of statements to unroll."""
    position = next(i for i, d in enumerate(sketch.decisions) if d.kind == "location")
    return postprocessed(Replay(space.task.mod, sketch, {position: location}).root, LANES)


def values(sketch, formula):
    """A formula for every number of statements to unroll, which is what is left to decide."""
    free = next(i for i, d in enumerate(sketch.decisions) if d.kind == "categorical")
    rows = np.zeros((sketch.decisions[free].size, sketch.width), dtype=np.int32)
    rows[:, sketch.columns[free]] = sketch.decisions[free].values()
    told = Program([formula])(rows)[0].tolist()
    return dict(zip(sketch.decisions[free].candidates, told, strict=True))


def test_a_read_under_a_condition_keeps_a_reduction_scalar():
    space = space_of(POOL, CPU)
    sketch = plain_sketch(space)
    (inlined,) = described(space, sketch, -2)
    assert set(values(sketch, inlined.vector).values()) == {1}
    copy, pool = described(space, sketch, -1)
    assert any(touch.guarded for touch in copy.touches)
    assert set(values(sketch, pool.vector).values()) == {LANES / 2}  # every other element of what is loaded


def test_a_vector_along_a_padded_row_is_undone_where_the_padding_is_a_condition():
    """TVM turns a vector of such reads back into a loop with a branch."""
    space = space_of("depthwise:1,16,31,31,3", CPU)
    sketch = space.sketches[-1]
    location = next(i for i, decision in enumerate(sketch.decisions) if decision.kind == "location")
    rows, analyzer = sketch.sample(np.random.default_rng(0), 300), analyzer_of(space)
    inlined = np.array([sketch.to_json(row)[location] == -2 for row in rows])
    vectors = np.array([analyzer.explain(sketch.index, row).symbols["vector"] for row in rows])
    assert inlined.any() and (vectors[inlined] == 1).all()
    assert (vectors[~inlined] > 1).any()


SUM = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle, b: T.handle, o: T.handle):
        T.func_attr({{"global_symbol": "main", "tirx.noalias": True}})
        A = T.match_buffer(a, (9, {wide}), "float32")
        B = T.match_buffer(b, (49,), "float32")
        O = T.match_buffer(o, (3, {extent}), "float32")
        for y in T.parallel(3):
            for x in range({extent}):
                for r in T.unroll(49):
                    O[y, x] = O[y, x] + A[y + r // 7, x + r % 7] * B[r]
"""


@pytest.mark.parametrize("extent", [7, 14, 20, 24, 28, 31, 32, 40, 48, 56, 57, 62])
def test_llvm_takes_the_width_that_leads_to_the_fewest_steps(extent):
    """Held against what it compiles: a row of a window of 49 elements, whose sum is unrolled."""
    target = Target({"kind": "llvm", "mcpu": "znver4", "mtriple": "x86_64-linux-gnu", "num-cores": 2})
    with target:
        built = tvm.tirx.build(from_source(SUM.format(extent=extent, wide=extent + 6)), target=target)
    code = built.inspect_source("asm")
    used = {lanes for name, lanes in (("xmm", 4), ("ymm", 8), ("zmm", 16)) if re.search(rf"vfmadd\w+ps.*%{name}", code)}
    steps = {width: extent // width + extent % width for width in (4, 8, 16)}
    fewest = 1 if extent < 16 else min(steps.values())  # with masks
    widths = [min(w for w in steps if w >= extent)] if extent < 16 else [w for w in steps if steps[w] == fewest]
    assert _in_vectors(extent, 1, LANES) == pytest.approx(extent / fewest)
    assert max(used) in widths


def test_results_that_lie_together_are_stored_as_vectors():
    """The loop of three beside a loop of three that is reduced is unrolled, the one outside becomes a vector."""
    space = space_of(POOL, CPU)
    sketch = next(s for s in space.sketches if len(s.decisions) > 2)
    analyzer = analyzer_of(space)
    found = {}
    for row in rows_of(sketch):
        parts, _, location = sketch.to_json(row)
        if location == -1:
            found.setdefault(tuple(parts), set()).add(analyzer.explain(sketch.index, row).symbols["vector"])
    assert list(found[(3, 3)]) == [pytest.approx(LANES / 3)]
    assert found[(1, 9)] == {LANES / 2}


def test_a_step_has_no_part_of_an_accumulator():
    space = space_of(POOL, CPU)
    analyzer = analyzer_of(space)
    for sketch in space.sketches:
        for row in sketch.sample(np.random.default_rng(0), 60):
            assert analyzer.explain(sketch.index, row).symbols["accumulators"] >= 1


def test_scratch_of_unrolled_code_is_in_registers():
    space = space_of(POOL, CPU)
    sketch = plain_sketch(space)
    for location, once in ((3, 9), (2, 3 * 33)):
        copy, pool = described(space, sketch, location)
        (scratch,) = pool.registers
        assert scratch is next(t.buffer for t in copy.touches if t.written)
        for unrolled, kept in values(sketch, pool.registers[scratch]).items():
            assert kept == (unrolled >= max(once, 9 * (16 if location == 2 else 1)))
    assert not described(space, sketch, -1)[1].registers


def test_scratch_in_registers_costs_no_loads():
    space = space_of(POOL, CPU)
    sketch = plain_sketch(space)
    analyzer = analyzer_of(space)
    loads = {}
    for row in rows_of(sketch):
        unroll, location = sketch.to_json(row)
        if location == 3:
            loads[unroll] = analyzer.explain(sketch.index, row).symbols["loads_per_step"]
    assert loads[0] == 1 and all(none == 0 for unroll, none in loads.items() if unroll)


def test_a_padded_copy_takes_branches_where_a_tile_decides_what_is_padding():
    space = space_of(POOL, CPU)
    sketch = plain_sketch(space)
    whole_rows, _ = described(space, sketch, -1)
    assert min(values(sketch, whole_rows.vector).values()) >= LANES
    window, _ = described(space, sketch, 3)
    assert values(sketch, window.vector)[0] == 1


def test_sums_start_anew_where_the_result_moves_in_the_same_scratch():
    space = space_of("depthwise:1,16,16,16,3,pad=1", CPU)
    rng = np.random.default_rng(0)
    for sketch in space.sketches:
        runs = [
            _reduction_run(p)
            for p in postprocessed(Replay(space.task.mod, sketch, {}).root, LANES)
            if not p.source.spatial
        ]
        assert runs
        assert Program(runs)(sketch.sample(rng, 200)).max() <= 9


def test_a_nest_on_one_core_starts_no_threads():
    space = space_of("matmul:128,96,64", CPU)
    analyzer = Analyzer(space, replace(DEVICES[CPU], parallel_overhead_s=1.0))
    seen = set()
    for sketch in space.sketches:
        for row in sketch.sample(np.random.default_rng(0), 200):
            told = analyzer.explain(sketch.index, row)
            spread = told.symbols["parallel"] > 1
            assert (told.times["overhead"] >= 1.0) == spread
            seen.add(spread)
    assert seen == {True, False}


def test_a_register_holds_half_as_many_numbers_of_eight_bytes():
    x, w = tvm.te.placeholder((16, 24), "float64", "x"), tvm.te.placeholder((24, 64), "float64", "w")
    k = tvm.te.reduce_axis((0, 24), name="k")
    products = tvm.te.compute((16, 64), lambda i, j: tvm.te.sum(x(i, k) * w(k, j), axis=k), name="products")
    mod = tvm.IRModule({"main": tvm.te.create_prim_func([x, w, products])})
    space = DesignSpace.generate(TuningTask("kernel", "matmul", "0", mod, (), 1e4, 1), CPU)
    sketch = next(sketch for sketch in space.sketches if "sch.vectorize" in str(sketch.trace))
    found = analyzer_of(space).explain(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0])
    assert found.symbols["vector"] == LANES / 2
    assert found.penalties["lanes"] == 1
