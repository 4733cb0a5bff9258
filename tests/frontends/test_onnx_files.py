"""ONNX files become Relax modules that compute the same."""

import sys

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model, load_model
from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.model import bind_dims
from pruner_engine.frontends.onnx import importer
from pruner_engine.protocol import ModelInput


def run(mod, *inputs):
    machine = machine_of(mod)
    result = machine["main"](*(tvm.runtime.tensor(x) for x in inputs))
    return [result.numpy()] if hasattr(result, "numpy") else [r.numpy() for r in result]


@pytest.mark.parametrize("name", ["squeezenet", "resnet50", "shufflenet"])
def test_light_models_have_one_image_as_input(light_model, name):
    model = load_model(light_model(name))
    assert [i.shape for i in model.inputs] == [(1, 3, 224, 224)]
    assert model.kind == "onnx" and model.outputs[0].shape[:2] == (1, 1000)
    assert len(model.mod["main"].params) == 1  # the weights are constants


def test_outputs_equal_onnx_runtime(cnn):
    image = np.random.default_rng(0).standard_normal((1, 3, 64, 64), dtype=np.float32)
    (expected,) = onnxruntime.InferenceSession(cnn, providers=["CPUExecutionProvider"]).run(None, {"image": image})
    model = load_model(str(cnn))
    assert [o.name for o in model.outputs] == ["scores"]
    np.testing.assert_allclose(run(model.mod, image)[0], expected, rtol=1e-4, atol=1e-6)


def test_the_content_alone_loads_the_same_model(cnn):
    model = load_model(str(cnn))
    again = load_model("elsewhere/other.onnx", content=model.file.content())
    assert (again.file.sha256, again.inputs, again.name) == (model.file.sha256, model.inputs, "other")
    assert tvm.ir.save_json(again.mod) == tvm.ir.save_json(model.mod)


def make(nodes, inputs, outputs, weights=(), **options):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, **options)


def tensor(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


@pytest.fixture
def dynamic(tmp_path):
    path = tmp_path / "dynamic.onnx"
    nodes = [helper.make_node("Sum", ["a", "b", "a"], ["c"])]
    inputs, outputs = [tensor("a", "batch", 8), tensor("b", "batch", None)], [tensor("c", "batch", 8)]
    onnx.save(make(nodes, inputs, outputs), path)
    return str(path)


def test_dynamic_dimensions_are_asked_for_by_name(dynamic):
    checked = check_model(dynamic)
    assert [(i.name, i.shape) for i in checked.inputs] == [("a", ["batch", 8]), ("b", ["batch", "b_1"])]
    with pytest.raises(UserError, match=r"Input a has a dynamic shape \(batch, 8\).*--input a=batch,8"):
        load_model(dynamic)
    # what one input says of a name holds for the others
    with pytest.raises(UserError, match="Input b has a dynamic shape"):
        load_model(dynamic, {"a": [4, 8]})
    model = load_model(dynamic, {"a": [4, 8], "b": [4, 8]})
    a, b = np.ones((2, 4, 8), np.float32)
    np.testing.assert_array_equal(run(model.mod, a, b)[0], a + b + a)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"c": [1]}, "no input c.*Its inputs are: a, b"),
        ({"a": [4, 9]}, "does not fit"),
        ({"a": [4]}, "does not fit"),
        ({"a": [0, 8]}, "does not fit"),
        ({"a": [4, 8], "b": [5, 8]}, "batch is given both 4 and 5"),
        ({"a": [1 << 40, 8], "b": [1 << 40, 8]}, "memory|imported"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(dynamic, given, words):
    with pytest.raises(UserError, match=words):
        load_model(dynamic, given)


def test_a_shape_for_a_fixed_input_is_told_that_it_is_fixed():
    fixed = [ModelInput(name="x", shape=[3, 8], dtype="float32")]
    with pytest.raises(UserError, match="does not fit") as refused:
        bind_dims(fixed, {"x": (1, 8)})
    assert refused.value.hint == "It is fixed: leave it out, or export the model for another one."


def external(folder, location, **extra):
    """A model whose one weight is kept in another file."""
    weight = numpy_helper.from_array(np.arange(8, dtype=np.float32), "w")
    (folder / "weights.bin").write_bytes(weight.raw_data)
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **extra}.items():
        weight.external_data.add(key=key, value=str(value))
    path = folder / "model.onnx"
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    path.write_bytes(make(nodes, [tensor("x", 8)], [tensor("y", 8)], [weight]).SerializeToString())
    return str(path)


