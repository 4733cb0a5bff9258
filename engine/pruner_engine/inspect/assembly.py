"""Assembly to read: the kernel first, then what calls it; instructions and what they refer to, nothing else."""

from __future__ import annotations

import re

from pruner_engine.inspect.code import Code
from pruner_engine.inspect.debug_lines import node_of_line

_Line = tuple[str, int | None]  # with its node

_SECTION = re.compile(r"\s*\.(?:section\s+(?P<name>[^\s,]+)|text|data|bss)\b")
_UNREAD = (".debug_", ".text.tvm.fp16.conv", ".note", ".comment", '".note')  # for debuggers, and helpers unused here
_DIRECTIVE = re.compile(
    r"\s*\.(?:loc|file|cfi_\w+|size|type|ident|addrsig\w*|p2align|weak|globl|build_version|subsections_via_symbols)\b"
)
_LOCATION = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_FUNCTION = re.compile(r"(\.L__tvm_parallel_lambda[\w.]*|[A-Za-z_][\w.$]*):")
_CALLS = ("__tvm_", "__TVM")  # checks of arguments, and what TVM's runtime is called through
_LABEL = re.compile(r"(\.?L[\w.$]+):")
_INSTRUCTION = re.compile(r"\s+[^\s.]")
_OPERATION = re.compile(r"\t(\S+)(?:\t(.*))?")
_NAME = re.compile(r"\.?L[\w.$]+")


def readable(assembly: str) -> Code:
    """Drop what says nothing about the kernel: debug sections, notes to linker and debugger, labels nobody names.

    Returns:
        What is left, linked by the lines that the directives .loc told.
    """
    kept: list[_Line] = []
    reading, node = True, None
    for line in assembly.splitlines():
        if section := _SECTION.match(line):
            reading = not (section["name"] or "").startswith(_UNREAD)
        if location := _LOCATION.match(line):
            node = node_of_line(int(location[1]))
        if _FUNCTION.match(line):
            node = None
        if reading and line.strip() and not _DIRECTIVE.match(line):
            kept.append((line, node if _INSTRUCTION.match(line) else None))
    named = {name for line, _ in kept if not _LABEL.match(line) for name in _NAME.findall(line)}
    lines = _kernel_first([line for line in kept if not (label := _LABEL.match(line[0])) or label[1] in named])
    return Code("\n".join(_aligned(line) for line, _ in lines), [node for _, node in lines])


def _aligned(line: str) -> str:
    """Operands one below the other."""
    match = _OPERATION.fullmatch(line)
    return line.expandtabs(4) if match is None else f"    {match[1]:<12} {match[2] or ''}".rstrip()


def _kernel_first(lines: list[_Line]) -> list[_Line]:
    """Functions and data in their order, but those in front that compute."""
    parts: list[list[_Line]] = [[]]
    of_kernel = [False]
    for line, node in lines:
        function = _FUNCTION.match(line)
        if function or _SECTION.match(line):
            parts.append([])
            of_kernel.append(bool(function) and not line.startswith(_CALLS))
        parts[-1].append((line, node))
    order = sorted(range(len(parts)), key=lambda at: not of_kernel[at])
    return [line for at in order for line in parts[at]]
