"""The demonstration that ships can be asked about, whatever has become of the rules since it was tuned."""

import json

import pytest

from pruner_engine.jobs.workbench import Workbench
from pruner_engine.resources import resource_dir
from pruner_engine.store.reader import ProjectReader

PROJECT = str(resource_dir() / "samples" / "small-cnn.pruner")


def best_of_tasks():
    with ProjectReader(PROJECT) as reader:
        ids = [task["best_candidate_id"] for task in reader.tasks(reader.run()["id"])]
        return [reader.candidate(candidate) for candidate in ids if candidate]


@pytest.mark.parametrize("row", best_of_tasks(), ids=lambda row: row["task_id"])
def test_the_best_schedules_can_be_explained(row):
    decisions = row["decisions"] if isinstance(row["decisions"], list) else json.loads(row["decisions"])
    bench = Workbench(PROJECT, row["task_id"])
    candidate = bench.candidate(row["sketch_id"], decisions)
    assert candidate.hash == row["hash"]
    told = bench.analyzer.explain(candidate.sketch, candidate.row)
    assert told.valid and told.latency_s > 0
    assert bench.space.materialise([candidate])
