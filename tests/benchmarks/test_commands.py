"""Comparing, collecting and training through the command line, with real measurements."""

import json
import statistics

import numpy as np
import pytest
from safetensors.numpy import load

import bare
from pruner_engine.benchmarks.again import read_timed
from pruner_engine.resources import resource_dir
from pruner_engine.store.queries.lookups import model_checkpoint
from pruner_engine.store.reader import ProjectReader
from pruner_engine.verify.dataset import read_dataset
from terminal import SMALL, pruner, pruner_here


def counts(project):
    with ProjectReader(project) as reader:
        return [(run["strategy"], run["seed"], run["trials"]) for run in reader.runs()]


def test_a_comparison_is_run_once_and_summed_up(tmp_path, warm):
    command = ["bench", "search", "matmul:16,16,32", "--strategies", "random,pruner", "--baseline", "random"]
    command += ["--seeds", "3", "--out", tmp_path / "cmp", *SMALL, "--json"]
    found = json.loads(pruner_here(*command, "--trials", 3))
    project = tmp_path / "cmp" / "matmul_16_16_32.pruner"
    assert counts(project) == [("random", 3, 3), ("pruner", 3, 3)]
    assert found["errors"] == []
    assert found["overall"]["random"]["final"] == pytest.approx(1.0)
    timed = read_timed(project)
    assert timed.turns == 5 and all(len(seconds) == 5 for *_, seconds in timed.candidates)
    medians = [statistics.median(seconds) for *_, seconds in timed.candidates]
    finals = [run["latency_s"] for run in found["workloads"][0]["runs"]]
    assert set(finals) <= set(medians), "the best of each run counts with what it took when timed again"
    again = json.loads(pruner_here(*command, "--trials", 3, "--html", tmp_path / "cmp.html"))
    assert again == found  # nothing was run: every figure is the same
    assert (tmp_path / "cmp.html").stat().st_size > 1000
    pruner_here("report", project, "--html", tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 1000


@pytest.mark.parametrize(
    ("baseline", "others"),
    [("ansor", "random, pruner, pruner:draft_set=9"), ("pruner:draft_set=8", "random, pruner, pruner:draft_set=9")],
)
def test_a_baseline_that_is_none_is_told_before_anything_is_measured(tmp_path, baseline, others):
    command = ["bench", "search", "matmul:16,16,32", "--strategies", "random,pruner,pruner:draft_set=9"]
    message = pruner_here(*command, "--baseline", baseline, "--out", tmp_path, code=1)
    assert f"{baseline} is no strategy of this comparison. --baseline takes one of {others}." in message
    assert not list(tmp_path.iterdir())


def test_a_strategy_that_is_none_is_told_before_anything_is_measured(tmp_path):
    command = ["bench", "search", "matmul:16,16,32", "--strategies", "random,prunr", "--baseline", "random"]
    message = pruner_here(*command, "--out", tmp_path, code=1)
    assert 'There is no strategy "prunr".' in message
    assert not list(tmp_path.iterdir())


def test_data_is_collected_once_and_trains_models(tmp_path, warm):
    project, data = tmp_path / "data.pruner", tmp_path / "data.safetensors"
    command = ["collect", "matmul:16,16,16", "matmul:16,16,32", "--project", project, "--out", data, "--json", *SMALL]
    told = json.loads(pruner_here(*command, "--trials-per-task", 8))
    assert told["tasks"] == 2
    assert told["samples"] == len(read_dataset(data))
    assert {(strategy, trials) for strategy, _, trials in counts(project)} == {("random", 4), ("pruner", 4)}
    before = counts(project)
    assert json.loads(pruner_here(*command, "--trials-per-task", 8)) == told
    assert counts(project) == before  # nothing was measured again
    for kind in ("pacm-draft", "tenset-mlp", "tlp"):  # one file has the features of all kinds
        out = tmp_path / f"{kind}.safetensors"
        trained = json.loads(pruner_here("train", data, "--kind", kind, "--epochs", 2, "--out", out, "--json"))
        assert trained["held_out"]["tasks"] == trained["draft"]["tasks"] == 1
        assert out.stat().st_size > 1000
    used = ["tune", "matmul:16,16,24", "--trials", 3, "--project", tmp_path / "t.pruner", "--json", *SMALL]
    told = json.loads(pruner_here(*used, "--checkpoint", tmp_path / "pacm-draft.safetensors"))
    assert told["settings"]["checkpoint"] == str(tmp_path / "pacm-draft.safetensors")
    for strategy in ("tenset-mlp", "tlp"):
        checkpoint, project = tmp_path / f"{strategy}.safetensors", tmp_path / f"{strategy}.pruner"
        used = ["tune", "matmul:64,64,48", "--trials", 6, "--project", project, "--strategy", strategy, *SMALL]
        told = json.loads(pruner_here(*used, "--checkpoint", checkpoint, "--json"))
        assert (told["strategy"], told["valid"]) == (strategy, 6)
        with ProjectReader(project) as reader:
            (task,) = reader.tasks(told["id"])
            learned = model_checkpoint(reader, told["id"])
        assert task["best_s"] < task["untuned_s"] / 2, "a model that knows the task well may name the best one first"
        kept, given = (load(data) for data in (learned["data"], checkpoint.read_bytes()))
        assert learned["kind"] == strategy and kept.keys() == given.keys()
        assert all(np.array_equal(kept[name], given[name]) for name in given), "it learns nothing of this run"


def test_what_was_collected_with_other_instructions_and_fewer_threads_adapts_to_this_machine(tmp_path, warm):
    data, checkpoint, project = (tmp_path / name for name in ("d.safetensors", "m.safetensors", "p.pruner"))
    older = json.dumps({"kind": "llvm", "mcpu": "nehalem", "num-cores": 1})  # SSE4.2
    command = ["collect", "matmul:16,16,16", "matmul:16,16,32", "--target", older, "--project", tmp_path / "c.pruner"]
    (target,) = json.loads(pruner_here(*command, "--out", data, "--trials-per-task", 8, *SMALL, "--json"))["targets"]
    assert json.loads(target)["mcpu"] == "nehalem" and json.loads(target)["num-cores"] == 1
    pruner_here("train", data, "--epochs", 2, "--out", checkpoint)
    adapting = ["--strategy", "moa-pruner", "--checkpoint", checkpoint, "--set", "adapt_every=1"]
    pruner_here("tune", "matmul:64,64,48", "--trials", 12, "--project", project, *SMALL, *adapting)
    told = json.loads(pruner_here("adaptation", project, "--json"))["adaptations"]
    assert {row["model"] for row in told} == {"adapted", "siamese", "scratch"}
    moved = [row["distance"] for row in told if row["model"] == "adapted"]
    assert moved and all(distance > 0 for distance in moved)
    judged = [row for row in told if row["round"] == told[-1]["round"]]
    assert len(judged) == 3 and all(row["samples"] > 0 and 0 < row["top1"] <= row["top5"] <= 1 for row in judged)


def test_the_same_candidates_are_measured_in_both_ways():
    found = json.loads(pruner("bench", "trial", "matmul:32,32,32", "--candidates", 6, "--json", env=bare.environment()))
    (row,) = found["workloads"]
    for cost in (row["ours"], row["stock"]):
        assert cost["valid"] == row["candidates"] == 6
        assert 0 < cost["seconds_per_trial"] * 6 == pytest.approx(cost["seconds"])
    assert row["ratio"] == pytest.approx(row["ours"]["seconds"] / row["stock"]["seconds"]) == found["ratio"]
    for agreement in ("rank_correlation", "rank_correlation_better_half", "rank_correlation_stock"):
        assert -1 <= row[agreement] <= 1


def test_a_model_that_fails_does_not_cost_the_others(tmp_path, warm):
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    command = ["bench", "search", broken, "matmul:16,16,32", "--strategies", "random", "--baseline", "random"]
    message = pruner_here(*command, "--seeds", "0", "--trials", 2, "--out", tmp_path, *SMALL, code=1)
    assert f"1 run failed: 1/2 · {broken}" in message
    assert counts(tmp_path / "matmul_16_16_32.pruner") == [("random", 0, 2)]


def test_a_contender_that_is_none_is_told_once_before_any_project_is_compiled():
    sample = resource_dir() / "samples" / "small-cnn.pruner"
    told = pruner_here("bench", "e2e", sample, sample, "--without", "abacus", code=1)
    assert told.startswith('pruner: There is no contender "abacus"')
