"""Built-in workloads by name."""

import pytest
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends import WORKLOADS, check_model, load_model
from pruner_engine.processes.memory import memory_bytes

EXAMPLES = {
    "matmul:8,16,4": [(8, 16)],
    "matmul:8,16,4,float16": [(8, 16)],
    "bmm:2,8,16,4": [(2, 8, 16)],
    "dense:8,16,4": [(8, 16)],
    "conv1d:1,4,10,8,3": [(1, 8, 10)],
    "conv2d:1,4,10,10,8,3": [(1, 8, 10, 10)],
    "conv2d:1,4,10,10,8,3,stride=2,pad=0": [(1, 8, 4, 4)],
    "conv2d:1,4,10,10,8,3,dilation=2": [(1, 8, 10, 10)],
    "conv2d:1,4,10,10,8,3,groups=2": [(1, 8, 10, 10)],
    "conv2d:1,4,10,10,8,3,layout=NHWC": [(1, 10, 10, 8)],
    "conv3d:1,4,6,6,6,8,3": [(1, 8, 6, 6, 6)],
    "depthwise:1,4,10,10,3": [(1, 4, 10, 10)],
    "depthwise:1,4,10,10,3,layout=NHWC": [(1, 10, 10, 4)],
    "deconv2d:1,4,10,10,8,3": [(1, 8, 19, 19)],
    "maxpool:1,4,10,10,2": [(1, 4, 5, 5)],
    "avgpool:1,4,10,10,2": [(1, 4, 5, 5)],
    "softmax:8,16": [(8, 16)],
    "layernorm:8,16": [(8, 16)],
    "sum:8,16": [(8,)],
    "relu:8,16": [(8, 16)],
    "gelu:8,16": [(8, 16)],
    "add:8,16": [(8, 16)],
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_workload_is_one_operator_whose_tensors_are_inputs(text):
    model = load_model(text)
    assert [o.shape for o in model.outputs] == EXAMPLES[text]
    assert (model.kind, model.name, model.file.content()) == ("workload", text, text.encode())
    assert len(model.mod["main"].params) == len(model.inputs)
    relax.analysis.well_formed(model.mod)  # raises if it is not


def test_every_workload_has_an_example_here():
    assert {text.partition(":")[0] for text in EXAMPLES} == set(WORKLOADS)


def test_integer_products_are_summed_in_32_bits():
    model = load_model("matmul:8,8,8,int8")
    assert (model.inputs[0].dtype, model.outputs[0].dtype) == ("int8", "int32")


def test_checking_a_workload_tells_its_inputs():
    assert [(i.name, i.shape) for i in check_model("dense:8,16,4").inputs] == [
        ("x", [8, 4]),
        ("weight", [4, 16]),
        ("bias", [16]),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("matmul:8,8", "needs 3 sizes, has 2"),
        ("matmul:", "needs 3 sizes, has 0"),
        ("matmul", "needs 3 sizes"),
        ("matmul:a,b,c", '"a" in "matmul:a,b,c" is not understood'),
        ("matmul:8,-8,8", '"-8"'),
        ("matmul:0,8,8", '"0"'),
        ("matmul:8,8,8,float77", "float77"),
        ("matmul:8,8,8,stride=2", "stride=2"),
        ("conv2d:1,4,8,8,8,3,stride=x", "stride=x"),
        ("conv2d:1,4,8,8,8,3,layout=CHWN", "layout=CHWN"),
        ("conv2d:1,4,2,2,8,5,pad=0", "has no elements"),
        ("conv2d:1,4,8,8,8,3,groups=3", "makes no operator"),
        ("conv2d:1,4,8,8,8,3,groups=0", "makes no operator"),
        ("conv2d:1,4,8,8,8,3,pad=²", "pad=²"),
        ("matmul:²,8,8", '"²" in'),
        (f"matmul:{'9' * 5000},8,8", "makes no operator"),
        ("matmul:2000000000,2000000000,2000000000", "does not fit into memory"),
        (f"relu:{memory_bytes() // 8192},4096", "does not fit into memory"),  # of twice the bytes, half the elements
    ],
)
def test_texts_that_make_no_workload_are_refused_with_the_grammar(text, words):
    with pytest.raises(UserError, match=words):
        load_model(text)


def test_the_grammar_names_the_types_and_the_options():
    with pytest.raises(UserError, match="bf16") as refused:
        load_model("conv2d:1,4,8,8,8,3,bf16")
    assert "conv2d:N,C,H,W,K,R[,dtype][,stride=…]" in refused.value.hint and "bfloat16" in refused.value.hint


def test_a_project_in_the_place_of_a_model_is_to_be_gone_on_with():
    with pytest.raises(UserError, match="is a project, no model") as refused:
        load_model("resnet50.pruner")
    assert "pruner resume" in refused.value.hint


@pytest.mark.parametrize("name", ["resnet50.pt", "resnet50.PTH", "net.safetensors"])
def test_a_file_of_weights_is_told_to_be_one_and_how_to_export_the_model(name):
    with pytest.raises(UserError, match="its weights, and no program") as refused:
        load_model(name)
    assert "torch.export.save(" in refused.value.hint


def test_a_file_of_another_kind_is_told_which_kinds_there_are(tmp_path):
    (tmp_path / "net.h5").touch()
    with pytest.raises(UserError, match="is of no kind of model that can be read") as refused:
        load_model(str(tmp_path / "net.h5"))
    assert ".onnx" in refused.value.hint and "matmul" not in refused.value.hint


def test_neither_file_nor_workload():
    with pytest.raises(UserError, match="neither a model file nor a built-in workload") as refused:
        load_model("nix:1,2")
    assert "matmul" in refused.value.hint
