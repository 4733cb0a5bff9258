"""What makes two schedules differ."""

from __future__ import annotations

import json
import subprocess
import sys

from pruner_engine.inspect.diff import changed_parts, diff_decisions, diff_lines, outline
from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sketch import trace_json
from schedules import CPU, random_schedule, task_of


def test_lines_are_paired_and_numbered():
    rows = diff_lines(["a", "b", "c"], ["a", "x", "c", "d"])
    assert [(r.kind, r.left, r.right) for r in rows] == [
        ("equal", "a", "a"),
        ("changed", "b", "x"),
        ("equal", "c", "c"),
        ("added", "", "d"),
    ]
    assert [(r.left_line, r.right_line) for r in rows] == [(0, 0), (1, 1), (2, 2), (None, 3)]


def test_both_sides_can_be_read_off_a_diff():
    left, right = ["one", "two", "three", "four"], ["zero", "one", "three", "five", "six", "four"]
    rows = diff_lines(left, right)
    assert [r.left for r in rows if r.left_line is not None] == left
    assert [r.right for r in rows if r.right_line is not None] == right


def test_the_letters_in_which_two_lines_differ():
    def cut(left: str, right: str) -> tuple[str, str] | None:
        parts = changed_parts(left, right)
        return parts and (left[parts[0].start : parts[0].stop], right[parts[1].start : parts[1].stop])

    assert cut("f(x, [8, 1, 2])", "f(x, [2, 4, 2])") == ("8, 1", "2, 4")
    assert cut("    abc", "    abcd") == ("", "d")
    assert cut("aaa", "aa") == ("a", ""), "what both begin with is not counted again at their end"
    assert cut("        one", "        two") is None, "an indentation makes no two lines alike"


def test_nests_are_lined_up_by_their_outlines():
    task = task_of("matmul:32,32,32")
    plain, tuned = LoopTree(task.mod).roots, LoopTree(random_schedule(task).mod).roots
    assert outline(plain)[:2] == ["block root", "  for i0 in serial(32)"]
    rows = diff_lines(outline(plain), outline(tuned))
    assert len([r for r in rows if r.right_line is not None]) == len(LoopTree(random_schedule(task).mod).statements)


def test_decisions_of_one_sketch_and_of_two():
    space = DesignSpace.generate(task_of("matmul:64,64,64"), CPU)
    sketch, other = space.sketches[0], space.sketches[1]
    import numpy as np

    rng = np.random.default_rng(1)
    first = sketch.sample(rng, 1)
    second = sketch.mutate(rng, first)
    while (second == first).all():
        second = sketch.mutate(rng, first)
    a, b = (json.loads(trace_json(sketch.to_trace(rows[0]))) for rows in (first, second))
    changes = diff_decisions(a, b)
    assert changes and all(change.left != change.right for change in changes)
    assert all(change.instruction.startswith("Sample") for change in changes)
    assert diff_decisions(a, a) == []
    assert diff_decisions(a, json.loads(trace_json(other.to_trace(other.sample(rng, 1)[0])))) is None


def test_the_window_can_use_it_without_tvm():
    code = "import sys; import pruner_engine.inspect.diff; sys.exit('tvm' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False).returncode
        == 0
    )
