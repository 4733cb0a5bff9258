"""Tuning records as MetaSchedule's JSON files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tvm.s_tir.meta_schedule.database import Database, JSONDatabase, TuningRecord

from pruner_engine.tasks.task import TuningTask

WORKLOADS = "database_workload.json"
RECORDS = "database_tuning_record.json"


def write_records(database: Database, tasks: Sequence[TuningTask], folder: Path, best: int = 1) -> int:
    """Write the `best` records of each task, in the files that `JSONDatabase(work_dir=folder)` reads.

    Returns:
        The number of records written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = JSONDatabase(path_workload=str(folder / WORKLOADS), path_tuning_record=str(folder / RECORDS))
    written = 0
    for task in tasks:
        workload = files.commit_workload(task.mod)
        for record in database.get_top_k(database.commit_workload(task.mod), best):
            files.commit_tuning_record(
                TuningRecord(record.trace, workload, record.run_secs, record.target, record.args_info)
            )
            written += 1
    return written
