"""Data sets of measured candidates, to train cost models offline: one safetensors file, nothing in it can run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from pruner_engine.errors import UserError
from pruner_engine.replacing import write_whole
from pruner_engine.verify import dataflow, drafted, primitives, statement, workload
from pruner_engine.verify.checkpoint import read_metadata
from pruner_engine.verify.model import Features, Group
from pruner_engine.whole_files import read_whole

_FORMAT = "pruner-studio-dataset-2"
_HINT = "Use a file that `pruner collect` wrote."
_WIDTHS = {"statement": statement.WIDTH, "dataflow": dataflow.WIDTH, "primitives": primitives.WIDTH}


class _Description(msgspec.Struct):
    """What the file says of a record besides its tensors."""

    key: str
    name: str
    op: str
    target: str


@dataclass(frozen=True, eq=False)
class Record:
    """All measurements of one task on one target.

    Attributes:
        key: identity: task hash and target.
        name, op, target: for people and for splits.
        group: features, seconds and censored flags.
    """

    key: str
    name: str
    op: str
    target: str
    group: Group


@dataclass
class DataSet:
    """Records by key; adding a key again replaces it, so that collecting can go on where it was interrupted."""

    records: dict[str, Record] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        self.records[record.key] = record

    def groups(self) -> dict[str, Group]:
        """What `CostModel.update` takes."""
        return {key: record.group for key, record in self.records.items()}

    def split(self, share: float, seed: int) -> tuple[DataSet, DataSet]:
        """Two data sets with no task in common; the second has about `share` of the tasks, at least one of two.

        Tasks of one name are kept together whatever their target: another instruction set is not another task.
        """
        names = sorted({record.name for record in self.records.values()})
        count = max(1, round(share * len(names))) if len(names) > 1 else 0
        chosen = {names[i] for i in np.random.default_rng(seed).permutation(len(names))[:count]}
        parts = DataSet(), DataSet()
        for record in self.records.values():
            parts[record.name in chosen].add(record)
        return parts

    def __len__(self) -> int:
        return sum(len(record.group[0]) for record in self.records.values())


def write_dataset(data: DataSet, path: Path) -> None:
    """Write a data set; an interrupted write loses nothing of an earlier one.

    Raises:
        OSError: it cannot be written.
    """
    tensors: dict[str, np.ndarray] = {}
    described: list[_Description] = []
    for index, record in enumerate(data.records.values()):
        features, seconds, censored = record.group
        described.append(_Description(record.key, record.name, record.op, record.target))
        tensors[f"{index}.seconds"] = np.asarray(seconds, np.float64)
        tensors[f"{index}.censored"] = np.asarray(censored, np.uint8)
        tensors[f"{index}.workload"] = np.stack([f.workload for f in features])
        tensors[f"{index}.draft"] = np.stack([f.draft for f in features])
        for part in _WIDTHS:
            # half precision: these are logarithms and flags, and it halves the file
            rows = [getattr(f, part) for f in features]
            tensors[f"{index}.{part}"] = np.concatenate(rows).astype(np.float16)
            tensors[f"{index}.{part}.count"] = np.array([len(r) for r in rows], np.int32)
    write_whole(path, save(tensors, {"format": _FORMAT, "records": msgspec.json.encode(described).decode()}))


def read_dataset(path: Path) -> DataSet:
    """Read a data set.

    Raises:
        UserError: no such file, damaged, or no data set.
    """
    try:
        blob = read_whole(path)
    except OSError as error:
        raise UserError(f"The data set {path} cannot be read: {error.strerror}.", _HINT) from error
    metadata = read_metadata(blob, f"data set {path.name}", _HINT)
    if metadata.get("format") != _FORMAT:
        raise UserError(f"{path.name} is not a data set of measurements.", _HINT)
    try:
        tensors = load(blob)
        return _records(msgspec.json.decode(metadata["records"], type=list[_Description]), tensors)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise UserError(f"The data set {path.name} is damaged.", _HINT) from error


def _records(described: list[_Description], tensors: dict[str, np.ndarray]) -> DataSet:
    data = DataSet()
    for index, entry in enumerate(described):
        seconds, censored = tensors[f"{index}.seconds"], tensors[f"{index}.censored"].astype(bool)
        embeddings, drafts = (tensors[f"{index}.{name}"].astype(np.float32) for name in ("workload", "draft"))
        parts = {name: _ragged(tensors, index, name, width) for name, width in _WIDTHS.items()}
        counts = {len(censored), *map(len, parts.values())}
        if counts != {len(seconds)} or {seconds.ndim, censored.ndim} != {1} or not (seconds > 0).all():
            raise ValueError("sizes")
        if embeddings.shape != (len(seconds), workload.WIDTH) or drafts.shape != (len(seconds), drafted.WIDTH):
            raise ValueError("widths")
        if not (np.isfinite(embeddings).all() and np.isfinite(drafts).all() and np.isfinite(seconds).all()):
            raise ValueError("numbers")
        features = [
            Features(workload=embeddings[i], draft=drafts[i], **{name: rows[i] for name, rows in parts.items()})
            for i in range(len(seconds))
        ]
        data.add(Record(entry.key, entry.name, entry.op, entry.target, (features, seconds, censored)))
    return data


def _ragged(tensors: dict[str, np.ndarray], index: int, name: str, width: int) -> list[np.ndarray]:
    flat = tensors[f"{index}.{name}"].astype(np.float32)
    counts = tensors[f"{index}.{name}.count"]
    shaped = counts.ndim == 1 and flat.ndim == 2 and (flat.shape[1] == width or not len(flat))
    if not shaped or counts.sum() != len(flat) or not np.isfinite(flat).all():
        raise ValueError(name)
    return np.split(flat, np.cumsum(counts)[:-1])


def join(parts: Iterable[DataSet]) -> DataSet:
    """All records of several data sets; of a key that occurs twice the later one."""
    joined = DataSet()
    for part in parts:
        for record in part.records.values():
            joined.add(record)
    return joined
