"""What TVM writes for a GPU computes what the untuned kernel computes, whatever the order of its threads."""

import re
import shutil

import numpy as np
import pytest
import tvm

from cuda_compiler import needs_cuda_compiler
from cuda_on_cpu import DivergentBarrierError, KernelsOnCpu
from draft.operators import FEW_BITS
from draft.spaces import EPILOGUES, PADDED, SPLIT, named_task, rows_of_each
from machines import result_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from schedules import task_of

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")

HOPPER = resolve_target("h100")
PROFILE = load_presets()["h100"].profile
ORDERS = (0, 1, 2)
ASYNCHRONOUS = "software_pipeline_async_stages"

FLOATS = ["matmul:32,24,40", "bmm:3,16,24,8", "dense:16,20,24", "conv1d:1,8,18,16,3,pad=1"]
FLOATS += ["conv2d:1,8,10,10,16,3,stride=2,pad=1", "conv2d:1,8,10,10,12,3,layout=NHWC", "conv3d:1,4,3,6,6,8,3,pad=1"]
FLOATS += ["depthwise:1,12,8,8,3,layout=NHWC", "deconv2d:1,8,4,4,4,4", "maxpool:1,6,9,9,3,stride=2"]
FLOATS += ["softmax:16,40", "layernorm:12,24", "sum:12,50", "gelu:12,20"]
TENSOR_CORES = ["matmul:64,48,32,float16", "bmm:2,32,32,16,float16", "dense:48,32,64,float16"]
TENSOR_CORES += [
    "conv2d:1,16,8,8,32,3,layout=NHWC,float16",
    "matmul:64,32,64,bfloat16",
    "matmul:64,32,64,int8",
    *PADDED,
]


def arrays_of(task):
    rng = np.random.default_rng(3)

    def numbers(shape, dtype):
        if dtype == "int32":  # words, in which all bits count
            return rng.integers(-(1 << 31), 1 << 31, shape)
        return rng.integers(-9, 9, shape) if "int" in dtype else rng.standard_normal(shape)

    return [numbers(spec.shape, spec.dtype).astype(spec.dtype) for spec in task.args]


def modules_of(space, sketch, count):
    """Of random rows that the closed form calls valid."""
    rows = sketch.sample(np.random.default_rng(0), 500)
    valid = rows[np.isfinite(Analyzer(space, PROFILE).score(sketch.index, rows))][:count]
    return [c.schedule.mod for c in space.materialise([space.candidate(sketch.index, row) for row in valid])]


def compare(workload, kind="", tolerance=1e-3):
    """Of each sketch whose trace holds `kind`; returns the code of all kernels that were compared."""
    space = DesignSpace.generate(named_task(workload, HOPPER), HOPPER)
    arrays = arrays_of(space.task)
    wanted = result_of(space.task.mod, arrays).astype("float32")
    near = {"rtol": tolerance, "atol": tolerance * max(1.0, float(np.abs(wanted).max()))}
    codes = []
    for sketch in (sketch for sketch in space.sketches if kind in sketch.trace_json()):
        for mod in modules_of(space, sketch, rows_of_each(1)):
            kernels = KernelsOnCpu(mod, HOPPER)
            codes.append(kernels.source)
            for order in ORDERS:
                np.testing.assert_allclose(kernels(arrays, order)[-1].astype("float32"), wanted, **near)
    assert codes
    return codes


@pytest.mark.parametrize("workload", FLOATS)
def test_kernels_of_floats(workload):
    compare(workload)


@pytest.mark.parametrize("workload", [name for name in FEW_BITS if "what words hold" in name])
def test_kernels_of_weights_of_few_bits(workload):
    compare(workload)


@pytest.mark.parametrize("workload", TENSOR_CORES)
def test_kernels_of_tensor_cores(workload):
    for code in compare(workload, "wmma", 3e-2 if "float16" in workload else 1e-3):
        assert "mma_sync" in code


PIPELINED = ["matmul:48,40,64", "bmm:3,16,24,32", "dense:16,20,48", "conv1d:1,8,18,16,3,pad=1"]
PIPELINED += ["conv2d:1,8,10,10,16,3,stride=2,pad=1", "conv2d:1,16,10,10,12,3,layout=NHWC", "deconv2d:1,8,4,4,4,4"]
PIPELINED += ["conv2d:1,16,8,8,32,3,groups=2,layout=NHWC,float16", "matmul:40,24,48,float64"]


