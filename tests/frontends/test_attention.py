"""Attention of PyTorch computes what PyTorch computes, without passes over the scores that guard nothing."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax

from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.tasks.graph import operator_of

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
QUERIES = 6


class Attention(nn.Module):
    """`kind`: which mask it has; "unseeing": one of its own, by which a query may look at nothing."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        mask = torch.ones(QUERIES, QUERIES, dtype=torch.bool).tril()
        if kind == "unseeing":
            mask[2] = False
        self.register_buffer("mask", mask)

    def forward(self, q, k, v, given):
        mask = {"own": self.mask, "unseeing": self.mask, "given": given}.get(self.kind)
        if self.kind == "bias":
            mask = torch.where(given, 0.5, -torch.inf)
        causal = self.kind == "causal"
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)


@pytest.fixture
def inputs():
    """Queries, keys, values, and a mask that pads the first of two sequences and leaves nothing of the second."""
    made = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, QUERIES, 8, generator=made) for _ in range(3))
    given = torch.tensor([[True] * 4 + [False] * 2, [False] * QUERIES])[:, None, None]
    return q, k, v, given


def over_the_scores(mod):
    """Names of the operators whose result is as large as the scores."""
    found = []

    def visit(node):
        if isinstance(node, relax.Call) and isinstance(node.ty, relax.TensorType):
            shape = [int(extent) for extent in node.ty.shape]
            if np.prod(shape) == 2 * 2 * QUERIES * QUERIES:
                found.append(operator_of(node).removeprefix("relax."))

    relax.analysis.post_order_visit(mod["main"], visit)
    return found


@pytest.mark.parametrize("kind", ["none", "causal", "own", "unseeing", "given", "bias"])
def test_it_computes_what_pytorch_computes(kind, inputs, tmp_path):
    module = Attention(kind).eval()
    expected = module(*inputs).numpy()
    path = tmp_path / "attention.pt2"
    torch.export.save(torch.export.export(module, inputs), path)
    mod = load_model(str(path)).mod
    machine = machine_of(mod)
    found = machine["main"](*(tvm.runtime.tensor(x.numpy()) for x in inputs))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)

    passes = over_the_scores(mod)
    assert "nn.softmax" in passes
    assert ("equal" in passes) == (kind == "unseeing")
    assert ("where" in passes) == (kind in ("unseeing", "given", "bias"))
