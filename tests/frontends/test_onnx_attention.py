"""Attention as ONNX Runtime's optimisers and its builder of language models write it, in ONNX's own operators."""

import numpy as np
import onnx
import onnxruntime
import pytest
import tvm
from onnx import TensorProto, helper, numpy_helper

from exact_runtime import needs_newer_runtime
from machines import machine_of
from pruner_engine.frontends import load_model
from pruner_engine.frontends.onnx.operators.corrections import corrected

RNG = np.random.default_rng(0)
BATCH, LENGTH, HEADS, WIDTH, PAST = 2, 3, 4, 32, 5
DEPTH, ALL = HEADS * WIDTH, PAST + LENGTH


def numbers(*shape):
    return RNG.standard_normal(shape).astype("f")


def whole(array):
    return np.array(array, "i4")


def model_of(operator, inputs, outputs=1, opset=17, **form):
    """A node on `inputs`, the first of which is the model's; None is one that it lacks."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(inputs)]
    made = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(operator, names, made, domain="com.microsoft", **form)
    kind = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    given = helper.make_tensor_value_info("x0", kind, inputs[0].shape)
    held = [numpy_helper.from_array(array, f"x{i}") for i, array in enumerate(inputs) if i and array is not None]
    graph = helper.make_graph([node], "g", [given], [onnx.ValueInfoProto(name=name) for name in made], held)
    opsets = [helper.make_opsetid(domain, version) for domain, version in (("", opset), ("com.microsoft", 1))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def outputs_of(model, x):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x0": x})


def check(operator, inputs, outputs=1, rows=slice(None), **form):
    """That ONNX's operators make the same; of sequences with fewer rows only those are told."""
    model = model_of(operator, inputs, outputs, **form)
    written = corrected(model)
    assert all(node.domain == "" for node in written.graph.node)
    pairs = zip(outputs_of(written, inputs[0]), outputs_of(model, inputs[0]), strict=True)
    for number, (ours, theirs) in enumerate(pairs):
        assert ours.dtype == theirs.dtype
        where = rows if number == 0 else slice(None)
        np.testing.assert_allclose(ours[where], theirs[where], 1e-4, 1e-5, err_msg=f"output {number}")


