"""Convolutions of 3 x 3 pixels by Winograd's minimal filtering: fewer multiplications, between two transforms.

An output tile of m x m pixels takes (m + 2)² products a pair of channels instead of 9 m². Each convolution becomes
three kernels: tiles of the input are transformed, multiplied as a batch of matrices with filters that were transformed
when the model was compiled, and transformed back, where bias, residual and activation fuse.

A convolution of dilation d is d² plain ones, each of the pixels that lie d apart: to the tiles, as many more images.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce

import numpy as np
import tvm
from tvm import relax, te, tirx
from tvm.ir import Expr
from tvm.relax.expr_functor import PyExprMutator, mutator

from pruner_engine.tasks.graph import OUTER, is_constant_nhwc, operator_of, rewritten, shape_of

STAGE = "winograd"  # annotation of a transform's inner stage: the pixels of its output that lie in one tile's row
DILATION = "winograd_dilation"  # the same: how far apart those are, where they are no neighbours
# operations in the time that it takes to move a byte of each, as measured on a core with AVX-512
_PER_BYTE = {"input": 8, "output": 4, "filters": 12}
_GAIN = 0.8  # of the plain convolution's time, from which on three kernels for one pay

# Lavin and Gray, 2016: input (transposed), filter and output (transposed) transforms by pixels of a tile
_INPUT = {
    2: [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]],
    4: [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ],
}
_FILTER = {
    2: [[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]],
    4: [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ],
}
_OUTPUT = {
    2: [[1, 1, 1, 0], [0, 1, -1, -1]],
    4: [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
}


def winograd(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Replace the convolutions of "main" that gain by it; NHWC, constant filters.

    Args:
        lanes: of a vector of the target.
    """
    return rewritten(mod, _Rewriter(mod, lanes))


def tile_of(pixels: tuple[int, int, int], channels: int, filters: int, dilation: int = 1) -> int:
    """Pixels of a tile's row that make a convolution fastest; 0 where none is clearly faster than the plain one.

    Args:
        pixels: images, their height and width in the result.
        dilation: of rows and of columns.
    """
    best = min(_INPUT, key=lambda tile: _share(tile, pixels, channels, filters, dilation))
    return best if _share(best, pixels, channels, filters, dilation) < _GAIN else 0


def share_of(call: relax.Call, lanes: int) -> float:
    """Time of a convolution that `winograd` replaces, as a share of the plain one's; 1 of one that it leaves."""
    tile = _tile_of(call, call, lanes)
    if not tile:
        return 1.0
    *pixels, count = shape_of(call) or []
    return _share(tile, (pixels[0], pixels[1], pixels[2]), int(call.args[1].ty.shape[2]), count, _dilation_of(call))


def _share(tile: int, pixels: tuple[int, int, int], channels: int, filters: int, dilation: int) -> float:
    """The same, for tiles of one size."""
    images, height, width = pixels
    pairs = channels * filters
    plain = pairs * (2 * 9 * images * height * width + _PER_BYTE["filters"] * 4 * 9)
    area, tiles = (tile + 2) ** 2, images * math.prod(_tiles((height, width), tile, dilation)) * dilation**2
    moved = 4 * tiles * (_PER_BYTE["input"] * channels + _PER_BYTE["output"] * filters)
    return area * (pairs * (2 * tiles + _PER_BYTE["filters"] * 4) + moved) / plain


def _tile_of(call: relax.Call, typed: relax.Call, lanes: int) -> int:
    """Pixels of a tile's row by which a convolution is replaced; 0 where it is left.

    Args:
        typed: the call as the graph had it, whose type is known.
    """
    shape = shape_of(typed)
    if operator_of(call) != "relax.nn.conv2d" or shape is None or not _fits(call):
        return 0
    batch, height, width, count = shape
    channels = int(call.args[1].ty.shape[2])
    if channels % lanes or count % lanes:
        return 0
    return tile_of((batch, height, width), channels, count, _dilation_of(call))


