"""Tuning records as MetaSchedule's JSON files."""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import tvm
from tvm.s_tir.meta_schedule.database import Database, JSONDatabase, TuningRecord, Workload

from pruner_engine.errors import UserError
from pruner_engine.processes.isolation import deadly
from pruner_engine.tasks.foreign import inert, refuse_code
from pruner_engine.tasks.task import TuningTask
from pruner_engine.whole_files import read_whole

WORKLOADS = "database_workload.json"
RECORDS = "database_tuning_record.json"
_FAILED_S = 1e9  # MetaSchedule writes 1e10 s for a trial that failed

_T = TypeVar("_T")


def write_records(database: Database, tasks: Sequence[TuningTask], folder: Path, best: int = 1) -> int:
    """Write the `best` schedules of each task, in the files that `JSONDatabase(work_dir=folder)` reads.

    Returns:
        The number of records written.

    Raises:
        OSError: the folder cannot be written, or the disk is full (ENOSPC).
    """
    there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WORKLOADS).touch()  # of a folder that may not be written TVM tells by a failed check
    files = JSONDatabase(path_workload=str(folder / WORKLOADS), path_tuning_record=str(folder / RECORDS))
    written = 0
    for task in tasks:
        workload = files.commit_workload(task.mod)
        for record in _best(database, database.commit_workload(task.mod), best):
            files.commit_tuning_record(
                TuningRecord(record.trace, workload, record.run_secs, record.target, record.args_info)
            )
            written += 1
    # TVM does not tell of a full disk: lines are missing then, or torn
    if _lines(folder / WORKLOADS) < len({task.hash for task in tasks}) or _lines(folder / RECORDS) < written:
        for name in (WORKLOADS, RECORDS):
            (folder / name).unlink(missing_ok=True)
        if not there:
            folder.rmdir()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    return written


def _best(database: Database, workload: Workload, number: int) -> list[TuningRecord]:
    """The fastest record of each of so many schedules: several runs may have measured the same one."""
    asked = number
    while True:
        found = database.get_top_k(workload, asked)
        fastest: dict[str, TuningRecord] = {}
        for record in found:
            fastest.setdefault(str(record.trace.as_json()), record)
        if len(fastest) >= number or len(found) < asked:
            return [*fastest.values()][:number]
        asked *= 2


def _lines(path: Path) -> int:
    """Whole lines of a file; none where there is no file."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


@dataclass(frozen=True)
class ImportedRecord:
    """One valid trial that somebody else measured.

    Attributes:
        mod: the unscheduled kernel.
        trace: JSON text, postprocessing included; it has not been applied yet and may not fit.
        seconds: of a call, one value a repeat.
        target: that it was compiled for, as plain data; empty where the record does not tell.
    """

    mod: tvm.IRModule
    trace: str
    seconds: tuple[float, ...]
    target: dict[str, Any]


@dataclass
class ImportedRecords:
    """What two files held.

    Attributes:
        problems: a sentence for each thing that was left out.
    """

    records: list[ImportedRecord] = field(default_factory=list)
    failed: int = 0
    problems: list[str] = field(default_factory=list)


def read_records(folder: Path) -> ImportedRecords:
    """Read a folder that MetaSchedule or `write_records` wrote, maybe while it was still being written.

    A torn last line and lines that make no sense are left out, and said. Trials that failed are counted only.

    Raises:
        UserError: a file is missing or cannot be read.
    """
    found = ImportedRecords()
    workloads = _read_lines(folder / WORKLOADS, _workload, found.problems, native=True)
    for row in _read_lines(folder / RECORDS, _record, found.problems):
        if row is None:
            continue
        index, trace, seconds, target = row
        mod = workloads[index] if 0 <= index < len(workloads) else None
        if mod is None:
            found.problems.append(f"A record names workload {index}, which {WORKLOADS} does not hold.")
        elif not seconds or any(not 0 < s < _FAILED_S for s in seconds):
            found.failed += 1
        else:
            found.records.append(ImportedRecord(mod, trace, seconds, target))
    return found


def _read_lines(
    path: Path, parse: Callable[[Any], _T], problems: list[str], *, native: bool = False
) -> list[_T | None]:
    """Each line parsed, by TVM where `native`; None in the place of a line that was dropped: records count lines."""
    try:
        lines = read_whole(path).splitlines()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.", f"A folder with {path.name} is needed.") from error
    rows: list[_T | None] = []
    fatal = deadly([partial(_parse, parse, line) for line in lines]) if native else set()
    for number, line in enumerate(lines, 1):
        try:
            if number - 1 in fatal:
                raise ValueError("TVM cannot read it")
            rows.append(_parse(parse, line))
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, RuntimeError, RecursionError):
            rows.append(None)
            torn = number == len(lines)
            problems.append(
                f"The last line of {path.name} is torn; it was left out."
                if torn
                else f"Line {number} of {path.name} makes no sense; it was left out."
            )
    return rows


def _parse(parse: Callable[[Any], _T], line: bytes) -> _T:
    return parse(json.loads(line))


def _workload(row: Any) -> tvm.IRModule:
    digest, module = row
    if not (isinstance(digest, str) and isinstance(module, str)):
        raise TypeError("a workload is two texts")
    mod = Workload.from_json([digest, module]).mod
    if not isinstance(mod["main"], tvm.tirx.PrimFunc):
        raise TypeError("a workload is a TIR function")
    return refuse_code(mod)


def _record(row: Any) -> tuple[int, str, tuple[float, ...], dict[str, Any]]:
    index, (trace, seconds, target, _args) = row
    instructions, decisions = trace
    if not (isinstance(index, int) and isinstance(instructions, list) and isinstance(decisions, list)):
        raise TypeError("a record is an index and a trace")
    repeats = tuple(float(s) for s in seconds or ())
    if any(math.isnan(s) for s in repeats):
        raise ValueError("a time is no number")
    return index, json.dumps(inert(trace)), repeats, target if isinstance(target, dict) else {}
