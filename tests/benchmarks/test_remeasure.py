"""What was best in the runs of a comparison is timed again as these runs measured it."""

from __future__ import annotations

from pruner_engine.benchmarks import remeasure
from pruner_engine.benchmarks.again import read_timed
from pruner_engine.benchmarks.remeasure import time_again
from pruner_engine.store.reader import ProjectReader
from run_jobs import QUICK, started


def test_tasks_are_timed_as_their_own_run_did_and_all_with_the_same_caches(tmp_path, monkeypatch):
    project, asked = tmp_path / "p.pruner", []
    for settings in ({"caches": "warm"}, {"caches": "cold"}, {"caches": "warm", "dtype": "bfloat16"}):
        started(project, trials=2, settings={**QUICK, **settings})
    with ProjectReader(project) as reader:
        ids = [list(reader.task_names(run)) for run in (1, 2, 3)]
    assert ids[0] == ids[1] != ids[2], "the kernels of another float type are others"

    def noted(target, settings):
        asked.append((settings.caches, settings.dtype))
        return measurer_for(target, settings)

    measurer_for = remeasure.measurer_for
    monkeypatch.setattr(remeasure, "measurer_for", noted)
    time_again(project, 1)
    assert asked == [("network", "float32"), ("network", "bfloat16")]
    timed = read_timed(project).candidates
    assert {task_id for task_id, _, _ in timed} > set(ids[0]) and all(seconds for *_, seconds in timed)
