"""Decisions as integers: domains, priors, moves, identity, and the way to traces and back."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import Trace

from draft.spaces import CPU, GPU, space_of
from pruner_engine.errors import UserError
from pruner_engine.space import design_space
from pruner_engine.space.decision import CategoricalDecision, LocationDecision, TileDecision, compositions
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.row_check import checked_row

CONV = "conv2d:1,16,14,14,32,3,pad=1"
TILES = [
    TileDecision(0, "a", extent=60, n=3, max_innermost=8),
    TileDecision(0, "b", extent=64, n=5),
    TileDecision(0, "c", extent=1, n=4),
    TileDecision(0, "d", extent=97, n=2, max_innermost=64),
    TileDecision(0, "e", extent=48, n=4, partition=(2, 6)),
]


@pytest.mark.parametrize("tile", TILES, ids=lambda t: t.name)
def test_tiles_are_all_admissible_factorisations(tile):
    divisors = [d for d in range(1, tile.extent + 1) if tile.extent % d == 0]
    position, factor = tile.partition
    expected = {
        f
        for f in itertools.product(divisors, repeat=tile.n)
        if np.prod(f) == tile.extent
        and (tile.max_innermost < 0 or f[-1] <= tile.max_innermost)
        and np.prod(f[position:]) % factor == 0
    }
    values = {tuple(v) for v in tile.values().tolist()}
    assert values == expected
    rng = np.random.default_rng(0)
    moved = tile.values()
    for _ in range(5):
        moved = tile.mutate(rng, moved)
        assert {tuple(v) for v in moved.tolist()} <= expected


def test_exponents_are_shared_out_in_every_way_in_order():
    for total, parts in [(0, 1), (5, 1), (0, 3), (4, 3), (3, 5)]:
        every = itertools.product(range(total + 1), repeat=parts)
        assert compositions(total, parts).tolist() == [list(ways) for ways in every if sum(ways) == total]
    assert len(compositions(12, 8)) == 50_388, "of 2**12 in as many factors as a project file may ask for"


@pytest.mark.parametrize(
    "change",
    [
        lambda tile: [*tile[:-1], tile[-1] + 0.5],
        lambda tile: [*map(str, tile)],
        lambda tile: [math.inf, *tile[1:]],
        sum,
    ],
    ids=["between", "words", "infinite", "one number"],
)
def test_an_edit_is_of_whole_numbers(change):
    sketch = next(s for s in space_of("matmul:128,96,64", CPU).sketches if s.width)
    decisions = sketch.to_json(sketch.sample(np.random.default_rng(0), 1)[0])
    assert sketch.to_json(checked_row(sketch, decisions)) == decisions
    at = next(i for i, decision in enumerate(sketch.decisions) if isinstance(decision, TileDecision))
    with pytest.raises(UserError, match="is no value of the decision"):
        checked_row(sketch, [*decisions[:at], change(decisions[at]), *decisions[at + 1 :]])


def test_the_prior_of_a_tile_is_metaschedules():
    space = space_of("matmul:128,96,64", GPU)
    sketch = space.sketches[0]
    tile = sketch.decisions[0]
    instruction = sketch.trace.insts[tile.instruction]
    seen: dict[tuple[int, ...], int] = {}
    for seed in range(1, 600):
        schedule = Schedule(space.task.mod, seed=seed * 7919)
        loop = schedule.get_loops(schedule.get_sblock("matmul"))[0]
        for variable in (schedule.sample_perfect_tile(loop, n=tile.n, max_innermost_factor=tile.max_innermost),):
            factors = tuple(int(schedule.get(v)) for v in variable)
            seen[factors] = seen.get(factors, 0) + 1
    assert instruction.kind.name == "SamplePerfectTile"
    assert set(seen) <= {tuple(v) for v in tile.values().tolist()}
    # uniform: no value is drawn much more often than its share
    assert max(seen.values()) <= 12 * 600 / tile.size + 6


def test_a_mutation_changes_at_most_one_decision():
    sketch = space_of(CONV, GPU).sketches[0]
    rng = np.random.default_rng(0)
    rows = sketch.sample(rng, 500)
    mutated = sketch.mutate(rng, rows)
    changed = np.array([(rows[:, c] != mutated[:, c]).any(axis=1) for c in sketch.columns])
    assert (changed.sum(axis=0) <= 1).all()
    assert changed.any(axis=0).mean() > 0.5


def test_a_child_has_every_decision_from_a_parent():
    sketch = space_of(CONV, GPU).sketches[0]
    rng = np.random.default_rng(0)
    a, b = sketch.sample(rng, 200), sketch.sample(rng, 200)
    child = sketch.crossover(rng, a, b)
    for columns in sketch.columns:
        from_a = (child[:, columns] == a[:, columns]).all(axis=1)
        from_b = (child[:, columns] == b[:, columns]).all(axis=1)
        assert (from_a | from_b).all()


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("workload", ["softmax:64,256", "sum:64,512", "gelu:64,96"])
def test_small_spaces_are_enumerated_exactly(workload, target):
    for sketch in space_of(workload, target).sketches:
        rows = sketch.enumerate(sketch.size)
        every = itertools.product(*(map(tuple, decision.values().tolist()) for decision in sketch.decisions))
        told = [tuple(row) for row in rows.tolist()]
        assert len(set(told)) == len(told) == sketch.size
        assert set(told) == {sum(values, ()) for values in every}
        assert {tuple(row) for row in sketch.sample(np.random.default_rng(0), 200).tolist()} <= set(told)


def test_a_space_larger_than_wanted_is_not_enumerated():
    for sketch in (space_of(CONV, GPU).sketches[0], space_of("gelu:64,96", CPU).sketches[0]):
        assert sketch.enumerate(sketch.size - 1) is None


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("workload", ["matmul:128,96,64", CONV, "softmax:64,256"])
def test_rows_survive_the_way_through_a_trace(workload, target):
    space = space_of(workload, target)
    rng = np.random.default_rng(0)
    for sketch in space.sketches:
        for row in sketch.sample(rng, 10):
            assert sketch.from_json(sketch.to_json(row)).tolist() == row.tolist()
            back = space.from_trace(sketch.to_trace(row), "evolved")
            assert (back.sketch, back.row.tolist()) == (sketch.index, row.tolist())
            assert back.hash == space.candidate(sketch.index, row).hash


def test_a_materialised_candidate_is_found_again_from_its_stored_trace():
    space = space_of(CONV, GPU)
    rows = np.concatenate([space.sketches[0].sample(np.random.default_rng(0), 400)])
    candidates = space.materialise([space.candidate(0, row) for row in rows], threads=2)
    assert 0 < len(candidates) < 400
    for candidate in candidates[:5]:
        schedule = Schedule(space.task.mod)
        Trace.apply_json_to_schedule(candidate.schedule.trace.as_json(), schedule)
        assert space.from_trace(schedule.trace, "evolved").hash == candidate.hash


def test_materialising_twice_gives_the_same_schedule():
    space = space_of("gelu:64,96", GPU)
    candidate = space.candidate(0, space.sketches[0].sample(np.random.default_rng(0), 1)[0])
    first, second = space.apply(candidate), space.apply(candidate)
    assert first is not None
    assert second is not None
    assert first.mod.script() == second.mod.script()


def test_a_foreign_trace_is_a_candidate_without_a_sketch():
    space = space_of("matmul:128,96,64", CPU)
    schedule = Schedule(space.task.mod)
    loops = schedule.get_loops(schedule.get_sblock("matmul"))
    schedule.split(loops[0], [None, 4])
    candidate = space.from_trace(schedule.trace, "user")
    assert candidate.sketch is None
    assert space.materialise([candidate])


def test_sketches_do_not_depend_on_what_is_sampled_for_them(monkeypatch):
    space = space_of(CONV, CPU)
    monkeypatch.setattr(design_space, "_SEED", 6)
    again = DesignSpace.generate(space.task, CPU)
    assert [s.hash for s in again.sketches] == [s.hash for s in space.sketches]
    assert [s.decisions_json() for s in again.sketches] == [s.decisions_json() for s in space.sketches]


def test_domains_are_told_in_json():
    kinds = {d["kind"] for s in space_of("softmax:64,256", CPU).sketches for d in s.decisions_json()}
    assert kinds <= {"tile", "categorical", "location"}
    assert CategoricalDecision(0, "c", (0, 16), (0.5, 0.5)).as_json()["domain"]["candidates"] == [0, 16]
    assert LocationDecision(0, "b", (-2, -1, 3)).as_json()["domain"]["indices"] == [-2, -1, 3]
