"""Turn object files into a shared library with the cheapest linker at hand."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from pruner_engine.errors import UserError
from pruner_engine.processes.child import module_command

# now: a missing symbol fails when the library is loaded, not in a call
_FLAGS = ("-shared", "-z", "now") if sys.platform == "linux" else ("-shared",)


@functools.cache
def linker() -> tuple[str, ...]:
    """Command that links objects into a shared library: ld (4 ms a kernel), gcc, ld.lld, or the ziglang package.

    Raises:
        UserError: there is none of them.
    """
    for name in ("ld", "gcc", "ld.lld", "cc", "clang"):
        if path := shutil.which(name):
            return (path, *_FLAGS)
    if importlib.util.find_spec("ziglang") is not None:
        return (*module_command("ziglang"), "cc", *_FLAGS)
    raise UserError("No linker was found on this machine.", "Install binutils, gcc, or the Python package ziglang.")


def link(library: str, objects: Sequence[str], **_: object) -> None:
    """Write `library` from `objects`; has the signature of `fcompile` in TVM's `export_library`.

    Raises:
        RuntimeError: with the linker's own words.
    """
    command = [*linker(), "-o", library, *objects]
    # in English, by which a full disk is known
    done = subprocess.run(command, env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the linker failed: {done.stderr.strip()}")
