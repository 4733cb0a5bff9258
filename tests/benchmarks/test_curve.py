"""The curve of a run is what its trials say."""

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.benchmarks.curve import curve_of
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader


def curve(path, run_id=1):
    with ProjectReader(path) as reader:
        return curve_of(reader, run_id)


def test_latency_is_the_weighted_sum_with_untuned_kernels_where_nothing_is_measured(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (2, 1.0), "b": (1, 10.0)})
    events = [("begin", 5.0), ("trial", 1, None, 6.0), ("trial", 1, 0.5, 7.0), ("trial", 1, -0.1, 8.0), ("end", 9.0)]
    events += [("trial", 2, 4.0, 10.0), ("trial", 2, 6.0, 11.0), ("end", 12.0)]
    add_run(path, "pruner", events)
    found = curve(path)
    # a failure says nothing, an abandoned trial is never the best, and a worse one changes nothing
    assert [p.latency_s for p in found.points] == [None, 11.0, 11.0, 5.0, 5.0]
    assert [p.seconds for p in found.points] == [1.0, 2.0, 3.0, 5.0, 6.0]
    assert found.wall_s == 7.0
    assert found.final_s == 5.0
    assert found.work_s["draft"] == 2.0
    assert found.work_s["build"] == 4.0


def test_what_an_interruption_cost_is_left_out(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    events = [("begin", 5.0), ("trial", 1, 0.5, 6.0), ("end", 7.0), ("trial", 1, 0.4, 8.0), ("kill", 8.0)]
    events += [("begin", 20.0), ("trial", 1, 0.3, 21.0), ("end", 22.0)]  # 12 s of loading and restoring
    events += [("begin", 30.0), ("trial", 1, 0.2, 31.0), ("end", 32.0)]  # stopped after a round: 8 s
    add_run(path, "pruner", events)
    found = curve(path)
    assert [p.seconds for p in found.points] == [1.0, 3.0, 4.0, 6.0]
    assert found.wall_s == 7.0


def test_a_round_whose_slowest_build_came_later_was_no_interruption(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    events = [("begin", 5.0), ("trial", 1, 0.5, 6.0), ("end", 9.0)]
    add_run(path, "pruner", [*events, ("trial", 1, 0.4, 10.0), ("trial", 1, 0.3, 11.0), ("end", 12.0)])
    with Project(path) as project, project.transaction() as db:  # on a GPU it is not waited for
        db["candidates"].update(2, {"round_id": 1})
    found = curve(path)
    assert [p.seconds for p in found.points] == [1.0, 5.0, 6.0]
    assert found.wall_s == 7.0


@pytest.mark.parametrize(("latency", "trials"), [(0.5, 1), (0.41, 2), (0.4, 2), (0.1, None)])
def test_reach_is_the_first_point_that_is_as_good(tmp_path, latency, trials):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    add_run(path, "pruner", [("begin", 0.0), ("trial", 1, 0.5, 1.0), ("trial", 1, 0.4, 2.0), ("end", 3.0)])
    reached = curve(path).reach(latency)
    assert (reached and reached.trials) == trials
    assert curve(path).at(1) == 0.5
    assert curve(path).at(100) == 0.4
