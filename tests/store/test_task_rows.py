"""Rows of tasks in files of others: no more memory than a kernel needs, no file of a name that they choose."""

from __future__ import annotations

import gzip

import pytest

from pruner_engine.store.writing.work import pack_module, task_of, unpack_module
from schedules import task_of as built


def row_of(task):
    """The row that keeps a task."""
    kept = {"name": task.name, "op": task.op, "hash": task.hash, "flops": task.flops, "weight": task.weight}
    return {**kept, "shapes": "[]", "mod": pack_module(task.mod)}


def test_a_task_is_read_back():
    task = built("matmul:32,32,32")
    assert task_of(row_of(task)).hash == task.hash


@pytest.mark.parametrize("name", ["/tmp/elsewhere", "../up", "A0", ""])
def test_a_hash_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match="no hexadecimal number"):
        task_of({**row_of(built("matmul:32,32,32")), "hash": name})


def test_a_module_that_unpacks_without_end_is_refused():
    bomb = gzip.compress(bytes(1 << 20)) * 300  # parts of one stream
    with pytest.raises(ValueError):
        unpack_module(bomb)
    whole = gzip.compress(b" " * ((256 << 20) + 1), compresslevel=1)
    with pytest.raises(ValueError, match="too large"):
        unpack_module(whole)


def test_a_module_that_is_cut_off_is_refused():
    packed = pack_module(built("matmul:32,32,32").mod)
    with pytest.raises(ValueError, match="cut off"):
        unpack_module(packed[: len(packed) // 2])
