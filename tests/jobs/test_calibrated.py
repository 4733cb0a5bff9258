"""Whether a run begins with what earlier ones calibrated of the draft."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from tvm.target import Target

from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.profiling import keep_calibration, profile_for
from pruner_engine.targets.target import resolve_target
from run_jobs import QUICK, started

FACTORS = {"compute": 9.0}


def draft_scores(project: Path, **settings: object) -> dict[str, float]:
    """Of the candidates that the first round drafts, by decisions."""
    settings = {**QUICK, "round_trials": 2, "draft_set": 4, **settings}
    started(project, "matmul:32,32,48", strategy="pruner", trials=2, settings=settings)
    with ProjectReader(project) as reader:
        return {json.dumps(row["decisions"]): row["draft_score"] for row in reader.candidates(1)}


@pytest.fixture
def target(tmp_path, monkeypatch) -> Target:
    """This machine's, of which no calibration is kept."""
    found = resolve_target("auto")
    profile_for(found)
    shutil.copytree(os.environ["XDG_CACHE_HOME"], tmp_path / "cache")  # what is kept here is of no concern elsewhere
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep_calibration(found, {})
    return found


def test_a_run_that_is_compared_does_without(target, tmp_path):
    plain = draft_scores(tmp_path / "before.pruner", calibrated=False)
    keep_calibration(target, FACTORS)
    assert draft_scores(tmp_path / "compared.pruner", calibrated=False) == plain
    assert profile_for(target).calibration == FACTORS, "and leaves what is kept as it is"
    assert draft_scores(tmp_path / "of-a-user.pruner", calibrated=True) != plain


def test_a_run_with_other_caches_does_without(target, tmp_path):
    """What a kernel finds in the caches is in the factors."""
    plain = draft_scores(tmp_path / "before.pruner", caches="warm")
    keep_calibration(target, FACTORS)
    assert draft_scores(tmp_path / "warm.pruner", caches="warm") == plain
    assert profile_for(target).calibration == FACTORS, "and leaves what is kept as it is"
