"""Archives of torch.export become Relax modules that compute the same; they are never trusted."""

import contextlib
import io
import json
import sys
import zipfile
from collections import defaultdict

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from tvm import relax

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model, load_model
from pruner_engine.frontends.model import bind, declared_inputs, signature
from pruner_engine.frontends.torch.guard import check_archive

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.register_buffer("shift", torch.arange(8.0))

    def forward(self, x):
        return nn.functional.relu(self.norm(self.conv(x))).mean((2, 3)) + self.shift


class Counting(nn.Module):
    """cumsum over booleans, as attention masks do it."""

    def forward(self, mask):
        return (mask > 0).cumsum(dim=-1)


class FromTheEnd(nn.Module):
    """Indices that count from the end: one, some, and those of an input."""

    def forward(self, x, chosen):
        return x[:, -1] + x[:, [0, -2]].sum(1) + x[:, -3:-1].sum(1) + x[:, chosen].sum(1)


class Mixed(nn.Module):
    """Arithmetic of whole numbers, floats and booleans with each other."""

    def forward(self, x, i):
        positions = torch.exp(-torch.arange(8) / 8 * 2.0)
        arithmetic = (x + torch.arange(8) * 0.5, positions * x, i * 0.5, i / 2, 2.5 - i, i.abs() ** 0.5, -i * 0.3)
        whole = (i + x, i // 2, i % 3, i.clamp(max=3), i.clamp(max=3.5), i.sum())
        booleans = ((x > 0) * 1.5, torch.where(x > 0, i, 0.5), i > 0.5, x * True, (x > 0) + (i > 1), (x > 0) * (i > 1))
        together = (torch.cat([x, i]), x.amax(0), x.reshape(2, 4).logsumexp(-1), torch.sqrt(i.abs()))
        return *arithmetic, *whole, *booleans, *together


def save(folder, module, *args, **options):
    path = folder / "model.pt2"
    torch.export.save(torch.export.export(module.eval(), args, **options), path)
    return str(path)


def run(mod, *inputs):
    machine = machine_of(mod)
    return machine["main"](*(tvm.runtime.tensor(np.asarray(x)) for x in inputs)).numpy()


def test_a_cnn_computes_the_same(tmp_path):
    torch.manual_seed(0)
    module, image = SmallCnn().eval(), torch.randn(1, 3, 16, 16)
    module.norm.running_mean.normal_()
    module.norm.running_var.uniform_(0.5, 2)
    model = load_model(save(tmp_path, module, image))
    assert (model.kind, model.inputs[0].shape, model.outputs[0].shape) == ("pt2", (1, 3, 16, 16), (1, 8))
    np.testing.assert_allclose(run(model.mod, image), module(image).detach(), rtol=1e-4, atol=1e-5)


def test_a_transformer_computes_the_same(transformer):
    tokens = torch.randint(0, 256, (1, 64), generator=torch.Generator().manual_seed(0))
    expected = torch.export.load(transformer).module()(tokens).detach()
    model = load_model(str(transformer))
    assert model.inputs[0].dtype == "int64"
    np.testing.assert_allclose(run(model.mod, tokens), expected, rtol=1e-4, atol=1e-5)


def test_cumsum_of_booleans_counts(tmp_path):
    mask = torch.tensor([[1.0, 0.0, 1.0, 1.0]])
    model = load_model(save(tmp_path, Counting(), mask))
    assert run(model.mod, mask).tolist() == [[1, 1, 2, 3]]


def test_mixed_types_are_computed_as_pytorch_does(tmp_path):
    torch.manual_seed(0)
    x, i = torch.randn(8), torch.arange(8) - 2
    model = load_model(save(tmp_path, Mixed(), x, i))
    machine = machine_of(model.mod)
    results = machine["main"](tvm.runtime.tensor(x.numpy()), tvm.runtime.tensor(i.numpy()))
    for got, want in zip(results, Mixed()(x, i), strict=True):
        assert got.numpy().dtype == want.numpy().dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-6)


