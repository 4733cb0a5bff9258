"""On a GPU the dataflow features follow the data: global memory, shared memory, registers, arithmetic, and back."""

import pytest

from measured import random_candidates
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from pruner_engine.verify.dataflow import dataflow_features
from schedules import task_of

GPU = resolve_target("a100-40g")
GLOBAL, SHARED, REGISTER = 0, 1, 2
READ, WRITE, BOTH = 0, 1, 2


def movements(workload, seed=1):
    """(level, access) of every step of a random candidate, in order."""
    (candidate,) = random_candidates(DesignSpace.generate(task_of(workload, GPU), GPU), 1, seed)
    steps = dataflow_features(candidate.schedule.mod, gpu=True)
    return list(zip(steps[:, 1:4].argmax(axis=1).tolist(), steps[:, 4:7].argmax(axis=1).tolist(), strict=True))


TILED = ["matmul:128,128,128", "bmm:4,64,64,64", "conv2d:1,16,14,14,32,3", "conv2d:1,16,14,14,32,3,layout=NHWC"]
TILED += ["conv1d:1,16,64,32,3,pad=1", "conv3d:1,8,6,10,10,16,3,pad=1", "depthwise:1,48,14,14,3,layout=NHWC"]


@pytest.mark.parametrize("workload", TILED)
def test_multi_level_tiling_goes_through_shared_memory_and_registers(workload):
    fetch = [(GLOBAL, READ), (SHARED, WRITE)]
    compute = [(REGISTER, BOTH), (SHARED, READ), (SHARED, READ)]
    assert movements(workload) == [*fetch, *fetch, *compute, (REGISTER, READ), (GLOBAL, WRITE)]


TENSOR_CORES = [
    "matmul:128,128,128,float16",
    "conv2d:1,32,28,28,64,3,layout=NHWC,float16",
    "matmul:128,128,128,bfloat16",
]


@pytest.mark.parametrize("workload", TENSOR_CORES)
def test_tensor_cores_load_fragments_and_store_them_by_shared_memory(workload):
    fetch = [(GLOBAL, READ), (SHARED, WRITE)]
    load = [(SHARED, READ), (REGISTER, WRITE)]
    multiply = [(REGISTER, BOTH), (REGISTER, READ), (REGISTER, READ)]
    store = [(REGISTER, READ), (SHARED, WRITE), (SHARED, READ), (GLOBAL, WRITE)]
    assert movements(workload) == [*fetch, *fetch, *load, *load, *multiply, *store]


@pytest.mark.parametrize("workload", ["softmax:64,256", "layernorm:32,192", "maxpool:1,16,16,16,2", "gelu:64,96"])
def test_what_is_not_tiled_begins_and_ends_in_memory(workload):
    steps = movements(workload)
    assert steps[0][0] == GLOBAL and GLOBAL in {level for level, access in steps if access != READ}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8"])
def test_small_types_get_tensor_core_sketches(dtype):
    space = DesignSpace.generate(task_of(f"matmul:128,128,128,{dtype}", GPU), GPU)
    assert any("wmma" in sketch.trace_json() for sketch in space.sketches)
