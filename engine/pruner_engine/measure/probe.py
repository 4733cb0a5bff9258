"""The probe: a fixed kernel whose time tells how busy or throttled the machine is."""

from __future__ import annotations

import tvm
from tvm import te
from tvm.s_tir import Schedule

from pruner_engine.tasks.task import TensorSpec, TuningTask

_SIZE = 256


def probe_task() -> TuningTask:
    """A matrix product of a few milliseconds, parallel over rows and vectorised over columns."""
    shape = (_SIZE, _SIZE)
    a, b = te.placeholder(shape, name="A"), te.placeholder(shape, name="B")
    k = te.reduce_axis((0, _SIZE), name="k")
    c = te.compute(shape, lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    schedule = Schedule(tvm.IRModule({"main": te.create_prim_func([a, b, c]).with_attr("global_symbol", "main")}))
    block = schedule.get_sblock("C")
    i, j, k = schedule.get_loops(block)
    schedule.reorder(i, k, j)
    schedule.parallel(i)
    schedule.vectorize(schedule.split(j, [None, 8])[1])
    schedule.decompose_reduction(block, k)
    specs = tuple(TensorSpec(name, shape, "float32") for name in "ABC")
    return TuningTask("probe", "matmul", "probe", schedule.mod, specs, 2.0 * _SIZE**3, 1)
