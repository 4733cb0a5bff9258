"""Operators of ONNX in forms that TVM's importer has wrong: corrected they agree with ONNX Runtime, or are refused.

A test's nodes are one model, all on its one input; what else they read is constant.
"""

import itertools

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import pytest
import tvm
from onnx import helper, numpy_helper

from exact_runtime import needs_newer_runtime, session_of
from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

RNG = np.random.default_rng(0)
IMAGE = RNG.standard_normal((1, 2, 5, 6)).astype("f")


def model_of(x, opset, *nodes):
    """Of (operator, its other inputs or None, its attributes) each; an operator "domain.Name" is of that domain."""
    made, weights, outputs = [], [], []
    for operator, others, form in nodes:
        names = ["x"]
        for array in others:
            names.append("" if array is None else f"w{len(weights)}")
            if array is not None:
                weights.append(numpy_helper.from_array(np.asarray(array), names[-1]))
        attributes = dict(form)
        own = [f"y{len(outputs) + i}" for i in range(attributes.pop("outputs", 1))]
        outputs += [onnx.ValueInfoProto(name=name) for name in own]
        domain, _, name = operator.rpartition(".")
        made.append(helper.make_node(name, names, own, domain=domain, **attributes))
    given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    graph = helper.make_graph(made, "g", [given], outputs, weights)
    domains = {"", *(node.domain for node in made)}
    opsets = [helper.make_opsetid(domain, 1 if domain else opset) for domain in sorted(domains)]
    return onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=10))


def compare(folder, x, opset, *nodes, oracle=None, tolerance=1e-5):
    model = model_of(x, opset, *nodes)
    path = folder / "model.onnx"
    oracle = oracle or session_of(model.SerializeToString())
    expected = oracle.run(None, {"x": x})
    for declared, array in zip(model.graph.output, expected, strict=True):
        if not declared.type.tensor_type.HasField("shape"):  # which inference does not find of each
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            declared.CopyFrom(helper.make_tensor_value_info(declared.name, kind, array.shape))
    onnx.save(model, path)
    machine = machine_of(load_model(str(path)).mod)
    found = machine["main"](tvm.runtime.tensor(x))
    found = [found] if hasattr(found, "numpy") else found
    assert len(found) == len(expected)
    for name, a, b in zip((o.name for o in model.graph.output), found, expected, strict=True):
        assert a.numpy().dtype == b.dtype
        node = next(n for n in model.graph.node if name in n.output)
        np.testing.assert_allclose(a.numpy(), b, tolerance, tolerance, err_msg=str(node))


@pytest.mark.parametrize("scales", [(1, 1, 2, 2), (1, 1, 1.5, 1.3), (1, 1, 3, 2.5)])
@pytest.mark.parametrize("opset", [7, 9])
def test_upsample(tmp_path, opset, scales):
    scales = np.array(scales, "f")
    given = ([], {"scales": scales}) if opset == 7 else ([scales], {})
    nodes = [("Upsample", given[0], {**given[1], "mode": mode}) for mode in ("nearest", "linear")]
    compare(tmp_path, IMAGE, opset, *nodes)


@pytest.mark.parametrize("scales", [(1, 1, 2, 2), (1, 1, 1.5, 1.3), (1, 1, 0.6, 0.7), (1, 1, 0.5, 2)])
def test_resize_of_version_10(tmp_path, scales):
    compare(tmp_path, IMAGE, 10, *(("Resize", [np.array(scales, "f")], {"mode": m}) for m in ("nearest", "linear")))


COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]
NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
SCALES = [np.array([1, 1, *inner], "f") for inner in [(2, 2), (1.5, 1.3), (0.6, 0.7), (0.3, 2.2)]]
SIZES = [np.array([1, 2, *inner]) for inner in [(7, 9), (1, 1)]]


@pytest.mark.parametrize("wanted", [SCALES[0], SCALES[3], *SIZES], ids=str)
def test_resize(tmp_path, wanted):
    """All modes; by scales that fit the extents, that are rounded down with them, and by sizes."""
    region = np.array([0, 0, 0.1, -0.2, 1, 1, 0.7, 1.3], "f")
    given = [wanted] if wanted.dtype == "f" else [None, wanted]
    nodes = []
    for where in [*COORDINATES, "tf_crop_and_resize"]:
        crop = where == "tf_crop_and_resize"
        at = {"coordinate_transformation_mode": where} | ({"extrapolation_value": 5.0} if crop else {})
        # this one lays elements on others, or between two, but for the last bit, which then decides what is nearest
        rounding = NEAREST if where != "half_pixel_symmetric" else []
        kinds = [{"mode": "nearest", "nearest_mode": n} for n in rounding] + [{"mode": "linear"}]
        kinds += [{"mode": "cubic", "exclude_outside": out, "cubic_coeff_a": -0.5} for out in (0, 1)]
        nodes += [("Resize", [region if crop else None, *given], at | kind) for kind in kinds]
    compare(tmp_path, IMAGE, 19, *nodes, tolerance=1e-4)


@pytest.mark.parametrize("scales", [*SCALES, np.array([1, 1, 0.5, 0.25], "f")], ids=str)
def test_resize_against_aliasing(tmp_path, scales):
    kinds = itertools.product(("linear", "cubic"), (0, 1), ("half_pixel", "asymmetric"))
    nodes = [
        (
            "Resize",
            [None, scales],
            {"antialias": 1, "mode": m, "exclude_outside": out, "coordinate_transformation_mode": w},
        )
        for m, out, w in kinds
    ]
    compare(tmp_path, IMAGE, 18, *nodes, tolerance=1e-4)


def test_resize_of_some_axes(tmp_path):
    policies = itertools.product(("not_larger", "not_smaller"), ([2, 3], [3, 2]), ("nearest", "linear"))
    nodes = [
        ("Resize", [None, None, np.array([7, 11])], {"axes": axes, "keep_aspect_ratio_policy": policy, "mode": mode})
        for policy, axes, mode in policies
    ]
    nodes += [("Resize", [None, np.array([1.5, 2], "f")], {"axes": [3, 2], "mode": m}) for m in ("nearest", "linear")]
    nodes += [("Resize", [None, np.array([2, 1.5, 1, 2], "f")], {})]
    compare(tmp_path, IMAGE, 19, *nodes)


