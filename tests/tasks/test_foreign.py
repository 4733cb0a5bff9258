"""Schedules and kernels of others bring no native code along."""

from __future__ import annotations

import json

import pytest
import tvm
from tvm.s_tir import Schedule
from tvm.script import tirx as T

from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sketch import trace_json
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.foreign import ForeignCodeError, read_trace, refuse_code
from schedules import task_of

CODE = "@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] [{i32, ptr, ptr} {i32 65535, ptr @abort, ptr null}]"


def test_what_a_design_space_makes_is_read():
    target = resolve_target("llvm")
    for workload in ("matmul:32,32,32", "conv2d:1,8,8,8,8,3", "softmax:8,32"):
        task = task_of(workload)
        assert refuse_code(task.mod) is task.mod
        for sketch in DesignSpace.generate(task, target).sketches:
            assert read_trace(sketch.trace_json()) == json.loads(sketch.trace_json())


def test_a_schedule_that_imports_code_is_refused():
    task = task_of("matmul:32,32,32")
    schedule = Schedule(task.mod)
    block = schedule.get_sblock("matmul")
    schedule.annotate(schedule.get_loops(block)[0], "pragma_import_llvm", CODE)
    text = trace_json(schedule.trace)
    with pytest.raises(ForeignCodeError):
        read_trace(text)
    with pytest.raises(ForeignCodeError):
        read_trace(text.replace("pragma", "\\u0070ragma"))
    with pytest.raises(ForeignCodeError):
        refuse_code(schedule.mod)
    space = DesignSpace.generate(task, resolve_target("llvm"))
    count = len(space.sketches)
    space.take_in([text])
    assert len(space.sketches) == count and space.known(text) is None


@T.prim_func(s_tir=True)
def calling(a: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.sblock("call"):
            v = T.axis.spatial(8, i)
            a[v] = T.call_extern("int32", "mkdir", "found", 511)


def test_a_kernel_that_calls_code_is_refused():
    with pytest.raises(ForeignCodeError):
        refuse_code(tvm.IRModule({"main": calling}))
