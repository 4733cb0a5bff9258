"""The optimiser of the learned models."""

import copy

import torch
from torch import nn

from pruner_engine.verify.networks.adam import Adam


def test_it_steps_as_pytorchs_own():
    torch.manual_seed(0)
    mine = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    mine.register_parameter("idle", nn.Parameter(torch.ones(3)))  # has no gradient
    theirs, before = copy.deepcopy(mine), copy.deepcopy(mine)
    adam, reference = Adam(mine.parameters(), decay=1e-2), torch.optim.Adam(theirs.parameters(), weight_decay=1e-2)
    inputs, wanted = torch.randn(32, 8), torch.randn(32, 1)
    for step in range(20):
        rate = reference.param_groups[0]["lr"] = 1e-2 * (1 - step / 40)
        for network, optimizer in ((mine, adam), (theirs, reference)):
            optimizer.zero_grad()
            ((network(inputs) - wanted) ** 2).mean().backward()
        adam.step(rate)
        reference.step()
    for one, other in zip(mine.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)
    assert not torch.equal(mine[0].weight, before[0].weight) and torch.equal(mine.idle, before.idle)
