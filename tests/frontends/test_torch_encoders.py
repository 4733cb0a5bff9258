"""Encoder layers of PyTorch that were exported as one operator compute what they say."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch_functions import numbers

from machines import machine_of
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore")
X, FUSED = numbers(2, 6, 16), torch.ops.aten._transformer_encoder_layer_fwd.default
LATER, LEFT_OUT = torch.ones(6, 6).triu(1).bool(), torch.tensor([[False] * 6, [False] * 4 + [True] * 2])


@pytest.mark.parametrize(
    ("form", "masks"),
    [
        ({}, {}),
        ({"norm_first": True}, {"src_mask": LATER}),
        ({"activation": "gelu"}, {"src_key_padding_mask": LEFT_OUT}),
    ],
)
def test_encoder_layers_without_gradients(form, masks, tmp_path):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, **form).eval().requires_grad_(False)
    program = torch.export.export(layer, (X,), masks, strict=True)
    assert FUSED in {node.target for node in program.graph.nodes}
    torch.export.save(program, tmp_path / "layer.pt2")

    model, target = load_model(str(tmp_path / "layer.pt2")), resolve_target("auto")
    machine = machine_of(prepare(model.mod, target), target, compile_model)
    found = machine["main"](*(tvm.runtime.tensor(x.numpy()) for x in (X, *masks.values()))).numpy()
    np.testing.assert_allclose(found, layer(X, **masks).numpy(), rtol=1e-4, atol=1e-5)
