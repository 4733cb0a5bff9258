"""Tuning records in and out, as MetaSchedule's JSON files."""

from __future__ import annotations

import base64
import json
import os
import random
import signal
from functools import partial

import pytest
import tvm_ffi
from tvm.s_tir.meta_schedule.database import JSONDatabase

from limits import files_end_at
from pruner_engine.errors import UserError
from pruner_engine.export.records import RECORDS, WORKLOADS, read_records, write_records
from pruner_engine.inspect import code_of
from pruner_engine.processes.isolation import deadly
from schedules import CPU, database_with, task_of


@pytest.fixture(scope="module")
def tasks():
    return [task_of("matmul:32,32,32"), task_of("softmax:16,64")]


@pytest.fixture
def folder(tasks, tmp_path):
    assert write_records(database_with(tasks), tasks, tmp_path) == 2
    return tmp_path


def test_metaschedule_reads_what_is_written(tasks, folder):
    database = JSONDatabase(work_dir=str(folder))
    for task in tasks:
        assert database.has_workload(task.mod)
        assert len(database.get_top_k(database.commit_workload(task.mod), 5)) == 1


def test_records_come_back(tasks, folder):
    found = read_records(folder)
    assert found.problems == [] and found.failed == 0
    assert [tvm_ffi.structural_equal(r.mod, t.mod) for r, t in zip(found.records, tasks, strict=True)] == [True, True]
    for record, task in zip(found.records, tasks, strict=True):
        assert record.seconds == (1e-3,)
        assert "sch." in code_of(task, CPU, ["trace"], record.trace)["trace"].text


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_torn_tail_is_dropped_and_said(folder, share):
    path = folder / RECORDS
    first, second = path.read_bytes().splitlines()
    path.write_bytes(first + b"\n" + second[: int(len(second) * share)])
    found = read_records(folder)
    assert len(found.records) == 1
    assert found.problems == [f"The last line of {RECORDS} is torn; it was left out."]


def test_failed_trials_are_counted_not_imported(folder):
    path = folder / RECORDS
    first, second = path.read_text().splitlines()
    row = json.loads(second)
    row[1][1] = [1e10]
    path.write_text(f"{first}\n{json.dumps(row)}\n")
    found = read_records(folder)
    assert (len(found.records), found.failed) == (1, 1)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        "[0]",
        '[0, [[[], []], ["x"], null, null]]',
        '["0", [[[], []], [1.0], null, null]]',
        f"[0, [[[], []], [1{'0' * 400}], null, null]]",
        "[" * 5000,
    ],
)
def test_nonsense_between_records_costs_its_own_line(folder, line):
    path = folder / RECORDS
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{line}\n{second}\n")
    found = read_records(folder)
    assert len(found.records) == 2
    assert found.problems == [f"Line 2 of {RECORDS} makes no sense; it was left out."]


@pytest.mark.parametrize("line", ["[]", '["1", "AAAA"]', "[1, 2]", '["1", "5YYAAAAAAAB7fQ=="]'])
def test_a_broken_workload_costs_its_records_only(folder, line):
    path = folder / WORKLOADS
    path.write_text(f"{line}\n{path.read_text().splitlines()[1]}\n")
    found = read_records(folder)
    assert len(found.records) == 1 and len(found.problems) == 2


def test_hostile_workloads_cost_themselves_only(folder, tmp_path):
    """Mutated modules; some of them end a process that loads them (seed 330 of these is one)."""
    path = folder / WORKLOADS
    digest, module = json.loads(path.read_text().splitlines()[0])
    good = base64.b64decode(module)
    hostile = []
    for seed in range(60):
        rng = random.Random(seed)
        bad = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(8, len(bad))
            bad[at : at + rng.randint(0, 20)] = bytes(
                rng.choice(b'0123456789{}[]",:') for _ in range(rng.randint(0, 5))
            )
        size = (len(bad) - 8).to_bytes(8, "little")
        hostile.append(json.dumps([digest, base64.b64encode(size + bad[8:]).decode()]))
    path.write_text("\n".join([*hostile, json.dumps([digest, module])]) + "\n")
    record = json.loads((folder / RECORDS).read_text().splitlines()[0])
    (folder / RECORDS).write_text("".join(json.dumps([i, record[1]]) + "\n" for i in (3, len(hostile))))
    found = read_records(folder)
    assert found.records and all(sentence.endswith(".") for sentence in found.problems)
    assert len(found.problems) > 40


def test_calls_that_end_the_process_are_found():
    def crash():
        os.kill(os.getpid(), signal.SIGSEGV)

    def fail():
        raise ValueError

    assert deadly([dict, crash, fail, partial(os._exit, 3), dict]) == {1, 3}
    assert deadly([]) == set()


def test_a_call_that_hangs_is_deadly_whoever_has_an_alarm_of_python():
    """Native code that does not return leaves Python's handlers waiting: the limit of a test, here."""
    assert deadly([dict, lambda: sum(range(10**15)), dict], limit_s=1) == {1}


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        read_records(tmp_path)


@pytest.mark.parametrize("place", ["file/records", "/proc/self"])
def test_a_folder_that_cannot_be_written_is_told(tasks, tmp_path, place):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"Not a directory|No such file"):
        write_records(database_with(tasks), tasks, tmp_path / place)


def test_a_full_disk_is_told_and_leaves_nothing(tasks, tmp_path):
    database = database_with(tasks)
    # TVM drops what does not fit, and says nothing
    with files_end_at(4096), pytest.raises(OSError, match="No space left"):
        write_records(database, tasks, tmp_path)
    with files_end_at(4096), pytest.raises(OSError, match="No space left"):
        write_records(database, tasks, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
