"""Models, targets, tasks and sketches: what there is to tune."""

from __future__ import annotations

import gzip
import json
import re
import time
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import tvm

from pruner_engine.caches import Caches
from pruner_engine.store.file.writer import Writer
from pruner_engine.store.queries.run_rows import target_row
from pruner_engine.store.writing.of_run import COLD_UNTUNED
from pruner_engine.tasks.foreign import refuse_code
from pruner_engine.tasks.task import TensorSpec, TuningTask

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts
    from pruner_engine.space.sketch import Sketch

_Fact = TypeVar("_Fact", bound=msgspec.Struct)
_LARGEST_COPY = 900 << 20  # bytes; SQLite's own limit for a value is 1e9
_LARGEST_MODULE = 256 << 20  # bytes of JSON; a kernel of a thousand stages has ten million
_GZIP = 16 + zlib.MAX_WBITS
_OF_TYPE = "model_id = ? AND target_id = ? AND dtype = ?"


class _Untuned(msgspec.Struct):
    seconds: float


def pack_module(mod: tvm.IRModule) -> bytes:
    """A TVM module as compressed JSON."""
    return gzip.compress(tvm.ir.save_json(mod).encode(), compresslevel=6, mtime=0)


def unpack_module(data: bytes) -> tvm.IRModule:
    """The module that `pack_module` has packed.

    Raises:
        ForeignCodeError: it brings native code along.
        ValueError: it is cut off, or larger than any kernel's.
    """
    unpacking = zlib.decompressobj(_GZIP)
    text = unpacking.decompress(data, _LARGEST_MODULE)
    if not unpacking.eof:
        raise ValueError("a task's module is cut off or too large")
    return refuse_code(tvm.ir.load_json(text.decode()))