def test_weights_beside_the_file_are_folded_into_the_content(tmp_path):
    path = external(tmp_path, "weights.bin")
    model = load_model(path)
    assert check_model(path).bytes == model.file.size
    again = load_model("model.onnx", content=model.file.content())
    np.testing.assert_array_equal(run(again.mod, np.zeros(8, np.float32))[0], np.arange(8))


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/hostname", "sub/../../secret.bin", "link.bin"])
def test_weights_outside_the_folder_are_never_read(tmp_path, location):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(32))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(UserError, match="outside its own folder"):
        load_model(external(folder, location))


@pytest.mark.parametrize("extra", [{"offset": 16}, {"length": 64}, {"offset": -4}, {"length": "x"}])
def test_damaged_references_to_weights_are_told(tmp_path, extra):
    with pytest.raises(UserError):
        load_model(external(tmp_path, "weights.bin", **extra))


@pytest.mark.parametrize(
    ("bytes_", "length", "told"),
    [(32, 10**15, "is cut off"), (3 << 30, 3 << 30, "more than can be imported|memory"), (1 << 42, 1 << 42, "memory")],
)
def test_weights_that_are_too_large_are_refused_unread(tmp_path, bytes_, length, told):
    path = external(tmp_path, "weights.bin", length=length)
    with (tmp_path / "weights.bin").open("r+b") as file:
        file.truncate(bytes_)  # sparse: takes no space
    with pytest.raises(UserError, match=told):
        load_model(path)


def test_missing_weights_are_told(tmp_path):
    path = external(tmp_path, "weights.bin")
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(UserError, match=r"weights\.bin, which cannot be read"):
        load_model(path)


def test_an_operator_that_cannot_be_imported_is_named(tmp_path):
    path = tmp_path / "custom.onnx"
    model = make([helper.make_node("Nix", ["x"], ["y"], domain="my.ops")], [tensor("x", 8)], [tensor("y", 8)])
    model.opset_import.append(helper.make_opsetid("my.ops", 1))
    onnx.save(model, path)
    with pytest.raises(UserError, match="Nix"):
        load_model(str(path))


def test_text_inputs_are_refused(tmp_path):
    path = tmp_path / "text.onnx"
    text = TensorProto.STRING
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    onnx.save(make(nodes, [tensor("x", 8, dtype=text)], [tensor("y", 8, dtype=text)]), path)
    with pytest.raises(UserError, match="not supported"):
        load_model(str(path))


def falsely_declared(*shape):
    return make([helper.make_node("Relu", ["x"], ["y"])], [tensor("x", 2, 8)], [tensor("y", *shape)])


@pytest.mark.parametrize("shape", [(2, 9), (16,), (1, "seqlen")])
def test_an_output_that_is_declared_falsely_is_what_the_operators_make(tmp_path, shape):
    """PyTorch once declared what it had traced; ONNX Runtime warns of that, and runs it."""
    path = tmp_path / "false.onnx"
    onnx.save(falsely_declared(*shape), path)
    assert [output.shape for output in load_model(str(path)).outputs] == [(2, 8)]


