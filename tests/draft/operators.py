"""Operators that no built-in workload names: other layouts, packed channels, and chains of several in one kernel."""

from __future__ import annotations

from functools import partial

import tvm
from tvm import relax, te, topi
from tvm.relax import op

from graphs import graph
from pruner_engine.lowering.words.products import WIDE_PAIRS
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites.winograd import transform_input, transform_output
from pruner_engine.tasks.task import TensorSpec, TuningTask
from pruner_engine.tasks.words.few_bit_kernels import few_bit_product, unpacked_product
from pruner_engine.tasks.words.kernels import Window, conv2d

_IMAGE, _FILTERS = (1, 16, 14, 14), (32, 16, 3, 3)


def _conv1d_by_columns(x: relax.Expr, w: relax.Expr) -> relax.Expr:
    return op.nn.conv1d(x, w, padding=1, data_layout="NWC", kernel_layout="WIO")


def _conv3d_by_columns(x: relax.Expr, w: relax.Expr) -> relax.Expr:
    return op.nn.conv3d(x, w, padding=1, data_layout="NDHWC", kernel_layout="DHWIO")


def _residual(x: relax.Expr, other: relax.Expr, w: relax.Expr, bias: relax.Expr) -> relax.Expr:
    return op.nn.relu(op.add(op.add(op.nn.conv2d(x, w, padding=1), bias), other))


def _depthwise_clipped(x: relax.Expr, w: relax.Expr, bias: relax.Expr) -> relax.Expr:
    return op.clip(op.add(op.nn.conv2d(x, w, padding=1, groups=48), bias), 0, 6)


def _matmul_gelu(x: relax.Expr, w: relax.Expr, bias: relax.Expr) -> relax.Expr:
    return op.nn.gelu(op.add(op.matmul(x, w), bias))


def _scores(queries: relax.Expr, keys: relax.Expr) -> relax.Expr:
    found = op.matmul(queries, op.permute_dims(keys, [0, 2, 1]))
    return op.nn.softmax(op.multiply(found, relax.const(0.25, "float32")), axis=-1)


def _added_norm(x: relax.Expr, other: relax.Expr, scale: relax.Expr, shift: relax.Expr) -> relax.Expr:
    return op.nn.layer_norm(op.add(x, other), scale, shift, axes=[-1])


def _chain(x: relax.Expr, y: relax.Expr) -> relax.Expr:
    return op.tanh(op.add(op.exp(x), op.multiply(y, y)))


