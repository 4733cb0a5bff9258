"""TensorFlow Lite files: what they compute, as LiteRT does, and what is said of those that cannot be imported."""

from __future__ import annotations

import random
from pathlib import Path

import flatbuffers
import numpy as np
import pytest
import tflite
import tvm
from ai_edge_litert.interpreter import Interpreter
from ai_edge_litert.schema_py_generated import BufferT, Model, ModelT, OperatorCodeT, TensorT

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.export.baselines import example_inputs, time_reference
from pruner_engine.export.build import compile_model
from pruner_engine.frontends import LoadedModel, check_model, load_model
from pruner_engine.frontends.tflite import loops
from pruner_engine.lowering.words.products import byte_products_of
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.quantised import rounds_to_bytes
from seeds import seeds

MODELS = Path(__file__).parent / "tflite_models"
TRANSPOSED, CUSTOM = tflite.BuiltinOperator.TRANSPOSE_CONV, tflite.BuiltinOperator.CUSTOM
REFUSED = {"op-while-computed": "a loop that ends by what it computes", "op-of-tensorflow": "FlexMatrixInverse"}
PRECISE = sorted(
    path.stem for path in MODELS.glob("*.tflite") if path.stem.partition("-")[2] not in ("weights", "bytes", "open")
)


def _computed(model: LoadedModel, inputs: list[np.ndarray]) -> list[np.ndarray]:
    machine = machine_of(prepare(model.mod, resolve_target("auto")), "llvm", compile_model)
    made = machine["main"](*map(tvm.runtime.tensor, inputs))
    return [one.numpy() for one in ([made] if isinstance(made, tvm.runtime.Tensor) else made)]


def _inputs(model: LoadedModel) -> list[np.ndarray]:
    """As an export draws them, of bytes all kinds."""
    given = example_inputs(model)
    return [_random_bytes(one.shape) if one.dtype == np.uint8 else one for one in given]


def _random_bytes(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, "uint8")


def _expected(path: Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
    interpreter = Interpreter(str(path), num_threads=1)
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.resize_tensor_input(detail["index"], value.shape)
    interpreter.allocate_tensors()
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


@pytest.mark.parametrize("name", [name for name in PRECISE if name not in REFUSED])
def test_a_file_computes_what_litert_computes(name: str) -> None:
    path = MODELS / f"{name}.tflite"
    model = load_model(str(path))
    inputs = _inputs(model)
    for expected, got in zip(_expected(path, inputs), _computed(model, inputs), strict=True):
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "padding"), [("op-transpose_conv-same", 1), ("op-transpose_conv-valid", 2)])
def test_a_transposed_convolution_of_mediapipe_is_one_with_a_bias(name: str, padding: int, tmp_path: Path) -> None:
    original = MODELS / f"{name}.tflite"
    model = ModelT.InitFromObj(Model.GetRootAs(original.read_bytes(), 0))
    (graph,) = model.subgraphs
    (step,) = (op for op in graph.operators if model.operatorCodes[op.opcodeIndex].builtinCode == TRANSPOSED)
    strides = (step.builtinOptions.strideW, step.builtinOptions.strideH)
    _, weights, x, *_ = step.inputs
    bias = np.arange(1, 1 + graph.tensors[weights].shape[0], dtype="<f4")
    model.buffers.append(BufferT(data=[*bias.tobytes()]))
    graph.tensors.append(TensorT(shape=[len(bias)], buffer=len(model.buffers) - 1, name="bias"))
    code = OperatorCodeT(builtinCode=CUSTOM, deprecatedBuiltinCode=CUSTOM, customCode="Convolution2DTransposeBias")
    model.operatorCodes.append(code)
    step.opcodeIndex, step.inputs = len(model.operatorCodes) - 1, [x, weights, len(graph.tensors) - 1]
    step.builtinOptions, step.builtinOptionsType = None, 0
    step.customOptions = [*np.array([padding, *strides], "<i4").tobytes()]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    path = tmp_path / "custom.tflite"
    path.write_bytes(bytes(builder.Output()))
    loaded = load_model(str(path))
    inputs = _inputs(loaded)
    (expected,), (got,) = _expected(original, inputs), _computed(loaded, inputs)
    np.testing.assert_allclose(got, expected + bias, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "steps"), [("image-bytes", 1), ("text-bytes", 2), ("moves-bytes", 1)])
def test_quantised_numbers_come_out_as_in_litert_but_for_steps(name: str, steps: int) -> None:
    """Runtimes round half-way steps in their own ways, and a layer behind makes a step of it."""
    path = MODELS / f"{name}.tflite"
    model = load_model(str(path))
    inputs = _inputs(model)
    (expected,), (got,) = _expected(path, inputs), _computed(model, inputs)
    assert got.dtype == np.uint8 and len(set(expected.flat)) > 2
    assert np.abs(expected.astype(int) - got.astype(int)).max() <= steps


