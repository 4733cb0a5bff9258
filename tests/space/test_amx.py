"""Products of tiles: every schedule of the rule computes what it is to compute, by instructions of AMX."""

from __future__ import annotations

import re

import numpy as np
import pytest
import tvm
from tvm import relax, te

from amx_in_python import result_in_python
from machines import result_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.export.library import write_library
from pruner_engine.frontends import load_model
from pruner_engine.lowering.words.products import BFLOAT16S, BYTES
from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.lowering.words.tile_nests import DEPTH, ROWS, TILE
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import TensorSpec, TuningTask
from pruner_engine.tasks.words.kernels import Window, conv2d, matmul
from seeds import seeds

AMX = resolve_target('{"kind":"llvm","mcpu":"sapphirerapids","num-cores":2}')


def product(products: WordProducts, shape: tuple[int, ...], weights: tuple[int, ...], rows: int) -> list[te.Tensor]:
    x, w = te.placeholder(shape, "int32", "x"), te.placeholder(weights, "int32", "w")
    return [x, w, matmul(x, w, rows, products)]


def convolution(products: WordProducts, shape: tuple[int, ...], weights: tuple[int, ...], step: int) -> list[te.Tensor]:
    x, w = te.placeholder(shape, "int32", "x"), te.placeholder(weights, "int32", "w")
    return [x, w, conv2d(x, w, Window([*weights[:2]], [1, 1, 1, 1], [step, step], [1, 1]), 3, products)]


def rounded(x: te.Tensor, w: te.Tensor, total: te.Tensor) -> list[te.Tensor]:
    """Sums that become bytes again."""
    scale = te.placeholder((1,), "float32", "scale")

    def byte(*i: tvm.tirx.Var) -> tvm.tirx.Expr:
        number = tvm.tirx.nearbyint(total(*i).astype("float32") * scale(0))
        return tvm.tirx.min(tvm.tirx.max(number, 0.0), 255.0).astype("uint8")

    return [x, w, scale, te.compute(total.shape, byte, name="byte")]


KERNELS = {
    "product": lambda p: product(p, (48, 24), (24, 48), 48),
    "product of few words": lambda p: product(p, (12, 6), (6, 24), 12),
    "product with rows appended": lambda p: product(p, (13, 16), (16, 32), 14),
    "products of a batch": lambda p: product(p, (4, 32, 16), (4, 16, 16), 32),
    "convolution": lambda p: convolution(p, (1, 14, 14, 16), (3, 3, 16, 32), 1),
    "convolution by steps of two": lambda p: convolution(p, (2, 16, 16, 32), (3, 3, 32, 16), 2),
    "convolution of one word": lambda p: convolution(p, (1, 14, 14, 1), (5, 7, 1, 32), 2),
    "convolution of two words": lambda p: convolution(p, (1, 14, 14, 2), (5, 7, 2, 32), 2),
    "convolution, rounded": lambda p: rounded(*convolution(p, (1, 8, 8, 16), (1, 1, 16, 32), 1)),
}


def task_of(made: list[te.Tensor]) -> TuningTask:
    function = te.create_prim_func(made).with_attr("global_symbol", "main")
    shapes = tuple(TensorSpec(t.name, tuple(int(n) for n in t.shape), str(t.dtype)) for t in made)
    return TuningTask("kernel", "kernel", "0", tvm.IRModule({"main": function}), shapes, 1e6, 1)