def _heads(x: relax.Expr) -> relax.Expr:
    """Of three heads: what lies side by side in a row becomes rows of its own."""
    rows = int(x.ty.shape[1])
    return op.permute_dims(op.reshape(x, (1, rows, 3, int(x.ty.shape[2]) // 3)), [0, 2, 1, 3])


_GRAPHS = {
    "conv1d by columns": (_conv1d_by_columns, [(1, 64, 16), (3, 16, 32)], []),
    "conv3d by columns": (_conv3d_by_columns, [(1, 6, 10, 10, 8), (3, 3, 3, 8, 16)], []),
    "conv1d transposed": (
        lambda x, w: op.nn.conv1d_transpose(x, w, strides=2, padding=1),
        [(1, 16, 24), (16, 8, 4)],
        [],
    ),
    "grouped matmul": (op.matmul, [(2, 3, 32, 16), (3, 16, 64)], []),
    "matmul of every group": (lambda x, w: op.einsum((x, w), "bgi,gio->bgo"), [(32, 4, 16), (4, 16, 24)], []),
    "pool by columns": (
        lambda x: op.nn.max_pool2d(x, pool_size=3, strides=2, padding=1, layout="NHWC"),
        [(1, 16, 16, 32)],
        [],
    ),
    "pool of whole images": (lambda x: op.nn.adaptive_avg_pool2d(x, output_size=(1, 1)), [(1, 64, 8, 8)], []),
    "mean of columns": (lambda x: op.mean(x, axis=[0]), [(96, 64)], []),
    "softmax of channels": (lambda x: op.nn.softmax(x, axis=1), [(2, 12, 5, 48)], []),
    "largest of all": (op.max, [(96, 64)], []),
    "logarithm of softmax": (lambda x: op.nn.log_softmax(x, axis=-1), [(48, 100)], []),
    "root mean square norm": (lambda x, w: op.nn.rms_norm(x, w, axes=[-1]), [(32, 192), (192,)], []),
    "convolution, bias, residual, relu": (_residual, [_IMAGE, (1, 32, 14, 14)], [_FILTERS, (1, 32, 1, 1)]),
    "depthwise convolution, bias, clip": (_depthwise_clipped, [(1, 48, 14, 14)], [(48, 1, 3, 3), (1, 48, 1, 1)]),
    "matmul, bias, gelu": (_matmul_gelu, [(64, 48), (48, 80), (80,)], []),
    "matmul, scale, softmax": (_scores, [(4, 32, 16), (4, 32, 16)], []),
    "sum, layer norm": (_added_norm, [(32, 192), (32, 192), (192,), (192,)], []),
    "exp, product, sum, tanh": (_chain, [(64, 96), (64, 96)], []),
    "heads of rows": (_heads, [(1, 98, 96)], []),
    "keys of heads, as columns": (lambda x: op.permute_dims(_heads(x), [0, 1, 3, 2]), [(1, 98, 96)], []),
    "colours last": (lambda x: op.permute_dims(x, [0, 2, 3, 1]), [(1, 3, 20, 24)], []),
    "factors of channels": (op.multiply, [(1, 14, 14, 40), (1, 1, 1, 40)], []),
}


# more elements than a GPU has threads for at once: TVM gives each thread several, in a loop of its own
_LARGE = {
    "large chain": (_chain, [(520, 1000), (520, 1000)], []),
    "large factors of channels": (op.multiply, [(1, 96, 61, 59), (1, 96, 1, 1)], []),
    "large transpose": (lambda x: op.permute_dims(x, [0, 2, 3, 1]), [(1, 64, 80, 70)], []),
}

HALF, PACKED = "matmul of halves, summed in float32", "conv2d of packed channels"
PAIRS_OF_BYTES = "conv2d of bytes that are widened to pairs"
HALF_RELU = "conv2d of halves, relu"
DILATED = ["Winograd's transform of pixels that lie apart", "Winograd's transform back to pixels that lie apart"]
FEW_BITS = {
    "product of weights of four bits": (1, 4, False, None),
    "product of bytes around middles": (3, 8, True, None),
    "product of many rows and weights of four bits": (48, 4, True, True),
    "product of 23 rows and bytes": (23, 8, False, True),
    "product of a row and what words hold": (1, 4, True, False),
    "product of 32 rows and what words hold": (32, 8, False, False),
}
OPERATORS = [*_GRAPHS, PACKED, *FEW_BITS]
LARGE_OPERATORS = [*_LARGE]


def operator_task(name: str, target: tvm.target.Target) -> TuningTask:
    """The heaviest task of one of `OPERATORS`, or of the others above."""
    if name in (graphs := _GRAPHS | _LARGE):
        function, shapes, constants = graphs[name]
        tasks = extract_tasks(prepare(graph(function, *shapes, constants=constants), target), target)
        return max(tasks, key=lambda task: task.flops)
    others = {HALF: _half, PACKED: _packed, PAIRS_OF_BYTES: _pairs_of_bytes, HALF_RELU: _half_relu}
    others |= zip(DILATED, (_winograd_input, _winograd_output), strict=True)
    others |= {of_few: partial(_few_bits, *form) for of_few, form in FEW_BITS.items()}
    with target:
        made = others[name]()
        mod = tvm.IRModule({"main": te.create_prim_func(made)})
    specs = tuple(TensorSpec(t.op.name, tuple(int(n) for n in t.shape), str(t.dtype)) for t in made)
    return TuningTask("kernel", "kernel", "0", mod, specs, 1e6, 1)


def _packed() -> list[te.Tensor]:
    """Channels and filters in parts of eight that lie beside each other."""
    data, weight = te.placeholder((1, 2, 12, 12, 8), name="data"), te.placeholder((4, 2, 3, 3, 8, 8), name="weight")
    return [data, weight, topi.nn.conv2d_NCHWc(data, weight, 1, 1, 1, "NCHW8c", "NCHW8c", "float32")]


def _few_bits(rows: int, bits: int, around: bool, apart: bool | None) -> list[te.Tensor]:
    """A product with blocks of 32 weights, in a stage of their own unless `apart` is None."""
    shape = (4, bits, 64) if apart is None else (4 * bits, 64)
    stages = partial(unpacked_product, rows=rows + rows % 2 * (rows > 1), apart=bool(apart))
    product = few_bit_product if apart is None else stages
    x, words = te.placeholder((rows, 128), name="x"), te.placeholder(shape, "int32", "words")
    known = [te.placeholder((4, 64), name=name) for name in ("scales", "middles")[: 1 + around]]
    return [x, words, *known, product(x, words, *known, bits=bits)]


def _half() -> list[te.Tensor]:
    """A product that MetaSchedule tensorises."""
    a, b = te.placeholder((128, 128), "float16", "a"), te.placeholder((128, 256), "float16", "b")
    return [a, b, topi.nn.matmul(a, b, out_dtype="float32")]


def _half_relu() -> list[te.Tensor]:
    """A convolution of 49 pixels, which are padded for Tensor Cores, and what reads its result."""
    data, weight = te.placeholder((1, 7, 7, 64), "float16", "data"), te.placeholder((1, 1, 64, 48), "float16", "weight")
    return [data, weight, topi.nn.relu(topi.nn.conv2d(data, weight, 1, 0, 1, "NHWC", "HWIO", "float16"))]


def _winograd_input() -> list[te.Tensor]:
    image = te.placeholder((2, 15, 18, 32), name="image")
    return [image, transform_input(image, 2, (3, 3), (15, 18), 3)]


def _winograd_output() -> list[te.Tensor]:
    """Rows are not divided by tiles, columns are."""
    products = te.placeholder((4, 4, 18, 3, 3, 32), name="products")
    return [products, topi.nn.relu(transform_output(products, 2, (2, 15, 18, 32), 3))]


def _pairs_of_bytes() -> list[te.Tensor]:
    """A convolution of 32 channels with a border, for a processor that multiplies no bytes."""
    data, weight = te.placeholder((1, 12, 14, 8), "int32", "data"), te.placeholder((3, 3, 2, 8, 32), "int32", "weight")
    window = Window(kernel=[3, 3], padding=[1, 1, 1, 1], strides=[1, 1], dilation=[1, 1])
    return [data, weight, conv2d(data, weight, window, 3, WIDE_PAIRS)]
