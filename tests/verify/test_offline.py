"""Data sets, and checkpoints trained from them."""

import json
import os

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

from measured import synthetic_group
from pruner_engine.errors import UserError
from pruner_engine.verify import create_model
from pruner_engine.verify.checkpoint import read_header, read_metadata
from pruner_engine.verify.dataset import DataSet, Record, join, read_dataset, write_dataset
from pruner_engine.verify.offline import train


def record(index: int, count: int = 40, target: str = "avx2") -> Record:
    op = ("matmul", "conv2d")[index % 2]
    return Record(f"{index}@{target}", f"{op}_{index}", op, target, synthetic_group(count, index))


@pytest.fixture
def file(tmp_path):
    data = DataSet()
    for index in range(5):
        data.add(record(index))
    write_dataset(data, tmp_path / "a.pruner-data")
    return tmp_path / "a.pruner-data"


def test_round_trip(file):
    data = read_dataset(file)
    assert len(data) == 200 and list(data.records) == [f"{i}@avx2" for i in range(5)]
    features, seconds, censored = data.records["2@avx2"].group
    expected, times, _ = synthetic_group(40, 2)
    assert np.array_equal(seconds, times) and not censored.any()
    assert np.allclose(features[7].dataflow, expected[7].dataflow, atol=0.01)
    assert features[7].statement.shape == (2, 164)


def test_collecting_again_replaces_a_task(file):
    data = read_dataset(file)
    data.add(record(2, count=60))
    assert len(data.records) == 5 and len(data) == 220
    assert len(join([read_dataset(file), data])) == 220


def test_a_split_keeps_all_targets_of_a_task_on_one_side(file):
    data = read_dataset(file)
    for index in range(5):
        data.add(record(index, target="sse4.2"))
    learned, held = data.split(0.4, seed=1)
    names = [{r.name for r in part.records.values()} for part in (learned, held)]
    assert not names[0] & names[1] and len(names[1]) == 2 and len(held.records) == 4


def test_damaged_and_foreign_files_are_refused(file, tmp_path):
    blob = file.read_bytes()
    for end in (0, 7, 200, len(blob) // 2, len(blob) - 1):
        file.write_bytes(blob[:end])
        with pytest.raises(UserError, match="damaged"):
            read_dataset(file)
    file.write_bytes(blob)
    data = read_dataset(file)
    next(iter(data.records.values())).group[0][0].draft[0] = np.nan
    write_dataset(data, file)
    with pytest.raises(UserError, match="damaged"):
        read_dataset(file)
    file.write_bytes(create_model("pacm").to_bytes())
    with pytest.raises(UserError, match="not a data set"):
        read_dataset(file)
    with pytest.raises(UserError, match="cannot be read"):
        read_dataset(tmp_path / "missing")


@pytest.mark.parametrize(
    "change",
    [
        {"0.statement": np.zeros(3, np.float16), "0.statement.count": np.array([1, 1, 1])},
        {"0.statement.count": np.ones((1, 3), np.int64)},
        {"0.censored": np.zeros((3, 2), np.uint8)},
        {"0.seconds": np.ones((3, 1))},
    ],
    ids=["flat rows", "counts of two axes", "flags of two axes", "times of two axes"],
)
def test_tensors_of_other_axes_are_refused(change, tmp_path):
    file, data = tmp_path / "a.pruner-data", DataSet()
    data.add(record(0, count=3))
    write_dataset(data, file)
    blob = file.read_bytes()
    file.write_bytes(save(load(blob) | change, read_metadata(blob, "data set", "")))
    with pytest.raises(UserError, match="damaged"):
        read_dataset(file)


@pytest.mark.parametrize("field", ["key", "name", "op", "target"])
@pytest.mark.parametrize("value", [5, [1], None])
def test_descriptions_that_are_no_words_are_refused(field, value, file):
    blob = file.read_bytes()
    size = int.from_bytes(blob[:8], "little")
    header = json.loads(blob[8 : 8 + size])
    described = json.loads(header["__metadata__"]["records"])
    described[1][field] = value
    header["__metadata__"]["records"] = json.dumps(described)
    changed = json.dumps(header).encode()
    file.write_bytes(len(changed).to_bytes(8, "little") + changed + blob[8 + size :])
    with pytest.raises(UserError, match="damaged"):
        read_dataset(file)


@pytest.mark.parametrize("kind", ["pacm", "tenset-mlp", "tlp"])
def test_offline_training_gives_a_checkpoint_with_its_recipe(kind, file):
    losses = []
    trained = train(kind, [file], epochs=6, on_epoch=lambda epoch, loss, accuracy: losses.append(loss))
    assert losses[-1] < losses[0]
    assert trained.ranking.tasks == 1 and 0 < trained.ranking.top1 <= trained.ranking.top5 <= 1
    found, recipe = read_header(trained.checkpoint)
    assert found == kind and len(recipe["tasks"]) == 4 and recipe["held_out"]["samples"] == 40
    model = create_model(kind)
    model.from_bytes(trained.checkpoint)
    assert model.update({"here": synthetic_group(20, 9)}).start == "warm"


def test_training_has_as_many_threads_as_the_process_may_use_processors(file):
    threads = []
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})  # as in a container or a scheduler's job
    try:
        train("tenset-mlp", [file], epochs=1, on_epoch=lambda *_: threads.append(torch.get_num_threads()))
    finally:
        os.sched_setaffinity(0, before)
    assert threads == [1]


def test_only_networks_are_trained_offline(file):
    with pytest.raises(UserError, match="not trained offline"):
        train("xgb", [file])
