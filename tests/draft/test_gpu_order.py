"""The order that the draft gives candidates for a GPU, against what an H100 measured of them.

`measured_on_h100.json` has random candidates and those of MetaSchedule's first round, which are as good as random: per
workload the sketch, the decisions and the microseconds of each. `searched_on_h100.json` has those that searches chose
there among them, with earlier drafts: all of them are good, so that only the first ones' quality tells something.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from draft.spaces import space_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.store.figures.quality import rank_correlation
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import resolve_target

MEASURED, SEARCHED = (
    json.loads((Path(__file__).parent / f"{name}_on_h100.json").read_text()) for name in ("measured", "searched")
)


def scores_and_microseconds(workload, candidates):
    space = space_of(workload, resolve_target(json.dumps(MEASURED["target"])))
    analyzer = Analyzer(space, DeviceProfile.from_json(MEASURED["profile"]))
    rows = [(sketch, space.sketches[sketch].from_json(decisions)) for sketch, decisions, _ in candidates]
    scores = [float(analyzer.score(sketch, row[None])[0]) for sketch, row in rows]
    return scores, [microseconds for *_, microseconds in candidates]


@pytest.mark.parametrize(("workload", "least"), [*zip(MEASURED["workloads"], (0.8, 0.9), strict=True)])
def test_the_order_is_that_of_the_device(workload, least):
    scores, microseconds = scores_and_microseconds(workload, MEASURED["workloads"][workload])
    assert rank_correlation(scores, [-us for us in microseconds]) >= least
    assert np.argsort(scores)[::-1].tolist().index(int(np.argmin(microseconds))) < 8, "the fastest comes early"


@pytest.mark.parametrize(("workload", "most"), [*zip(SEARCHED["workloads"], (1.05, 1.15), strict=True)])
def test_one_of_the_first_is_about_as_good_as_any_search_found(workload, most):
    scores, microseconds = scores_and_microseconds(workload, SEARCHED["workloads"][workload])
    first = np.argsort(-np.array(scores), kind="stable")[:16]
    assert min(microseconds[i] for i in first) <= most * min(microseconds)