@pytest.mark.parametrize("workload", PIPELINED)
def test_pipelines_of_asynchronous_copies(workload):
    for code in compare(workload, ASYNCHRONOUS, 3e-2 if "float16" in workload else 1e-3):
        assert "cp_async_wait_group" in code
        assert "ptx_cp_async_legacy" in code


@pytest.mark.parametrize("workload", SPLIT)
def test_long_sums_that_blocks_share(workload):
    for code in compare(workload, "RFactor"):
        assert "main_kernel_1" in code


@pytest.mark.parametrize("workload", EPILOGUES)
def test_chains_behind_products(workload):
    compare(workload, tolerance=3e-2 if "halves" in workload else 1e-3)


def product(edit=lambda source: source, pipelined=False):
    space = DesignSpace.generate(task_of("matmul:32,32,64", HOPPER), HOPPER)
    traces = {sketch: sketch.trace_json() for sketch in space.sketches}
    sketch = next(s for s, trace in traces.items() if "RFactor" not in trace and (ASYNCHRONOUS in trace) == pipelined)
    (mod,) = modules_of(space, sketch, 1)
    return KernelsOnCpu(mod, HOPPER, edit), arrays_of(space.task), space.task.mod


def test_a_barrier_that_is_missing_shows():
    kernels, arrays, mod = product(lambda source: source.replace("__syncthreads();", ""))
    wanted = result_of(mod, arrays)
    found = [kernels(arrays, order)[-1] for order in ORDERS]
    assert not all(np.allclose(one, wanted, 1e-3, 1e-3) for one in found)


def waits_for_fewer(source):
    return re.sub(r"(\w+wait_group_)(\d+)\(", lambda found: f"{found[1]}{int(found[2]) + 1}(", source)


@pytest.mark.parametrize("edit", [waits_for_fewer, lambda source: re.sub(r"\w+_commit_group\(\);", "", source)])
def test_a_wait_for_too_few_copies_shows(edit):
    kernels, arrays, mod = product(edit, pipelined=True)
    assert not np.allclose(kernels(arrays)[-1], result_of(mod, arrays), 1e-3, 1e-3)


@needs_cuda_compiler
@pytest.mark.parametrize("name", ["a100-40g", "h100"])
def test_the_compiler_takes_asynchronous_copies(name):
    target = resolve_target(name)
    space = DesignSpace.generate(task_of("conv2d:1,16,10,10,12,3,layout=NHWC", target), target)
    sketch = next(sketch for sketch in space.sketches if ASYNCHRONOUS in sketch.trace_json())
    use_cuda_compiler()
    for mod in modules_of(space, sketch, rows_of_each(1)):
        with target:
            (device,) = tvm.tirx.build(mod, target=target).imports
        assert "cp.async.c" in device.inspect_source("cuda")


def test_a_gpu_without_the_instruction_copies_through_registers():
    space = DesignSpace.generate(task_of("matmul:32,32,64", HOPPER), HOPPER)
    sketch = next(sketch for sketch in space.sketches if ASYNCHRONOUS in sketch.trace_json())
    (mod,) = modules_of(space, sketch, 1)
    assert "ptx_cp_async_legacy" not in KernelsOnCpu(mod, resolve_target('{"kind":"cuda","arch":"sm_75"}')).source


def test_a_barrier_that_some_threads_pass_by_is_an_error():
    kernels, arrays, _ = product(
        lambda source: source.replace("__syncthreads();", "if (threadIdx.x < 1) __syncwarp(); else __syncthreads();", 1)
    )
    with pytest.raises(DivergentBarrierError):
        kernels(arrays)


def test_a_store_beyond_a_buffer_is_an_error():
    kernels, arrays, _ = product(
        lambda source: source.replace("__syncthreads();", "matmul_ptr[32 * 32] = 1; __syncthreads();", 1)
    )
    with pytest.raises(AssertionError, match="beyond a buffer"):
        kernels(arrays)