@mutator
class _Rewriter(PyExprMutator):
    def __init__(self, mod: tvm.IRModule, lanes: int) -> None:
        super().__init__(mod)
        self.lanes = lanes

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Called for each call, operands first."""
        visited = super().visit_call_(call)
        tile = _tile_of(visited, call, self.lanes)
        if not tile:
            return visited
        data, filters = visited.args[0], visited.args[1].value.numpy()
        shape, dilation = shape_of(call) or [], _dilation_of(visited)
        _, height, width, count = shape
        top, left = (int(n) for n in visited.attrs.padding[:2])
        tiled = self.builder_.emit_te(
            partial(transform_input, tile=tile, padding=(top, left), output=(height, width), dilation=dilation),
            data,
            primfunc_name_hint="winograd_input",
            primfunc_attrs=OUTER,
        )
        size, _, *tiles, channels = shape_of(tiled) or []
        flat = self.builder_.emit(relax.op.reshape(tiled, (size**2, math.prod(tiles), channels)))
        weight = relax.const(transform_filters(filters, tile))
        product = self.builder_.emit(relax.op.matmul(flat, weight))
        tiled = self.builder_.emit(relax.op.reshape(product, (size, size, *tiles, count)))
        return self.builder_.call_te(
            partial(transform_output, tile=tile, shape=shape, dilation=dilation),
            tiled,
            primfunc_name_hint="winograd_output",
            primfunc_attrs=OUTER,
        )


def transform_filters(filters: np.ndarray, tile: int) -> np.ndarray:
    """Filters HWIO of 3 x 3 pixels as matrices [(tile + 2)², I, O]."""
    g = np.array(_FILTER[tile])
    wide = np.einsum("ah,hwio,bw->abio", g, filters.astype(np.float64), g)
    return wide.reshape(-1, *filters.shape[2:]).astype(filters.dtype)


def transform_input(
    x: te.Tensor, tile: int, padding: tuple[int, int], output: tuple[int, int], dilation: int = 1
) -> te.Tensor:
    """Transformed tiles [a, b, image, tile row, tile column, channel] of an image in NHWC, or of several.

    Args:
        padding: rows above and columns left of the image.
        output: height and width of the convolution's result.
        dilation: an image is read as dilation² of them, each of the pixels that lie so far apart.
    """
    batch, height, width, channels = (int(n) for n in x.shape)
    (top, left), matrix = padding, _INPUT[tile]
    down, across = _tiles(output, tile, dilation)
    batch *= dilation**2

    def pixel(n: Expr, h: Expr, w: Expr, c: tirx.Var) -> Expr:
        h = h * dilation + n // dilation % dilation
        w = w * dilation + n % dilation
        inside = tirx.all(h >= top, h < top + height, w >= left, w < left + width)
        return tirx.if_then_else(inside, x(n // dilation**2, h - top, w - left, c), tirx.const(0, x.dtype))

    size = tile + 2
    padded = te.compute((batch, tile * down + 2, tile * across + 2, channels), pixel, name="winograd_pad", attrs=_KEPT)
    rows = te.compute(
        (size, size, batch, down, across, channels),
        lambda a, s, n, i, j, c: _combined(a, matrix, lambda r: padded(n, i * tile + r, j * tile + s, c)),
        name="winograd_input_rows",
        attrs={STAGE: 0, **_KEPT},
    )
    return te.compute(
        (size, size, batch, down, across, channels),
        lambda a, b, n, i, j, c: _combined(b, matrix, lambda s: rows(a, s, n, i, j, c)),
        name="winograd_input",
    )


def transform_output(products: te.Tensor, tile: int, shape: Sequence[int], dilation: int) -> te.Tensor:
    """The convolution's result in NHWC from the products [a, b, image, tile row, tile column, channel].

    Args:
        shape: of the result; what its last tiles hold beyond it is not computed.
        dilation: as for `transform_input`.
    """
    size, matrix, step = tile + 2, _OUTPUT[tile], tile * dilation
    *_, down, across, filters = (int(n) for n in products.shape)
    # TVM follows single quotients of a loop, not their sum: what is one image to the products has three axes here
    images, names = ([dilation, dilation], ["p", "q"]) if dilation > 1 else ([], [])

    def in_rows(u: tirx.Var, b: tirx.Var, *at: Expr) -> Expr:
        *image, i, j, c = at
        n = reduce(lambda whole, part: whole * dilation + part, image)
        return _combined(u, matrix, lambda a: products(a, b, n, i, j, c))

    rows = te.compute(
        (tile, size, shape[0], *images, down, across, filters),
        in_rows,
        name="winograd_output_rows",
        attrs={STAGE: tile, **({DILATION: dilation} if images else {}), **_KEPT},
        varargs_names=["n", *names, "i", "j", "c"],
    )

    def pixel(n: tirx.Var, h: tirx.Var, w: tirx.Var, c: tirx.Var) -> Expr:
        image = (n, h % dilation, w % dilation) if images else (n,)
        row, column = h // dilation % tile, w // dilation % tile
        return _combined(column, matrix, lambda b: rows(row, b, *image, h // step, w // step, c))

    return te.compute(tuple(shape), pixel, name="winograd_output")


def _tiles(output: tuple[int, int], tile: int, dilation: int) -> tuple[int, int]:
    """Tiles down and across one of the images that a convolution of this output and dilation is done on."""
    height, width = (-(-extent // (tile * dilation)) for extent in output)
    return height, width


_KEPT = {"meta_schedule.inline_rule": "disable"}


def _combined(row: Expr, matrix: Sequence[Sequence[float]], operand: Callable[[int], Expr]) -> Expr:
    """The sum of operands weighted by a row of the matrix, written by cases of the row."""
    sums = [_sum(coefficients, operand) for coefficients in matrix]
    result = sums[-1]
    for index in reversed(range(len(sums) - 1)):
        result = tirx.if_then_else(row == index, sums[index], result)
    return result


def _sum(coefficients: Sequence[float], operand: Callable[[int], Expr]) -> Expr:
    total = tirx.const(0, "float32")
    for index, coefficient in enumerate(coefficients):
        if coefficient:
            total = total + operand(index) * tirx.const(coefficient, "float32")
    return total


def _dilation_of(call: relax.Call) -> int:
    return int(call.attrs.dilation[0])


def _fits(call: relax.Call) -> bool:
    """Whether a convolution is one of 3 x 3 pixels, as far apart in both directions, that moves pixel by pixel."""
    attrs = call.attrs
    return (
        is_constant_nhwc(call)
        and call.args[1].value.numpy().shape[:2] == (3, 3)
        and str(call.ty.dtype) == str(call.args[1].ty.dtype) == "float32"
        and attrs.groups == 1
        and all(int(n) == 1 for n in attrs.strides)
        and int(attrs.dilation[0]) == int(attrs.dilation[1])
    )
