"""Turn object files into a shared library with the cheapest linker at hand, for this machine or another one."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.processes.child import module_command
from pruner_engine.targets.device import without_maker
from pruner_engine.targets.target import cpu_of, is_of_this_architecture

# now: a missing symbol fails when the library is loaded, not in a call
_ELF = ("-shared", "-z", "now")
_FLAGS = _ELF if sys.platform == "linux" else ("-shared",)


@functools.cache
def linker() -> tuple[str, ...]:
    """Command that links objects of this machine: ld (4 ms a kernel), gcc, ld.lld, or the ziglang package.

    Raises:
        UserError: there is none of them.
    """
    for name in ("ld", "gcc", "ld.lld", "cc", "clang"):
        if path := shutil.which(name):
            return (path, *_FLAGS)
    if importlib.util.find_spec("ziglang") is not None:
        return (*module_command("ziglang"), "cc", *_FLAGS)
    raise UserError("No linker was found on this machine.", "Install binutils, gcc, or the Python package ziglang.")


@functools.cache
def cross_linker(triple: str) -> tuple[str, ...]:
    """Command that links objects of another machine, which runs Linux.

    Args:
        triple: LLVM's name of the machine, such as aarch64-linux-gnu.

    Raises:
        UserError: there is none, or the machine does not run Linux.
    """
    arch, *system = triple.split("-")
    if "linux" not in system:
        raise UserError(
            f"Nothing is linked here for {triple}.", "Export on such a machine, from the same project file."
        )
    # Debian and others leave out who made the machine: aarch64-unknown-linux-gnu
    names = dict.fromkeys([triple, without_maker(triple)])
    for name in (*(f"{name}-ld" for name in names), "ld.lld"):
        if path := shutil.which(name):
            return (path, *_ELF)
    if (found := importlib.util.find_spec("ziglang")) is not None and found.origin:
        return (str(Path(found.origin).with_name("zig")), "ld.lld", *_ELF)
    hint = f"Install lld, binutils-{arch.replace('_', '-')}-linux-gnu, or the Python package ziglang."
    raise UserError(f"No linker for {arch} was found on this machine.", hint)


def command_for(target: Target) -> tuple[str, ...]:
    """Command that links objects of a target.

    Raises:
        UserError: there is none.
    """
    return linker() if is_of_this_architecture(target) else cross_linker(str(cpu_of(target).attrs["mtriple"]))


def links_for(target: Target) -> bool:
    """Whether there is a linker for a target here."""
    try:
        return bool(command_for(target))
    except UserError:
        return False


def suffix_for(target: Target, *, loaded_here: bool) -> str:
    """How the libraries of a target's kernels end: ".tar" where whoever loads them links them.

    Args:
        loaded_here: whether that is this machine, if they are of its architecture at all.

    Raises:
        UserError: nothing makes them.
    """
    if links_for(target):
        return ".so"
    if loaded_here and is_of_this_architecture(target):
        command_for(target)  # whose sentence it is
    if shutil.which("tar") is None:
        raise UserError(
            "Neither a linker for the kernels nor the program tar was found on this machine.", "Install lld or tar."
        )
    return ".tar"


class Linker:
    """Links libraries of a target; has the signature of `fcompile` in TVM's `export_library`.

    Raises:
        UserError: there is no linker.
    """

    def __init__(self, target: Target) -> None:
        self._command = command_for(target)

    def __call__(self, library: str, objects: Sequence[str], **_: object) -> None:
        """Write `library` from `objects`.

        Raises:
            RuntimeError: with the linker's own words.
        """
        command = [*self._command, "-o", library, *objects]
        # in English, by which a full disk is known
        done = subprocess.run(command, env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the linker failed: {done.stderr.strip()}")
