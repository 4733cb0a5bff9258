"""Whether a run begins with what earlier ones calibrated of the draft."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.profiling import keep_calibration, profile_for
from pruner_engine.targets.target import resolve_target
from run_jobs import QUICK, started


def draft_scores(project: Path, *, calibrated: bool) -> dict[str, float]:
    """Of the candidates that the first round drafts, by decisions."""
    settings = {**QUICK, "round_trials": 2, "draft_set": 4, "calibrated": calibrated}
    started(project, "matmul:32,32,48", strategy="pruner", trials=2, settings=settings)
    with ProjectReader(project) as reader:
        return {json.dumps(row["decisions"]): row["draft_score"] for row in reader.candidates(1)}


def test_a_run_that_is_compared_does_without(tmp_path, monkeypatch):
    target = resolve_target("auto")
    profile_for(target)
    shutil.copytree(os.environ["XDG_CACHE_HOME"], tmp_path / "cache")  # what is kept here is of no concern elsewhere
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep_calibration(target, {})
    plain = draft_scores(tmp_path / "before.pruner", calibrated=False)
    factors = {"compute": 9.0}
    keep_calibration(target, factors)
    assert draft_scores(tmp_path / "compared.pruner", calibrated=False) == plain
    assert profile_for(target).calibration == factors, "and leaves what is kept as it is"
    assert draft_scores(tmp_path / "of-a-user.pruner", calibrated=True) != plain
