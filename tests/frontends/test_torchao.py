"""Models that torchao quantised, whose operators are exported as its own, compute what those operators say."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import tvm

from draft.spaces import CPU
from machines import machine_of
from pruner_engine.affine_quantisation import OPERATORS
from pruner_engine.frontends import load_model
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
# torchao itself is not needed: what is exported knows the shapes and nothing of the numbers
EXPORT = """
import json, sys, torch

schemas = json.loads(sys.argv[2])
for name, schema in schemas.items():
    torch.library.define(f"torchao::{name}", schema)
OF = torch.ops.torchao

def scales(x, mapping, block, *others, keepdim=False):
    extents = [n // b for n, b in zip(x.shape, block) if b == 1 or b != n]
    return x.new_empty(extents), x.new_empty(extents, dtype=torch.int8)

torch.library.register_fake("torchao::choose_qparams_affine", scales)
torch.library.register_fake("torchao::quantize_affine", lambda x, b, s, z, of, *_: torch.empty_like(x, dtype=of))
torch.library.register_fake("torchao::dequantize_affine", lambda x, *others: torch.empty_like(x, dtype=torch.float32))

class Net(torch.nn.Module):
    def __init__(self, weights, scales, zeros):
        super().__init__()
        for name, value in {"weights": weights, "scales": scales, "zeros": zeros}.items():
            self.register_buffer(name, value)

    def forward(self, x):
        rows = [1, x.shape[1]]
        scale, zero = OF.choose_qparams_affine(x, MAPPING, rows, torch.int8, -128, 127, EPS, torch.float32, torch.int8)
        q = OF.quantize_affine(x, rows, scale, zero, torch.int8, -128, 127)
        real = OF.dequantize_affine(q, rows, scale, zero, torch.int8, -128, 127)
        w = OF.dequantize_affine(self.weights, [1, BLOCK], self.scales, self.zeros, torch.int8, -8, 7)
        return torch.nn.functional.linear(real, w)

MAPPING, BLOCK, EPS = sys.argv[3], int(sys.argv[4]), 1e-5
given = {key: torch.from_numpy(value) for key, value in __import__("numpy").load(sys.argv[5]).items()}
torch.export.save(torch.export.export(Net(**given), (torch.zeros(3, 96),)), sys.argv[1])
"""


def exported(tmp_path, mapping, block, **arrays):
    """The file of a product of numbers that are quantised by rows with weights that are quantised in blocks."""
    file, numbers = tmp_path / "quantised.pt2", tmp_path / "numbers.npz"
    np.savez(numbers, **arrays)
    schemas = json.dumps({name: schema for name, (schema, _) in OPERATORS.items()})
    subprocess.run([sys.executable, "-c", EXPORT, str(file), schemas, mapping, str(block), str(numbers)], check=True)
    return file


def quantised_rows(x, mapping):
    """What numbers of rows become in 8 bits, as float64."""
    low, high = np.minimum(x.min(1, keepdims=True), 0), np.maximum(x.max(1, keepdims=True), 0)
    if mapping == "ASYMMETRIC":
        scale = np.maximum((high - low) / 255, 1e-5)
        zero = np.clip(-128 - np.round(low / scale), -128, 127)
    elif mapping == "SYMMETRIC":
        scale, zero = np.maximum(np.maximum(-low, high) / 127.5, 1e-5), 0
    else:
        scale, zero = np.maximum(np.maximum(low / -128, high / 127), 1e-5), 0
    return (np.clip(np.round(x / scale) + zero, -128, 127) - zero) * scale


@pytest.mark.parametrize(
    ("mapping", "block"), [("ASYMMETRIC", 32), ("SYMMETRIC", 96), ("SYMMETRIC_NO_CLIPPING_ERR", 32)]
)
def test_numbers_and_weights_of_few_bits(tmp_path, mapping, block):
    rng = np.random.default_rng(block)
    weights = rng.integers(-8, 8, (64, 96), dtype="int8")
    scales = rng.uniform(0.1, 0.2, (64, 96 // block)).astype("float32")
    zeros = rng.integers(-8, 8, scales.shape, dtype="int8")
    file = exported(tmp_path, mapping, block, weights=weights, scales=scales, zeros=zeros)
    x = rng.standard_normal((3, 96)).astype("float32") * 3
    x[1] = abs(x[1])  # a row without numbers below zero
    machine = machine_of(prepare(load_model(str(file)).mod, CPU))
    got = machine["main"](tvm.runtime.tensor(x)).numpy()
    real = (weights - np.repeat(zeros, block, 1).astype("float64")) * np.repeat(scales, block, 1)
    want = quantised_rows(x.astype("float64"), mapping) @ real.T
    # what lies half way between two steps may become either
    np.testing.assert_allclose(got, want, rtol=0, atol=3e-3 * np.abs(want).max())
    assert np.mean(np.abs(got - want) < 1e-5 * np.abs(want).max()) > 0.9
