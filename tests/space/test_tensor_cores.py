"""Tensor Core candidates of small types: drafted, accepted by TVM, and compiled to the device's own machine code."""

import re
import shutil
import subprocess

import pytest
from tvm.s_tir.pipeline import default_s_tir_pipeline
from tvm.tirx.compilation_pipeline import register_tir_pipeline

from cuda_compiler import needs_cuda_compiler
from draft.spaces import accepted, rows_of_each, space_of
from pruner_engine.inspect.ptx import ptx_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from schedules import task_of, tvm

WORKLOADS = ["matmul:128,128,128,bfloat16", "conv2d:1,32,28,28,64,3,layout=NHWC,bfloat16", "matmul:256,128,256,int8"]


def source_of(mod, target):
    with target:
        return tvm.tirx.build(mod, target=target).imports[0].inspect_source("cuda")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_closed_form_knows_what_tvm_accepts(workload):
    space = space_of(workload, resolve_target("a100-40g"))
    assert all("wmma" in sketch.trace_json() for sketch in space.sketches)
    modules, tried = accepted(space, "a100-40g", 12)
    assert len(modules) == tried == 12


@needs_cuda_compiler
@pytest.mark.parametrize("preset", ["a100-40g", "h100"])
def test_they_compile_to_machine_code(preset, built):
    target = resolve_target(preset)
    modules = [mod for workload in WORKLOADS for mod in accepted(space_of(workload, target), preset, 1)[0]]
    results = built(preset, modules)
    assert len(results) == len(WORKLOADS) and all(result.ok for result in results), [r.message for r in results]


@pytest.mark.parametrize("workload", [WORKLOADS[0], WORKLOADS[2]])
def test_results_of_another_type_take_the_place_of_operands(workload):
    """What TVM alone refuses to compile."""
    target = resolve_target("a100-40g")
    modules, _ = accepted(space_of(workload, target), "a100-40g", rows_of_each(5))
    register_tir_pipeline("stock", default_s_tir_pipeline)
    refused = []
    for mod in modules:
        try:
            with target:
                tvm.tirx.build(mod, target=target, pipeline="stock")
        except RuntimeError as error:
            assert "tvm_access_ptr" in str(error)
            refused.append(mod)
    assert refused
    for mod in refused:
        assert "store_matrix_sync" in source_of(mod, target)


@needs_cuda_compiler
def test_bfloat16_is_multiplied_by_matrix_instructions():
    target = resolve_target("a100-40g")
    modules, _ = accepted(space_of(WORKLOADS[0], target), "a100-40g", 1)
    ptx, _ = ptx_of(source_of(modules[0], target), "sm_80")
    assert re.search(r"wmma\.mma\.sync.*bf16", ptx)


@pytest.mark.skipif(not (shutil.which("cuobjdump") and shutil.which("nvdisasm")), reason="no disassembler for GPUs")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_machine_code_holds_matrix_instructions_of_bfloat16(arch, tmp_path):
    target = resolve_target("a100-40g")
    modules, _ = accepted(space_of(WORKLOADS[0], target), "a100-40g", 1)
    (tmp_path / "kernel.cu").write_text(source_of(modules[0], target))
    subprocess.run(["nvcc", "-cubin", f"-arch={arch}", "-o", "kernel.cubin", "kernel.cu"], cwd=tmp_path, check=True)
    assert b"HMMA.16816.F32.BF16" in subprocess.check_output(["cuobjdump", "-sass", tmp_path / "kernel.cubin"])


def test_operands_lie_in_different_banks():
    space = space_of(WORKLOADS[0], resolve_target("a100-40g"))
    assert all(sketch.trace_json().count("StorageAlign") == 2 for sketch in space.sketches)


@pytest.mark.parametrize(
    ("target", "without"), [('{"kind":"cuda","arch":"sm_75"}', ()), ("a100-40g", ("bfloat16-tensor-core",))]
)
def test_without_such_instructions_the_ordinary_cores_work(target, without):
    target = resolve_target(target)
    space = DesignSpace.generate(task_of(WORKLOADS[0], target), target, without=without)
    assert space.sketches and not any("wmma" in sketch.trace_json() for sketch in space.sketches)


def test_a_kernel_over_which_the_rules_of_tensor_cores_stumble_has_a_space_without_them():
    target = resolve_target("h100")
    task = task_of("conv2d:1,64,1,1,64,1,layout=NHWC,float16", target)
    sketches = DesignSpace.generate(task, target).sketches
    assert sketches and not any("wmma" in sketch.trace_json() for sketch in sketches)
