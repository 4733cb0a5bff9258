"""Cost models learn from real measurements."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from measured import synthetic_group
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.errors import UserError
from pruner_engine.targets.profiling import profile_for
from pruner_engine.verify import create_model, register_model
from pruner_engine.verify.metrics import assess
from pruner_engine.verify.networks.training import OFFLINE, ONLINE, accuracy, fit, pack_groups
from schedules import CPU

LEARNERS = ["pacm-draft", "pacm", "tenset-mlp", "tlp", "xgb"]


@pytest.mark.parametrize("kind", LEARNERS)
def test_learns_the_order_of_measured_candidates(kind, measured):
    space, candidates, seconds, censored = measured
    model = create_model(kind, 0)
    features = model.featurize(space, candidates)
    report = model.update({space.task.hash: (features, seconds, censored)})
    assert report.samples == len(candidates) and report.epochs > 0 and report.seconds > 0
    # the latencies are real ones, and as noisy as the machine is busy; chance is 0.5 and 0
    assert report.pair_accuracy > 0.65
    assert -spearmanr(model.predict(features), seconds)[0] > 0.4


@pytest.mark.parametrize("kind", LEARNERS)
def test_ranks_candidates_that_it_has_not_seen(kind):
    features, seconds, censored = synthetic_group(320)
    model = create_model(kind, 0)
    model.update({"task": (features[:256], seconds[:256], censored[:256])})
    assert -spearmanr(model.predict(features[256:]), seconds[256:])[0] > 0.3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", LEARNERS)
def test_of_candidates_that_take_equally_long_there_is_no_order_to_tell(kind):
    features, _, _ = synthetic_group(8)
    report = create_model(kind, 0).update({"task": (features, np.ones(8), np.zeros(8, bool))})
    assert np.isnan(report.pair_accuracy)


@pytest.mark.parametrize("seed", range(3))
def test_trees_do_not_take_the_bound_of_an_abandoned_candidate_for_its_time(seed):
    """Most slow candidates were abandoned, all at the same bound: the others tell the order among the slow ones."""
    features, seconds, _ = synthetic_group(320, seed)
    bound = np.quantile(seconds, 0.4)
    slow = seconds > bound
    abandoned = slow & (np.arange(320) % 3 > 0)
    told = np.where(abandoned, bound, seconds)
    unseen = [i for i in range(256, 320) if slow[i]]
    orders = []
    for flags in (abandoned, np.zeros(320, bool)):
        model = create_model("xgb", 0)
        model.update({"task": (features[:256], told[:256], flags[:256])})
        orders.append(-spearmanr(model.predict([features[i] for i in unseen]), seconds[unseen])[0])
    assert orders[0] > orders[1] + 0.03 and orders[0] > 0.4


def test_loss_goes_down_as_it_learns():
    group = synthetic_group(64)
    model = create_model("pacm", 0)
    before = assess(model, {"task": group})
    model.update({"task": group})
    assert assess(model, {"task": group}).loss < before.loss


@pytest.mark.parametrize("kind", LEARNERS)
def test_same_seed_same_result(kind):
    group = synthetic_group(40)
    scores = []
    for _ in range(2):
        model = create_model(kind, 3)
        for count in (20, 40):
            model.update({"task": tuple(part[:count] for part in group)})
        scores.append(model.predict(group[0]))
    assert np.array_equal(*scores)


def test_an_update_goes_on_from_the_weights_until_there_is_twice_as_much():
    features, seconds, censored = synthetic_group(80)
    model = create_model("pacm", 0)
    starts = [model.update({"t": (features[:n], seconds[:n], censored[:n])}).start for n in (40, 60)]
    assert starts == ["scratch", "warm"]


def test_starting_over_is_tried_while_measurements_are_few_or_where_some_are_held_out():
    features, seconds, censored = synthetic_group(256)
    model = create_model("tenset-mlp", 0)
    trained = [0]  # networks, so far
    for count in (20, 40, 80, 256):
        model.update({"t": (features[:count], seconds[:count], censored[:count])})
        trained.append(model.updates)
    assert np.diff(trained).tolist() == [1, 2, 1, 2]


def test_held_out_measurements_stay_held_out_as_more_come():
    assert not ONLINE.of(100).any() and 0 < int(OFFLINE.of(100).sum()) < 20
    for holding in (ONLINE, OFFLINE):
        assert holding.of(512)[:300].tolist() == holding.of(300).tolist()
        assert 0 < int(holding.of(300).sum()) < 40


def test_an_accuracy_is_told_from_a_share_of_much():
    class Counted(nn.Module):
        asked = 0

        def forward(self, batch):
            self.asked += len(batch)
            return torch.zeros(len(batch))

    group, network = synthetic_group(200), Counted()
    data = pack_groups({f"{i:02}": group for i in range(50)})
    assert accuracy(network, data) == 0  # equal scores put no pair in order
    assert 4096 / 2 < network.asked <= 4096 < len(data)


def test_tasks_are_not_compared_with_each_other():
    features, seconds, censored = synthetic_group(64)
    one = create_model("pacm", 0)
    other = create_model("pacm", 0)
    half = {"a": (features[:32], seconds[:32], censored[:32])}
    one.update({**half, "b": (features[32:], seconds[32:], censored[32:])})
    # the same task on a device a thousand times slower: only the order within it counts
    other.update({**half, "b": (features[32:], 1024 * seconds[32:], censored[32:])})
    assert np.allclose(one.predict(features), other.predict(features), atol=1e-4)


def test_nothing_measured_teaches_nothing():
    for kind in LEARNERS:
        model = create_model(kind, 0)
        assert model.update({}).samples == 0
        assert len(model.predict([])) == 0


def test_a_candidate_without_primitives_spoils_no_model():
    features, seconds, censored = synthetic_group(40)
    features[3] = replace(features[3], primitives=np.zeros((0, 40), np.float32))
    model = create_model("tlp", 0)
    model.update({"task": (features, seconds, censored)})
    assert model.is_finite
    for asked in (features, [features[3]]):
        assert np.isfinite(model.predict(asked)).all()


@pytest.mark.parametrize("learn", ["update", "fine_tune"])
def test_a_model_keeps_what_it_knew_where_learning_ends_in_no_number(learn):
    features, seconds, censored = synthetic_group(40)
    model = create_model("pacm", 0)
    model.update({"task": (features[:20], seconds[:20], censored[:20])})
    known = model.predict(features[:20])
    spoilt = replace(features[30], statement=np.full_like(features[30].statement, np.nan))
    getattr(model, learn)({"task": ([*features[:30], spoilt], seconds[:31], censored[:31])})
    assert model.is_finite
    assert np.isfinite(model.predict(features)).all()
    assert np.allclose(model.predict(features[:20]), known)


def test_an_unknown_kind_is_refused_with_the_known_ones():
    with pytest.raises(UserError, match="There is no cost model named 'oracle'") as refused:
        create_model("oracle")
    assert "pacm" in refused.value.hint


def test_a_model_of_ones_own_can_be_registered():
    register_model("mine", lambda seed: create_model("random", seed))
    assert create_model("mine", 1).kind == "random"


def test_a_verifier_that_starts_from_the_draft_ranks_as_it_does_until_it_learns(measured):
    space, candidates, _, _ = measured
    model = create_model("pacm-draft", 0)
    features = model.featurize(space, candidates)
    analyzer = Analyzer(space, replace(profile_for(CPU), calibration={}))
    draft = [float(analyzer.score(c.sketch, c.row[None])[0]) for c in candidates]
    assert spearmanr(model.predict(features), draft)[0] > 0.999


@pytest.mark.parametrize("held", [False, True], ids=["none held out", "held out"])
def test_averaged_training_ends_in_the_mean_of_the_weights_after_each_pass(held):
    features, seconds, censored = synthetic_group(64)
    data = pack_groups({"task": (features, seconds, censored)}, OFFLINE if held else ONLINE)
    assert data is not None and any(map(len, data.held)) is held
    network, passes, scores = create_model("tenset-mlp", 0).network, [], []

    def remember(epoch, loss, score):
        passes.append([weights.detach().clone() for weights in network.parameters()])
        scores.append(score)

    network.fit_scaling(data.batch)
    fit(network, data, seed=0, epochs=5, learning_rate=1e-3, averaged=True, on_epoch=remember)
    kept = int(np.argmax(scores)) + 1 if held else 5
    for weights, *after in zip(network.parameters(), *passes[:kept], strict=True):
        torch.testing.assert_close(weights, torch.stack(after).mean(0))
