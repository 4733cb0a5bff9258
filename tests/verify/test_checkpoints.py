"""Checkpoints come back as they went, and bad ones are refused with a sentence."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from measured import synthetic_group
from pruner_engine.benchmarks.workloads import subjects_of
from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.targets.target import resolve_target, vector_bits_of
from pruner_engine.verify import create_model, pretrained
from pruner_engine.verify.checkpoint import read_header
from schedules import task_of

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((resource_dir() / "checkpoints").iterdir())


@pytest.fixture(scope="module")
def trained():
    group = synthetic_group(24)
    model = create_model("pacm", 0)
    model.update({"task": group})
    return model, group[0]


@pytest.mark.parametrize("kind", ["pacm", "tenset-mlp", "tlp", "xgb"])
def test_round_trip(kind):
    group = synthetic_group(24)
    model, other = create_model(kind, 0), create_model(kind, 1)
    model.update({"task": group})
    other.from_bytes(model.to_bytes())
    assert np.array_equal(model.predict(group[0]), other.predict(group[0]))


def test_a_restored_model_goes_on_from_its_weights(trained):
    model, _ = trained
    other = create_model("pacm", 1)
    other.from_bytes(model.to_bytes())
    assert other.update({"task": synthetic_group(24)}).start == "warm"


def test_a_resumed_run_learns_as_it_would_have_without_the_break():
    features, seconds, censored = synthetic_group(60)

    def learned(count):
        return {"task": (features[:count], seconds[:count], censored[:count])}

    unbroken, resumed = create_model("pacm", 0), create_model("pacm", 0)
    unbroken.update(learned(40))
    resumed.go_on_from(unbroken.to_bytes(), 40)
    resumed.updates = unbroken.updates  # the seeds of the order in which samples are visited
    starts = [model.update(learned(60)).start for model in (unbroken, resumed)]
    assert starts == ["warm", "warm"]
    assert np.array_equal(unbroken.predict(features), resumed.predict(features))


@pytest.mark.parametrize("kind", ["pacm", "xgb"])
def test_a_run_that_had_learned_nothing_yet_begins_to_when_it_is_resumed(kind):
    resumed = create_model(kind, 0)
    resumed.go_on_from(create_model(kind, 0).to_bytes(), 0)
    assert resumed.update({"task": synthetic_group(24)}).start == "scratch"


def test_a_cut_checkpoint_is_refused_wherever_it_is_cut(trained):
    data = trained[0].to_bytes()
    header = int.from_bytes(data[:8], "little") + 8
    for end in (0, 4, 8, 9, header // 2, header - 1, header, header + 1, len(data) // 2, len(data) - 1):
        with pytest.raises(UserError, match="damaged"):
            create_model("pacm").from_bytes(data[:end])


def test_another_kind_is_refused_by_name(trained):
    with pytest.raises(UserError, match="of kind 'pacm', not 'tlp'"):
        create_model("tlp").from_bytes(trained[0].to_bytes())


def test_foreign_files_are_refused(trained):
    model = create_model("pacm")
    with pytest.raises(UserError, match="not a Pruner Studio checkpoint"):
        model.from_bytes(save({"weight": torch.zeros(3)}, {"format": "pt"}))
    for foreign in (b"\x80\x02}q\x00." * 20, b"PK\x03\x04" * 9, b"Dear reader, this is a letter."):
        with pytest.raises(UserError, match="not a Pruner Studio checkpoint"):
            model.from_bytes(foreign)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"Dear reader, this is a letter.", "This file is not a Pruner Studio checkpoint."),
        (b"", "The checkpoint is damaged: its header cannot be read."),
    ],
)
def test_a_file_that_is_refused_is_named(tmp_path, content, why):
    (path := tmp_path / "letter.txt").write_bytes(content)
    with pytest.raises(UserError) as refused:
        pretrained.check_model("pacm", str(path))
    assert refused.value.message == f"letter.txt cannot be taken as a pre-trained model: {why}"


def test_poisoned_weights_are_refused_and_change_nothing(trained):
    source, features = trained
    data = source.to_bytes()
    kind, _ = read_header(data)
    metadata = {"format": "pruner-studio-model-1", "kind": kind, "recipe": "{}"}
    poisoned = load(data)
    poisoned["score.weight"][0, 0] = float("nan")
    model = create_model("pacm", 5)
    before = model.predict(features)
    with pytest.raises(UserError, match="not numbers"):
        model.from_bytes(save(poisoned, metadata))
    misshapen = {**load(data), "score.weight": torch.zeros(1, 3)}
    with pytest.raises(UserError, match="layers are not those"):
        model.from_bytes(save(misshapen, metadata))
    with pytest.raises(UserError, match="recipe"):
        model.from_bytes(save(load(data), {**metadata, "recipe": "[1"}))
    assert np.array_equal(before, model.predict(features))


def test_trees_of_another_program_are_refused():
    with pytest.raises(UserError, match="trees"):
        create_model("xgb").from_bytes(b'{"learner": {}}')


def test_a_device_is_given_the_model_that_learned_from_vectors_like_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "resource_dir", lambda: tmp_path)
    (tmp_path / "checkpoints").mkdir()
    assert pretrained.shipped_checkpoint("pacm", 256) is None
    for name in ("pacm-256", "pacm-512", "pacm-draft-1024"):
        (tmp_path / "checkpoints" / f"{name}.safetensors").touch()
    found = {bits: pretrained.shipped_checkpoint("pacm", bits) for bits in (32, 128, 256, 512, 1024)}
    assert {bits: path.stem for bits, path in found.items()} == {
        32: "pacm-256",
        128: "pacm-256",
        256: "pacm-256",
        512: "pacm-512",
        1024: "pacm-512",
    }


def listed(name: str) -> set[str]:
    """The models and workloads of a list."""
    return {subject.model for subject in subjects_of((), (ROOT / "bench" / name,))}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_ships_learned_from_nothing_that_strategies_are_compared_on(path):
    compared = listed("operators.txt")
    assert compared and not compared & (listed("training.txt") | listed("training-more.txt"))
    model = create_model(path.stem.rpartition("-")[0])
    model.from_bytes(path.read_bytes())
    assert model.recipe["tasks"]
    assert not {task_of(workload).name for workload in compared} & set(model.recipe["tasks"])


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_ships_learned_from_what_its_name_says(path):
    kind, _, bits = path.stem.rpartition("-")
    model = create_model(kind)
    model.from_bytes(path.read_bytes())
    assert {vector_bits_of(resolve_target(target)) for target in model.recipe["targets"]} == {int(bits)}
