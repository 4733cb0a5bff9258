"""Statement, dataflow, primitive and workload features of real candidates."""

import numpy as np
import pytest
from tvm.script import ir as I
from tvm.script import tirx as T

from graphs import tasks_of_graph
from measured import random_candidates
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.verify import create_model, drafted
from pruner_engine.verify.accesses import read_statements
from pruner_engine.verify.dataflow import STEPS, WIDTH, dataflow_features
from schedules import CPU, GPU, task_of

PARTS = ("statement", "dataflow", "workload", "draft")
WORKLOADS = [
    "matmul:64,64,64",
    "dense:16,64,64",
    "conv1d:1,16,32,16,3",
    "conv2d:1,16,14,14,16,3",
    "conv3d:1,8,6,6,6,8,3",
    "depthwise:1,16,14,14,3",
    "deconv2d:1,8,8,8,8,3",
    "maxpool:1,16,14,14,3",
    "softmax:32,64",
    "layernorm:32,64",
    "add:64,64",
]


@I.ir_module
class TiledMatmul:
    """C[64, 64] = A[64, 32] · B[32, 64] in tiles of 16 × 16 × 8."""

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 64), "float32"), C: T.Buffer((64, 64), "float32")):
        for i0j0 in T.parallel(16):
            for k0, i1, k1, j1 in T.grid(4, 16, 8, 16):
                with T.sblock("update"):
                    vi = T.axis.spatial(64, i0j0 // 4 * 16 + i1)
                    vj = T.axis.spatial(64, i0j0 % 4 * 16 + j1)
                    vk = T.axis.reduce(32, k0 * 8 + k1)
                    T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


def test_accesses_of_a_tiled_matrix_product():
    (statement,) = read_statements(TiledMatmul)
    c, a, b = statement.accesses
    assert statement.extents == (16, 4, 16, 8, 16)
    assert statement.flops == 2 * 64 * 64 * 32
    assert [c.footprint(d) for d in range(6)] == [4096, 256, 256, 16, 16, 1]
    assert [a.footprint(d) for d in range(6)] == [2048, 512, 128, 8, 1, 1]
    assert [b.footprint(d) for d in range(6)] == [2048, 512, 128, 128, 16, 1]
    assert (c.stride, a.stride, b.stride) == (1, 0, 1)
    assert (c.read, c.write, a.write) == (True, True, False)


def test_cpu_movements_go_from_memory_to_the_nearest_cache():
    rows = dataflow_features(TiledMatmul, gpu=False)
    assert rows.shape == (9, WIDTH)
    assert rows[:, 1:4].argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    # everything together is 32 KiB and fits: no level sees more than each buffer once
    assert np.allclose(2.0 ** rows[:3, 7] - 1, [64 * 64 * 4, 64 * 32 * 4, 64 * 32 * 4])
    # A does not move along the innermost loop, where every value is used 16 times
    assert rows[1, 11:14].tolist() == [1.0, 0.0, 0.0]
    assert np.isclose(2.0 ** rows[1, 16] - 1, 16)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_operator_has_statements_and_movements(workload):
    space = DesignSpace.generate(task_of(workload), CPU)
    candidates = random_candidates(space, 2)
    assert candidates
    for features in create_model("pacm-draft").featurize(space, candidates):
        assert features.statement.shape[1] == 164 and len(features.statement) >= 1
        assert features.dataflow.shape[1] == WIDTH and 2 <= len(features.dataflow) <= STEPS
        assert features.workload.shape == (16,)
        assert features.draft.shape == (drafted.WIDTH,) and features.draft[0] == 1 and features.draft[1] > 0
        assert all(np.isfinite(getattr(features, part)).all() for part in PARTS)
        assert features.dataflow.max() < 64


def test_features_do_not_depend_on_when_they_are_taken():
    space = DesignSpace.generate(task_of("conv2d:1,16,14,14,16,3"), CPU)
    candidates = random_candidates(space, 6)
    for kind in ("pacm-draft", "tlp"):
        model = create_model(kind)
        first = model.featurize(space, candidates)
        second = model.featurize(space, candidates[::-1])[::-1]
        for one, other in zip(first, second, strict=True):
            for part in (*PARTS, "primitives"):
                assert np.array_equal(getattr(one, part), getattr(other, part))


def test_windows_that_differ_from_point_to_point_are_told_by_their_largest():
    (task,) = tasks_of_graph("gates", CPU)
    space = DesignSpace.generate(task, CPU)
    found = random_candidates(space, 4)
    statements = [s for c in found for s in read_statements(c.schedule.mod)]
    assert statements
    assert all(access.window.min() >= 1 for s in statements for access in s.accesses)


def test_gpu_movements_pass_the_memory_scopes():
    space = DesignSpace.generate(task_of("matmul:128,128,128", GPU), GPU)
    (features,) = create_model("pacm").featurize(space, random_candidates(space, 1))
    levels = features.dataflow[:, 1:4].argmax(axis=1).tolist()
    # both operands memory → shared, shared and registers in the product, registers → memory
    assert levels[:4] == [0, 1, 0, 1]
    assert set(levels[4:7]) == {1, 2}
    assert levels[-2:] == [2, 0]
    # a fetch moves each operand once a block and outer step, however many threads share it
    assert (features.dataflow[:4, 7] < 32).all()


def test_tlp_reads_the_decisions():
    space = DesignSpace.generate(task_of("matmul:64,64,64"), CPU)
    one, other = create_model("tlp").featurize(space, random_candidates(space, 2))
    assert one.primitives.shape[1] == 40
    assert one.primitives.shape != other.primitives.shape or not np.array_equal(one.primitives, other.primitives)
