"""The ranking loss and what counts as a pair."""

import math

import numpy as np
import torch

from pruner_engine.verify.metrics import assess_scores, top_k
from pruner_engine.verify.networks.lambdarank import lambdarank_loss
from pruner_engine.verify.pairs import comparable, pair_accuracy, relevance

SECONDS = torch.tensor([1.0, 2.0, 4.0])
FINISHED = torch.zeros(3, dtype=torch.bool)


def loss_of(scores, seconds=SECONDS, censored=FINISHED):
    pairs = comparable(seconds, censored)
    return lambdarank_loss(torch.tensor([scores]), relevance(seconds)[None], pairs[None])


def test_an_abandoned_measurement_is_only_known_to_be_slower():
    censored = torch.tensor([False, True, False])
    # the second took at least 2 s: slower than the first, nothing known against the third
    assert comparable(SECONDS, censored).tolist() == [[False, True, True], [False, False, False], [False, False, False]]


def test_a_failure_is_slower_than_everything_and_has_no_relevance():
    seconds = torch.tensor([1.0, math.inf])
    assert relevance(seconds).tolist() == [1.0, 0.0]
    assert comparable(seconds, torch.tensor([False, True])).tolist() == [[False, True], [False, False]]


def test_loss_is_lower_for_the_right_order():
    assert loss_of([2.0, 1.0, 0.0]) < loss_of([0.0, 1.0, 2.0])


def test_loss_equals_its_formula():
    scores, gains = [0.3, 0.9, -0.5], [1.0, 0.5, 0.25]
    ranks = {1: 0, 0: 1, 2: 2}  # by descending score
    total = weights = 0.0
    for better, worse in ((0, 1), (0, 2), (1, 2)):
        change = abs(1 / math.log2(ranks[better] + 2) - 1 / math.log2(ranks[worse] + 2)) + 0.05
        weight = change * abs(gains[better] - gains[worse])
        total += weight * math.log1p(math.exp(scores[worse] - scores[better]))
        weights += weight
    assert math.isclose(float(loss_of(scores)), total / weights, rel_tol=1e-5)


def test_a_model_that_ranks_perfectly_is_told_so():
    scores = -np.log(np.array([3.0, 1.0, 2.0, 5.0]))
    ranking = assess_scores({"t": scores}, {"t": (np.array([3.0, 1.0, 2.0, 5.0]), np.zeros(4, bool))})
    assert (ranking.pair_accuracy, ranking.top1, ranking.top5) == (1.0, 1.0, 1.0)


def test_top_k_compares_latencies():
    assert top_k(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([4.0, 2.0, 1.0]), 1) == 0.25
    assert top_k(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([4.0, 2.0, 1.0]), 2) == 0.5


def test_pair_accuracy_without_pairs_is_unknown():
    assert math.isnan(pair_accuracy(torch.zeros(2), torch.ones(2), torch.zeros(2, dtype=torch.bool)))