@pytest.mark.parametrize(
    ("shape", "scales"),
    [
        ((1, 2, 7), (1, 1, 2)),
        ((1, 2, 7), (1, 1, 1.6)),
        ((7,), (1.6,)),
        ((4, 5), (1.6, 2)),
        ((1, 2, 3, 4, 5), (1, 1, 2, 2, 2)),
        ((1, 2, 3, 4, 5), (1, 1, 1.5, 0.7, 1.3)),
    ],
)
def test_resize_of_other_ranks(tmp_path, shape, scales):
    x = RNG.standard_normal(shape).astype("f")
    nodes = [("Resize", [None, np.array(scales, "f")], {"mode": mode}) for mode in ("nearest", "linear", "cubic")]
    reference = onnx.reference.ReferenceEvaluator(model_of(x, 13, *nodes))  # the runtime is cubic on images only
    compare(tmp_path, x, 13, *nodes, oracle=reference, tolerance=1e-4)


@pytest.mark.parametrize("extent", [20, 33, 100])
def test_resize_rounds_as_the_runtime_does(tmp_path, extent):
    x = RNG.standard_normal((1, 1, extent, 6)).astype("f")
    sizes = [None, None, np.array([1, 1, extent * 3 // 2, 9])]
    kinds = itertools.product(("asymmetric", "half_pixel", "align_corners"), NEAREST)
    compare(
        tmp_path,
        x,
        13,
        *(("Resize", sizes, {"coordinate_transformation_mode": where, "nearest_mode": n}) for where, n in kinds),
    )


def test_resize_by_converted_scales(tmp_path):
    """As converters of halves write it."""
    model = model_of(IMAGE, 17, ("Resize", [None, np.array([1, 1, 2, 2], "f2")], {"mode": "linear"}))
    model.graph.node.insert(0, helper.make_node("Cast", ["w0"], ["wide"], to=onnx.TensorProto.FLOAT))
    model.graph.node[1].input[2] = "wide"
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y0", onnx.TensorProto.FLOAT, [1, 2, 10, 12]))
    onnx.save(model, tmp_path / "model.onnx")
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = machine["main"](tvm.runtime.tensor(IMAGE)).numpy()
    np.testing.assert_allclose(found, session.run(None, {"x": IMAGE})[0], 1e-5, 1e-5)


def test_resize_of_bytes(tmp_path):
    x = np.arange(20, dtype=np.uint8).reshape(1, 1, 4, 5)
    scales = [None, np.array([1, 1, 1.5, 2], "f")]
    compare(tmp_path, x, 13, ("Resize", scales, {}))
    with pytest.raises(UserError, match="linear on whole numbers"):
        compare(tmp_path, x, 13, ("Resize", scales, {"mode": "linear"}))


@pytest.mark.parametrize(("opset", "dtype"), [(10, "f"), (20, "e")])
def test_infinities_of_one_sign(tmp_path, opset, dtype):
    x = np.array([1, np.inf, -np.inf, np.nan], dtype)
    signs = itertools.product((0, 1), (0, 1))
    nodes = [("IsInf", [], {"detect_negative": negative, "detect_positive": positive}) for negative, positive in signs]
    compare(tmp_path, x, opset, *nodes)


def test_what_is_not_equal_to_itself_is_no_number(tmp_path):
    x, path = np.array([1, np.inf, np.nan], "f"), str(tmp_path / "model.onnx")
    body = "c = Equal(x, x)  d = Not(c)  e = Cast<to = 1>(d)  y = Where(c, x, e)"
    head = '<ir_version: 8, opset_import: ["": 17]> g (float[3] x) => (float[3] y)'
    onnx.save(onnx.parser.parse_model(f"{head} {{ {body} }}"), path)
    found = machine_of(load_model(path).mod)["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_array_equal(found, [1, np.inf, 1])


@pytest.mark.parametrize("place", [0, 2, -3])
def test_so_many_rows_from_a_place_that_is_computed(tmp_path, place):
    body = """
        sizes = Constant<value_ints = [2, 5]>()  axes = Constant<value_ints = [0, -1]>()
        starts = Add(i, i)  ends = Add(starts, sizes)  y = Slice(x, starts, ends, axes)
    """
    head = '<ir_version: 8, opset_import: ["": 17]> g (float[8, 5] x, int64[2] i) => (float[2, 5] y)'
    x, path = RNG.standard_normal((8, 5)).astype("f"), str(tmp_path / "model.onnx")
    onnx.save(onnx.parser.parse_model(f"{head} {{ {body} }}"), path)
    machine = machine_of(load_model(path).mod)
    found = machine["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(np.array([place, 0])))
    np.testing.assert_array_equal(found.numpy(), x[2 * place :][:2])


def test_places_of_what_is_not_zero_in_a_constant_are_known(tmp_path):
    body = """
        mask = Constant<value = int64[3] {1, 0, 1}>()  found = NonZero(mask)  count = Shape(found)
        one = Constant<value_ints = [1]>()  many = Gather(count, one)  rows = Transpose<perm = [1, 0]>(found)
        ones = ConstantOfShape<value = float[1] {2.0}>(many)  y = ScatterND<reduction = "add">(x, rows, ones)
    """
    x, path = np.array([1, 2, 3], "f"), str(tmp_path / "model.onnx")
    head = '<ir_version: 8, opset_import: ["": 17]> g (float[3] x) => (float[3] y)'
    onnx.save(onnx.parser.parse_model(f"{head} {{ {body} }}"), path)
    found = machine_of(load_model(path).mod)["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_array_equal(found, [3, 2, 5])


def test_what_a_constant_condition_chooses(tmp_path):
    some, first = np.array([1, 0, 0, 1, 1]) > 0, np.array([0, 1]) > 0
    forms = [(some, {"axis": 2}), (first, {"axis": -1}), (some, {})]
    compare(tmp_path, IMAGE, 17, *(("Compress", [condition], form) for condition, form in forms))


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool", "LpPool"])
def test_pools_as_large_as_the_input(tmp_path, operator):
    x = RNG.standard_normal((1, 3, 7, 6)).astype("f")
    forms = itertools.product((b"SAME_LOWER", b"SAME_UPPER"), ([1, 1], [2, 2], [2, 3]))
    nodes = [(operator, [], {"auto_pad": pad, "kernel_shape": [3, 4], "strides": steps}) for pad, steps in forms]
    compare(tmp_path, x, 11, *nodes, tolerance=1e-4)


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": [2, 2], "output_shape": [9, 10]},
        {"strides": [2, 2], "output_shape": [10, 12], "auto_pad": "SAME_UPPER"},
        {"strides": [2, 2], "output_shape": [10, 12], "auto_pad": "SAME_LOWER"},
        {"strides": [3, 3], "output_shape": [10, 13], "output_padding": [1, 1]},
        {"strides": [3, 3], "output_shape": [17, 18], "group": 2},
        {"strides": [2, 2], "output_shape": [12, 14]},
    ],
    ids=str,
)
def test_transposed_convolutions_of_a_given_output(tmp_path, attributes):
    weight = RNG.standard_normal((2, 2, 3, 3)).astype("f")
    compare(tmp_path, IMAGE, 11, ("ConvTranspose", [weight], attributes), tolerance=1e-4)


def test_the_largest_of_version_10(tmp_path):
    nodes = [("TopK", [np.array([2])], {"axis": axis, "outputs": 2}) for axis in (2, -1)]
    compare(tmp_path, IMAGE, 10, *nodes)


@needs_newer_runtime
@pytest.mark.parametrize("shapes", [[(4,)], [(4,), (4,)], [(1, 1, 4), (4, 1, 1)], [(4, 4, 4), (4,)]], ids=str)
def test_layer_norm_with_weights_of_fewer_axes(tmp_path, shapes):
    weights = [RNG.standard_normal(shape).astype("f") for shape in shapes]
    x = RNG.standard_normal((2, 4, 4, 4)).astype("f")
    compare(tmp_path, x, 17, ("LayerNormalization", weights, {"axis": 1}), tolerance=1e-4)


@pytest.mark.parametrize("opset", [10, 16])
def test_regions_of_a_scaled_image(tmp_path, opset):
    x = RNG.standard_normal((2, 3, 10, 12)).astype("f")
    regions = [np.array([[1, 1, 9, 7], [0.5, 2, 3.5, 4], [2, 2, 2.2, 2.1]], "f"), np.array([0, 1, 0])]
    forms = itertools.product((0, 2), (1.0, 0.5, 0.25))
    nodes = [
        ("RoiAlign", regions, {"sampling_ratio": n, "spatial_scale": scale, "output_height": 3, "output_width": 2})
        for n, scale in forms
    ]
    compare(tmp_path, x, opset, *nodes, tolerance=1e-4)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scattering_by_few_indices(tmp_path, axis, dtype):
    """Fewer than the data has elements along some axes, or all; some count from the end."""
    x = RNG.standard_normal((3, 4, 5)).astype("f")
    nodes = []
    for extents in [(3, 4, 5), (3, 1, 1), (2, 2, 3), (1, 4, 1), (1, 1, 5)]:
        end = x.shape[axis]
        places = np.argsort(RNG.random((*extents, end)), -1)  # different ones along the axis, as ONNX demands
        places = np.take_along_axis(places, np.indices(extents)[axis][..., None], -1)[..., 0]
        places = np.moveaxis(np.broadcast_to(np.take(places, [0], axis), extents), axis, -1)
        places = np.moveaxis((places + np.arange(extents[axis])) % end - end * RNG.integers(0, 2), -1, axis)
        given = [places.astype(dtype), RNG.standard_normal(extents).astype("f")]
        nodes += [
            ("ScatterElements", given, {"axis": axis, "reduction": how}) for how in ("none", "add", "mul", "min", "max")
        ]
    compare(tmp_path, x, 18, *nodes)


@pytest.mark.parametrize("opset", [9, 10])
def test_scattering_of_version_9(tmp_path, opset):
    places = np.array([[[1]], [[-1]], [[-4]]])
    nodes = [("Scatter", [places, np.ones((3, 1, 1), "f")], {"axis": axis}) for axis in (2, -1)]
    compare(tmp_path, RNG.standard_normal((3, 4, 5)).astype("f"), opset, *nodes)


def test_slices_of_version_9(tmp_path):
    forms = [{"starts": [1, -3], "ends": [3, 1000], "axes": [1, -1]}, {"starts": [0, 1], "ends": [1, 2]}]
    compare(tmp_path, IMAGE, 9, *(("Slice", [], form) for form in forms))


def test_slices_backwards_beyond_the_ends(tmp_path):
    least, most = (np.iinfo(np.int64).min, np.iinfo(np.int32).max)
    bounds = [(most, least, -1), (-1, -99, -2), (9, 1, -1), (-99, most, -1), (-2, least, -3), (2, most, -2)]
    nodes = [
        ("Slice", [*np.array([[start], [end], [axis], [step]])], {}) for start, end, step in bounds for axis in (2, -1)
    ]
    nodes.append(("Slice", [*np.array([[-99, 0, 4, 7], [99, 2, least, 0], [0, 1, 2, 3], [1, 1, -1, -2]])], {}))
    compare(tmp_path, IMAGE, 13, *nodes)


@pytest.mark.parametrize("dtype", ["f", "d", "i", "l"])
def test_powers_of_mixed_types(tmp_path, dtype):
    x = np.array([[1, 2, 3], [0, 5, 9]]).astype(dtype)
    exponents = [np.array(2), np.array([3, 0, 1], "i"), np.array([0.5, 2, 1], "f"), np.array(2.0)]
    compare(tmp_path, x, 15, *(("Pow", [exponent], {}) for exponent in exponents))


def test_booleans_are_compared_and_reduced(tmp_path):
    x = RNG.random((3, 4)) > 0.5
    nodes = [("Equal", [RNG.random(4) > 0.5], {})]
    nodes += [(f"Reduce{kind}", [np.array([axis])], {}) for kind, axis in itertools.product(("Max", "Min"), (0, 1))]
    compare(tmp_path, x, 20, *nodes)


@needs_newer_runtime
@pytest.mark.parametrize("opset", [13, 22])
def test_vectors_are_normalised(tmp_path, opset):
    """One of them has no length."""
    x = np.concatenate([RNG.standard_normal((3, 4)), np.zeros((1, 4))]).astype("f")
    forms = itertools.product((0, -1), (1, 2))
    compare(tmp_path, x, opset, *(("LpNormalization", [], {"axis": axis, "p": p}) for axis, p in forms))


def test_groups_of_channels_are_normalised(tmp_path):
    x = RNG.standard_normal((2, 4, 5, 3)).astype("f")
    weights = [RNG.standard_normal(4).astype("f") for _ in range(2)]
    compare(tmp_path, x, 21, ("GroupNormalization", weights, {"num_groups": 2}), tolerance=1e-4)


@pytest.mark.parametrize("dtype", ["f", "d", "e", "i", "l"])
def test_one_hot_has_the_type_of_its_values(tmp_path, dtype):
    at_runtime = dtype in "fl"  # of the others the runtime knows none
    forms = itertools.product((4, [4]) if at_runtime else (4,), (-1, 0, 1))
    nodes = [("OneHot", [np.array(depth), np.array([0, 1]).astype(dtype)], {"axis": axis}) for depth, axis in forms]
    x = np.array([[1, -1, 3], [0, 2, -4]])
    reference = None if at_runtime else onnx.reference.ReferenceEvaluator(model_of(x, 13, *nodes))
    compare(tmp_path, x, 13, *nodes, oracle=reference)


def test_one_hot_of_what_is_beyond_the_depth(tmp_path):
    compare(tmp_path, np.array([4, -5, 9]), 13, ("OneHot", [np.array(4), np.array([2, 5], "f")], {}))


class Numpy:
    """What NumPy computes, where ONNX Runtime is no oracle."""

    def __init__(self, *results):
        self.results = results

    def run(self, names, inputs):
        return [*self.results]


@pytest.mark.parametrize("opset", [13, 18])
def test_images_are_standardised(tmp_path, opset):
    """One of them is all the same number: as ONNX defines it, that is divided by something."""
    x = np.stack([IMAGE[0], np.full(IMAGE.shape[1:], 0.5)]).astype("f")
    forms = [{}, {"axes": [2, 3]}, {"axes": [1, 2, 3]}]
    over = [tuple(form.get("axes", (0, 2, 3))) for form in forms]
    made = [(x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9) for axes in over]
    nodes = [("MeanVarianceNormalization", [], form) for form in forms]
    compare(tmp_path, x, opset, *nodes, oracle=Numpy(*(part.astype("f") for part in made)))


@pytest.mark.parametrize("opset", [1, 6])
def test_operands_go_together_as_old_files_say(tmp_path, opset):
    y, z = RNG.standard_normal((2,)).astype("f"), RNG.standard_normal((2, 5)).astype("f")
    slopes, row = np.array([0.1, 0.3], "f"), RNG.standard_normal(6).astype("f")
    forms = [
        ("Add", [y], {"broadcast": 1, "axis": 1}),
        ("Mul", [z], {"broadcast": 1, "axis": 1}),
        ("Sub", [row], {"broadcast": 1}),
        ("Div", [row], {"broadcast": 1, "axis": -1}),
        ("Pow", [np.float32([2])], {"broadcast": 1}),
        ("PRelu", [slopes], {}),
    ]
    along = slopes[:, None, None]
    made = [
        IMAGE + y[:, None, None],
        IMAGE * z[..., None],
        IMAGE - row,
        IMAGE / row,
        IMAGE**2,
        np.where(IMAGE < 0, along * IMAGE, IMAGE),
    ]
    compare(tmp_path, IMAGE, opset, *forms, oracle=Numpy(*made))


@pytest.mark.parametrize("where", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize(("operator", "inside"), [("AveragePool", 0), ("AveragePool", 1), ("LpPool", None)])
def test_windows_with_gaps_are_padded(tmp_path, operator, inside, where):
    form = {"kernel_shape": [2, 3], "dilations": [3, 1], "strides": [1, 2], "auto_pad": where}
    if inside is not None:
        form["count_include_pad"] = inside
    x = RNG.standard_normal((1, 2, 8, 9)).astype("f")
    rows = (1, 2) if where == "SAME_UPPER" else (2, 1)
    padded = np.pad(x, ((0, 0), (0, 0), rows, (1, 1)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (4, 3), (2, 3))[..., ::2, ::3, :]
    if operator == "LpPool":
        expected = np.sqrt(np.nansum(windows**2, (-1, -2)))
    else:
        expected = np.nansum(windows, (-1, -2)) / 6 if inside else np.nanmean(windows, (-1, -2))
    compare(tmp_path, x, 19, (operator, [], form), oracle=Numpy(expected.astype("f")))


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_a_split_into_one_part(tmp_path, opset):
    parts = {"num_outputs": 1} if opset >= 18 else {}
    compare(tmp_path, IMAGE, opset, ("Split", [], {"axis": 1, **parts}))


def test_the_largest_in_any_order(tmp_path):
    """Of one number there is no other order."""
    forms = [{"sorted": 0, "outputs": 2, "axis": 2}, {"sorted": 0, "outputs": 2, "largest": 0}]
    compare(tmp_path, IMAGE, 13, *(("TopK", [np.array([1])], form) for form in forms))


def test_an_axis_that_comes_is_said_as_a_number(tmp_path):
    """As PyTorch's exporter writes it for heads that share keys."""
    compare(tmp_path, IMAGE, 18, ("Unsqueeze", [np.array(2)], {}), ("Unsqueeze", [np.array(-1)], {}))


@pytest.mark.parametrize("operator", ["RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"])
def test_random_numbers_are_refused(tmp_path, operator):
    onnx.save(model_of(np.full((2, 3), 0.5, "f"), 17, (operator, [], {})), tmp_path / "model.onnx")
    with pytest.raises(UserError, match=r"^The model computes (Multinomial|Random\w+), which cannot be imported"):
        load_model(str(tmp_path / "model.onnx"))


@pytest.mark.parametrize(("opset", "form"), [(11, {"outputs": 5}), (15, {"outputs": 3, "training_mode": 1})])
def test_batch_norms_by_what_comes_in(tmp_path, opset, form):
    """As PyTorch writes norms of weights, whose further outputs nothing reads."""
    scale, bias, old = np.array([2, 3], "f"), np.array([0.5, -1], "f"), np.ones(2, "f")
    model = model_of(IMAGE, opset, ("BatchNormalization", [scale, bias, old, old], form))
    del model.graph.output[1:]
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y0", onnx.TensorProto.FLOAT, IMAGE.shape))
    onnx.save(model, tmp_path / "model.onnx")
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    mean, spread = IMAGE.mean((0, 2, 3), keepdims=True), IMAGE.var((0, 2, 3), keepdims=True)
    expected = (IMAGE - mean) / np.sqrt(spread + 1e-5) * scale[:, None, None] + bias[:, None, None]
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(IMAGE)).numpy(), expected, 1e-5, 1e-5)


PLANE, ROW = np.ones((1, 4, 6, 6), "f"), np.ones(4, "f")


@pytest.mark.parametrize(
    ("node", "opset", "words"),
    [
        (("LayerNormalization", [np.ones(6, "f")], {"outputs": 2}), 17, "further outputs"),
        (("Dropout", [], {"outputs": 2}), 10, "further outputs"),
        (("Dropout", [np.float32(0.5), np.array(True)], {}), 13, "training"),
        (("BatchNormalization", [ROW] * 4, {"training_mode": 1, "outputs": 3}), 15, "further outputs"),
        (("RoiAlign", [np.ones((1, 4), "f"), np.array([0])], {"mode": "max"}), 16, "maximum"),
        (("LRN", [], {"size": 2}), 13, "even size"),
        (("LpPool", [], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}), 18, "ceil_mode"),
        (("Pad", [np.array([0, 0, -1, 2, 0, 0, 2, 2])], {"mode": "wrap"}), 21, "wraps and cuts"),
        (("MaxPool", [], {"kernel_shape": [3, 3], "strides": [0, 2], "auto_pad": "SAME_LOWER"}), 13, "do not fit"),
        (("ReduceL1", [], {"noop_with_empty_axes": 1}), 18, "reduces no axis"),
        (("ReduceSumSquare", [np.array([], "l")], {"noop_with_empty_axes": 1}), 18, "reduces no axis"),
        (("SpaceToDepth", [], {"blocksize": 2, "mode": "CRD"}), 28, "mode CRD"),
        (("Cast", [], {"to": onnx.TensorProto.FLOAT8E5M2}), 19, "float of 8 bits"),
        (("my.ops.Relu", [], {}), 17, "Relu is an operator of my.ops"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_what_has_no_right_form_is_refused(tmp_path, node, opset, words):
    model = model_of(PLANE, opset, node)
    for output in model.graph.output:
        if not output.type.tensor_type.HasField("shape"):  # inferred of operators that are known
            output.CopyFrom(helper.make_tensor_value_info(output.name, onnx.TensorProto.FLOAT, PLANE.shape))
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(UserError, match=words):
        load_model(str(tmp_path / "model.onnx"))


def test_means_of_whole_numbers_are_refused(tmp_path):
    onnx.save(model_of(np.arange(6), 13, ("ReduceMean", [], {})), tmp_path / "model.onnx")
    with pytest.raises(UserError, match="whole numbers"):
        load_model(str(tmp_path / "model.onnx"))


def test_whole_factors_stay_one_kernel_of_tvm(tmp_path):
    scales = [None, np.array([1, 1, 2, 2], "f")]
    onnx.save(
        model_of(IMAGE, 13, *(("Resize", scales, {"mode": m}) for m in ("nearest", "linear"))), tmp_path / "m.onnx"
    )
    assert load_model(str(tmp_path / "m.onnx")).mod.script().count("R.image.resize2d(") == 2


@pytest.mark.parametrize(
    ("form", "opset"),
    [
        ({"kernel_shape": [2, 2], "strides": [2, 2]}, 11),
        ({"kernel_shape": [2, 2], "strides": [2, 2]}, 22),
        ({"kernel_shape": [3, 2], "strides": [1, 2], "pads": [1, 0, 1, 1]}, 13),
        ({"kernel_shape": [2, 2], "dilations": [2, 3]}, 22),
        ({"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, 11),
        ({"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, 13),
    ],
)
def test_places_of_maxima(form, opset, tmp_path):
    compare(tmp_path, np.concatenate([IMAGE, -IMAGE]), opset, ("MaxPool", [], {"outputs": 2, **form}))


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("opset", [13, 22])
def test_no_window_begins_behind_the_image(operator, opset, tmp_path):
    """The file says that there are more."""
    form = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1}
    compare(tmp_path, IMAGE, opset, (operator, [], form))


def test_places_of_maxima_along_columns_are_refused(tmp_path):
    model = model_of(IMAGE, 13, ("MaxPool", [], {"outputs": 2, "kernel_shape": [2, 2], "storage_order": 1}))
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(UserError, match="along columns"):
        load_model(str(tmp_path / "model.onnx"))


@needs_newer_runtime
@pytest.mark.parametrize(
    ("image", "block", "form"),
    [
        ([5, 6], [2, 3], {}),
        ([7, 6], [3, 2], {"strides": [2, 2], "pads": [1, 0, 0, 1]}),
        ([6, 7], [2, 2], {"dilations": [2, 3]}),
        ([9, 7], [2, 2], {"strides": [3, 3]}),
        ([3, 4, 5], [2, 2, 2], {"strides": [1, 2, 1], "pads": [1, 0, 0, 0, 0, 1]}),
    ],
)
def test_windows_are_put_back_into_an_image(image, block, form, tmp_path):
    rank = len(block)
    pads = form.get("pads", [0] * 2 * rank)
    counts = [
        (size + before + behind - (width - 1) * apart - 1) // step + 1
        for size, width, before, behind, apart, step in zip(
            *(image, block, pads[:rank], pads[rank:]),
            *(form.get("dilations", [1] * rank), form.get("strides", [1] * rank)),
            strict=True,
        )
    ]
    x = RNG.standard_normal((2, 3 * np.prod(block), np.prod(counts))).astype("f")
    compare(tmp_path, x, 18, ("Col2Im", [np.array(image), np.array(block)], form))


@pytest.mark.parametrize(("time", "batch"), [(0, 1), (1, 0)])
def test_sequences_are_turned(tmp_path, time, batch):
    x = RNG.standard_normal((4, 5, 3)).astype("f")
    many, form = x.shape[batch], {"time_axis": time, "batch_axis": batch}
    whole = np.full(many, x.shape[time])
    compare(tmp_path, x, 17, *(("ReverseSequence", [n], form) for n in (whole, np.arange(many) % 4 + 1)))


@pytest.mark.parametrize("parts", [1, 2])
def test_spectra(tmp_path, parts):
    x = RNG.standard_normal((2, 12, 3, parts)).astype("f")
    kinds = [{}, {"axis": 2}, {"onesided": 1} if parts == 1 else {"inverse": 1}]
    compare(tmp_path, x, 17, *(("DFT", [], kind) for kind in kinds), ("DFT", [np.array(16)], {}), tolerance=1e-4)
    size = None if parts == 1 else np.array(9)
    compare(tmp_path, x, 20, ("DFT", [size], {}), ("DFT", [None, np.array(1)], {}), tolerance=1e-4)


def test_numbers_of_half_a_spectrum(tmp_path):
    x = RNG.standard_normal((2, 12, 3, 2)).astype("f")
    form = {"inverse": 1, "onesided": 1}
    sizes = [("DFT", [np.array(size), np.array(1)], form) for size in (22, 13, 30)]
    compare(tmp_path, x, 20, *sizes, oracle=onnx.reference.ReferenceEvaluator(model_of(x, 20, *sizes)), tolerance=1e-4)


def test_ones_on_a_diagonal_of_another_type(tmp_path):
    x = RNG.standard_normal((3, 5)).astype("f")
    compare(tmp_path, x, 17, ("EyeLike", [], {"dtype": 1, "k": 1}), ("EyeLike", [], {"dtype": 7}))


def test_extremes_are_scattered_before_version_18(tmp_path):
    x, index = RNG.standard_normal((3, 5)).astype("f"), np.array([[0, 2, 2], [1, 1, 0], [4, 3, 4]])
    updates = RNG.standard_normal((3, 3)).astype("f")
    kinds = [("ScatterElements", [index, updates], {"axis": 1, "reduction": kind}) for kind in ("max", "min")]
    compare(tmp_path, x, 17, *kinds)


def test_spectra_of_frames(tmp_path):
    x, window = RNG.standard_normal((2, 70, 1)).astype("f"), np.hanning(16).astype("f")
    step, size = np.array(9), np.array(16)
    given = ([step, window], [step, None, size], [step, window, size])
    compare(tmp_path, x, 17, *(("STFT", [*inputs], {"onesided": half}) for inputs in given for half in (0, 1)))
    compare(tmp_path, x[:, :, 0], 17, ("STFT", given[0], {"onesided": 0}))  # as some write real signals


def test_functions_of_onnx_that_tvm_lacks(tmp_path):
    crop = ("CenterCropPad", [np.array([7, 3])], {"axes": [2, 3]})
    compare(tmp_path, IMAGE, 18, crop, ("Celu", [], {"alpha": 0.5}))
    oracle = onnx.reference.ReferenceEvaluator(model_of(IMAGE, 24, ("Swish", [], {"alpha": 1.5})))
    compare(tmp_path, IMAGE, 24, ("Swish", [], {"alpha": 1.5}), oracle=oracle)


MATRIX = RNG.standard_normal((3, 4, 6)).astype("f")
FUSED = [
    ("FusedMatMul", [RNG.standard_normal((3, 6, 5)).astype("f")], {"transBatchB": 0}),
    ("FusedMatMul", [RNG.standard_normal((4, 6, 5)).astype("f")], {"transBatchA": 1}),
    ("FusedMatMul", [RNG.standard_normal((4, 3, 5)).astype("f")], {"transBatchA": 1, "transA": 1}),
    ("FusedMatMul", [RNG.standard_normal((5, 6)).astype("f")], {"transB": 1, "alpha": 0.25}),
    ("QuickGelu", [], {"alpha": 1.5}),
    ("QuickGelu", [], {}),
    ("BiasGelu", [MATRIX[0, 0]], {}),
    ("FastGelu", [MATRIX[0, 0]], {}),
    ("FastGelu", [], {}),
    ("Gelu", [], {}),
    ("SkipLayerNormalization", [MATRIX + 1, *RNG.standard_normal((3, 6)).astype("f")], {"epsilon": 1e-3}),
    ("SkipLayerNormalization", [MATRIX + 1, MATRIX[0, 0]], {}),
    ("SkipSimplifiedLayerNormalization", [MATRIX + 1, MATRIX[0, 0], MATRIX[0, 1]], {"epsilon": 1e-3}),
]


def test_what_the_runtime_fuses(tmp_path):
    nodes = [(f"com.microsoft.{name}", others, form) for name, others, form in FUSED]
    compare(tmp_path, MATRIX, 17, *nodes)


def test_norms_of_sums_have_an_epsilon_of_their_own_where_they_name_none(tmp_path):
    """Of sums so small that it shows; a model of several has its attributes said by the runtime."""
    for name in ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"):
        compare(tmp_path, MATRIX, 17, (f"com.microsoft.{name}", [MATRIX * -0.999, MATRIX[0, 0]], {}))


def test_a_quantised_softmax_is_over_the_last_axis_where_it_names_none(tmp_path):
    """ONNX's own was over all axes but the first before version 13."""
    steps = [np.float32(0.1), np.uint8(3), np.float32(1 / 256), np.uint8(0)]
    compare(tmp_path, (MATRIX * 9 + 50).astype("uint8"), 12, ("com.microsoft.QLinearSoftmax", steps, {"opset": 12}))


def test_norms_over_layers_were_the_runtimes(tmp_path):
    scale, shift = RNG.standard_normal((2, 6)).astype("f")
    nodes = ("LayerNormalization", [scale, shift], {"epsilon": 1e-3}), ("SimplifiedLayerNormalization", [scale], {})
    compare(tmp_path, MATRIX, 13, *nodes)


@needs_newer_runtime
def test_what_the_runtime_fuses_with_activations(tmp_path):
    weights = RNG.standard_normal((2, 2, 3, 3)).astype("f")
    bias, other = RNG.standard_normal(2).astype("f"), RNG.standard_normal((1, 2, 5, 6)).astype("f")
    several = [("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.5]), ("HardSigmoid", [0.3, 0.4])]
    kinds = [{"activation": "Relu"}, *({"activation": kind, "activation_params": some} for kind, some in several)]
    form = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    both = [weights], [weights, bias, other]
    nodes = [("com.microsoft.FusedConv", given, {**form, **kind}) for kind in kinds for given in both]
    compare(tmp_path, IMAGE, 17, *nodes)
    large = numpy_helper.from_array(np.array([1, 1, 2, 2], "f"), "large")
    behind = model_of(IMAGE, 17, ("com.microsoft.FusedConv", [weights], {**form, **kinds[0]}))
    behind.graph.initializer.append(large)
    behind.graph.node.append(helper.make_node("Resize", ["y0", "", "large"], ["y1"], mode="linear"))
    behind.graph.output[0].CopyFrom(helper.make_tensor_value_info("y1", onnx.TensorProto.FLOAT, [1, 2, 10, 12]))
    onnx.save(behind, tmp_path / "behind.onnx")
    assert load_model(str(tmp_path / "behind.onnx")).outputs[0].shape == (1, 2, 10, 12)
    product = RNG.standard_normal((4, 6)).astype("f")
    gemm = {"transB": 1, "alpha": 0.5, "activation": "LeakyRelu", "activation_alpha": 0.2}
    compare(tmp_path, MATRIX[0], 17, ("com.microsoft.FusedGemm", [product, bias[0]], gemm))


BYTES = RNG.integers(0, 256, (8, 2, 16)).astype("u1")


@pytest.mark.parametrize("dtype", ["u1", "i1"])
def test_products_of_quantised_numbers_that_are_real(tmp_path, dtype):
    x, weights = RNG.standard_normal((2, 3, 16)).astype("f"), BYTES[:, 0].reshape(16, 8).astype(dtype)
    zeros, scales = np.arange(8).astype(dtype), RNG.random(8).astype("f")
    scale, zero, bias = np.float32(0.02), np.array(3, dtype), RNG.standard_normal(8).astype("f")
    of_weights = ([scale], [scale, zero], [scale, None, bias], [scales, zeros, bias])
    dynamic = [("com.microsoft.DynamicQuantizeMatMul", [weights, *others], {}) for others in of_weights]
    compare(tmp_path, x, 17, *dynamic, tolerance=1e-4)
    of_both = [[weights, np.float32(0.1), one, np.uint8(7), *others] for one, *others in of_weights]
    plain = ("com.microsoft.MatMulIntegerToFloat", [weights, scale, scale], {})
    static = [("com.microsoft.MatMulIntegerToFloat", others, {}) for others in of_both]
    compare(tmp_path, BYTES[0], 17, plain, *static, tolerance=1e-4)


@needs_newer_runtime
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_products_with_weights_of_few_bits(tmp_path, bits):
    depth = 128 // bits
    form = {"N": 8, "K": 2 * depth - 3, "bits": bits, "block_size": depth}
    scales, zeros = RNG.random(16).astype("f"), RNG.integers(0, 256, 8 * -(-2 * bits // 8)).astype("u1")
    x = RNG.standard_normal((3, 2 * depth - 3)).astype("f")
    given = ([BYTES, scales], [BYTES, scales, zeros])
    compare(tmp_path, x, 17, *(("com.microsoft.MatMulNBits", others, form) for others in given))


@needs_newer_runtime
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
def test_rows_of_tables_of_few_bits(tmp_path, bits, zeros):
    """As language models keep their words; the last of three blocks is half as long as the others."""
    arrays = {"table": RNG.integers(0, 256, (9, 40 * bits // 8), "u1"), "scales": RNG.random((9, 3)).astype("f")}
    if zeros:
        arrays["zeros"] = RNG.integers(0, 256, (9, -(-3 * bits // 8)), "u1")
    form = {"bits": bits, "block_size": 16, "gather_axis": 0, "quantize_axis": 1, "domain": "com.microsoft"}
    node = helper.make_node("GatherBlockQuantized", ["table", "x", *list(arrays)[1:]], ["y"], **form)
    ends = [helper.make_tensor_value_info("x", onnx.TensorProto.INT64, [2, 5])]
    ends += [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2, 5, 40])]
    weights = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=8), tmp_path / "model.onnx")
    x = RNG.integers(0, 9, (2, 5))
    expected = session_of((tmp_path / "model.onnx").read_bytes()).run(None, {"x": x})[0]
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(x)).numpy(), expected, 1e-6, 1e-6)


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "INT8"])
def test_weights_whose_blocks_have_scales_of_their_own(tmp_path, kind):
    dtype, x = getattr(onnx.TensorProto, kind), RNG.standard_normal((3, 16)).astype("f")
    weights = [
        helper.make_tensor("w", dtype, [16, 8], RNG.integers(0, 8, 128)),
        helper.make_tensor("z", dtype, [2, 8], RNG.integers(0, 8, 16)),
        numpy_helper.from_array(RNG.random((2, 8)).astype("f"), "s"),
    ]
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["m"], axis=0, block_size=8),
        helper.make_node("MatMul", ["x", "m"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [3, n]) for name, n in (("x", 16), ("y", 8))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "model.onnx")
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    expected = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})[0]
    np.testing.assert_allclose(machine["main"](tvm.runtime.tensor(x)).numpy(), expected, 1e-5, 1e-5)


@pytest.mark.parametrize(
    "form",
    [
        {"pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]},
        {"pads": [1, 1, 1, 1], "group": 2, "offset_group": 2},
    ],
    ids=str,
)
def test_deformable_convolutions(tmp_path, form):
    x, weights = RNG.standard_normal((2, 4, 6, 7)).astype("f"), RNG.standard_normal((6, 4, 3, 3)).astype("f")
    weights, parts = weights[:, : 4 // form.get("group", 1)], form.get("offset_group", 1)
    out = (4, 4) if "strides" in form else (6, 7)
    offsets = RNG.standard_normal((2, parts * 18, *out)).astype("f")
    mask, bias = RNG.random((2, parts * 9, *out)).astype("f"), RNG.standard_normal(6).astype("f")
    nodes = [("DeformConv", others, form) for others in ([weights, offsets], [weights, offsets, bias, mask])]
    expected = onnx.reference.ReferenceEvaluator(model_of(x, 19, *nodes)).run(None, {"x": x})
    compare(tmp_path, x, 19, *nodes, oracle=Numpy(*(part.astype("f") for part in expected)), tolerance=1e-4)


def test_deformable_convolutions_of_halves(tmp_path):
    shapes = [(1, 2, 5, 6), (3, 2, 3, 3), (1, 18, 3, 4)]
    x, *others = (RNG.standard_normal(shape).astype("e") for shape in shapes)
    wide = model_of(x.astype("f"), 19, ("DeformConv", [other.astype("f") for other in others], {}))
    (expected,) = onnx.reference.ReferenceEvaluator(wide).run(None, {"x": x.astype("f")})
    compare(tmp_path, x, 19, ("DeformConv", others, {}), oracle=Numpy(expected.astype("e")), tolerance=1e-2)


def test_operators_on_halves_that_tvm_has_of_float32(tmp_path):
    nodes = [(name, [], {}) for name in ("Atan", "Elu", "Selu", "ThresholdedRelu")]
    nodes += [("LRN", [], {"size": 3}), ("GridSample", [RNG.uniform(-1, 1, (1, 3, 4, 2)).astype("e")], {})]
    compare(tmp_path, IMAGE.astype("e"), 20, *nodes, tolerance=2e-3)


def test_a_constant_of_no_dimensions_is_a_scalar(tmp_path):
    value = numpy_helper.from_array(np.array([2.5], "f"))
    nodes = [
        helper.make_node("ConstantOfShape", ["none"], ["c"], value=value),
        helper.make_node("Mul", ["x", "c"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [])
    made = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [])
    graph = helper.make_graph(nodes, "g", [given], [made], [numpy_helper.from_array(np.zeros(0, np.int64), "none")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "model.onnx")
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    found = machine["main"](tvm.runtime.tensor(np.array(2.0, "f"))).numpy()
    assert found.shape == () and found == 5.0


def test_signs_of_numbers_without_one(tmp_path):
    compare(tmp_path, np.array([0, 1, 7, 255], np.uint8), 13, ("Sign", [], {}))


def test_signs_of_what_is_no_number(tmp_path):
    compare(tmp_path, np.array([np.nan, -0.0, 3, -np.inf], "f"), 13, ("Sign", [], {}))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32"])
def test_shrunk_numbers(tmp_path, dtype):
    x = np.arange(0 if dtype == "uint8" else -9, 10).astype(dtype)
    bounds = [(0.5, 0.0), (3.0, 1.5), (2.0, -3.0), (1.0, -1.5), (-2.0, 1.0)]
    compare(tmp_path, x, 13, *(("Shrink", [], {"lambd": bound, "bias": bias}) for bound, bias in bounds))


@pytest.mark.parametrize(
    "mask",
    [
        "mask = Greater(x, zero)",
        "row = ReduceSum<keepdims = 0>(x, last) mask = Greater(row, zero)",
        "mask = Identity(x)",
    ],
    ids=["of numbers", "of rows", "of what is not zero"],
)
def test_a_number_put_by_a_mask(tmp_path, mask):
    """As PyTorch's exporter writes `x[mask] = number`."""
    text = f"""<ir_version: 8, opset_import: ["" : 17]> g (float[3, 4, 5] x, float number) => (float[3, 4, 5] y)
        <float zero = {{0}}, int64[1] last = {{-1}}, int64[1] none = {{0}}>
        {{ {mask} found = NonZero(mask) places = Transpose<perm = [1, 0]>(found) many = Shape(places)
           width = Shape<start = MASKED>(x) rows = Gather(many, none) sizes = Concat<axis = 0>(rows, width)
           numbers = Expand(number, sizes) y = ScatterND(x, places, numbers) }}"""
    model = onnx.parser.parse_model(text.replace("MASKED", "2" if "row" in mask else "3"))
    onnx.save(model, tmp_path / "model.onnx")
    x = RNG.standard_normal((3, 4, 5)).astype("f").round()
    given = {"x": x, "number": np.array(-7, "f")}
    (want,) = session_of(model.SerializeToString()).run(None, given)
    machine = machine_of(load_model(str(tmp_path / "model.onnx")).mod)
    np.testing.assert_array_equal(machine["main"](*map(tvm.runtime.tensor, given.values())).numpy(), want)
