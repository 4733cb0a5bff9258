"""PTX of a CUDA source, by the nvcc of this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from pruner_engine.errors import UserError

_TIMEOUT_S = 120


def ptx_of(source: str, arch: str) -> str:
    """Compile a kernel's CUDA source to PTX.

    Args:
        arch: such as sm_90.

    Raises:
        UserError: there is no nvcc, or it refuses the source.
    """
    compiler = shutil.which("nvcc")
    if compiler is None:
        raise UserError("PTX is made by nvcc, which is not on the path.", "Install the CUDA toolkit, or look at CUDA.")
    with tempfile.TemporaryDirectory(prefix="pruner-ptx-") as folder:
        unit, out = Path(folder) / "kernel.cu", Path(folder) / "kernel.ptx"
        unit.write_text(source)
        command = [compiler, "-ptx", f"-arch={arch.replace('sm_', 'compute_')}", "-O3", str(unit), "-o", str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise UserError(f"nvcc took longer than {_TIMEOUT_S} s.", "Look at the CUDA source instead.") from error
        if done.returncode:
            said = (done.stderr.strip() or "nothing").splitlines()[0]
            raise UserError(f"nvcc does not compile this kernel: {said}", "Look at the CUDA source instead.")
        return out.read_text()
