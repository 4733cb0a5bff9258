"""A MetaSchedule database over the project file, so that TVM compiles straight from it."""

from __future__ import annotations

import json

import tvm
import tvm_ffi
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.s_tir.meta_schedule.database import PyDatabase, TuningRecord, Workload

from pruner_engine.caches import Caches
from pruner_engine.store.queries.run_rows import Queried
from pruner_engine.store.writing.of_run import CACHES
from pruner_engine.store.writing.work import unpack_module
from pruner_engine.tasks.foreign import ForeignCodeError, read_trace
from pruner_engine.tasks.task import module_hash

_TASKS = "SELECT id, mod FROM tasks WHERE target_id = ? AND hash = ? ORDER BY id"
_COUNTED = f"x.run_id IN (SELECT id FROM runs WHERE coalesce(id = ?, {CACHES} = ?))"
_BEST = (
    "SELECT c.trace, x.repeats FROM measurements x JOIN candidates c ON c.id = x.candidate_id"
    f" WHERE {_COUNTED} AND x.task_id IN (SELECT value FROM json_each(?)) AND x.stage = 'ok' AND x.censored = 0"
    " AND c.trace IS NOT NULL"  # a project that was trimmed keeps those of the best
    " ORDER BY x.seconds LIMIT ?"
)
_TRIED = (
    f"SELECT DISTINCT k.hash FROM measurements x JOIN tasks k ON k.id = x.task_id WHERE {_COUNTED} AND k.target_id = ?"
)


@derived_object
class ProjectDatabase(PyDatabase):
    """Read-only view of the valid, completely timed trials on one target.

    Trials of other devices are never returned: rows are keyed by target and device fingerprint. Only candidates whose
    outputs are right are `ok` trials, so the best of them may be compiled.

    Args:
        of: the run whose trials these are, or the caches with which runs measured that count all.

    Attributes:
        foreign: traces that were left out, since they would bring native code along.
    """

    def __init__(
        self,
        file: Queried,
        target_id: int,
        target: tvm.target.Target,
        of: int | Caches,
    ) -> None:
        super().__init__()
        self._file = file
        self._target_id = target_id
        self._target = target
        self._of = (of, None) if isinstance(of, int) else (None, of)  # the run, or the caches
        self.foreign: set[str] = set()

    @property
    def tried(self) -> set[str]:
        """Hashes of the tasks of which anything was measured, valid or not."""
        return {str(row["hash"]) for row in self._file.query(_TRIED, (*self._of, self._target_id))}

    def _tasks(self, mod: tvm.IRModule) -> tuple[list[int], tvm.IRModule]:
        """Ids of the tasks that are this kernel, and the module of the first; two models may share a kernel."""
        ids: list[int] = []
        first = mod
        for row in self._file.query(_TASKS, (self._target_id, module_hash(mod))):
            known = unpack_module(row["mod"])
            if tvm_ffi.structural_equal(known, mod):
                first = first if ids else known
                ids.append(int(row["id"]))
        return ids, first

    def has_workload(self, mod: tvm.IRModule) -> bool:
        return bool(self._tasks(mod)[0])

    def commit_workload(self, mod: tvm.IRModule) -> Workload:
        return Workload(self._tasks(mod)[1])

    def commit_tuning_record(self, record: TuningRecord) -> None:
        raise NotImplementedError("trials are written by the run that measures them")

    def get_top_k(self, workload: Workload, top_k: int) -> list[TuningRecord]:
        return self._records(self._tasks(workload.mod)[0], workload, top_k)

    def _records(self, task_ids: list[int], workload: Workload, limit: int) -> list[TuningRecord]:
        rows = self._file.query(_BEST, (*self._of, json.dumps(task_ids), limit))
        records = []
        for row in rows:
            try:
                records.append(_record_of(workload, row["trace"], row["repeats"], self._target))
            except ForeignCodeError:
                self.foreign.add(str(row["trace"]))
        return records

    def get_all_tuning_records(self) -> list[TuningRecord]:
        records: list[TuningRecord] = []
        for row in self._file.query("SELECT id, mod FROM tasks WHERE target_id = ? ORDER BY id", (self._target_id,)):
            workload = Workload(unpack_module(row["mod"]))
            records += self._records([int(row["id"])], workload, -1)
        return records

    def __len__(self) -> int:
        return len(self.get_all_tuning_records())


def _record_of(workload: Workload, trace: str, repeats: str, target: tvm.target.Target) -> TuningRecord:
    """A tuning record from the project's JSON texts."""
    args = [info.as_json() for info in ArgInfo.from_entry_func(workload.mod, False)]
    return TuningRecord.from_json([read_trace(trace), json.loads(repeats), target.export(), args], workload)
