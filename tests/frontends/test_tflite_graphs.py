"""Small TensorFlow Lite files: spectra and sizes that follow from open ones, as LiteRT has them; state is refused."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from tflite_graph import write_graph

COMPLEX = {name: "complex64" for name in ("s", "t", "u")}
ENDS = [("REAL", "re"), ("IMAG", "im"), ("COMPLEX_ABS", "abs")]


def agree(path: str, shape: tuple[int, ...]) -> list[np.ndarray]:
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    runtime = Interpreter(path)
    (given,) = runtime.get_input_details()
    runtime.resize_tensor_input(given["index"], shape)
    runtime.allocate_tensors()
    runtime.set_tensor(given["index"], x)
    runtime.invoke()
    expected = [runtime.get_tensor(one["index"]) for one in runtime.get_output_details()]
    made = machine_of(load_model(path, {"x": shape}).mod)["main"](tvm.runtime.tensor(x))
    found = [one.numpy() for one in ([made] if isinstance(made, tvm.runtime.Tensor) else made)]
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    return found


@pytest.mark.parametrize("lengths", [[1, 32], [1, 8], [4, 32], [2, 16]], ids=str)
def test_spectra(tmp_path, lengths):
    ends = [(operator, ["s"], name, None) for operator, name in ENDS]
    steps = [("RFFT2D", ["x", lengths], "s", None), *ends]
    path = write_graph(tmp_path / "m.tflite", {"x": (3, 4, 32)}, steps, COMPLEX, [name for _, name in ENDS])
    agree(path, (3, 4, 32))


def test_spectra_of_as_many_frames_as_are_given_are_moved_and_become_real(tmp_path):
    steps = [
        ("EXPAND_DIMS", ["x", 1], "y", None),
        ("RFFT2D", ["y", [1, 16]], "s", None),
        ("SQUEEZE", ["s"], "t", schema.SqueezeOptionsT([-2])),
        ("RESHAPE", ["t", [-1, 3, 3]], "u", None),
        ("CAST", ["u"], "real", None),
        ("COMPLEX_ABS", ["u"], "abs", None),
    ]
    path = write_graph(tmp_path / "m.tflite", {"x": (-1, 16)}, steps, COMPLEX, ["real", "abs"])
    assert [one.shape for one in agree(path, (5, 16))] == [(5, 3, 3)] * 2


def test_other_operators_of_complex_numbers_are_refused(tmp_path):
    steps = [
        ("RFFT2D", ["x", [1, 16]], "s", None),
        ("CONCATENATION", ["s", "s"], "t", schema.ConcatenationOptionsT(axis=0)),
        ("REAL", ["t"], "real", None),
    ]
    path = write_graph(tmp_path / "m.tflite", {"x": (2, 1, 16)}, steps, COMPLEX, ["real"])
    with pytest.raises(UserError, match="CONCATENATION of complex numbers"):
        load_model(path)


def test_sizes_that_follow_from_an_open_one_through_parts_of_its_shape(tmp_path):
    steps = [
        ("SHAPE", ["x"], "shape", schema.ShapeOptionsT(outType=2)),
        ("SPLIT_V", ["shape", [1, 1, 0], 0], "batch length nothing", schema.SplitVOptionsT(numSplits=3)),
        ("CONCATENATION", ["length", "batch"], "turned", schema.ConcatenationOptionsT(axis=0)),
        ("RESHAPE", ["x", "turned"], "y", None),
    ]
    whole = dict.fromkeys(("shape", "batch", "length", "nothing", "turned"), "int32")
    path = write_graph(tmp_path / "m.tflite", {"x": (-1, 6)}, steps, whole, ["y"])
    assert agree(path, (4, 6))[0].shape == (6, 4)


def test_a_state_that_is_kept_between_calls_is_refused(tmp_path):
    steps = [
        ("VAR_HANDLE", [], "state", schema.VarHandleOptionsT(sharedName="state")),
        ("READ_VARIABLE", ["state"], "before", None),
        ("ADD", ["x", "before"], "y", schema.AddOptionsT()),
        ("ASSIGN_VARIABLE", ["state", "y"], "", None),
    ]
    path = write_graph(tmp_path / "m.tflite", {"x": (1, 4)}, steps, {"state": "resource"}, ["y"])
    with pytest.raises(UserError, match="keeps a state from one call to the next"):
        load_model(path)
