"""What the kernels of a run add up to, from numbers chosen."""

from __future__ import annotations

import pytest

from chosen_runs import add_run, make_project
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader


@pytest.mark.parametrize(
    ("untuned", "tuned", "told", "latency"),
    [
        ((1.0, 2.0), (0.5, 3.0), 7.0, 6.5),  # the lesser of both
        ((1.0, None), (0.5, 3.0), None, 9.5),  # no sum where one is not known
        ((1.0, None), (0.5, None), None, None),
        ((None, 2.0), (0.5, None), None, 6.5),
    ],
)
def test_sums_over_kernels_are_of_all_of_them(tmp_path, untuned, tuned, told, latency):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, untuned[0]), "b": (3, untuned[1])})
    trials = [("trial", 1, tuned[0], 1.0), ("trial", 2, tuned[1], 2.0)]
    add_run(path, "random", [*trials, ("trial", 2, -1e-9, 3.0), ("end", 3.0)])  # one abandoned: never the best
    with Project(path) as project:
        assert project.runs.latency(1) == latency
    with ProjectReader(path) as reader:
        run = reader.run(1)
        assert run["untuned_s"] == told and (run["gain"] is None) == (told is None)


def test_a_run_that_prepares_the_model_otherwise_counts_calls_of_its_own(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0), "b": (3, 2.0)})
    first, second = (add_run(path, "random", [("trial", 1, 0.5, 1.0), ("end", 1.0)]) for _ in range(2))
    with Project(path) as project:
        project.runs.add_tasks(second, [1, 2], [4, 3])
        assert [[row["weight"] for row in project.runs.tasks(run)] for run in (first, second)] == [[1, 3], [4, 3]]
        assert [project.runs.latency(run) for run in (first, second)] == [0.5 + 6.0, 2.0 + 6.0]
    with ProjectReader(path) as reader:
        assert [reader.run(run)["untuned_s"] for run in (first, second)] == [7.0, 10.0]
        assert [[row["weight"] for row in reader.tasks(run)] for run in (first, second)] == [[1, 3], [4, 3]]
