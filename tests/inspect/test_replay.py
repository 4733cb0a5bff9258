"""The loop nest after every instruction of a trace."""

from __future__ import annotations

import json

import pytest

from pruner_engine.inspect import code_of
from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.inspect.replay import replay
from pruner_engine.space.sketch import trace_json
from schedules import CPU, GPU, random_schedule, task_of


def nodes_of(roots):
    for node in roots:
        yield node
        yield from nodes_of(node["children"])


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:64,48,32")


@pytest.fixture(scope="module")
def schedule(task):
    return random_schedule(task, seed=3)


@pytest.fixture(scope="module")
def played(task, schedule):
    return replay(task.mod, schedule.trace)


def test_one_step_an_instruction_with_its_statement(schedule, played):
    assert [step.index for step in played.steps] == list(range(-1, len(schedule.trace.insts)))
    assert [step.text for step in played.steps[1:]] == list(schedule.trace.as_python())
    assert [step.kind for step in played.steps[1:]] == [inst.kind.name for inst in schedule.trace.insts]


def test_it_starts_unscheduled_and_ends_at_the_schedule(task, schedule, played):
    assert played.trees[0] == LoopTree(task.mod).roots
    assert played.trees[played.steps[-1].tree] == LoopTree(schedule.mod).roots
    assert played.code.text == schedule.mod.script()


def test_decisions_are_those_of_the_trace(schedule, played):
    for step in played.steps:
        if step.kind == "SamplePerfectTile":
            assert step.decision and all(isinstance(factor, int) for factor in step.decision)
    sampled = [step.index for step in played.steps if step.decision is not None]
    assert sampled == [i for i, inst in enumerate(schedule.trace.insts) if inst in schedule.trace.decisions]


def test_a_split_makes_the_loops_it_touches(played):
    pairs = zip(played.steps, played.steps[1:], strict=False)
    tile, split = next(pair for pair in pairs if [step.kind for step in pair] == ["SamplePerfectTile", "Split"])
    touched = [node for node in nodes_of(played.trees[split.tree]) if node["id"] in split.touched]
    assert [node["extent"] for node in touched] == tile.decision
    assert split.tree == tile.tree + 1


def test_loops_multiply_to_the_kernels_extents(played):
    """The innermost block computes 64·48·32 products, however it is tiled."""
    update = next(n for n in nodes_of(played.trees[-1]) if n["type"] == "block" and n["name"].endswith("_update"))

    def trips(nodes, product):
        for node in nodes:
            inner = product * (node["extent"] if node["type"] == "loop" else 1)
            if node is update:
                return product
            if (found := trips(node["children"], inner)) is not None:
                return found
        return None

    assert trips(played.trees[-1], 1) == 64 * 48 * 32
    assert sorted((a["kind"], a["extent"]) for a in update["axes"]) == [
        ("reduce", 32),
        ("spatial", 48),
        ("spatial", 64),
    ]


def test_code_lines_and_nodes_are_linked_both_ways(played):
    code, lines = played.code, played.code.text.splitlines()
    for node in nodes_of(played.trees[-1]):
        if node["name"] == "root":
            continue
        line = code.lines[node["id"]]
        assert node["name"].replace(".", "_") in lines[line]
        owner = code.nodes[line]
        assert owner == node["id"] or code.lines[owner] == line
    assert len(code.nodes) == len(lines)


def test_it_travels_as_json(task, schedule, played):
    code = code_of(task, CPU, ["replay"], trace_json(schedule.trace))
    assert json.loads(code["replay"].text) == json.loads(json.dumps(played.as_json()))


def test_threads_of_a_gpu_kernel():
    task = task_of("matmul:64,64,64", GPU)
    tree = LoopTree(random_schedule(task, GPU).mod)
    bound = {node["thread"] for node in nodes_of(tree.roots) if node["type"] == "loop" and node["thread"]}
    assert {"blockIdx.x", "threadIdx.x"} <= bound
    scopes = {alloc["scope"] for node in nodes_of(tree.roots) if node["type"] == "block" for alloc in node["allocs"]}
    assert "shared" in scopes or "local" in scopes
