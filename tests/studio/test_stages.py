"""The memory that a block works on stands in its title: on nests of real schedules."""

from __future__ import annotations

import pytest

from pruner_studio.models.stages import walk
from pruner_studio.widgets.nest import NestTree


@pytest.fixture(scope="module")
def schedule():
    """Makes schedules of a matrix product with caches of its operands and its result."""
    import tvm
    from tvm import te
    from tvm.s_tir import Schedule

    left, right = (te.placeholder((64, 64), name=name) for name in "AB")
    k = te.reduce_axis((0, 64), name="k")
    product = te.compute((64, 64), lambda i, j: te.sum(left[i, k] * right[k, j], axis=k), name="C")
    mod = tvm.IRModule({"main": te.create_prim_func([left, right, product])})

    def make(written: str, *read: str):
        made = Schedule(mod)
        block = made.get_sblock("C")
        made.cache_write(block, 0, written)
        for number, scope in enumerate(read):
            made.cache_read(block, number, scope)
        return made

    return make


def drawn(qtbot, schedule) -> set[str]:
    """Titles of the blocks as the view shows them."""
    from pruner_engine.inspect.loop_tree import LoopTree

    tree, roots = NestTree(), LoopTree(schedule.mod).roots
    qtbot.addWidget(tree)
    tree.show_nest(roots)
    return {tree._items[node["id"]].text(0) for node in walk(roots) if node["type"] == "block"}


def test_scopes_of_a_gpu_are_told(qtbot, schedule) -> None:
    assert drawn(qtbot, schedule("local", "shared", "wmma.matrix_b")) == {
        "block root",
        "block A_shared  cache read (shared)",
        "block B_wmma.matrix_b  cache read (wmma.matrix_b)",
        "block C  → C_local (local)",
        "block C_local  cache write (local)",
    }


def test_caches_of_a_cpu_are_told_without_a_scope(qtbot, schedule) -> None:
    assert drawn(qtbot, schedule("global", "global")) == {
        "block root",
        "block A_global  cache read",
        "block C  → C_global (cache)",
        "block C_global  cache write",
    }


def test_an_intermediate_result_is_no_cache(qtbot) -> None:
    """What is only written for the next block: its scope is global memory, and it copies nothing."""
    buffer = {"name": "pad_temp", "scope": "global", "shape": [4], "dtype": "float32"}
    block = {"type": "block", "axes": [], "reads": [], "init": False, "annotations": {}, "allocs": [], "children": []}
    pad = block | {"id": 1, "name": "pad_temp", "writes": ["pad_temp[v0]"]}
    tree = NestTree()
    qtbot.addWidget(tree)
    tree.show_nest([block | {"id": 0, "name": "root", "writes": [], "allocs": [buffer], "children": [pad]}])
    assert tree._items[1].text(0) == "block pad_temp"


def test_a_nest_that_could_not_be_drawn_takes_no_voice_from_the_next(qtbot) -> None:
    loop = {"type": "loop", "name": "i", "extent": 4, "kind": "serial", "thread": "", "children": []}
    tree, chosen = NestTree(), []
    qtbot.addWidget(tree)
    tree.node_chosen.connect(chosen.append)
    with pytest.raises(KeyError):
        tree.show_nest([{"type": "loop", "id": 0, "children": []}])
    tree.show_nest([loop | {"id": 1}])
    assert not chosen, "nobody has chosen a node yet"
    tree.setCurrentItem(tree._items[1])
    assert [node["id"] for node in chosen] == [1]