def test_products_of_a_quantised_file_are_products_of_bytes() -> None:
    target = resolve_target('{"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "sapphirerapids", "num-cores": 2}')
    assert byte_products_of(target) is not None
    prepared = prepare(load_model(str(MODELS / "image-bytes.tflite")).mod, target)
    kernels = "\n".join(task.mod.script() for task in extract_tasks(prepared, target) if "conv2d" in task.name)
    assert kernels.count('"int32"') > 4 and '"uint8"' in kernels


def test_weights_that_alone_are_bytes_meet_real_numbers() -> None:
    """LiteRT rounds what they meet, too, by a scale of each call: a per cent of the largest output."""
    path = MODELS / "image-weights.tflite"
    model = load_model(str(path))
    inputs = _inputs(model)
    (expected,), (got,) = _expected(path, inputs), _computed(model, inputs)
    assert np.abs(expected - got).max() <= 0.02 * np.abs(expected).max()
    assert rounds_to_bytes(model.mod)
    assert not rounds_to_bytes(load_model(str(MODELS / "image-float.tflite")).mod)


def test_an_open_size_is_given() -> None:
    path = MODELS / "text-open.tflite"
    (declared,) = check_model(str(path)).inputs
    assert declared.shape == [f"{declared.name}_0", 8, 16]
    with pytest.raises(UserError, match="dynamic shape"):
        load_model(str(path))
    model = load_model(str(path), {declared.name: (3, 8, 16)})
    inputs = _inputs(model)
    (expected,), (got,) = _expected(path, inputs), _computed(model, inputs)
    assert got.shape == (3, 5)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_inputs_and_outputs_are_called_as_the_signature_says() -> None:
    model = load_model(str(MODELS / "op-two-results.tflite"))
    assert [one.name for one in model.inputs] == ["x"]
    assert len(model.outputs) == 3 and len({one.name for one in model.outputs}) == 3


def test_litert_is_what_such_a_model_is_compared_with() -> None:
    path = MODELS / "image-float.tflite"
    model = load_model(str(path))
    inputs = _inputs(model)
    timing = time_reference("litert", model, inputs, 1, 2)
    assert timing.repeats and timing.seconds
    np.testing.assert_allclose(timing.outputs[0], _expected(path, inputs)[0], rtol=1e-5, atol=1e-6)
    assert "onnx" in time_reference("onnxruntime", model, inputs, 1).note


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_imported_is_named(name: str) -> None:
    with pytest.raises(UserError, match=REFUSED[name]) as refused:
        load_model(str(MODELS / f"{name}.tflite"))
    assert refused.value.hint


def test_a_loop_that_would_be_too_long_written_out_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its end is known: three steps become a thousand million."""
    monkeypatch.setattr(loops, "_MOST", 100)
    content = bytearray((MODELS / "op-while.tflite").read_bytes())
    model = tflite.Model.GetRootAs(content)
    data = [model.Buffers(i).DataAsNumpy() for i in range(model.BuffersLength()) if model.Buffers(i).DataLength() == 4]
    (three,) = [one for one in data if one.tolist() == [3, 0, 0, 0]]
    three[3] = 60
    with pytest.raises(UserError, match="more than 100 operators"):
        load_model("op-while.tflite", content=bytes(content))


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.tflite").write_bytes(b"PK\x03\x04" + bytes(200))
    with pytest.raises(UserError, match="not a TensorFlow Lite model"):
        load_model(str(tmp_path / "m.tflite"))


@pytest.mark.parametrize("seed", seeds(40))
def test_a_file_that_is_cut_off_or_changed_is_a_sentence_or_a_model(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    path = chance.choice(sorted(MODELS.glob("*.tflite")))
    data = bytearray(path.read_bytes())
    if seed % 4:
        for _ in range(chance.choice([1, 3, 20])):
            data[chance.randrange(8, len(data))] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
    else:
        del data[chance.randrange(len(data)) :]
    (tmp_path / "m.tflite").write_bytes(data)
    try:
        load_model(str(tmp_path / "m.tflite"))
    except UserError as refused:
        assert str(refused)


def test_weights_behind_the_file_are_refused(tmp_path: Path) -> None:
    """As files of more than 2 GB keep them."""
    builder = flatbuffers.Builder(256)
    tflite.BufferStart(builder)
    tflite.BufferAddOffset(builder, 4096)
    tflite.BufferAddSize(builder, 64)
    buffer = tflite.BufferEnd(builder)
    tflite.SubGraphStart(builder)
    graph = tflite.SubGraphEnd(builder)
    vectors = []
    for one in (buffer, graph):
        builder.StartVector(4, 1, 4)
        builder.PrependUOffsetTRelative(one)
        vectors.append(builder.EndVector())
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, 3)
    tflite.ModelAddBuffers(builder, vectors[0])
    tflite.ModelAddSubgraphs(builder, vectors[1])
    builder.Finish(tflite.ModelEnd(builder), file_identifier=b"TFL3")
    (tmp_path / "m.tflite").write_bytes(builder.Output())
    with pytest.raises(UserError, match="2 GB of weights"):
        load_model(str(tmp_path / "m.tflite"))
