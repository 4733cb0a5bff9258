"""Assembly to read: the kernel first, then what calls it; instructions and what they refer to, nothing else."""

from __future__ import annotations

import re

_SECTION = re.compile(r"\s*\.(?:section\s+(?P<name>[^\s,]+)|text|data|bss)\b")
_UNREAD = (".debug_", ".text.tvm.fp16.conv", ".note", ".comment", '".note')  # for debuggers, and helpers unused here
_DIRECTIVE = re.compile(
    r"\s*\.(?:loc|file|cfi_\w+|size|type|ident|addrsig\w*|p2align|weak|globl|build_version|subsections_via_symbols)\b"
)
_FUNCTION = re.compile(r"(\.L__tvm_parallel_lambda[\w.]*|[A-Za-z_][\w.$]*):")
_CALLS = ("__tvm_", "__TVM")  # checks of arguments, and what TVM's runtime is called through
_LABEL = re.compile(r"(\.?L[\w.$]+):")
_NAME = re.compile(r"\.?L[\w.$]+")


def readable(assembly: str) -> str:
    """Drop what says nothing about the kernel: debug sections, notes to linker and debugger, labels nobody names."""
    kept, reading = [], True
    for line in assembly.splitlines():
        if section := _SECTION.match(line):
            reading = not (section["name"] or "").startswith(_UNREAD)
        if reading and line.strip() and not _DIRECTIVE.match(line):
            kept.append(line)
    named = {name for line in kept if not _LABEL.match(line) for name in _NAME.findall(line)}
    return "\n".join(_kernel_first([line for line in kept if not (label := _LABEL.match(line)) or label[1] in named]))


def _kernel_first(lines: list[str]) -> list[str]:
    """Functions and data in their order, but those in front that compute."""
    parts: list[list[str]] = [[]]
    of_kernel = [False]
    for line in lines:
        function = _FUNCTION.match(line)
        if function or _SECTION.match(line):
            parts.append([])
            of_kernel.append(bool(function) and not line.startswith(_CALLS))
        parts[-1].append(line)
    order = sorted(range(len(parts)), key=lambda at: not of_kernel[at])
    return [line for at in order for line in parts[at]]
