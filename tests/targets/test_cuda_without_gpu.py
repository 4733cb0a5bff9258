"""What a machine without a GPU can do for one: compile, and say what is missing."""

import subprocess
import sys

import pytest

from pruner_engine.child import environment
from pruner_engine.export.build import compile_model
from pruner_engine.export.contents import add_contents
from pruner_engine.export.library import write_library
from pruner_engine.frontends import load_model
from pruner_engine.targets.cuda_compiler import find_cuda_compiler, use_cuda_compiler
from pruner_engine.targets.gpu_microbench import arithmetic, compile_kernel, rereading, stream
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

HOPPER = resolve_target("h100")


def test_a_compiler_is_found_and_says_what_it_is():
    compiler = find_cuda_compiler()
    assert compiler.kind in ("nvrtc", "nvcc") and compiler.version in str(compiler)


def test_without_a_compiler_there_is_a_sentence(tmp_path):
    code = (
        "from pruner_engine.errors import UserError\n"
        "from pruner_engine.targets.cuda_compiler import find_cuda_compiler\n"
        "try: find_cuda_compiler()\nexcept UserError as error: print(error)"
    )
    env = environment(PATH=str(tmp_path), PYTHONNOUSERSITE="1")
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "Install" in done.stdout or find_cuda_compiler().kind == "nvrtc"


@pytest.mark.parametrize("kernel", [arithmetic(2), stream(1 << 16), rereading(1 << 18)], ids=["flops", "dram", "l2"])
def test_the_micro_benchmark_compiles_to_machine_code(kernel):
    use_cuda_compiler()
    (device_code,) = compile_kernel(kernel, HOPPER).mod.imports
    assert "__global__" in device_code.inspect_source("cuda") and kernel.work > 0


def test_a_bundle_for_a_gpu_holds_finished_machine_code(tmp_path):
    model = load_model("dense:16,32,64")
    executable = compile_model(prepare(model.mod, HOPPER), HOPPER)
    add_contents(tmp_path, write_library(executable, model, HOPPER, 1, tmp_path))
    library = (tmp_path / "model.so").read_bytes()
    assert library.count(b"\x7fELF") == 2 and b".nv.info" in library  # the library, and a cubin in it
    assert (tmp_path / "runtime" / "libtvm_runtime_cuda.so").exists()
    assert "device_type = 2" in (tmp_path / "cpp" / "model.h").read_text()