def arrays_of(task: TuningTask, products: WordProducts, rng: np.random.Generator) -> list[np.ndarray]:
    def words(shape: tuple[int, ...]) -> np.ndarray:
        if products is BYTES:
            return rng.integers(-(2**31), 2**31, shape).astype("int32")
        halves = rng.standard_normal((*shape, 2)).astype("float32").view("uint32") >> 16
        return (halves[..., 0] | halves[..., 1] << 16).view("int32")

    x, w, *others = task.args
    return [
        words(x.shape),
        words(w.shape),
        *(np.full(o.shape, 1e-3 if products is BYTES else 10, o.dtype) for o in others),
    ]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("products", [BYTES, BFLOAT16S], ids=lambda p: p.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_schedule_computes_the_same_by_tiles(kernel, products, seed):
    task = task_of(KERNELS[kernel](products))
    arrays = arrays_of(task, products, np.random.default_rng(seed))
    want = result_of(task.mod, arrays)
    assert np.any(want != want.flat[0])
    space = DesignSpace.generate(task, AMX)
    tiled = [sketch for sketch in space.sketches if TILE in str(sketch.trace)]
    assert tiled
    rng = np.random.default_rng(seed)
    for sketch in tiled:
        for row in sketch.sample(rng, 3):
            schedule = space.apply(space.candidate(sketch.index, row))
            assert schedule is not None
            got, instructions = result_in_python(schedule.mod, arrays)
            assert instructions
            check(got, want, products)


def check(got: np.ndarray, want: np.ndarray, products: WordProducts) -> None:
    """Sums of bytes are exact; those of bfloat16 differ by their order, one that is rounded to a byte by a step."""
    apart = 0.0 if products is BYTES else 1.0 if got.dtype == "uint8" else 1e-3
    np.testing.assert_allclose(got.astype("float64"), want, rtol=1e-4 if apart else 0, atol=apart)


def product_of_words() -> tvm.s_tir.Schedule:
    """48 x 24 words by 24 x 48, in parts of sixteen rows and columns and eight words, of which none is marked."""
    sch = tvm.s_tir.Schedule(task_of(KERNELS["product"](BYTES)).mod)
    i, j, k = sch.get_loops("matmul")
    (i, row), (j, lane), (k, word) = (sch.split(loop, [None, n]) for loop, n in ((i, 16), (j, 16), (k, 8)))
    sch.reorder(i, j, k, word, row, lane)
    sch.decompose_reduction("matmul", k)
    return sch


@pytest.mark.parametrize(
    ("marks", "instructions"), [({-3: DEPTH, -2: ROWS}, 1), ({-3: ROWS, -2: DEPTH}, 0), ({-2: ROWS}, 0)]
)
def test_what_turns_out_to_be_no_product_of_tiles_is_computed_in_words(marks, instructions):
    sch = product_of_words()
    for at, mark in marks.items():
        sch.annotate(sch.get_loops("matmul_update")[at], TILE, mark)
    task = task_of(KERNELS["product"](BYTES))
    arrays = arrays_of(task, BYTES, np.random.default_rng(0))
    got, found = result_in_python(sch.mod, arrays)
    assert found == instructions
    np.testing.assert_array_equal(got, result_of(task.mod, arrays))


def test_sums_begin_with_registers_of_zeros():
    sch = product_of_words()
    *_, word, row, _ = sch.get_loops("matmul_update")
    sch.annotate(word, TILE, DEPTH)
    sch.annotate(row, TILE, ROWS)
    assembly = tvm.tirx.build(sch.mod, AMX).inspect_source("asm")
    assert re.search("tilezero.*tileloadd.*tileloadd.*tdpbusd.*tilestored", assembly, re.DOTALL)
    assert assembly.count("tileloadd") == 2 * assembly.count("tdpbusd")  # operands alone
    assert "ldtilecfg" in assembly
    assert "syscall" in assembly


@pytest.mark.skipif("amx-int8" not in detect_host().features, reason="a processor without AMX")
@pytest.mark.parametrize("products", [BYTES, BFLOAT16S], ids=lambda p: p.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_processor_computes_the_same(kernel, products):
    task = task_of(KERNELS[kernel](products))
    arrays = arrays_of(task, products, np.random.default_rng(0))
    want = result_of(task.mod, arrays)
    space = DesignSpace.generate(task, resolve_target("auto"))
    rng = np.random.default_rng(0)
    for sketch in space.sketches:
        for row in sketch.sample(rng, 4) if TILE in str(sketch.trace) else ():
            schedule = space.apply(space.candidate(sketch.index, row))
            assert schedule is not None
            check(result_of(schedule.mod, arrays, space.target), want, products)


def told(made: list[te.Tensor]) -> dict[bool, float]:
    """Seconds that the draft expects of its best, of 64 candidates a sketch, by tiles (True) and by vectors."""
    space = DesignSpace.generate(task_of(made), AMX)
    analyzer = Analyzer(space, load_presets()["sapphire-rapids"].profile)
    rng = np.random.default_rng(0)
    best = {True: np.inf, False: np.inf}
    for sketch in space.sketches:
        rows = sketch.sample(rng, 64)
        row = rows[analyzer.score(sketch.index, rows).argmax()]
        marked = TILE in str(sketch.trace)
        best[marked] = min(best[marked], analyzer.explain(sketch.index, row).latency_s)
    return best


def test_tiles_are_told_to_take_less_time_than_vectors():
    best = told(product(BYTES, (1024, 256), (256, 1024), 1024))
    assert 0 < best[True] < best[False] / 2


def test_rows_that_lie_in_two_cache_lines_are_told_to_take_longer():
    def told_of(pitch: int) -> float:
        x, w = te.placeholder((256, pitch), "int32", "x"), te.placeholder((16, 256), "int32", "w")
        k = te.reduce_axis((0, 16), "k")
        total = te.compute((256, 256), lambda i, j: te.sum(BYTES.of(x[i, k], w[k, j]), axis=k), name="matmul")
        return told([x, w, total])[True]

    assert told_of(24) > 1.2 * told_of(32)


@pytest.mark.parametrize(("without", "told"), [([], True), (["amx"], False)])
def test_a_library_tells_whether_it_uses_matrix_units(tmp_path, without, told):
    task = task_of(product(BYTES, (32, 16), (16, 32), 32))
    space = DesignSpace.generate(task, AMX, without=without)
    sketch = next((s for s in space.sketches if TILE in str(s.trace)), space.sketches[0])
    schedule = space.apply(space.candidate(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0]))
    assert schedule is not None
    builder = relax.BlockBuilder()
    x, w = (relax.Var(spec.name, relax.TensorType(spec.shape, spec.dtype)) for spec in task.args[:2])
    with builder.function("main", [x, w]):
        kernel = builder.add_func(schedule.mod["main"].without_attr("global_symbol"), "kernel")
        out = builder.emit(relax.call_tir(kernel, [x, w], relax.TensorType((32, 32), "int32")))
        builder.emit_func_output(out)
    executable = tvm.compile(builder.get(), AMX)
    metadata = write_library(executable, load_model("matmul:8,8,8"), AMX, 2, tmp_path)
    assert ("amx-int8" in metadata["device"]["features"]) == told
    assert "avx512f" in metadata["device"]["features"]
