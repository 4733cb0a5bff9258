"""A graph that a GPU's library records uses memory that nobody else frees: its kernels allocate none by themselves."""

import numpy as np
import pytest
import tvm
from tvm.relax import op
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.database import MemoryDatabase, TuningRecord

from cuda_compiler import needs_cuda_compiler
from graphs import graph
from machines import machine_of
from pruner_engine.export.between import hand_over_memory_between_launches
from pruner_engine.export.build import apply_database, compile_model
from pruner_engine.export.library import write_library
from pruner_engine.frontends import ModelFacts
from pruner_engine.frontends.model_file import ModelFile
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TensorSpec
from schedules import CPU, built
from without_threads import one_after_another

HOPPER = resolve_target("h100")


def _model():
    """Two kernels of long sums, one of them called twice."""

    def function(x, first, second, third):
        inner = op.nn.relu(op.matmul(op.nn.relu(op.matmul(op.nn.relu(op.matmul(x, first)), first)), second))
        return op.nn.softmax(op.matmul(inner, third), axis=-1)

    return graph(function, (8, 768), constants=[(768, 768), (768, 24), (24, 16)])


@pytest.fixture(scope="module")
def tuned():
    """The model with a schedule of each kernel, that of the rule for long sums where there is one."""
    prepared, database = prepare(_model(), HOPPER), MemoryDatabase()
    for task in extract_tasks(prepared, HOPPER):
        space = DesignSpace.generate(task, HOPPER)
        rows = space.sketches[-1].sample(np.random.default_rng(0), 400)
        schedule = next(built(space, len(space.sketches) - 1, rows))
        args = ArgInfo.from_entry_func(schedule.mod, remove_preproc=True)
        workload = database.commit_workload(task.mod)
        database.commit_tuning_record(TuningRecord(schedule.trace, workload, [1e-5], HOPPER, args))
    return apply_database(prepared, HOPPER, database)


def metadata_of(mod, folder):
    """What is written of a library beside it."""
    spec = TensorSpec("x", (8, 768), "float32")
    model = ModelFacts(name="model", kind="onnx", source="", file=ModelFile.of(b""), inputs=(spec,), outputs=(spec,))
    return write_library(compile_model(mod, HOPPER), model, HOPPER, 1, folder)


def launches_more_than_once(mod):
    return [
        variable.name_hint
        for variable, function in mod.functions.items()
        if isinstance(function, tvm.tirx.PrimFunc)
        and any(buffer.scope() == "global" for buffer in function.body.block.alloc_buffers)
    ]


@needs_cuda_compiler
def test_no_kernel_of_a_library_allocates_memory(tuned, tmp_path):
    assert len(launches_more_than_once(tuned)) == 2
    assert "graphs" not in metadata_of(tuned, tmp_path)
    assert b"BackendAllocWorkspace" not in (tmp_path / "model.so").read_bytes()


@needs_cuda_compiler
def test_no_graph_is_recorded_where_one_does(tmp_path):
    """TVM's kernel for sums of all before has memory of its own, whose size it computes when it is called."""
    sums = prepare(graph(lambda x: op.nn.relu(op.cumsum(op.nn.relu(x), axis=-1)), (8, 768)), HOPPER)
    assert metadata_of(sums, tmp_path)["graphs"] is False


def test_results_are_the_same(tuned):
    """With threads one after another."""
    handed = hand_over_memory_between_launches(tuned)
    assert not launches_more_than_once(handed)
    for variable, function in handed.functions.items():
        if isinstance(function, tvm.tirx.PrimFunc):
            handed.update_func(variable, one_after_another(tvm.IRModule({"main": function}))["main"])
    x = np.random.default_rng(0).standard_normal((8, 768)).astype("float32")
    given = tvm.runtime.tensor(x)
    found, wanted = (machine_of(mod, CPU)["main"](given) for mod in (handed, prepare(_model(), CPU)))
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-3, atol=1e-5)