X, JOINT = numbers(BATCH, LENGTH, DEPTH), [numbers(DEPTH, 3 * DEPTH), numbers(3 * DEPTH)]
PADDED = whole([[1, 1, 0], [1, 1, 1]])
BOTH_PAST = numbers(2, BATCH, HEADS, PAST, WIDTH)
MASKS = {
    "none": None,
    "of_keys": PADDED,
    "of_queries": whole(np.tril(np.ones((BATCH, LENGTH, LENGTH)))),
    "of_lengths": whole([2, 3]),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("opset", [11, 17])
def test_joint_attention(mask, opset):
    check("Attention", [X, *JOINT, mask], opset=opset, num_heads=HEADS)


def test_joint_attention_with_a_past():
    check("Attention", [X, *JOINT, None, BOTH_PAST], 2, num_heads=HEADS, unidirectional=1, scale=0.3)
    added = numbers(1, HEADS, LENGTH, LENGTH)
    check("Attention", [X, *JOINT, PADDED, None, added], num_heads=HEADS, unidirectional=1)
    sizes = [DEPTH, DEPTH, 2 * DEPTH]
    check("Attention", [X, numbers(DEPTH, 4 * DEPTH), numbers(4 * DEPTH)], num_heads=HEADS, qkv_hidden_sizes=sizes)


@pytest.mark.parametrize("opset", [11, 17])
def test_shapes_are_known_behind_what_the_runtime_fuses(opset):
    """As in every layer of a transformer that its optimisers wrote."""
    model = model_of("Attention", [X, *JOINT], opset=opset, num_heads=HEADS)
    attention = model.graph.node.pop()
    attention.input[0] = "b"
    for name, inputs, made in (("SkipLayerNormalization", ["x0", "x0", "g"], "a"), ("BiasGelu", ["a", "g"], "b")):
        model.graph.node.append(helper.make_node(name, inputs, [made], domain="com.microsoft"))
    model.graph.node.append(attention)
    model.graph.initializer.append(numpy_helper.from_array(numbers(DEPTH), "g"))
    written = corrected(model)
    assert all(node.domain == "" for node in written.graph.node)
    np.testing.assert_allclose(outputs_of(written, X)[0], outputs_of(model, X)[0], 1e-4, 1e-5)


OTHER = [numbers(BATCH, PAST, DEPTH), numbers(BATCH, PAST, DEPTH)]
BIAS = numbers(3 * DEPTH)
OLD = [numbers(BATCH, HEADS, PAST, WIDTH) for _ in range(2)]


def test_attention_of_several_heads():
    check("MultiHeadAttention", [X, *OTHER], num_heads=HEADS)
    check("MultiHeadAttention", [X, *OTHER, BIAS, whole([[1] * PAST, [1, 1, 0, 0, 1]])], num_heads=HEADS, scale=0.2)
    check("MultiHeadAttention", [X, X + 1, X - 1, BIAS, whole([3, 2])], num_heads=HEADS, mask_filter_value=-1e5)
    check("MultiHeadAttention", [X, *OLD, BIAS[:DEPTH].repeat(3)], num_heads=HEADS)
    past = [X, X + 1, X - 1, None, None, numbers(1, HEADS, LENGTH, ALL), *OLD]
    check("MultiHeadAttention", past, 3, num_heads=HEADS, unidirectional=1)


def test_queries_keys_and_values_in_one_tensor_are_those_of_three():
    heads = [x.reshape(BATCH, LENGTH, HEADS, 1, WIDTH) for x in (X, X + 1, X - 1)]
    three = outputs_of(model_of("MultiHeadAttention", [X, X + 1, X - 1], num_heads=HEADS), X)[0]
    one = np.concatenate(heads, 3)
    made = outputs_of(corrected(model_of("MultiHeadAttention", [one], num_heads=HEADS)), one)[0]
    np.testing.assert_allclose(made, three, 1e-4, 1e-5)
    two = np.concatenate(heads[1:], 3)
    made = outputs_of(corrected(model_of("MultiHeadAttention", [X, two], num_heads=HEADS)), X)[0]
    np.testing.assert_allclose(made, three, 1e-4, 1e-5)


GROUPS = 2
KEYS = [numbers(BATCH, LENGTH, GROUPS * WIDTH) for _ in range(2)]
PASTS = [numbers(BATCH, GROUPS, PAST, WIDTH) for _ in range(2)]
TURNS = [table(numbers(16, WIDTH // 2)) for table in (np.cos, np.sin)]
GROUPED = {"num_heads": HEADS, "kv_num_heads": GROUPS}


def lengths(*ends, total):
    """Of each sequence with all that was, as the operator has them."""
    return [whole(ends) - 1, whole([total])]


def first(*inputs, **form):
    check("GroupQueryAttention", [X, *KEYS, None, None, *lengths(3, 3, total=3), *inputs], 3, **GROUPED, **form)


@needs_newer_runtime
def test_attention_of_grouped_heads():
    first()
    first(scale=0.2, softcap=2.0)
    first(local_window_size=2)
    first(*TURNS, do_rotary=1)
    first(*TURNS, do_rotary=1, rotary_interleaved=1)
    first(*(table[:, :8] for table in TURNS), do_rotary=1)
    first(None, None, None, numbers(BATCH, 1, LENGTH, LENGTH))
    first(None, None, None, None, numbers(HEADS))
    first(smooth_softmax=1)
    packed = np.concatenate([X, *KEYS], -1)
    inputs = [packed, None, None, None, None, *lengths(3, 3, total=3), *TURNS]
    check("GroupQueryAttention", inputs, 3, do_rotary=1, **GROUPED)


def grown(ends, total, length=1, batch=BATCH, past=PASTS, **form):
    """What ONNX's operators and the runtime make of new ones behind a past, and of sequences that end there."""
    news = [array[:batch, :length] for array in (X, *KEYS)]
    inputs = [*news, *(array[:batch] for array in past), *lengths(*ends, total=total), *TURNS]
    model = model_of("GroupQueryAttention", inputs, 3, do_rotary=1, **GROUPED, **form)
    ours, theirs = outputs_of(corrected(model), news[0]), outputs_of(model, news[0])
    np.testing.assert_allclose(ours[0], theirs[0], 1e-4, 1e-5)
    for a, b in zip(ours[1:], theirs[1:], strict=True):
        assert a.shape == b.shape
        for row, end in enumerate(ends):  # nothing reads what lies behind a sequence's end
            np.testing.assert_allclose(a[row, :, :end], b[row, :, :end], 1e-4, 1e-5)


@needs_newer_runtime
def test_attention_of_grouped_heads_with_a_past():
    grown((ALL,), ALL, length=LENGTH, batch=1)
    grown((PAST + 1, PAST + 1), PAST + 1)
    grown((PAST + 1, PAST + 1), PAST + 1, local_window_size=3)


def test_sequences_of_several_lengths_and_caches_of_their_largest_size():
    grown((PAST - 1, PAST + 1), PAST + 1)
    large = [np.pad(array, [(0, 0), (0, 0), (0, 4), (0, 0)]) for array in PASTS]
    grown((PAST - 1, PAST + 1), PAST + 1, past=large)
    grown((ALL,), ALL, length=LENGTH, batch=1, past=large)


def test_positions():
    places = [np.array([[0, 1, 2], [4, 5, 6]]), np.array([3])]
    for at in places:
        check("RotaryEmbedding", [X, at, *TURNS], num_heads=HEADS)
        check("RotaryEmbedding", [X, at, *TURNS], interleaved=1)
    by_heads = numbers(BATCH, HEADS, LENGTH, WIDTH)
    check("RotaryEmbedding", [by_heads, places[0], *TURNS])
    part = [table[:, :2] for table in TURNS]
    check("RotaryEmbedding", [X, places[0], *part], num_heads=HEADS, rotary_embedding_dim=4)


def test_norms_of_embeddings():
    words, segments = whole([[1, 2, 3], [4, 0, 2]]), whole([[0, 0, 1], [1, 1, 1]])
    tables = [numbers(6, DEPTH), numbers(LENGTH, DEPTH), numbers(2, DEPTH), *numbers(2, DEPTH)]
    check("EmbedLayerNormalization", [words, segments, *tables, PADDED], 3)
    check("EmbedLayerNormalization", [words, None, *tables[:2], None, *tables[3:]], 2)


def a_language_model(past, half):
    """A layer as the builder of language models writes it, whose length is that of its mask."""
    kind = np.float16 if half else np.float32
    of = helper.make_node
    norm = {"epsilon": 1e-6, "axis": -1, "stash_type": 1}
    nodes = [
        of("Gather", ["table", "ids"], ["x"]),
        of("SimplifiedLayerNormalization", ["x", "g"], ["n"], **norm),
        of("MatMul", ["n", "w"], ["qkv"]),
        of("ReduceSum", ["mask", "one"], ["sum"], keepdims=0),
        of("Sub", ["sum", "one"], ["less"]),
        of("Cast", ["less"], ["ends"], to=TensorProto.INT32),
        of("Shape", ["mask"], ["shape"]),
        of("Gather", ["shape", "which"], ["many"]),
        of("Cast", ["many"], ["total"], to=TensorProto.INT32),
        of(
            "GroupQueryAttention",
            ["qkv", "", "", "key", "value", "ends", "total", "cos", "sin"],
            ["a", "keys", "values"],
            domain="com.microsoft",
            do_rotary=1,
            **GROUPED,
        ),
        of("MatMul", ["a", "o"], ["p"]),
        of("SkipSimplifiedLayerNormalization", ["x", "p", "g"], ["y", "", "", "s"], domain="com.microsoft"),
        of("MatMul", ["y", "h"], ["logits"]),
    ]
    held = {
        "table": numbers(9, DEPTH) * 300,  # whose squares are beyond halves
        "g": numbers(DEPTH),
        "w": numbers(DEPTH, 2 * DEPTH) / 6,
        "o": numbers(DEPTH, DEPTH) / 6,
        "h": numbers(DEPTH, 9) / 6,
        "cos": TURNS[0],
        "sin": TURNS[1],
    }
    held = {name: array.astype(kind) for name, array in held.items()}
    held |= {"one": np.array([1]), "which": np.array(1)}
    shape = ["batch", GROUPS, "past", WIDTH]
    real = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    inputs = [("ids", TensorProto.INT64, ["batch", "length"]), ("mask", TensorProto.INT64, ["batch", "total"])]
    inputs += [(name, real, shape) for name in ("key", "value")]
    outputs = [("logits", real, ["batch", "length", 9]), ("keys", real, [*shape[:2], "total", WIDTH])]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(array, name) for name, array in held.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    feed = {
        "ids": np.array([[1, 7, 3]]),
        "mask": np.ones((1, past + 3), np.int64),
        **{name: numbers(1, GROUPS, past, WIDTH).astype(kind) for name in ("key", "value")},
    }
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), feed


@pytest.mark.parametrize("half", [False, True])
def test_a_layer_of_a_language_model(tmp_path, half):
    model, feed = a_language_model(PAST, half)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(str(path), {name: array.shape for name, array in feed.items()})
    machine = machine_of(loaded.mod)
    found = machine["main"](*map(tvm.runtime.tensor, feed.values()))
    expected = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, feed)
    for ours, theirs in zip(found, expected, strict=True):
        tolerance = 2e-2 if half else 1e-4
        np.testing.assert_allclose(ours.numpy(), theirs, tolerance, tolerance)


@pytest.mark.parametrize("room", [PAST + 1, PAST])
def test_a_length_that_is_known_when_it_runs(room):
    """The cache grows by the new ones, unless the file declares that it keeps its size."""
    x, *others = [array[:1, :1] for array in (X, *KEYS)] + [array[:1] for array in PASTS]
    ends = lengths(room, total=room)
    model = model_of("GroupQueryAttention", [x, *others, *ends, *TURNS], 3, do_rotary=1, **GROUPED)
    graph, expected = model.graph, outputs_of(model, x)
    graph.initializer.remove(next(held for held in graph.initializer if held.name == "x6"))
    graph.input.append(helper.make_tensor_value_info("x6", TensorProto.INT32, [1]))
    if room == PAST:
        graph.output[1].CopyFrom(helper.make_tensor_value_info("y1", TensorProto.FLOAT, [1, GROUPS, room, WIDTH]))
    session = onnxruntime.InferenceSession(corrected(model).SerializeToString(), providers=["CPUExecutionProvider"])
    for ours, theirs in zip(session.run(None, {"x0": x, "x6": ends[1]}), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 1e-5)
