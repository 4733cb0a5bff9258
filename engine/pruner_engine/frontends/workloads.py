"""Built-in workloads: single operators by name and sizes, such as "conv2d:1,64,56,56,64,3,pad=1".

Grammar: `operator:sizes[,dtype][,option=value]…`. Sizes are positive integers in the order of `WORKLOADS`; dtype is
float32 unless given. Options of convolutions: stride, pad (default keeps the size for odd kernels at stride 1),
dilation, groups, layout (NCHW or NHWC); of pooling: stride, pad. Every tensor is an input of the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tvm
from tvm import relax
from tvm.relax import op

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import last_line

_DTYPES = ("float32", "float16", "bfloat16", "float64", "int8")


@dataclass(frozen=True)
class _Spec:
    """A parsed workload text."""

    sizes: tuple[int, ...]
    dtype: str
    options: dict[str, str]

    def number(self, name: str, default: int) -> int:
        return int(self.options.get(name, default))


# shapes of the inputs by name, and what turns them into the result
_Built = tuple[dict[str, tuple[int, ...]], Callable[..., relax.Expr]]
_Build = Callable[[_Spec], _Built]


@dataclass(frozen=True)
class Workload:
    """An operator that can be named.

    Attributes:
        sizes: names of its sizes, in order.
        build: makes the input shapes and the function of a parsed text.
        options: names that may follow as name=value.
    """

    sizes: str
    build: _Build
    options: tuple[str, ...] = ()


def is_workload(text: str) -> bool:
    """Whether `text` names a built-in workload rather than a file."""
    return text.partition(":")[0] in WORKLOADS


def build_workload(text: str) -> tvm.IRModule:
    """The Relax module of a workload.

    Raises:
        UserError: the text does not follow the grammar, or the sizes make no operator.
    """
    name, _, rest = text.partition(":")
    workload = WORKLOADS[name]
    options = "".join(f"[,{option}=…]" for option in workload.options)
    usage = f"Write {name}:{workload.sizes}[,dtype]{options}; dtypes are {', '.join(_DTYPES)}."
    try:
        spec = _parse(text, workload, rest, usage)
        shapes, function = workload.build(spec)
        return _function(shapes, spec.dtype, function)
    except (ValueError, TypeError, RuntimeError, ArithmeticError) as error:
        raise UserError(f'"{text}" makes no operator: {last_line(error).rstrip(".")}.', usage) from error


def _parse(text: str, workload: Workload, rest: str, usage: str) -> _Spec:
    sizes: list[int] = []
    dtype, options = "float32", {}
    for word in filter(None, (w.strip() for w in rest.split(","))):
        key, equals, value = word.partition("=")
        if equals and key in workload.options and (value.isdecimal() or (key, value) in _LAYOUTS):
            options[key] = value
        elif word in _DTYPES:
            dtype = word
        elif word.isdecimal() and 0 < int(word) < 1 << 31:
            sizes.append(int(word))
        else:
            raise UserError(f'"{word}" in "{text}" is not understood.', usage)
    if len(sizes) != len(workload.sizes.split(",")):
        raise UserError(f'"{text}" needs {len(workload.sizes.split(","))} sizes, has {len(sizes)}.', usage)
    return _Spec(tuple(sizes), dtype, options)


def _function(shapes: dict[str, tuple[int, ...]], dtype: str, function: Callable[..., relax.Expr]) -> tvm.IRModule:
    builder = relax.BlockBuilder()
    params = [relax.Var(name, relax.TensorType(shape, dtype)) for name, shape in shapes.items()]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(function(*params)))
        builder.emit_func_output(result)
    return builder.get()


_LAYOUTS = {("layout", "NCHW"), ("layout", "NHWC")}


def _accumulate(spec: _Spec) -> str | None:
    """What products of these are summed in, said where that is not what models of them do: halves in their own type."""
    return {"int8": "int32", "bfloat16": "float32", "float16": "float16"}.get(spec.dtype)


def _matmul(spec: _Spec) -> _Built:
    *batch, m, n, k = spec.sizes
    return {"a": (*batch, m, k), "b": (*batch, k, n)}, lambda a, b: op.matmul(a, b, out_dtype=_accumulate(spec))


def _dense(spec: _Spec) -> _Built:
    m, n, k = spec.sizes
    shapes: dict[str, tuple[int, ...]] = {"x": (m, k), "weight": (k, n), "bias": (n,)}
    if spec.dtype == "int8":
        return shapes, lambda x, w, bias: op.add(op.matmul(x, w, out_dtype="int32"), op.astype(bias, "int32"))
    return shapes, lambda x, w, bias: op.add(op.matmul(x, w), bias)


def _conv(rank: int, depthwise: bool = False) -> _Build:
    def build(spec: _Spec) -> _Built:
        n, c, *rest = spec.sizes
        space, kernel = rest[:rank], rest[-1]
        filters = c if depthwise else rest[rank]
        groups = c if depthwise else spec.number("groups", 1)
        data_layout = "N" + "C" + "DHW"[3 - rank :]
        kernel_layout = "OI" + "DHW"[3 - rank :]
        data: tuple[int, ...] = (n, c, *space)
        weight: tuple[int, ...] = (filters, max(1, c // groups), *[kernel] * rank)
        if spec.options.get("layout") == "NHWC":
            data_layout, kernel_layout = "N" + "DHW"[3 - rank :] + "C", "DHW"[3 - rank :] + "IO"
            data, weight = (n, *space, c), (*weight[2:], weight[1], weight[0])
        conv = {1: op.nn.conv1d, 2: op.nn.conv2d, 3: op.nn.conv3d}[rank]
        dilation = spec.number("dilation", 1)
        return {"data": data, "weight": weight}, lambda x, w: conv(
            x,
            w,
            strides=spec.number("stride", 1),
            padding=spec.number("pad", (kernel - 1) * dilation // 2),
            dilation=dilation,
            groups=groups,
            data_layout=data_layout,
            kernel_layout=kernel_layout,
            out_dtype=_accumulate(spec),
        )

    return build


def _deconv2d(spec: _Spec) -> _Built:
    n, c, h, w, filters, kernel = spec.sizes
    return {"data": (n, c, h, w), "weight": (c, filters, kernel, kernel)}, lambda x, f: op.nn.conv2d_transpose(
        x, f, strides=spec.number("stride", 2), padding=spec.number("pad", (kernel - 1) // 2)
    )


def _pool(pool: Callable[..., relax.Expr]) -> _Build:
    def build(spec: _Spec) -> _Built:
        n, c, h, w, kernel = spec.sizes
        return {"data": (n, c, h, w)}, lambda x: pool(
            x, pool_size=kernel, strides=spec.number("stride", kernel), padding=spec.number("pad", 0)
        )

    return build


def _rows(function: Callable[[relax.Expr], relax.Expr]) -> _Build:
    return lambda spec: ({"x": spec.sizes}, function)


def _layer_norm(spec: _Spec) -> _Built:
    _, n = spec.sizes
    return (
        {"x": spec.sizes, "gamma": (n,), "beta": (n,)},
        lambda x, gamma, beta: op.nn.layer_norm(x, gamma, beta, axes=-1),
    )


def _add(spec: _Spec) -> _Built:
    return {"a": spec.sizes, "b": spec.sizes}, op.add


_CONV = ("stride", "pad", "dilation", "groups", "layout")
_DEPTHWISE = ("stride", "pad", "dilation", "layout")

WORKLOADS: dict[str, Workload] = {
    "matmul": Workload("M,N,K", _matmul),  # matrix product (M,K) x (K,N)
    "bmm": Workload("B,M,N,K", _matmul),  # B matrix products (M,K) x (K,N)
    "dense": Workload("M,N,K", _dense),  # fully connected layer: (M,K) x (K,N) plus bias
    "conv1d": Workload("N,C,W,K,R", _conv(1), _CONV[:4]),  # 1-D convolution, K filters of width R
    "conv2d": Workload("N,C,H,W,K,R", _conv(2), _CONV),  # 2-D convolution, K filters of R x R
    "conv3d": Workload("N,C,D,H,W,K,R", _conv(3), _CONV[:4]),  # 3-D convolution, K filters of R x R x R
    "depthwise": Workload("N,C,H,W,R", _conv(2, depthwise=True), _DEPTHWISE),  # depthwise convolution of R x R
    "deconv2d": Workload("N,C,H,W,K,R", _deconv2d, ("stride", "pad")),  # transposed 2-D convolution
    "maxpool": Workload("N,C,H,W,R", _pool(op.nn.max_pool2d), ("stride", "pad")),  # 2-D maximum of R x R
    "avgpool": Workload("N,C,H,W,R", _pool(op.nn.avg_pool2d), ("stride", "pad")),  # 2-D mean of R x R
    "softmax": Workload("M,N", _rows(lambda x: op.nn.softmax(x, axis=-1))),  # softmax over rows of N
    "layernorm": Workload("M,N", _layer_norm),  # layer norm over rows of N
    "sum": Workload("M,N", _rows(lambda x: op.sum(x, axis=-1))),  # sum over rows of N
    "relu": Workload("M,N", _rows(op.nn.relu)),  # rectifier
    "gelu": Workload("M,N", _rows(op.nn.gelu)),  # Gaussian error linear unit
    "add": Workload("M,N", _add),  # elementwise sum of two tensors
}