class WorkRepository:
    """Writes and reads back the subjects of tuning; adding what is already there returns its id."""

    def __init__(self, file: Writer) -> None:
        self._file = file

    def _id(self, table: str, key: dict[str, Any], row: dict[str, Any]) -> int:
        with self._file.transaction() as db:
            where = " AND ".join(f"{name} = ?" for name in key)
            found = db.execute(f"SELECT id FROM {table} WHERE {where}", list(key.values())).fetchone()
            if found:
                return int(found[0])
            return int(db[table].insert({**key, **row}).last_pk)

    def add_model(self, model: ModelFacts) -> int:
        inputs = json.dumps([spec.as_json() for spec in model.inputs])
        copy = model.file.content() if model.file.size <= _LARGEST_COPY else None
        return self._id(
            "models",
            {"sha256": model.file.sha256, "inputs": inputs},
            {
                "name": model.name,
                "kind": model.kind,
                "source": model.source,
                "bytes": model.file.size,
                "content": copy,
                "outputs": json.dumps([spec.as_json() for spec in model.outputs]),
                "created": time.time(),
            },
        )

    def model(self, model_id: int) -> dict[str, Any]:
        """Row of a model, its file's bytes under `content`."""
        return self._file.query("SELECT * FROM models WHERE id = ?", (model_id,))[0]

    def model_content(self, model_id: int) -> bytes:
        """The bytes of a model's file, of which the project has a copy."""
        content = self._file.query("SELECT content FROM models WHERE id = ?", (model_id,))[0]["content"]
        assert isinstance(content, bytes)
        return content

    def add_target(self, text: str, device: str, fingerprint: str) -> int:
        """Known by text and fingerprint; its profile is empty until `set_profile`."""
        return self._id("targets", {"text": text, "fingerprint": fingerprint}, {"device": device, "profile": "{}"})

    def set_profile(self, target_id: int, profile: dict[str, Any]) -> None:
        with self._file.transaction() as db:
            db["targets"].update(target_id, {"profile": json.dumps(profile)})

    def target(self, target_id: int) -> dict[str, Any]:
        """As `target_row`."""
        return target_row(self._file, target_id)

    def add_tasks(self, model_id: int, target_id: int, tasks: Sequence[TuningTask]) -> list[int]:
        """Ids in the order of `tasks`; of one that is known, how its arguments are reused may be new."""
        with self._file.transaction() as db:
            ids = [
                self._id(
                    "tasks",
                    {"model_id": model_id, "target_id": target_id, "hash": task.hash},
                    {
                        "name": task.name,
                        "op": task.op,
                        "shapes": "[]",
                        "flops": task.flops,
                        "weight": task.weight,
                        "mod": pack_module(task.mod),
                    },
                )
                for task in tasks
            ]
            for task_id, task in zip(ids, tasks, strict=True):
                db["tasks"].update(task_id, {"shapes": json.dumps(args_as_json(task))})
        return ids

    def set_untuned(self, task_id: int, seconds: float, *, caches: Caches) -> None:
        """Seconds a call of the untuned kernel: one figure where caches are cold, and one where they are not."""
        if caches == "cold":
            self.keep_fact(COLD_UNTUNED.format(task=task_id), _Untuned(seconds))
            return
        with self._file.transaction() as db:
            db["tasks"].update(task_id, {"untuned_s": seconds})

    def untuned(self, task_id: int, *, caches: Caches) -> float | None:
        if caches == "cold":
            found = self.fact(COLD_UNTUNED.format(task=task_id), _Untuned)
            return None if found is None else found.seconds
        value = self._file.query("SELECT untuned_s FROM tasks WHERE id = ?", (task_id,))[0]["untuned_s"]
        return None if value is None else float(value)

    def add_sketches(self, task_id: int, sketches: Sequence[Sketch]) -> list[int]:
        with self._file.transaction():
            return [
                self._id(
                    "sketches",
                    {"task_id": task_id, "hash": sketch.hash},
                    {
                        "idx": sketch.index,
                        "trace": sketch.trace_json(),
                        "decisions": json.dumps(sketch.decisions_json()),
                        "size": float(sketch.size),
                    },
                )
                for sketch in sketches
            ]

    def fact(self, name: str, kind: type[_Fact]) -> _Fact | None:
        """A fact that `keep_fact` stored under a name; None where there is none, or another version stored it."""
        found = self._file.query("SELECT value FROM meta WHERE key = ?", (name,))
        try:
            return msgspec.json.decode(str(found[0]["value"]), type=kind) if found else None
        except msgspec.DecodeError:
            return None

    def keep_fact(self, name: str, value: msgspec.Struct) -> None:
        with self._file.transaction() as db:
            db["meta"].upsert({"key": name, "value": msgspec.json.encode(value).decode()}, pk="key")

    def baselines(self, model_id: int, target_id: int, dtype: str) -> list[dict[str, Any]]:
        """Rows of a model in a float type on a target."""
        return self._file.query(f"SELECT * FROM baselines WHERE {_OF_TYPE}", (model_id, target_id, dtype))

    def add_baseline(
        self, model_id: int, target_id: int, dtype: str, name: str, seconds: float | None, **more: Any
    ) -> None:
        """Keep a latency that runs are held against, in the place of an earlier one of that name."""
        key = {"model_id": model_id, "target_id": target_id, "dtype": dtype, "name": name}
        with self._file.transaction() as db:
            db["baselines"].delete_where(f"{_OF_TYPE} AND name = ?", list(key.values()))
            db["baselines"].insert({**key, "seconds": seconds, "at": time.time(), **more})


def task_of(row: dict[str, Any]) -> TuningTask:
    """The task that a row of table `tasks` describes.

    Raises:
        ValueError: its hash, after which files are named while it is measured, is none.
    """
    if not re.fullmatch("[0-9a-f]+", row["hash"]):
        raise ValueError("a task's hash is no hexadecimal number")
    flops, weight = float(row["flops"]), int(row["weight"])
    shapes = json.loads(row["shapes"])
    args = tuple(TensorSpec(s["name"], tuple(s["shape"]), s["dtype"]) for s in shapes)
    reuse = tuple(int(s["reuse"]) for s in shapes if "reuse" in s)
    return TuningTask(row["name"], row["op"], row["hash"], unpack_module(row["mod"]), args, flops, weight, reuse)


def args_as_json(task: TuningTask) -> list[dict[str, Any]]:
    """What a row of table `tasks` says of the arguments of a task."""
    known = ({"reuse": reuse} for reuse in task.reuse)
    return [{**spec.as_json(), **next(known, {})} for spec in task.args]
