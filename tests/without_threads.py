"""Schedules for a GPU on a CPU.

A schedule is a program of blocks that may run with its threads one after another: what a thread fetches together with
others it then fetches alone, which only takes longer. So without its bindings, and with shared memory and registers as
plain buffers, it runs on the CPU. Synchronisation is put in later, by TVM, and is not part of this.
"""

from __future__ import annotations

import re

from schedules import tvm


def one_after_another(mod: tvm.IRModule) -> tvm.IRModule:
    """A scheduled module with loops in the place of threads, and without the overlap of a software pipeline."""
    text = re.sub(r'T\.thread_binding\((.*?), thread="[\w.]+"', r"T.serial(\1", mod.script())
    text = re.sub(r', scope="(shared|local|wmma)[\w.]*"', "", text)
    return tvm.script.from_source(re.sub(r'"software_pipeline_\w+": (\[.*?\]|\d+),? ?', "", text))