def test_an_output_of_another_shape_than_the_operators_make_is_told(tmp_path, monkeypatch):
    wrong = make([helper.make_node("Transpose", ["x"], ["y"])], [tensor("x", 2, 8)], [tensor("y", 8, 2)])
    monkeypatch.setattr(importer, "corrected", lambda _model: wrong)
    path = tmp_path / "true.onnx"
    onnx.save(falsely_declared(2, 8), path)
    with pytest.raises(UserError, match=r'"y" would be float32 \[8, 2\], the file says float32 \[2, 8\]'):
        load_model(str(path))


def test_an_output_of_another_type_than_declared_is_told(tmp_path, monkeypatch):
    """As TVM's importer made OneHot of 32 bits one of 64."""
    monkeypatch.setattr(importer, "corrected", lambda model: model)
    path = tmp_path / "one-hot.onnx"
    weights = [numpy_helper.from_array(a, n) for a, n in ((np.array(4), "depth"), (np.array([0, 1], "f"), "values"))]
    node = helper.make_node("OneHot", ["x", "depth", "values"], ["y"])
    onnx.save(make([node], [tensor("x", 3, dtype=TensorProto.INT64)], [tensor("y", 3, 4)], weights), path)
    with pytest.raises(UserError, match=r'"y" would be float64 \[3, 4\], the file says float32 \[3, 4\]'):
        load_model(str(path))


@pytest.mark.parametrize("attributes", [{}, {"is_causal": 1}, {"scale": 0.3, "softcap": 2.0}])
@pytest.mark.parametrize("kv_heads", [4, 2])
def test_attention_is_computed_as_onnx_defines_it(tmp_path, kv_heads, attributes):
    path = tmp_path / "attention.onnx"
    inputs = [tensor("q", 2, 4, 6, 8), tensor("k", 2, kv_heads, 6, 8), tensor("v", 2, kv_heads, 6, 8)]
    nodes = [helper.make_node("Attention", ["q", "k", "v"], ["y"], **attributes)]
    graph = helper.make_graph(nodes, "g", inputs, [tensor("y", 2, 4, 6, 8)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), path)
    rng = np.random.default_rng(0)
    given = {i.name: rng.standard_normal([d.dim_value for d in i.type.tensor_type.shape.dim], "f") for i in inputs}
    (expected,) = onnx.reference.ReferenceEvaluator(str(path)).run(None, given)
    (found,) = run(load_model(str(path)).mod, *given.values())
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_attention_whose_inputs_have_gaps(tmp_path):
    """A cache without a mask, and rows that are masked as a whole, of which nothing is attended to."""
    path, rng = tmp_path / "attention.onnx", np.random.default_rng(0)
    sizes = {"q": (2, 4, 3, 8), "k": (2, 4, 3, 8), "v": (2, 4, 3, 8), "pk": (2, 4, 2, 8), "pv": (2, 4, 2, 8)}
    inputs = [tensor(name, *size) for name, size in sizes.items()]
    mask = np.ones((3, 3), bool)
    mask[1] = False
    nodes = [
        helper.make_node("Attention", ["q", "k", "v", "", "pk", "pv"], ["y", "", ""], is_causal=1),
        helper.make_node("Attention", ["q", "k", "v", "mask"], ["z"]),
    ]
    outputs = [tensor(name, 2, 4, 3, 8) for name in "yz"]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(mask, "mask")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), path)
    given = {name: rng.standard_normal(size, "f") for name, size in sizes.items()}
    expected = onnx.reference.ReferenceEvaluator(str(path)).run(None, given)
    for found, meant in zip(run(load_model(str(path)).mod, *given.values()), expected, strict=True):
        np.testing.assert_allclose(found, meant, rtol=1e-4, atol=1e-5)


