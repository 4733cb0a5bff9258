"""Programs that give types of a library that is not imported here."""

import subprocess
import sys

import numpy as np
import pytest
import torch
import tvm

from machines import machine_of
from pruner_engine.export.baselines import time_reference
from pruner_engine.frontends import load_model

# as the Transformers library registers its outputs and caches, PyTorch data classes, and some library words of its own
EXPORT = """
import sys, dataclasses
import torch
from torch.utils import _pytree

class Output(dict): pass
class Cache(dict): pass
class Odd(list): pass

@dataclasses.dataclass
class Scores:
    low: torch.Tensor
    none: torch.Tensor | None = None
    high: torch.Tensor | None = None

for kind in (Output, Cache):
    _pytree.register_pytree_node(
        kind,
        lambda d: (list(d.values()), list(d.keys())),
        lambda values, keys, kind=kind: kind(zip(keys, values)),
        serialized_type_name=f"some.library.{kind.__name__}",
        flatten_with_keys_fn=lambda d: ([(_pytree.MappingKey(k), v) for k, v in d.items()], list(d.keys())),
    )
_pytree.register_pytree_node(
    Odd,
    lambda o: (list(o), "as we say"),
    lambda values, context: Odd(values),
    serialized_type_name="some.library.Odd",
    to_dumpable_context=lambda context: context,
    from_dumpable_context=lambda text: text,
    flatten_with_keys_fn=lambda o: ([(_pytree.SequenceKey(i), v) for i, v in enumerate(o)], "as we say"),
)
torch.export.register_dataclass(Scores, serialized_type_name="some.library.Scores")

class Model(torch.nn.Module):
    def forward(self, x, keys):
        return Output(
            logits=x * keys, cache=Cache(keys=[x + 1, x + 2]), scores=Scores(low=x - 1, high=x - 2), odd=Odd([x * 3])
        )

x = torch.zeros(2, 3)
torch.export.save(torch.export.export(Model(), (x, torch.ones(2, 3))), sys.argv[1])
"""
NAMES = ["logits", "cache.keys.0", "cache.keys.1", "scores.low", "scores.high", "odd.0"]


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    path = tmp_path_factory.mktemp("foreign") / "foreign.pt2"
    subprocess.run([sys.executable, "-W", "ignore", "-c", EXPORT, str(path)], check=True, timeout=200)
    return path


def test_results_have_the_names_that_their_types_give_them(foreign):
    with pytest.raises(RuntimeError):
        torch.export.load(foreign)  # PyTorch asks for the library
    model = load_model(str(foreign))
    assert [output.name for output in model.outputs] == NAMES
    x, keys = (np.random.default_rng(seed).random((2, 3), "float32") for seed in (0, 1))
    found = machine_of(model.mod)["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(keys))
    for made, wanted in zip(found, (x * keys, x + 1, x + 2, x - 1, x - 2, x * 3), strict=True):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("library", ["torch", "onnxruntime"])
def test_libraries_run_them(foreign, library):
    x, keys = (np.full((2, 3), value, "float32") for value in (2, 5))
    timing = time_reference(library, load_model(str(foreign)), [x, keys], 1, repeats=1)
    assert timing.seconds, timing.note
    wanted = [x * keys, x + 1, x + 2, x - 1, x - 2, x * 3]
    for made, one in zip(timing.outputs, wanted, strict=True):
        np.testing.assert_allclose(made, one)
