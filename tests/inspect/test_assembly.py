"""Assembly to read says the same as the compiler's, without what is not the kernel's."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from pruner_engine.inspect.assembly import readable
from pruner_engine.inspect.texts import build_kernel
from schedules import CPU, random_schedule, task_of


@pytest.fixture(scope="module")
def compiled() -> str:
    return build_kernel(random_schedule(task_of("matmul:64,64,64")).mod, CPU).inspect_source("asm")


def instructions(text: str) -> Counter[str]:
    """Lines that are neither directive nor label, without the helpers that TVM adds for halves."""
    kept, skipping = [], False
    for line in text.splitlines():
        if re.match(r"\s*\.(section|text|data|bss)\b", line):
            skipping = ".debug" in line or "fp16" in line
        elif not skipping and re.match(r"\s+[^.\s]", line):
            kept.append(" ".join(line.split()))
    return Counter(kept)


def test_no_instruction_is_lost(compiled: str) -> None:
    assert instructions(readable(compiled).text) == instructions(compiled)


def test_the_kernel_comes_first_and_its_jumps_arrive(compiled: str) -> None:
    lines = readable(compiled).text.splitlines()
    assert len(lines) < len(compiled.splitlines()) * 0.7
    first = next(line for line in lines if line.endswith(":"))
    assert not first.startswith("__tvm") and ".debug" not in "".join(lines) and ".cfi" not in "".join(lines)
    labels = {line[:-1] for line in lines if line.endswith(":")}
    assert {name for line in lines for name in re.findall(r"\bj\w+\s+(\.L\w+)", line)} <= labels
    named = "\n".join(line for line in lines if not line.endswith(":"))
    assert all(label in named for label in labels if label.startswith(".L"))