def test_inner_shapes_that_are_so_for_other_sizes_alone_are_passed_over(tmp_path):
    """As PyTorch's exporter leaves them, of the sizes that it was given, in models of open sizes."""
    weights = [numpy_helper.from_array(np.array([1], "i8"), "one")]
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Cast", ["s"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("Floor", ["real"], ["floor"]),
        helper.make_node("Cast", ["floor"], ["sizes"], to=TensorProto.INT64),
        helper.make_node("Reshape", ["x", "sizes"], ["r"]),
        helper.make_node("Add", ["r", "x"], ["a"]),
        *(helper.make_node("Shape", ["x"], [f"s{i}"], start=i, end=i + 1) for i in range(2)),
        *(helper.make_node("Squeeze", [f"s{i}"], [f"n{i}"]) for i in range(2)),
        helper.make_node("Mul", ["n0", "n1"], ["all"]),
        helper.make_node("Reshape", ["all", "one"], ["flat"]),
        helper.make_node("Reshape", ["a", "flat"], ["y"]),
    ]
    model = make(nodes, [tensor("x", "many", 4)], [tensor("y", "all")], weights)
    model.graph.value_info.append(tensor("r", 2, 4))
    onnx.save(model, tmp_path / "model.onnx")
    x = np.random.default_rng(0).standard_normal((3, 4), "f")
    (found,) = run(load_model(str(tmp_path / "model.onnx"), {"x": [3, 4]}).mod, x)
    np.testing.assert_allclose(found, (x + x).ravel())


def test_functions_of_the_model_are_inlined(tmp_path, monkeypatch):
    """By ONNX Runtime where it is installed, else by us."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    path = tmp_path / "functions.onnx"
    twice = helper.make_function(
        "my", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)]
    )
    model = make([helper.make_node("Twice", ["x"], ["y"], domain="my")], [tensor("x", 8)], [tensor("y", 8)])
    model.functions.append(twice)
    model.opset_import.append(helper.make_opsetid("my", 1))
    onnx.save(model, path)
    x = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(run(load_model(str(path)).mod, x)[0], 2 * x)


def test_inputs_keep_the_names_of_the_file(tmp_path):
    """PyTorch's exporter writes "input.1", which is no name to TVM; a project gives what it stored to load it again."""
    node = helper.make_node("Relu", ["input.1"], ["out"])
    path = tmp_path / "dotted.onnx"
    onnx.save(make([node], [tensor("input.1", 2, "rows")], [tensor("out", 2, "rows")]), path)
    model = load_model(str(path), {"input.1": (2, 3)})
    assert [(spec.name, spec.shape) for spec in model.inputs] == [("input.1", (2, 3))]
    for name in (model.inputs[0].name, "input_1"):
        again = load_model(str(path), {name: (2, 3)}, content=model.file.content())
        assert again.inputs == model.inputs and again.file.sha256 == model.file.sha256
    with pytest.raises(UserError, match="no input other"):
        load_model(str(path), {"other": (2, 3)})


def test_nodes_may_come_before_what_they_read(tmp_path):
    """As converters of halves write them: ONNX Runtime takes such files."""
    nodes = [helper.make_node("Neg", ["b"], ["y"]), helper.make_node("Add", ["a", "x"], ["b"])]
    nodes.append(helper.make_node("Abs", ["x"], ["a"]))
    path = tmp_path / "unsorted.onnx"
    onnx.save(make(nodes, [tensor("x", 4)], [tensor("y", 4)]), path)
    x = np.array([-2, -1, 1, 2], "f")
    np.testing.assert_array_equal(run(load_model(str(path)).mod, x)[0], -(abs(x) + x))


def test_outputs_that_say_nothing_of_their_shape(tmp_path):
    """As tf2onnx writes them; the file's own bytes stay what they are."""
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Shape", ["x"], ["s"])]
    model = make(nodes, [tensor("x", 2, 3)], [tensor("y", 2, 3), onnx.ValueInfoProto(name="s")])
    model.graph.output[0].type.tensor_type.ClearField("shape")
    path = tmp_path / "silent.onnx"
    onnx.save(model, path)
    loaded = load_model(str(path))
    assert [(o.name, o.shape, o.dtype) for o in loaded.outputs] == [("y", (2, 3), "float32"), ("s", (2,), "int64")]
    assert loaded.file.content() == path.read_bytes()


