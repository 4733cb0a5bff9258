"""Momentum online adaptation."""

import numpy as np
import pytest
import torch

from measured import synthetic_group
from pruner_engine.adapt import MomentumAdapter
from pruner_engine.adapt.moa import distance, follow
from pruner_engine.verify.networks import network_model
from pruner_engine.verify.networks.pacm import PaCM
from pruner_engine.verify.networks.training import Fit


def weights(model):
    return [parameter.detach().clone() for parameter in model.network.parameters()]


@pytest.fixture(scope="module")
def pretrained():
    model = PaCM(0)
    model.update({"elsewhere": synthetic_group(48, seed=1)})
    other = PaCM(0)
    other.from_bytes(model.to_bytes())
    return other


def growing(count, before=0):
    """So many measurements, and those of them that came after the first ones."""
    measured = synthetic_group(80, seed=2)
    return {"here": _part(measured, 0, count)}, {"here": _part(measured, before, count)}


def _part(measured, begin, end):
    return tuple(part[begin:end] for part in measured)


def test_the_siamese_follows_by_its_formula(pretrained):
    adapter = MomentumAdapter(pretrained.clone(), momentum=0.9)
    before = weights(adapter.siamese)
    adapter.update(*growing(20))
    for old, new, target in zip(before, weights(adapter.siamese), weights(adapter.model), strict=True):
        assert torch.allclose(new, 0.9 * old + 0.1 * target, atol=1e-6)


def test_the_target_starts_from_the_siamese_at_every_adaptation(pretrained):
    adapter = MomentumAdapter(pretrained.clone(), every=2)
    other = pretrained.clone()
    adapter.update(*growing(20))
    adapter.update(*growing(30, 20))
    # whatever the target has become by now is forgotten: it is the siamese, tuned on all measurements
    other.network.load_state_dict(adapter.siamese.network.state_dict())
    other.updates, other._seen = adapter.model.updates, 20
    adapter.update(*growing(40, 30))
    other.fine_tune(growing(40)[0])
    assert all(torch.equal(one, two) for one, two in zip(weights(adapter.model), weights(other), strict=True))


def test_an_adaptation_visits_what_the_siamese_has_not_seen_however_long_ago_it_was_measured(pretrained, monkeypatch):
    visited = []

    def fit(network, data, *, epochs, visits, **_):
        if network is adapter.model.network:
            visited.append((epochs * visits, len(data)))
        return Fit(0.0, 0.0, epochs)

    monkeypatch.setattr(network_model, "fit", fit)
    many = synthetic_group(1200, seed=3)
    adapter = MomentumAdapter(pretrained.clone(), every=2)
    for before, count in ((0, 1180), (1180, 1190), (1190, 1200)):
        adapter.update({"here": _part(many, 0, count)}, {"here": _part(many, before, count)})
    assert visited == [(3000, 1180), (2400, 1200)]


def test_adaptations_come_at_their_cadence_and_leave_the_siamese_alone_between(pretrained):
    adapter = MomentumAdapter(pretrained.clone(), every=3)
    found = []
    for count in (10, 20, 30, 40):
        before = weights(adapter.siamese)
        _, adaptation = adapter.update(*growing(count, count - 10))
        same = all(torch.equal(one, two) for one, two in zip(before, weights(adapter.siamese), strict=True))
        found.append((adaptation is not None, same))
    assert found == [(True, False), (False, True), (False, True), (True, False)]


def test_metrics_are_taken_on_measurements_that_nobody_has_learned(pretrained):
    adapter = MomentumAdapter(pretrained.clone(), every=2)
    _, first = adapter.update(*growing(20))
    adapter.update(*growing(30, 20))
    report, second = adapter.update(*growing(44, 30))
    assert set(first.rankings) == {"adapted", "siamese"} and first.rankings["siamese"].samples == 20
    assert set(second.rankings) == {"adapted", "siamese", "scratch"}
    for ranking in second.rankings.values():
        assert ranking.samples == 14
        assert 0 <= ranking.pair_accuracy <= 1 and 0 < ranking.top1 <= ranking.top5 <= 1
    assert second.distance > 0 and report.samples == 44


def test_momentum_one_never_moves_the_siamese(pretrained):
    adapter = MomentumAdapter(pretrained.clone(), momentum=1.0, every=1)
    for count in (10, 20):
        adapter.update(*growing(count, count - 10))
    assert all(torch.equal(*pair) for pair in zip(weights(adapter.siamese), weights(pretrained), strict=True))
    with pytest.raises(ValueError, match="momentum"):
        MomentumAdapter(pretrained, momentum=1.5)


def test_distance_is_relative_and_zero_for_equals(pretrained):
    one, two = pretrained.clone(), pretrained.clone()
    assert distance(one.network, two.network) == 0
    with torch.no_grad():
        for parameter in two.network.parameters():
            parameter.mul_(1.5)
    assert np.isclose(distance(one.network, two.network), 0.5)
    follow(one.network, two.network, 0.0)
    assert np.isclose(distance(one.network, two.network), 0)


def test_few_measurements_change_little_of_what_is_known(pretrained):
    moved = []
    for count in (6, 60):
        model = pretrained.clone()
        model.fine_tune(growing(count)[0])
        moved.append(distance(pretrained.network, model.network))
    assert 0 < moved[0] < moved[1] / 3
