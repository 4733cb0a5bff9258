"""The order that the draft gives candidates for a GPU, against what an H100 measured of them.

`measured_on_h100.json` has random candidates and those of MetaSchedule's first round, which are as good as random: per
workload the sketch, the decisions and the microseconds of each.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from draft.spaces import space_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.store.quality import rank_correlation
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import resolve_target

MEASURED = json.loads((Path(__file__).parent / "measured_on_h100.json").read_text())


@pytest.mark.parametrize(("workload", "least"), [*zip(MEASURED["workloads"], (0.8, 0.9), strict=True)])
def test_the_order_is_that_of_the_device(workload, least):
    space = space_of(workload, resolve_target(json.dumps(MEASURED["target"])))
    analyzer = Analyzer(space, DeviceProfile.from_json(MEASURED["profile"]))
    scores, seconds = [], []
    for sketch, decisions, microseconds in MEASURED["workloads"][workload]:
        row = space.sketches[sketch].from_json(decisions)
        scores.append(float(analyzer.score(sketch, row[None])[0]))
        seconds.append(microseconds)
    assert rank_correlation(scores, [-s for s in seconds]) >= least
    assert np.argsort(scores)[::-1].tolist().index(int(np.argmin(seconds))) < 8, "the fastest comes early"