def test_inputs_and_outputs_that_are_no_tensors_of_numbers_are_named(tmp_path):
    path = tmp_path / "model.onnx"
    split = helper.make_node("SplitToSequence", ["x"], ["s"], axis=1)
    words = helper.make_node("Cast", ["x"], ["s"], to=TensorProto.STRING)
    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [2, 1])
    for node, output in ((split, sequence), (words, tensor("s", 2, 3, dtype=TensorProto.STRING))):
        onnx.save(make([node], [tensor("x", 2, 3)], [output]), path)
        with pytest.raises(UserError, match=r'^Output "s" is not a tensor of numbers'):
            load_model(str(path))
    onnx.save(make([helper.make_node("Relu", ["x"], ["y"])], [tensor("x", 2)], [tensor("y", 2)]), path)
    model = onnx.load(path)
    model.graph.input[0].type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    with pytest.raises(UserError, match=r'^Input "x" is not a tensor of known rank'):
        load_model(str(path))


@pytest.mark.parametrize(
    ("operator", "domain", "said"),
    [
        (
            "Nix",
            "",
            r"Nix /head, which ONNX does not define: the domain ai\.onnx has no such operator up to version \d+",
        ),
        ("Nix", "ai.onnx.ml", r"the domain ai\.onnx\.ml has no such operator"),
        ("Gelu", "", r"ONNX defines from version 20 of the domain ai\.onnx on; the file uses version 17"),
        ("Upsample", "", r"ONNX has withdrawn from the domain ai\.onnx by version 17"),
    ],
)
def test_an_operator_that_onnx_does_not_define_is_named_with_its_domain_and_version(tmp_path, operator, domain, said):
    """That is no sign of a file that was copied incompletely."""
    node = helper.make_node(operator, ["x"], ["y"], name="/head", domain=domain)
    model = make([node], [tensor("x", 8)], [tensor("y", 8)])
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(UserError, match=said) as refused:
        load_model(str(tmp_path / "model.onnx"))
    assert "Export it with" in refused.value.hint and "copied" not in refused.value.hint


def test_an_operator_that_fails_to_be_imported_is_named(tmp_path):
    node = helper.make_node("Reshape", ["x", "s"], ["y"], name="/head/Reshape")
    model = make([node], [tensor("x", 2, 3)], [tensor("y", 6)])
    model.graph.input.append(tensor("s", 1, dtype=TensorProto.INT64))
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    with pytest.raises(UserError, match="has a Reshape /head/Reshape in a form that cannot be imported"):
        load_model(str(path))


def test_a_refusal_says_nothing_of_tvms_own_objects(tmp_path):
    shape = numpy_helper.from_array(np.array([4], "i8"), "s")
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Reshape", ["r", "s"], ["y"], name="/head")]
    graph = helper.make_graph(nodes, "g", [tensor("x", 2, 3)], [onnx.ValueInfoProto(name="y")], [shape])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, ir_version=10), path)
    with pytest.raises(UserError) as told:
        load_model(str(path))
    assert told.value.message == "model has a Reshape /head in a form that cannot be imported."


def test_operators_that_are_not_known_are_named(tmp_path):
    nodes = [helper.make_node("Det", ["x"], ["y"], name="/pose/Det"), helper.make_node("Det", ["x"], ["z"])]
    onnx.save(make(nodes, [tensor("x", 3, 3)], [tensor("y"), tensor("z")]), tmp_path / "model.onnx")
    with pytest.raises(UserError, match=r"^The model computes Det /pose/Det, Det, which cannot be imported"):
        load_model(str(tmp_path / "model.onnx"))


def test_what_is_the_machines_fault_is_not_said_to_be_the_models():
    with pytest.raises(UserError, match="not enough memory"), importing("model"):
        raise MemoryError
    with pytest.raises(UserError, match="model uses something that cannot be imported: no such"), importing("model"):
        raise ValueError("no such operator")
