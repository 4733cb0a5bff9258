"""Figures of a comparison, told by hand."""

import math

import msgspec
import pytest

from chosen_runs import add_adaptation, add_run, make_project
from pruner_engine.benchmarks.again import Timed, write_timed
from pruner_engine.benchmarks.search import Variant
from pruner_engine.benchmarks.summary import summarise
from pruner_engine.errors import UserError
from pruner_engine.search.settings import settings_from
from pruner_engine.store.project import Project
from pruner_engine.store.run_states import IMPORTED


def run_of(latencies, pace):
    """Trials of one task at an even pace after a preparation of 10 s."""
    trials = [("trial", 1, latency, 10.0 + pace * (i + 1)) for i, latency in enumerate(latencies)]
    return [("begin", 10.0), *trials, ("end", 10.0 + pace * len(trials))]


@pytest.fixture
def folder(tmp_path):
    """Two workloads, two seeds: on the first `pruner` gets there in an eighth of the time, on the second never."""
    for name, fast in (("easy", True), ("hard", False)):
        path = tmp_path / f"{name}.pruner"
        make_project(path, {"a": (1, 1.0)}, model=f"{name}:1")
        for seed in (0, 1):
            add_run(path, "metaschedule", run_of([0.8] * 16 + [0.4] * 16, 1.0), seed=seed)
            add_run(path, "pruner", run_of([0.4] * 31 + [0.2] if fast else [0.8] * 32, 0.5), seed=seed)
    return tmp_path


def test_a_workload_tells_when_each_strategy_was_as_good_as_the_baseline(folder):
    easy, hard = summarise(folder)["workloads"]
    assert (easy["name"], easy["model"]) == ("easy", "easy:1")
    found = easy["strategies"]["pruner"]
    assert (found["reached"], found["compared"], found["seeds"]) == (2, 2, 2)
    assert found["time_ratio"] == pytest.approx(0.5 / 32)
    assert found["own_time_ratio"] == pytest.approx(0.5 / 17)  # the baseline itself was there after 17 trials
    assert found["trials_ratio"] == pytest.approx(1 / 32)
    assert found["at"] == {"16": pytest.approx(1.0), "32": pytest.approx(0.5)}
    assert found["final"] == pytest.approx(0.5)
    assert easy["strategies"]["metaschedule"]["at"] == {"16": pytest.approx(2.0), "32": pytest.approx(1.0)}
    missed = hard["strategies"]["pruner"]
    assert missed["reached"] == 0
    assert missed["time_ratio"] == 1.0  # a bound: at least as long as the baseline, though it gave up after half


def test_a_number_of_trials_that_one_seed_alone_has_made_is_no_mark(folder):
    for strategy in ("metaschedule", "pruner"):
        add_run(folder / "easy.pruner", strategy, run_of([0.4] * 20, 1.0), seed=2)
    found = summarise(folder)["workloads"][0]["strategies"]["pruner"]
    assert (found["compared"], list(found["at"])) == (3, ["16"])


def test_overall_is_the_geometric_mean_over_workloads(folder):
    found = summarise(folder)["overall"]["pruner"]
    assert found["workloads"] == 2
    assert (found["reached"], found["compared"]) == (2, 4)
    assert found["time_ratio"] == pytest.approx(math.sqrt(0.5 / 32))
    assert found["at"]["16"] == pytest.approx(math.sqrt(1.0 * 2.0))
    assert found["spread"]["final"] == [pytest.approx(0.5), pytest.approx(2.0)]


def test_what_was_timed_again_counts_and_is_chosen_by_what_the_run_measured(folder):
    easy = folder / "easy.pruner"
    # trials 1 and 17 were the baseline's bests, 1 and 32 the others'; trial 17 had been lucky, and 32 even more so
    write_timed(easy, Timed(3, [(1, "1", [0.7, 0.8, 0.9]), (1, "11", [0.5, 0.6, 0.7]), (1, "20", [0.9, 0.9, 0.1])]))
    found = summarise(folder)["workloads"][0]["strategies"]
    assert found["metaschedule"]["latency_s"] == pytest.approx(0.6)
    assert found["pruner"]["latency_s"] == pytest.approx(0.9)
    assert found["pruner"]["final"] == pytest.approx(0.9 / 0.6)
    assert found["pruner"]["reached"] == 0


def test_what_failed_when_it_was_timed_again_counts_as_measured_and_is_not_tried_for_ever(folder):
    timed = Timed(3, [(1, "1", []), (1, "11", []), (1, "20", [0.1, 0.1, 0.1])])
    write_timed(folder / "easy.pruner", timed)
    found = summarise(folder)["workloads"][0]["strategies"]
    assert found["metaschedule"]["latency_s"] == pytest.approx(0.4)
    assert found["pruner"]["latency_s"] == pytest.approx(0.1)
    assert timed.covers(3, {(1, "1"), (1, "11"), (1, "20")})


def test_a_file_of_times_that_makes_no_sense_is_told(folder):
    (folder / "easy.again.json").write_text('{"turns": "many"}')
    with pytest.raises(UserError, match=r"easy\.again\.json cannot be read"):
        summarise(folder)


