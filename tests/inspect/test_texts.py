"""A candidate as text."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tvm.relax import op

from graphs import graph
from pruner_engine.errors import UserError
from pruner_engine.inspect import code_of
from pruner_engine.inspect.ptx import ptx_of
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sketch import trace_json
from pruner_engine.targets import cuda_compiler
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from schedules import CPU, GPU, random_schedule, task_of


def texts_of(task, target, trace, forms) -> dict[str, str]:
    return {form: code.text for form, code in code_of(task, target, forms, trace).items()}


@pytest.fixture(scope="module")
def task():
    return task_of("matmul:64,64,64")


@pytest.fixture(scope="module")
def schedule(task):
    return random_schedule(task)


def test_every_cpu_form_of_a_candidate(task, schedule):
    texts = texts_of(task, CPU, trace_json(schedule.trace), ["asm", "trace", "tvmscript", "llvm"])
    assert list(texts) == ["asm", "trace", "tvmscript", "llvm"]
    assert "sch.sample_perfect_tile" in texts["trace"] and "decision=[" in texts["trace"]
    assert texts["tvmscript"] == schedule.mod.script()
    assert "\x1b" not in texts["tvmscript"]
    assert "define" in texts["llvm"] and "ret" in texts["asm"]


def test_a_trace_without_postprocessing_is_finished(task, schedule):
    instructions, decisions = json.loads(trace_json(schedule.trace))
    cut = [row[0] for row in instructions].index("EnterPostproc")
    free = json.dumps([instructions[:cut], [d for d in decisions if d[0] < cut]])
    assert texts_of(task, CPU, free, ["tvmscript"])["tvmscript"] == schedule.mod.script()


def biased_task():
    """Of a product whose matrix and bias are weights of the model."""
    made = graph(lambda x, w, bias: op.add(op.matmul(x, w), bias), (32, 48), constants=[(48, 64), (64,)])
    (found,) = extract_tasks(prepare(made, CPU), CPU)
    return found


@pytest.mark.parametrize("make", [lambda: task_of("dense:128,512,96"), biased_task], ids=["arguments", "weights"])
def test_code_of_what_was_only_drafted_is_what_would_be_built(make):
    dense = make()
    space = DesignSpace.generate(dense, CPU)
    rng = np.random.default_rng(0)
    drafted = [space.candidate(s.index, row) for s in space.sketches for row in s.sample(rng, 4)]
    valid = space.materialise(drafted)
    assert valid
    for candidate in valid:
        bare = trace_json(space.trace_of(candidate))
        told = code_of(dense, CPU, ["tvmscript"], bare, candidate.hash)["tvmscript"].text
        assert told == candidate.schedule.mod.script()


def test_the_untuned_kernel(task):
    texts = texts_of(task, CPU, None, ["trace", "tvmscript", "llvm", "replay"])
    assert texts["tvmscript"] == task.mod.script()
    assert [step["index"] for step in json.loads(texts["replay"])["steps"]] == [-1]


def test_cuda_source_of_a_gpu_candidate():
    gpu_task = task_of("matmul:128,128,128", GPU)
    texts = texts_of(gpu_task, GPU, trace_json(random_schedule(gpu_task, GPU).trace), ["cuda", "trace"])
    assert "__global__" in texts["cuda"] and "threadIdx.x" in texts["cuda"]


@pytest.mark.skipif(cuda_compiler.find_nvcc() is None, reason="PTX is made by nvcc")
def test_ptx_of_a_gpu_candidate():
    gpu_task = task_of("matmul:128,128,128", GPU)
    texts = texts_of(gpu_task, GPU, trace_json(random_schedule(gpu_task, GPU).trace), ["ptx"])
    assert list(texts) == ["ptx"]
    assert ".target sm_80" in texts["ptx"] and ".visible .entry" in texts["ptx"]


def test_ptx_without_a_compiler_is_a_sentence(monkeypatch):
    monkeypatch.setattr(cuda_compiler, "_homes", list)
    with pytest.raises(UserError, match="nvcc"):
        ptx_of("", "sm_80")


@pytest.fixture
def toolkit(monkeypatch, tmp_path):
    """Puts a script in the place of the nvcc of a toolkit that is not on the path."""

    def of(script):
        (compiler := tmp_path / "bin" / "nvcc").parent.mkdir()
        compiler.write_text(f"#!/bin/sh\n{script}\n")
        compiler.chmod(0o755)
        monkeypatch.setenv("CUDA_PATH", str(tmp_path))
        monkeypatch.setenv("PATH", "")

    return of


def test_ptx_is_made_by_the_toolkit_that_kernels_are_compiled_with(toolkit):
    toolkit('while [ "$1" != -o ]; do shift; done; echo "// made" > "$2"')
    assert ptx_of("", "sm_80") == ("// made\n", [None])


def test_what_nvcc_calls_an_error_is_told_and_no_warning_before_it(toolkit):
    said = "nvcc warning : an old GPU\nkernel.cu(3): error: no such type"
    toolkit(f"echo '{said}' >&2\nexit 2")
    with pytest.raises(UserError, match=r"kernel: kernel.cu\(3\): error: no such type"):
        ptx_of("", "sm_80")


def test_a_schedule_that_a_gpu_cannot_run_is_a_sentence():
    gpu_task = task_of("matmul:128,128,128", GPU)
    space = DesignSpace.generate(gpu_task, GPU)
    drafted = [space.candidate(0, row) for row in space.sketches[0].sample(np.random.default_rng(0), 16)]
    refused = next(candidate for candidate in drafted if space.apply(candidate) is None)
    with pytest.raises(UserError, match=r"The postprocessor \w+ refuses"):
        code_of(gpu_task, GPU, ["tvmscript"], trace_json(space.trace_of(refused)), refused.hash)
    assert code_of(gpu_task, GPU, [], trace_json(space.trace_of(refused)), refused.hash) == {}


def test_the_loop_nest_is_indented_by_depth(task, schedule):
    lines = texts_of(task, CPU, trace_json(schedule.trace), ["nest"])["nest"].splitlines()
    assert lines[0] == "block root" and any(line.startswith("    ") for line in lines)


@pytest.mark.parametrize("forms", [["sass"], ["cuda"], ["ptx"]])
def test_a_form_that_does_not_exist_is_a_sentence(task, forms):
    with pytest.raises(UserError):
        texts_of(task, CPU, None, forms)


@pytest.mark.parametrize(
    "trace", ["", "[]", "{}", '[[["GetSBlock", [], ["nowhere", "main"], ["b0"]]], []]', "[[7], 3]"]
)
def test_a_foreign_trace_is_a_sentence(task, trace):
    with pytest.raises(UserError, match="does not fit"):
        texts_of(task, CPU, trace, ["trace"])