class Regions(nn.Module):
    """As rotary embeddings are written: without gradients, and float32 whatever the rest is."""

    def __init__(self, autocast):
        super().__init__()
        self.autocast = autocast

    def forward(self, x):
        with torch.no_grad():
            angles = x * 2
            with torch.autocast("cpu", enabled=self.autocast):
                waves = angles.cos(), angles @ angles
        return x * waves[0] + waves[1] + angles


def test_regions_without_gradients_or_autocast_are_part_of_the_model(tmp_path):
    x = torch.linspace(0, 1, 16).reshape(4, 4)
    model = load_model(save(tmp_path, Regions(False), x, strict=False))
    np.testing.assert_allclose(run(model.mod, x.numpy()), Regions(False)(x).numpy(), rtol=1e-5)


def test_a_region_in_another_type_is_refused(tmp_path):
    with pytest.raises(UserError, match="autocast"):
        load_model(save(tmp_path, Regions(True), torch.ones(4, 4), strict=False))


def test_indices_may_count_from_the_end(tmp_path):
    torch.manual_seed(0)
    x, chosen = torch.randn(2, 12, 5), torch.tensor([3, -1, -12])
    model = load_model(save(tmp_path, FromTheEnd(), x, chosen))
    np.testing.assert_allclose(run(model.mod, x, chosen), FromTheEnd()(x, chosen), rtol=1e-5, atol=1e-6)


def test_dynamic_dimensions_are_asked_for(tmp_path):
    batch = torch.export.Dim("batch", min=1, max=64)
    path = save(tmp_path, SmallCnn(), torch.randn(2, 3, 16, 16), dynamic_shapes=({0: batch},))
    (checked,) = check_model(path).inputs
    assert isinstance(checked.shape[0], str) and checked.shape[1:] == [3, 16, 16]
    with pytest.raises(UserError, match="dynamic shape"):
        load_model(path)
    assert load_model(path, {"x": [5, 3, 16, 16]}).outputs[0].shape == (5, 8)
    assert checked.bounds == {checked.shape[0]: (1, 64)}
    with pytest.raises(UserError, match="is 65, and the model was exported for 1 to 64"):
        load_model(path, {"x": [65, 3, 16, 16]})


def test_an_open_size_may_be_one_where_pytorch_says_two_or_more(tmp_path):
    x = torch.randn(2, 3, 16, 16)
    path = save(tmp_path, SmallCnn(), x, dynamic_shapes=({0: torch.export.Dim.AUTO},))
    found = run(load_model(path, {"x": [1, 3, 16, 16]}).mod, x[:1])
    meant = torch.export.load(path).module()(x[:1]).detach()
    np.testing.assert_allclose(found, meant, rtol=1e-5, atol=1e-5)


class Halved(nn.Module):
    def forward(self, x, y):
        return nn.functional.avg_pool2d(x, 2).sum((2, 3)) + y.sum()


def test_dimensions_that_follow_from_others_are_asked_for(tmp_path):
    height = torch.export.Dim("h", min=3, max=64)
    shapes = ({2: 8 * height}, {0: height})
    path = save(tmp_path, Halved(), torch.randn(1, 3, 32, 6), torch.randn(4), dynamic_shapes=shapes)
    x, y = check_model(path).inputs
    (name,) = y.shape
    assert x.shape == [1, 3, f"8*{name}", 6]
    assert x.bounds == {f"8*{name}": (24, 512)} and y.bounds == {name: (3, 64)}
    image, row = torch.randn(1, 3, 24, 6), torch.randn(3)
    model = load_model(path, {"x": [1, 3, 24, 6], "y": [3]})
    np.testing.assert_allclose(run(model.mod, image, row), Halved()(image, row), rtol=1e-5, atol=1e-5)
    for given, words in (
        ([25, 3], "cannot be 25"),
        ([24, 5], f"cannot be 5 where {name} is 3"),
        ([16, 2], "is 16, and"),
    ):
        with pytest.raises(UserError, match=words):
            load_model(path, {"x": [1, 3, given[0], 6], "y": [given[1]]})


