"""Latencies that a run is held against are those of its own float type."""

import shutil
from pathlib import Path

from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

EARLIER = Path(__file__).parents[1] / "faults" / "earlier"


def seconds(path):
    with ProjectReader(path) as reader:
        return [{row["name"]: row["seconds"] for row in reader.baselines(run["id"])} for run in reader.runs()]


def test_runs_of_two_types_have_baselines_of_their_own(tmp_path):
    path = tmp_path / "m.pruner"
    with Project(path) as project:
        with project.transaction() as db:
            model = {"name": "m", "kind": "onnx", "source": "m", "sha256": "0", "bytes": 0}
            model_id = db["models"].insert({**model, "inputs": "[]", "outputs": "[]", "created": 0.0}).last_pk
            target_id = db["targets"].insert({"text": "{}", "device": "d", "fingerprint": "f", "profile": "{}"}).last_pk
        for dtype in ("float32", "float16"):
            settings = "{}" if dtype == "float32" else f'{{"dtype": "{dtype}"}}'
            run_id = project.runs.add(model_id, "pruner", 0, settings=settings, versions="{}", host="{}")
            project.runs.update(run_id, target_id=target_id)
        project.work.add_baseline(model_id, target_id, "float32", "torch", 2e-3, threads=1)
        assert project.work.baselines(model_id, target_id, "float16") == []
        project.work.add_baseline(model_id, target_id, "float16", "torch", 9e-4, threads=1)
        project.work.add_baseline(model_id, target_id, "float16", "torch", 1e-3, threads=1)  # measured again
    assert sorted(found["torch"] for found in seconds(path)) == [1e-3, 2e-3]


def test_baselines_of_the_first_schema_are_read_and_kept(tmp_path):
    path = Path(shutil.copy(EARLIER / "v1_first_schema.pruner", tmp_path / "m.pruner"))
    before = seconds(path)
    assert any(before)
    Project(path).close()
    assert seconds(path) == before
