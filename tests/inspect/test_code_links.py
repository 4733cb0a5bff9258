"""Each line of compiled code knows the loop or block that it computes, and compiling with links changes no line."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

from pruner_engine.inspect import code_of
from pruner_engine.inspect.assembly import readable
from pruner_engine.inspect.code import Code
from pruner_engine.inspect.loop_tree import LoopTree
from pruner_engine.inspect.texts import build_kernel
from pruner_engine.lowering.words.tile_nests import TILE
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sketch import trace_json
from pruner_engine.targets.target import resolve_target
from schedules import CPU, GPU, random_schedule, task_of

WORKLOADS = ["matmul:64,64,64", "conv2d:1,32,14,14,32,3", "depthwise:1,32,14,14,3", "softmax:32,128"]


def linked(workload: str, target, forms: list[str]) -> tuple[LoopTree, dict[str, Code]]:
    task = task_of(workload, target)
    schedule = random_schedule(task, target)
    return LoopTree(schedule.mod), code_of(task, target, forms, trace_json(schedule.trace))


def names_of(tree: LoopTree) -> dict[int, str]:
    """Names of loops and blocks, conditions of branches, by id."""
    names, left = {}, list(tree.roots)
    while left:
        node = left.pop()
        names[node["id"]] = node.get("name") or node["condition"]
        left += node["children"]
    return names


def named_lines(tree: LoopTree, code: Code) -> list[tuple[str | None, str]]:
    names = names_of(tree)
    lines = code.text.splitlines()
    assert len(lines) == len(code.nodes)
    return [(None if node is None else names[node], line) for node, line in zip(code.nodes, lines, strict=True)]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_assembly_is_the_one_that_runs(workload: str) -> None:
    task = task_of(workload)
    schedule = random_schedule(task)
    plain = build_kernel(schedule.mod, CPU).inspect_source("asm")
    assert code_of(task, CPU, ["asm"], trace_json(schedule.trace))["asm"].text == readable(plain).text


@pytest.mark.parametrize("workload", WORKLOADS)
def test_most_of_the_kernel_is_linked_and_what_calls_it_is_not(workload: str) -> None:
    tree, code = linked(workload, CPU, ["asm", "llvm"])
    of_kernel, others = [], []
    function = ""
    for name, line in named_lines(tree, code["asm"]):
        if match := re.match(r"([A-Za-z_.][\w.$]*):", line):
            function = function if match[1].startswith(".LBB") else match[1]
        elif re.match(r"\s+[a-z]", line):
            (of_kernel if "lambda" in function or "compute_" in function else others).append(name)
    assert sum(name is not None for name in of_kernel) > len(of_kernel) / 2
    assert others and not any(others)
    assert {name for name, _ in named_lines(tree, code["llvm"])} >= set(of_kernel)


def test_products_belong_to_the_block_that_multiplies() -> None:
    tree, code = linked("matmul:64,64,64", CPU, ["asm", "llvm", "tvmscript"])
    asm = [name for name, line in named_lines(tree, code["asm"]) if re.match(r"\s+v?f?n?m?(add|mul)\w*[ps]s\b", line)]
    ir = [name for name, line in named_lines(tree, code["llvm"]) if re.search(r"= fmul |llvm\.fma|llvm\.fmuladd", line)]
    script = [name for name, line in named_lines(tree, code["tvmscript"]) if re.search(r"\] \+ \w+\[.* \* ", line)]
    for names in (asm, ir, script):
        assert names and {name.removesuffix("_update") for name in names if name is not None} == {"matmul"}


def test_cuda_statements_belong_to_the_blocks_that_write() -> None:
    tree, code = linked("matmul:128,128,128", GPU, ["cuda"])
    lines = named_lines(tree, code["cuda"])
    start = max(at for at, (_, line) in enumerate(lines) if "main_kernel(" in line)
    statements = lines[start + 1 :]
    for buffer in ("a_shared", "b_shared"):
        writing = {name for name, line in statements if re.match(rf"\s+(\*\(\w+\*\)\()?{buffer}_ptr\b.* = ", line)}
        assert writing == {buffer}
    sums = {name for name, line in statements if re.match(r"\s+matmul_local_ptr\[.* = \(matmul_local_ptr", line)}
    clears = {name for name, line in statements if re.match(r"\s+matmul_local_ptr\[.* = 0x0p", line)}
    assert sums == {"matmul_update"} and clears == {"matmul_init"}
    loops = [(name, match[1]) for name, line in statements if (match := re.match(r"\s+for \(int (\w+) = ", line))]
    assert loops and all(name is not None and written.startswith(name) for name, written in loops)
    assert all(name is None for name, _ in lines[:start])


def test_tiles_are_linked_to_the_block_that_they_compute() -> None:
    target = resolve_target('{"kind":"llvm","mcpu":"sapphirerapids","num-cores":2}')
    task = task_of("dense:64,64,128,bfloat16", target)
    space = DesignSpace.generate(task, target)
    sketch = next(sketch for sketch in space.sketches if TILE in str(sketch.trace))
    schedule = space.apply(space.candidate(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0]))
    code = code_of(task, target, ["asm"], trace_json(schedule.trace))["asm"]
    told = {name for name, line in named_lines(LoopTree(schedule.mod), code) if "tdpbf16ps" in line}
    assert told == {"matmul_update"}


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="PTX is made by nvcc")
def test_ptx_is_linked_through_the_source() -> None:
    tree, code = linked("matmul:128,128,128", GPU, ["ptx"])
    lines = named_lines(tree, code["ptx"])
    assert {name for name, line in lines if line.lstrip().startswith("fma.rn.f32")} == {"matmul_update"}
    assert not any(".loc" in line or ".file" in line for _, line in lines)


def test_code_of_the_untuned_kernel_is_linked_too() -> None:
    task = task_of("matmul:64,64,64")
    code = code_of(task, CPU, ["asm"], None)["asm"]
    assert {name for name, _ in named_lines(LoopTree(task.mod), code)} == {None, "matmul"}
