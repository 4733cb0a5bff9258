"""PTX of a CUDA source, by the nvcc of this machine, with the line of the source that each line comes from."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.targets.cuda_compiler import find_nvcc

_TIMEOUT_S = 120
_SOURCE = 1  # nvcc's number of the file that it was given; others are CUDA's headers
_LOCATION = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r"\s*\.file\s")
_INSTRUCTION = re.compile(r"\s+(@|[a-z])")
_FAULT = re.compile(r"\b(error|fatal)\b")  # warnings come before it


def ptx_of(source: str, arch: str) -> tuple[str, list[int | None]]:
    """Compile a kernel's CUDA source to PTX.

    Args:
        arch: such as sm_90.

    Returns:
        The PTX, and of each of its lines the index of the source's line; None where it comes from none.

    Raises:
        UserError: there is no nvcc, or it refuses the source.
    """
    compiler = find_nvcc()
    if compiler is None:
        raise UserError("PTX is made by nvcc, which was not found.", "Install the CUDA toolkit, or look at CUDA.")
    with tempfile.TemporaryDirectory(prefix="pruner-ptx-") as folder:
        unit, out = Path(folder) / "kernel.cu", Path(folder) / "kernel.ptx"
        unit.write_text(source)
        options = ["-ptx", "-lineinfo", "-O3", f"-arch={arch.replace('sm_', 'compute_')}"]
        command = [str(compiler), *options, str(unit), "-o", str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise UserError(f"nvcc took longer than {_TIMEOUT_S} s.", "Look at the CUDA source instead.") from error
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["nothing"]
            fault = next((line for line in said if _FAULT.search(line)), said[0])
            raise UserError(f"nvcc does not compile this kernel: {fault}", "Look at the CUDA source instead.")
        return _without_locations(out.read_text())


def _without_locations(ptx: str) -> tuple[str, list[int | None]]:
    lines: list[str] = []
    sources: list[int | None] = []
    at: int | None = None
    for line in ptx.splitlines():
        if location := _LOCATION.match(line):
            at = int(location[2]) - 1 if int(location[1]) == _SOURCE else None
        elif not _FILE.match(line):
            lines.append(line)
            sources.append(at if _INSTRUCTION.match(line) else None)
    return "\n".join([*lines, ""]), sources
