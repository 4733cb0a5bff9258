"""What a machine without a GPU can do for one: compile, and say what is missing."""

import ctypes
import subprocess
import sys

import pytest

from cuda_compiler import KIND, needs_cuda_compiler
from pruner_engine.errors import UserError
from pruner_engine.export.build import compile_model
from pruner_engine.export.contents import add_contents
from pruner_engine.export.files import run
from pruner_engine.export.library import write_library
from pruner_engine.frontends import load_model
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.processes.child import environment
from pruner_engine.targets import cuda_compiler
from pruner_engine.targets.cuda_compiler import find_cuda_compiler, use_cuda_compiler
from pruner_engine.targets.gpu_microbench import arithmetic, compile_kernel, rereading, stream
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

HOPPER = resolve_target("h100")


@needs_cuda_compiler
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
    assert "Install" in done.stdout or KIND == "nvrtc"


HEADERS = ("cuda_runtime.h", "mma.h", "crt/host_defines.h", "cccl/cuda/std/cstdint")


def toolkit(home, *headers, version=13000):
    for name in headers:
        path = home / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (home / "include" / "cuda_runtime_api.h").write_text(f"/* CUDA */\n#define CUDART_VERSION  {version}\n")
    return home


def test_nvrtc_is_taken_with_all_headers_that_kernels_include_and_not_with_some(tmp_path, monkeypatch):
    lacking = [toolkit(tmp_path / str(n), *HEADERS[:n], *HEADERS[n + 1 :]) for n in range(len(HEADERS))]
    monkeypatch.setattr(cuda_compiler, "_nvrtc_version", lambda: "13.0")
    monkeypatch.setattr(cuda_compiler, "_homes", lambda: [*lacking, toolkit(tmp_path / "all", *HEADERS)])
    assert find_cuda_compiler.__wrapped__().home == tmp_path / "all"
    monkeypatch.setattr(cuda_compiler, "_homes", lambda: lacking)
    with pytest.raises(UserError) as refused:
        find_cuda_compiler.__wrapped__()
    assert "nvidia-cuda-crt" in refused.value.hint


@pytest.mark.parametrize(("versions", "taken"), [((12080, 13000), 1), ((13010, 12080, 13000), 2), ((12080, 13010), 1)])
def test_headers_are_of_the_cuda_that_nvrtc_is_of(tmp_path, monkeypatch, versions, taken):
    """A toolkit of another CUDA may lie where headers are looked for first."""
    homes = [toolkit(tmp_path / str(at), *HEADERS, version=version) for at, version in enumerate(versions)]
    monkeypatch.setattr(cuda_compiler, "_nvrtc_version", lambda: "13.0")
    monkeypatch.setattr(cuda_compiler, "_homes", lambda: homes)
    assert find_cuda_compiler.__wrapped__().home == homes[taken]


def test_nvrtc_without_headers_of_its_cuda_leaves_it_to_nvcc(tmp_path, monkeypatch):
    nvcc = toolkit(tmp_path, *HEADERS, version=12080) / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho Cuda compilation tools, release 12.8, V12.8.93\n")
    monkeypatch.setattr(cuda_compiler, "_nvrtc_version", lambda: "13.0")
    monkeypatch.setattr(cuda_compiler, "_homes", lambda: [tmp_path])
    with pytest.raises(UserError, match=r"NVRTC 13\.0 is there, but not the headers"):
        find_cuda_compiler.__wrapped__()
    nvcc.chmod(0o755)
    found = find_cuda_compiler.__wrapped__()
    assert (found.kind, found.version, found.home) == ("nvcc", "12.8", tmp_path)


def test_an_nvrtc_that_cannot_be_loaded_is_none(tmp_path, monkeypatch):
    library = tmp_path / "cu13" / "lib" / "libnvrtc.so.13"
    library.parent.mkdir(parents=True)
    library.write_text("of another machine")
    monkeypatch.setattr(cuda_compiler.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(cuda_compiler, "_packages", lambda: [tmp_path])
    assert cuda_compiler._nvrtc_version() == ""


def test_the_runtime_of_a_toolkit_is_found_where_the_system_was_not_told_of_it(tmp_path, monkeypatch):
    (tmp_path / "lib64").mkdir()
    cuda_compiler._empty_library(tmp_path / "lib64", "libcudart.so.13")
    monkeypatch.setattr(cuda_compiler, "_packages", list)
    monkeypatch.setattr(cuda_compiler, "_homes", lambda: [tmp_path / "elsewhere", tmp_path])
    assert cuda_compiler._cudart() == [str(tmp_path / "lib64" / "libcudart.so.13")]


def test_a_bundle_finds_the_runtime_of_a_toolkit(tmp_path, monkeypatch):
    name = "libcudart-of-a-test.so.13"  # the system may have the real one
    (tmp_path / "lib64").mkdir()
    cuda_compiler._empty_library(tmp_path / "lib64", name)
    monkeypatch.setattr(run, "_CUDART", name)
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    run._load_cudart()
    ctypes.CDLL(name)  # by its name alone, as TVM's runtime asks for it


@pytest.mark.skipif(KIND != "nvcc", reason="NVRTC shows nobody its environment")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_builders_see_no_gpu_and_leave_it_to_the_runner(tmp_path, monkeypatch, start):
    home = find_cuda_compiler().home
    (tmp_path / "include").symlink_to(home / "include")
    nvcc, seen = tmp_path / "bin" / "nvcc", tmp_path / "seen"
    nvcc.parent.mkdir()
    nvcc.write_text(f'#!/bin/sh\necho "$* sees [$CUDA_VISIBLE_DEVICES]" >> {seen}\nexec {home}/bin/nvcc "$@"\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    results = []
    with Measurer(HOPPER, MeasureOptions(build_workers=1, check="none"), start=start) as measurer:
        measurer.build([MeasureInput("stream", stream(1 << 16).schedule.mod)], results.append)
    assert results[0].ok, results[0].message
    assert [line for line in seen.read_text().splitlines() if "-o" in line and line.endswith("sees []")]


@needs_cuda_compiler
@pytest.mark.parametrize("kernel", [arithmetic(2), stream(1 << 16), rereading(1 << 18)], ids=["flops", "dram", "l2"])
def test_the_micro_benchmark_compiles_to_machine_code(kernel):
    use_cuda_compiler()
    (device_code,) = compile_kernel(kernel, HOPPER).mod.imports
    assert "__global__" in device_code.inspect_source("cuda") and kernel.work > 0


@needs_cuda_compiler
def test_a_bundle_for_a_gpu_holds_finished_machine_code(tmp_path):
    model = load_model("dense:16,32,64")
    executable = compile_model(prepare(model.mod, HOPPER), HOPPER)
    add_contents(tmp_path, write_library(executable, model, HOPPER, 1, tmp_path))
    library = (tmp_path / "model.so").read_bytes()
    assert library.count(b"\x7fELF") == 2 and b".nv.info" in library  # the library, and a cubin in it
    assert (tmp_path / "runtime" / "libtvm_runtime_cuda.so").exists()
    header = (tmp_path / "cpp" / "model.h").read_text()
    assert "device_type = 2" in header and "graphs = true" in header


@pytest.mark.skipif(KIND != "nvcc", reason="NVRTC has words of its own")
def test_what_the_compiler_for_cuda_says_is_told_and_not_the_source():
    volta = resolve_target('{"kind":"cuda","arch":"sm_70"}')
    with pytest.raises(UserError, match=r"could not compile the model: nvcc fatal .*compute_70"):
        compile_model(prepare(load_model("dense:16,32,64").mod, volta), volta)