def test_unfinished_runs_and_runs_without_a_baseline_do_not_count(folder):
    path = folder / "easy.pruner"
    add_run(path, "metaschedule", run_of([0.1] * 4, 1.0), seed=2, state="stopped")
    add_run(path, "pruner", run_of([0.1] * 32, 0.1), seed=2)
    easy = summarise(folder)["workloads"][0]
    assert easy["strategies"]["pruner"]["seeds"] == 3
    assert easy["strategies"]["pruner"]["compared"] == 2
    assert easy["strategies"]["metaschedule"]["seeds"] == 2


def test_only_runs_like_the_newest_are_held_against_each_other(folder):
    with Project(folder / "easy.pruner") as project, project.transaction() as db:
        elsewhere = project.work.add_target("{}", "a GPU", "g")
        for run_id in (1, 2):  # of the first seed
            db["runs"].update(run_id, {"target_id": elsewhere})
    add_run(folder / "easy.pruner", IMPORTED, run_of([0.1] * 4, 1.0))
    found = summarise(folder)
    assert found["strategies"] == ["metaschedule", "pruner"] and found["device"] == "a CPU"
    assert [run["seed"] for run in found["workloads"][0]["runs"]] == [1, 1]


def test_variants_of_a_strategy_are_told_apart_by_their_settings(folder):
    add_run(folder / "easy.pruner", "pruner", run_of([0.4] * 32, 0.5), settings={"draft_set": 512, "refresh": 1})
    assert summarise(folder)["strategies"] == ["metaschedule", "pruner", "pruner:draft_set=512:refresh=1"]


def test_the_layout_that_a_run_has_measured_makes_it_no_other_variant(folder):
    with Project(folder / "easy.pruner") as project:
        for row in project.query("SELECT id, settings FROM runs"):
            layout = "own" if row["id"] % 2 else "channels-last"
            found = msgspec.structs.replace(settings_from(row["settings"]), layout=layout)
            project.runs.settle_layout(row["id"], found.as_json(), asked="auto")
    found = summarise(folder)
    assert found["strategies"] == ["metaschedule", "pruner"]
    assert found["overall"]["pruner"]["compared"] == 4


def test_a_variant_is_called_as_it_is_asked_for(folder):
    """Also where the baseline was given what the others were left to choose."""
    asked = {"round_trials": None, "without_rules": ["rows"], "model": "tlp"}
    add_run(folder / "easy.pruner", "pruner", run_of([0.4] * 32, 0.5), settings=asked)
    for seed in range(3, 12):
        given = {"round_trials": 16, "without_rules": [], "model": "xgb"}
        add_run(folder / "easy.pruner", "metaschedule", run_of([1.0] * 8, 1.0), seed=seed, settings=given)
    assert asked in [Variant.parse(label).settings for label in summarise(folder)["strategies"]]


def test_the_baseline_keeps_its_name_where_most_runs_have_other_settings(folder):
    for seed in (0, 1):
        for strategy, settings in (("ansor", {"draft_set": 256}), ("random", {"draft_set": 256, "without_rules": []})):
            add_run(folder / "easy.pruner", strategy, run_of([0.4] * 32, 0.5), seed=seed, settings=settings)
    found = summarise(folder)
    assert found["strategies"] == ["metaschedule", "ansor:draft_set=256", "pruner", "random:draft_set=256"]
    assert found["overall"]["ansor:draft_set=256"]["compared"] == 2


def test_another_baseline_can_be_chosen(folder):
    found = summarise(folder, "pruner")["workloads"][0]["strategies"]["metaschedule"]
    assert found["reached"] == 0
    assert found["final"] == pytest.approx(2.0)


def test_a_folder_without_a_finished_run_is_told(tmp_path):
    with pytest.raises(UserError, match="holds no finished run"):
        summarise(tmp_path)


def test_adaptations_are_means_over_the_runs_in_which_every_model_ranked(folder):
    rounds = {seed: [(0.5, None, 0.6), (0.7 + seed / 10, 0.6, 0.5 + seed / 10)] for seed in (0, 1)}
    rounds[0].append((0.9, 0.8, None))  # the siamese had nothing to rank
    for seed, told in rounds.items():
        project = folder / "easy.pruner"
        run = add_run(project, "moa-pruner", [("begin", 10.0), ("trial", 1, 0.5, 11.0), ("end", 11.0)], seed=seed)
        for adapted, scratch, siamese in told:
            known = {"adapted": adapted, "siamese": siamese} | ({} if scratch is None else {"scratch": scratch})
            add_adaptation(project, run, **known)
    found = summarise(folder)["adaptation"]
    assert found == {
        "moa-pruner": [
            {"adaptation": 1, "runs": 2, "adapted": 0.5, "siamese": 0.6},
            {"adaptation": 2, "runs": 2, "adapted": pytest.approx(0.75), "scratch": 0.6, "siamese": 0.55},
        ]
    }
