"""The draft's own benchmarks run and tell what they promise."""

from __future__ import annotations

import json

import pytest

from pruner_engine.benchmarks.compiling import bench_compile
from pruner_engine.benchmarks.draft_quality import bench_quality
from pruner_engine.benchmarks.draft_rate import bench_draft
from pruner_engine.benchmarks.networks import NETWORKS
from pruner_engine.draft.cpu.core import ABLATIONS
from pruner_engine.errors import UserError


def test_rates_and_coverage():
    few = {"few": ["dense:1,100,64", "softmax:1,100"]}
    told = bench_draft("auto", ["matmul:64,64,64"], few)
    (rate,) = told["operators"]
    assert rate["rows_per_second"] > 50 * rate["metaschedule_rows_per_second"]
    (network,) = told["networks"]
    assert network["sketches"] == network["compiled"] > 0


def test_candidates_for_another_processor_compile():
    """Vectors of NEON: what the tiles of registers are made of there; nothing of it is linked here."""
    told = bench_compile("raspberry-pi/4b-aarch64", ["matmul:64,64,64", "conv2d:1,16,14,14,32,3,layout=NHWC"], 4)
    assert told["compiled"] == 1.0 and [one["built"] for one in told["operators"]] == [4, 4]


def test_networks_have_a_closed_form():
    told = bench_draft("auto", [], {name: NETWORKS[name] for name in ("mobilenet_v2", "bert_base")})
    for network in told["networks"]:
        assert network["compiled"] == network["sketches"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What is told of some candidates, and the file that keeps their measurements."""
    kept = tmp_path_factory.mktemp("quality") / "kept.json"
    return bench_quality(["matmul:64,64,64"], candidates=24, kept=kept), kept


def test_quality_is_measured(measured):
    told, _ = measured
    (one,) = told["operators"]
    assert one["measured"] > 16
    assert 0 <= one["best_at"] < one["measured"]
    assert one["head_gap"] >= 0
    assert -1 <= one["rank_correlation"] <= 1
    assert told["mean"]["rank_correlation"] == one["rank_correlation"]
    assert {row["without"] for row in told["ablations"]} == set(ABLATIONS)


def test_quality_measures_only_what_is_new(measured):
    first, kept = measured
    before = kept.read_bytes()
    again = bench_quality(["matmul:64,64,64"], candidates=24, kept=kept)
    assert again == first
    assert kept.read_bytes() == before
    (damaged := kept.with_name("damaged.json")).write_text("[1, 2]")
    with pytest.raises(UserError, match="holds no measurements"):
        bench_quality(["matmul:64,64,64"], candidates=24, kept=damaged)


def test_an_operator_of_which_nothing_can_be_measured_is_a_sentence(measured, tmp_path):
    kept = json.loads(measured[1].read_bytes())
    failed = {target: {task: dict.fromkeys(times) for task, times in of.items()} for target, of in kept.items()}
    (tmp_path / "failed.json").write_text(json.dumps(failed))
    with pytest.raises(UserError, match="No candidate of matmul:64,64,64 could be measured"):
        bench_quality(["matmul:64,64,64"], candidates=24, kept=tmp_path / "failed.json")