def test_a_dimension_may_follow_from_none_that_comes_in(tmp_path):
    width, module = torch.export.Dim("w"), nn.AvgPool2d(2)
    path = save(tmp_path, module, torch.randn(1, 3, 6, 32), dynamic_shapes=({3: 8 * width},))
    (declared,) = check_model(path).inputs
    assert declared.shape[3].startswith("8*")
    image = torch.randn(1, 3, 6, 40)
    np.testing.assert_allclose(run(load_model(path, {declared.name: image.shape}).mod, image), module(image), rtol=1e-5)
    with pytest.raises(UserError, match="cannot be 41"):
        load_model(path, {declared.name: [1, 3, 6, 41]})


class ByLength(nn.Module):
    def forward(self, x):
        return x / x.shape[1] ** 0.5


def test_powers_of_open_sizes_are_arithmetic(tmp_path):
    save(tmp_path, ByLength(), torch.randn(2, 5, 4), dynamic_shapes=({1: torch.export.Dim.AUTO},))
    check_archive((tmp_path / "model.pt2").read_bytes(), "model")


class OfItsSize(nn.Module):
    """What is computed from open sizes: by how much to pad, what to divide by, how large to make an image."""

    def forward(self, image, rows):
        height, width, length = *image.shape[2:], rows.shape[1]
        padded = nn.functional.pad(image, (0, -width % 8, 0, -height % 8))
        doubled = nn.functional.interpolate(image, scale_factor=2.0, mode="bilinear")
        sized = nn.functional.interpolate(image, size=(height * 3 // 2, width))
        patches = nn.functional.unfold(image, 2, stride=2)
        last = rows[torch.arange(rows.shape[0]), (rows[:, :, 0] > 0).sum(1) - 1]
        return padded, doubled, sized, patches, last, rows.sum(1) / length, rows / length**0.5


def test_what_is_computed_from_open_sizes(tmp_path):
    image, rows = torch.randn(1, 2, 6, 10), torch.randn(2, 5, 4)
    auto = torch.export.Dim.AUTO
    path = save(tmp_path, OfItsSize(), image, rows, dynamic_shapes=({2: auto, 3: auto}, {0: auto, 1: auto}))
    declared = check_model(path).inputs
    assert [[type(extent) for extent in item.shape] for item in declared] == [[int, int, str, str], [str, str, int]]
    image, rows = torch.randn(1, 2, 9, 12), torch.randn(3, 7, 4)
    model = load_model(path, {"image": image.shape, "rows": rows.shape})
    results = machine_of(model.mod)["main"](*(tvm.runtime.tensor(x.numpy()) for x in (image, rows)))
    for got, want in zip(results, OfItsSize()(image, rows), strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-5)


class MadeNumbers(nn.Module):
    """Makes a number of a size in Python, of which the exporter keeps a condition."""

    def forward(self, images):
        height = int(images["small"].shape[2] * 1.5)
        return nn.functional.interpolate(images["small"], size=(height, 4)) + images["large"].sum()


def test_sizes_that_were_made_numbers_are_those_of_the_export(tmp_path):
    auto = torch.export.Dim.AUTO
    images = {"small": torch.randn(1, 2, 8, 4), "large": torch.randn(1, 2, 6, 6)}
    path = save(tmp_path, MadeNumbers(), images, dynamic_shapes=({"small": {2: auto}, "large": {2: auto}},))
    small, large = (item.name for item in check_model(path).inputs)
    load_model(path, {small: [1, 2, 8, 4], large: [1, 2, 9, 6]})
    with pytest.raises(UserError, match=r"it was exported for sizes of which this is true: .*shape\[2\].*12"):
        load_model(path, {small: [1, 2, 10, 4], large: [1, 2, 6, 6]})


class Windows(nn.Module):
    """Halves a length that must be even, which its type does not say."""

    def forward(self, x):
        torch._check(x.shape[0] % 2 == 0)
        return x.reshape(x.shape[0] // 2, 2, 4).sum(1)


def test_open_shapes_that_its_operators_refuse_are_one_sentence(tmp_path):
    path = save(tmp_path, Windows(), torch.ones(8, 4), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    (declared,) = check_model(path).inputs
    with pytest.raises(UserError, match=rf"does not work with {declared.shape[0]}=5: ") as told:
        load_model(path, {"x": [5, 4]})
    assert "\n" not in told.value.message


def activation(*shape):
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_output(builder.emit(relax.op.nn.relu(x)))
        builder.emit_func_output(out)
    return builder.get()


def test_dimensions_of_a_factor_and_an_offset_are_named_by_both():
    n, m = (tvm.tirx.Var(name, "int64") for name in "nm")
    (declared,) = declared_inputs(activation(8 * n + 1))
    assert (declared.shape, declared.bounds) == (["8*n+1"], {"8*n+1": (9, None)})
    follows = activation(n, 8 * n + 1)
    assert signature(bind(follows, {"x": (2, 17)}))[1][0].shape == (2, 17)
    with pytest.raises(UserError, match=r"Dimension 8\*n\+1 of input x cannot be 18"):
        bind(follows, {"x": (2, 18)})
    with pytest.raises(UserError, match=r"Dimension 8\*n\+1 of input x follows from n, which no input has"):
        bind(activation(8 * n + 1), {"x": (17,)})
    with pytest.raises(UserError, match="Input x has a dimension that is computed"):
        declared_inputs(activation(n * m))


class Optional(nn.Module):
    """As models of the Transformers library are called, which take and give what is no tensor."""

    def forward(self, x, mask=None, return_dict=False, scale=2):
        return {"x": x * scale, "mask": mask, "many": 3, "flag": return_dict}


def test_what_is_no_tensor_is_no_input_and_no_output(tmp_path):
    path = save(tmp_path, Optional(), torch.ones(2, 3), None, False, 5)
    model = load_model(path)
    assert [spec.name for spec in model.inputs] == [spec.name for spec in model.outputs] == ["x"]
    np.testing.assert_array_equal(run(model.mod, torch.ones(2, 3)), np.full((2, 3), 5))


class Containers(nn.Module):
    """Results by keys, in containers of containers; two of them would share a name, one is no tensor."""

    def forward(self, x):
        counted = defaultdict(list, {"sum": x.sum()})
        heads = {"a": [x * 2, (x * 3,)], "größe in m²": None, "b-c d": x.mean(), "b c d": x.amax(0)}
        return {"boxes": x + 1, "heads": heads, 3: x - 1, "counted": counted, "heads.a": {"0": x * 4}, "/": x * 5}


def test_results_are_called_by_the_keys_of_their_containers(tmp_path):
    model = load_model(save(tmp_path, Containers(), torch.ones(2, 3)))
    named = [spec.name for spec in model.outputs]
    heads = ["heads.a.0", "heads.a.1.0", "heads.b_c_d", "heads.b_c_d_2"]
    assert named == ["boxes", *heads, "3", "counted.sum", "heads.a.0_2", "output8"]
    results = machine_of(model.mod)["main"](tvm.runtime.tensor(np.ones((2, 3), np.float32)))
    found = {name: float(result.numpy().max()) for name, result in zip(named, results, strict=True)}
    wanted = {"boxes": 2, "heads.a.1.0": 3, "3": 0, "counted.sum": 6, "heads.a.0_2": 4, "output8": 5}
    assert {name: found[name] for name in wanted} == wanted


class Places(nn.Module):
    def forward(self, x):
        return x + 1, (x + 2, {"a": x + 3}), x + 4


def test_results_without_keys_are_numbered(tmp_path):
    model = load_model(save(tmp_path, Places(), torch.ones(2, 3)))
    assert [spec.name for spec in model.outputs] == ["output0", "output1", "output1.1.a", "output3"]


class Mute(nn.Module):
    def forward(self, x):
        return None


def test_a_program_without_a_tensor_to_give_is_refused(tmp_path):
    with pytest.raises(UserError, match="gives no tensor"):
        load_model(save(tmp_path, Mute(), torch.ones(2)))


def test_shapes_that_its_operators_refuse_are_one_sentence():
    x, y = (
        relax.Var(n, relax.TensorType((tvm.tirx.Var(d, "int64"), 4), "float32")) for n, d in (("x", "a"), ("y", "b"))
    )
    builder = relax.BlockBuilder()
    with builder.function("main", [x, y]):
        with builder.dataflow():
            out = builder.emit_output(relax.op.concat([x, y], axis=1))
        builder.emit_func_output(out)
    with pytest.raises(UserError, match=r"does not work with a=2, b=3") as told:
        bind(builder.get(), {"x": (2, 4), "y": (3, 4)})
    assert "\n" not in told.value.message and "ir.Op(" not in told.value.message


# ---------------------------------------------------------------- archives that would run code


class Bomb:
    """Writes a file when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def repack(path, change):
    """The archive with `change(name, data)` applied to each record; a record of None is dropped, new ones are added."""
    source = zipfile.ZipFile(path)
    records = {i.filename: source.read(i) for i in source.infolist()}
    root = next(iter(records)).split("/")[0]
    change(root, records)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, data in records.items():
            out.writestr(name, data)
    return packed.getvalue()


def pickled(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def edit_json(records, name, change):
    value = json.loads(records[name])
    change(value)
    records[name] = json.dumps(value).encode()


def evil_samples(root, records, marker):
    records[f"{root}/data/sample_inputs/model.pt"] = pickled(Bomb(marker))


def evil_weight(root, records, marker):
    def change(config):
        next(iter(config["config"].values()))["use_pickle"] = True

    edit_json(records, f"{root}/data/weights/model_weights_config.json", change)
    records[f"{root}/data/weights/weight_0"] = pickled(Bomb(marker))


def evil_constant(root, records, marker):
    def change(config):
        config["config"]["c"] = {
            "path_name": "opaque_obj_0",
            "is_param": False,
            "use_pickle": True,
            "tensor_meta": None,
        }

    edit_json(records, f"{root}/data/constants/model_constants_config.json", change)
    records[f"{root}/data/constants/opaque_obj_0"] = pickled(Bomb(marker))


def old_weights(root, records, marker):
    records[f"{root}/data/weights/model.pt"] = pickled(Bomb(marker))


def evil_shape(root, records, marker):
    def change(model):
        values = model["graph_module"]["graph"]["tensor_values"]
        size = next(iter(values.values()))["sizes"]
        size[0] = {"as_expr": {"expr_str": f"__import__('pathlib').Path({str(marker)!r}).touch()", "hint": None}}

    edit_json(records, f"{root}/models/model.json", change)


def evil_nested_shape(root, records, marker, function="Integer"):
    def change(model):
        values = model["graph_module"]["graph"]["tensor_values"]
        inner = f"__import__('pathlib').Path({str(marker)!r}).touch()"
        next(iter(values.values()))["sizes"][0] = {"as_expr": {"expr_str": f"{function}({inner!r})", "hint": None}}

    edit_json(records, f"{root}/models/model.json", change)


def evil_number(root, records, marker):
    evil_nested_shape(root, records, marker, "Float")


def evil_rounding(root, records, marker):
    evil_nested_shape(root, records, marker, "TruncToInt")


def evil_operator(root, records, marker):
    def change(model):
        model["graph_module"]["graph"]["nodes"][0]["target"] = "torch.utils.cpp_extension.load"

    edit_json(records, f"{root}/models/model.json", change)


def evil_region(root, records, marker):
    def change(model):
        nodes = model["graph_module"]["graph"]["nodes"]
        inner = {**json.loads(json.dumps(nodes[0])), "target": "torch.utils.cpp_extension.load"}
        region = {"name": "region", "graph": {**model["graph_module"]["graph"], "nodes": [inner]}}
        arguments = [{"as_bool": False}, {"as_graph": region}]
        nodes[0]["target"] = "torch.ops.higher_order.wrap_with_set_grad_enabled"
        nodes[0]["inputs"] = [{"name": "", "arg": argument, "kind": 1} for argument in arguments]

    edit_json(records, f"{root}/models/model.json", change)


def compiled_code(root, records, marker):
    records[f"{root}/data/aotinductor/model/code.so"] = b"\x7fELF"


def two_models(root, records, marker):
    records[f"{root}/models/other.json"] = records[f"{root}/models/model.json"]


@pytest.mark.parametrize(
    "attack",
    [
        evil_samples,
        evil_weight,
        evil_constant,
        old_weights,
        evil_shape,
        evil_nested_shape,
        evil_number,
        evil_rounding,
        evil_operator,
        evil_region,
        compiled_code,
        two_models,
    ],
)
def test_archives_with_code_are_refused_and_run_nothing(transformer, tmp_path, attack):
    marker = tmp_path / "was-here"
    content = repack(transformer, lambda root, records: attack(root, records, marker))
    with pytest.raises(UserError):
        load_model("model.pt2", content=content)
    assert not marker.exists()


@pytest.mark.parametrize("into", ["in_spec", "out_spec"])
@pytest.mark.parametrize("kind", ["enumeration", "defaultdict"])
def test_archives_that_have_modules_imported_are_refused_and_import_nothing(
    transformer, tmp_path, monkeypatch, kind, into
):
    evil = f"evil_{kind}_{into}"
    (tmp_path / f"{evil}.py").write_text("touched = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = {"default_factory_module": evil, "default_factory_name": "touched", "dict_context": []}
    member = {"__enum__": True, "fqn": f"{evil}:touched", "name": "x"}
    structure = {"type": "builtins.dict", "context": json.dumps([member]), "children_spec": []}
    if kind == "defaultdict":
        structure = {"type": "collections.defaultdict", "context": made, "children_spec": []}

    def change(model):
        model["graph_module"]["module_call_graph"][0]["signature"][into] = json.dumps([1, structure])

    content = repack(transformer, lambda root, records: edit_json(records, f"{root}/models/model.json", change))
    with pytest.raises(UserError, match="of which code would be a part"):
        load_model("model.pt2", content=content)
    assert evil not in sys.modules
    with contextlib.suppress(Exception):
        torch.export.load(io.BytesIO(content))
    assert evil in sys.modules, "the check is needed"


def test_the_attacks_would_work_on_a_plain_load(transformer, tmp_path):
    """The guard is needed: PyTorch itself unpickles example inputs without restriction."""
    marker = tmp_path / "was-here"
    content = repack(transformer, lambda root, records: evil_samples(root, records, marker))
    with pytest.raises(Exception):  # noqa: B017  whatever it says afterwards
        torch.export.load(io.BytesIO(content))
    assert marker.exists()


def test_decompression_bombs_are_refused(transformer):
    packed = io.BytesIO()
    with zipfile.ZipFile(transformer) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for item in source.infolist():
            data = source.read(item)
            out.writestr(item.filename, bytes(256 << 20) if item.filename.endswith("weight_0") else data)
    with pytest.raises(UserError, match="unpacks to more"):
        load_model("bomb.pt2", content=packed.getvalue())


def test_weights_larger_than_the_file_are_refused(transformer):
    def change(root, records):
        def grow(config):
            meta = next(iter(config["config"].values()))
            meta["tensor_meta"]["sizes"][0]["as_int"] = 1 << 40

        edit_json(records, f"{root}/data/weights/model_weights_config.json", grow)

    with pytest.raises(UserError, match="larger than the file"):
        load_model("model.pt2", content=repack(transformer, change))
