"""What is not tuned has a schedule on every GPU: the one with which a bundle compiles it."""

from __future__ import annotations

import pytest
import tvm
from tvm.relax.backend.cuda.pipeline import legalize_passes
from tvm.tirx.compilation_pipeline import get_tir_pipeline
from tvm.tirx.transform import BindTarget

from cuda_compiler import needs_cuda_compiler
from draft.operators import FEW_BITS, HALF, HALF_RELU
from draft.spaces import TENSORISED, WORKLOADS, named_task
from graphs import GRAPHS
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.inspect import code_of
from pruner_engine.inspect.texts import build_kernel
from pruner_engine.lowering.default_schedules import unscheduled, without_broken_schedules
from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

HOPPER = resolve_target("h100")
PADDED = "conv2d:1,16,14,14,32,3,pad=1"  # a statement that pads, one that multiplies
SMALL_TYPES = [f"{name},{dtype}" for name in (PADDED, "dense:64,80,48") for dtype in ("float16", "bfloat16", "int8")]
NAMES = [*WORKLOADS, *GRAPHS, *TENSORISED, HALF_RELU, *SMALL_TYPES]
OF_CPUS = [name for name, (*_, apart) in FEW_BITS.items() if apart is not False]
KERNELS = [name for name in dict.fromkeys(NAMES) if name not in OF_CPUS]


@pytest.mark.parametrize("preset", ["a100-40g", "h100"])
def test_every_kernel_can_be_lowered_with_the_schedule_of_a_bundle(preset):
    target = resolve_target(preset)
    *_, default_schedules = legalize_passes(target)
    lower = get_tir_pipeline("s_tir")[0]
    for name in KERNELS:
        kernel = named_task(name, target).mod
        scheduled = unscheduled(kernel, target)
        with target:
            tvm.ir.assert_structural_equal(scheduled, default_schedules(without_broken_schedules(kernel)))
            lower(BindTarget(target)(scheduled))


@needs_cuda_compiler
@pytest.mark.parametrize("name", [PADDED, "softmax:64,256", "group norm", f"{PADDED},layout=NHWC,bfloat16", HALF])
def test_it_compiles_to_machine_code(name):
    use_cuda_compiler()
    built = build_kernel(unscheduled(named_task(name, HOPPER).mod, HOPPER), HOPPER)
    assert "__global__" in built.imports[0].inspect_source("cuda")


@needs_cuda_compiler
def test_a_bundle_with_a_product_of_bytes_compiles():
    """Of which TVM's own schedule for Tensor Cores does not, up to sm_89."""
    target = resolve_target("a100-40g")
    compile_model(prepare(load_model("matmul:256,128,256,int8").mod, target), target)


def test_the_code_of_an_untuned_convolution_is_shown_and_linked():
    task = named_task(PADDED, HOPPER)
    code = code_of(task, HOPPER, ["nest", "cuda"], None)
    assert "block pad_temp" in code["nest"].text, "as it is before TVM schedules it"
    lines = code["cuda"].text.splitlines()
    linked = [line for node, line in zip(code["cuda"].nodes, lines, strict=True) if node is not None]
    assert linked and all("conv2d_nchw_ptr[" in line for line in linked), "what writes the result"
