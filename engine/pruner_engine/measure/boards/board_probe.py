"""What a board is, by the answers of TVM's server on it.

The server answers from its compiler, where it has one, and gives files. The features of an Arm processor, which
hypervisors and Linux mask, are told to every process that runs on it: a small kernel reads them there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm import tirx
from tvm.target import Target

from pruner_engine.measure.building.linker import Linker, links_for
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.cache_files import caches_told, expanded
from pruner_engine.targets.device import architecture

_REFUSALS = (AttributeError, ValueError, tvm.error.RPCError)  # of a function, or of a file, that is not there
_TYPES = (16, 26)  # AT_HWCAP and AT_HWCAP2 of Linux
_BITS = {  # by LLVM's name of a feature: in which of these two, and the bit that Linux sets for it
    "neon": (0, 1),
    "fullfp16": (0, 10),
    "dotprod": (0, 20),
    "sve": (0, 22),
    "sve2": (1, 1),
    "i8mm": (1, 13),
    "bf16": (1, 14),
}


def facts_of(session: Any, key: str) -> BoardFacts:
    """What the board of a session is; what it does not tell is left out."""
    ask = _asker(session)
    triple, mcpu = ask("target.llvm_get_system_triple"), ask("target.llvm_get_system_cpu")
    threads = int(ask("runtime.NumThreads") or 1)

    def said(name: str) -> str:
        """A file below the folder of the processors; the server fills up what Linux says is a page."""
        try:
            return bytes(session.download(f"/sys/devices/system/cpu/{name}")).rstrip(b"\0").decode().strip()
        except _REFUSALS:
            return ""

    cpus = sorted(expanded(said("online"))) or [0]
    clocks = {cpu: int(said(f"cpu{cpu}/cpufreq/cpuinfo_max_freq") or 0) for cpu in cpus}
    large = [cpu for cpu in cpus if clocks[cpu] == max(clocks.values())]
    cores = {cpu: said(f"cpu{cpu}/topology/thread_siblings_list") or str(cpu) for cpu in large}
    return BoardFacts(
        key=key,
        triple=triple,
        mcpu=mcpu,
        cores=min(threads, len(large)) if any(clocks.values()) else threads,
        features=_features(session) if architecture(triple) == "aarch64" and "linux" in triple else None,
        caches=caches_told(said, large[0], cores),
        clock_hz=1e3 * clocks[large[0]],
    )


def _asker(session: Any) -> Callable[[str], str]:
    def ask(name: str) -> str:
        try:
            return str(session.get_function(name)())
        except _REFUSALS:  # a TVM without its compiler has no such function
            return ""

    return ask


def _features(session: Any) -> tuple[str, ...] | None:
    """LLVM's names of what the board's Linux lends, as far as kernels use it; None without a linker for its kind."""
    target = Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu"})
    if not links_for(target):
        return None
    words = tirx.decl_buffer((len(_TYPES),), "int64", "words")
    calls = [tirx.call_extern("int64", "getauxval", tirx.IntImm("int64", number)) for number in _TYPES]
    body = tirx.SeqStmt([tirx.BufferStore(words, call, [index]) for index, call in enumerate(calls)])
    main = tirx.PrimFunc([words], body).with_attr("global_symbol", "main")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "asked.so")
        tvm.tirx.build(tvm.IRModule({"main": main}), target=target).write_to_file(f"{library}.o")
        Linker(target)(str(library), [f"{library}.o"])
        session.upload(str(library))
    told = tvm.runtime.tensor(np.zeros(len(_TYPES), "int64"), session.cpu(0))
    session.load_module(library.name)["main"](told)
    masks = [int(word) for word in told.numpy()]
    return tuple(sorted(name for name, (word, bit) in _BITS.items() if masks[word] >> bit & 1))
