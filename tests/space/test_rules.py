"""Our schedule rules: every schedule computes what the untuned kernel computes, whatever the shapes."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.s_tir import ScheduleError
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

from graphs import graph
from machines import arrays_for, result_of
from pruner_engine.draft import analyzer_for
from pruner_engine.frontends import load_model
from pruner_engine.lowering.words.products import BYTES
from pruner_engine.measure.running.correctness import difference
from pruner_engine.measure.running.kernel import facts_of
from pruner_engine.measure.running.weight_layout import rewrite, rewrites_of
from pruner_engine.space.decision import Rng
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.rules import OWN_RULES
from pruner_engine.space.sketch import Sketch
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, vector_bits_of
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.rewrites import grouped, winograd
from pruner_engine.tasks.task import TensorSpec, TuningTask
from pruner_engine.tasks.words.kernels import matmul
from schedules import is_closed
from seeds import seeds

HOST = resolve_target("auto")


def register_tiles(seed: int) -> list[str]:
    """A workload of every kind that the rule takes: its vectors are whole, all other extents are any that are odd."""
    rng = random.Random(seed)

    def odd(least: int, most: int) -> int:
        return rng.randrange(least | 1, most + 1, 2)

    def whole(least: int, most: int, of: int = 8) -> int:
        return of * rng.randint(least, most)

    def grouped(stride: int) -> str:
        """Several groups fill a vector."""
        each, filters = rng.choice([2, 4, 8]), 16 * rng.randint(1, 2)
        groups = filters // each
        image = f"{groups * rng.randint(2, 2 * each)},{odd(5, 9)},{odd(5, 9)}"
        return f"conv2d:1,{image},{filters},3,groups={groups},stride={stride},layout=NHWC"

    return [
        f"matmul:{odd(5, 17)},{whole(1, 5)},{odd(5, 33)}",
        f"matmul:1,{whole(2, 5)},{odd(17, 41)}",
        f"bmm:{rng.randint(2, 3)},{odd(3, 9)},{whole(1, 3)},{odd(3, 9)}",
        f"bmm:2,{odd(9, 17)},{whole(5, 6) - 1},{rng.randint(4, 7)}",  # filled up with little
        f"dense:{odd(5, 13)},{whole(2, 5)},{odd(9, 25)}",
        f"conv2d:1,{odd(3, 7)},{odd(7, 11)},{odd(7, 11)},{whole(1, 3)},3,pad=1,layout=NHWC",
        f"conv2d:2,{whole(1, 1)},{odd(5, 9)},{odd(5, 9)},{whole(1, 2)},3,stride=2,pad=1,layout=NHWC",
        f"conv2d:1,{odd(5, 9)},{odd(9, 13)},{rng.randint(9, 12)},{whole(1, 2)},3,pad=2,dilation=2,layout=NHWC",
        f"conv2d:1,3,{rng.randint(15, 20)},{odd(15, 21)},8,7,stride=2,pad=3,layout=NHWC",
        f"conv2d:1,{rng.randint(3, 7)},{odd(3, 7)},{whole(1, 2)},{rng.randint(3, 5)},3,pad=1",
        grouped(1),
        grouped(2),
        f"conv1d:1,{rng.randint(3, 5)},{whole(2, 3)},{rng.randint(5, 7)},5",
        f"depthwise:1,{whole(2, 3)},{odd(7, 9)},{odd(5, 9)},3,pad=1,layout=NHWC",
        f"depthwise:1,{odd(3, 7)},{rng.randint(5, 8)},{whole(2, 3)},3,pad=1",
        f"maxpool:1,{odd(3, 7)},{odd(7, 9)},{whole(1, 2)},3,stride=1,pad=1",
    ]


def rows(seed: int) -> list[str]:
    """Workloads along whose rows sums are made: shorter and longer than a vector, whole vectors and not."""
    rng = random.Random(seed)
    return [
        f"softmax:{rng.randint(3, 9)},{rng.randrange(33, 64, 2)}",
        f"softmax:1,{rng.randint(40, 60)}",
        f"layernorm:{rng.randint(5, 9)},{rng.randrange(17, 40, 2)}",
        f"layernorm:{rng.randint(5, 9)},{16 * rng.randint(2, 4)}",
        f"sum:{rng.randint(5, 9)},{8 * rng.randint(3, 7)}",
        f"sum:{rng.randint(2, 4)},{1024 * rng.randint(1, 3)}",
        f"sum:{rng.randint(9, 13)},{rng.randrange(3, 8, 2)}",
        f"sum:{rng.randint(3, 6)},{rng.randint(900, 1100)}",
        f"sum:{rng.randint(2, 4)},{rng.randint(4100, 4300)}",
    ]


def task_of(workload: str, constant: bool) -> TuningTask:
    """The heaviest kernel of a workload; its weights constant or not. Signals stay signals."""
    mod = load_model(workload).mod
    shapes = {p.name: [int(n) for n in p.ty.shape] for p in mod["main"].params[1:]}
    if constant:
        mod = relax.transform.BindParams("main", {n: np.ones(s, "float32") for n, s in shapes.items()})(mod)
    return extract_tasks(prepare(mod, HOST, ["signals"]), HOST)[0]


def run(mod: tvm.IRModule, arrays: list[np.ndarray]) -> np.ndarray:
    """The output of a scheduled module, its arguments given in their original layout."""
    maps = rewrites_of(mod)
    mod = RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod)
    shapes = [tuple(int(n) for n in p.ty.shape) for p in mod["main"].params]
    moved = [rewrite(a, maps[i], shapes[i]) if i in maps else a for i, a in enumerate(arrays)]
    return result_of(mod, moved, HOST)


def assert_same(space: DesignSpace, sketches: list[Sketch], arrays: list[np.ndarray], rng: Rng, rows: int, sums: int):
    """What some rows of each sketch compute is what the kernel does, whose results are sums of so many terms."""
    assert sketches
    want = run(space.task.mod, arrays)
    for sketch in sketches:
        for row in sketch.sample(rng, rows):
            schedule = space.apply(space.candidate(sketch.index, row))
            assert schedule is not None
            assert difference(run(schedule.mod, arrays), want, sums) == ""


@pytest.mark.parametrize("constant", [False, True], ids=["inputs", "weights"])
@pytest.mark.parametrize("workload", [name for seed in seeds() for name in register_tiles(seed)])
def test_register_tile_computes_the_same(workload, constant):
    task = task_of(workload, constant)
    rng = np.random.default_rng(3)
    space = DesignSpace.generate(task, HOST)
    assert any(is_closed(sketch.trace) for sketch in space.sketches)
    assert_same(space, space.sketches, arrays_for(task, rng), rng, 2, facts_of(task.mod).reduction)


def test_register_tile_computes_the_same_with_an_axis_of_one_between_others():
    """As of queries in groups of heads: such a loop must not stand between those that threads share."""
    x = tvm.te.placeholder((2, 1, 3, 5, 12), name="x")
    w = tvm.te.placeholder((2, 1, 3, 12, 32), name="w")
    k = tvm.te.reduce_axis((0, 12), name="k")
    products = tvm.te.compute((2, 1, 3, 5, 32), lambda *i: tvm.te.sum(x(*i[:4], k) * w(*i[:3], k, i[4]), axis=k))
    task = kernel_task(tvm.te.create_prim_func([x, w, products]))
    rng = np.random.default_rng(0)
    space = DesignSpace.generate(task, HOST)
    own = [sketch for sketch in space.sketches if is_closed(sketch.trace)]
    assert_same(space, own, arrays_for(task, rng), rng, 1, 12)


def test_register_tile_takes_what_is_scaled_by_a_number():
    """One that is an input, or is computed, of no axes."""
    x, scale = tvm.te.placeholder((24, 64), name="x"), tvm.te.placeholder((), name="scale")
    k = tvm.te.reduce_axis((0, 24), name="k")
    sums = tvm.te.compute((64,), lambda j: tvm.te.sum(x(k, j) * scale(), axis=k), name="sums")
    task = kernel_task(tvm.te.create_prim_func([x, scale, sums]))
    rng = np.random.default_rng(0)
    space = DesignSpace.generate(task, HOST)
    own = [sketch for sketch in space.sketches if is_closed(sketch.trace)]
    assert_same(space, own, arrays_for(task, rng), rng, 1, 24)


@pytest.mark.parametrize(("quarters", "own"), [(3, {False}), (5, {False}), (6, {False, True}), (8, {True})])
def test_parts_of_a_vector_are_left_to_other_rules_too(quarters, own):
    lanes = vector_bits_of(HOST) // 32
    space = DesignSpace.generate(task_of(f"matmul:9,{quarters * lanes // 4},12", False), HOST)
    assert {is_closed(sketch.trace) for sketch in space.sketches} == own


def test_register_tile_computes_the_same_with_rows_appended_and_cut():
    task = task_of("dense:31,32,10", True)
    rng = np.random.default_rng(6)
    space = DesignSpace.generate(task, HOST)
    assert len(space.sketches) == 4  # rows are appended for each tile, or before all else
    assert_same(space, space.sketches, arrays_for(task, rng), rng, 1, facts_of(task.mod).reduction)


@pytest.mark.parametrize("shuffled", [1, 4])
def test_register_tile_computes_the_same_in_groups_whose_last_vector_is_cut(shuffled):
    image, filters = tvm.te.placeholder((1, 7, 6, 20)), tvm.te.placeholder((3, 3, 4, 5, 32))
    wide = grouped.convolve_groups(image, filters, [2, 1], [1, 1, 1, 1], [1, 1], shuffled)
    cut = tvm.topi.strided_slice(wide, [0] * 5, [1, 4, 6, 4, 28])
    task = kernel_task(tvm.te.create_prim_func([image, filters, cut]))
    rng = np.random.default_rng(8)
    space = DesignSpace.generate(task, HOST)
    assert all(is_closed(sketch.trace) for sketch in space.sketches)
    assert_same(space, space.sketches, arrays_for(task, rng), rng, 2, 45)


@pytest.mark.parametrize("workload", [name for seed in seeds() for name in rows(seed)])
def test_rows_compute_the_same(workload):
    assert_rows_right(task_of(workload, False))


def assert_rows_right(task: TuningTask) -> None:
    rng = np.random.default_rng(4)
    space = DesignSpace.generate(task, HOST)
    own = [sketch for sketch in space.sketches if is_closed(sketch.trace)]
    assert_same(space, own, arrays_for(task, rng), rng, 3, facts_of(task.mod).reduction)


@pytest.mark.parametrize("then", ["nothing", "bias"])
@pytest.mark.parametrize("shapes", [((37, 48), (48,)), ((1, 37, 50), (50,)), ((3, 5, 64), (3, 64))], ids=str)
def test_products_with_a_vector_that_rows_share_compute_the_same(shapes, then):
    """Matrix times vector, weighted sums of rows: the matrix is read along its memory."""
    matrix, vector = (tvm.te.placeholder(shape, name=name) for shape, name in zip(shapes, "mv", strict=True))
    k = tvm.te.reduce_axis((0, shapes[1][-1]))

    def product(*i):
        return tvm.te.sum(matrix[(*i, k)] * vector[(*i[: len(shapes[1]) - 1], k)], axis=k)

    parts, result = [matrix, vector], tvm.te.compute(shapes[0][:-1], product, name="product")
    if then == "bias":
        parts.append(tvm.te.placeholder(shapes[0][:-1], name="bias"))
        result = tvm.topi.nn.relu(tvm.topi.add(result, parts[-1]))
    assert_rows_right(kernel_task(tvm.te.create_prim_func([*parts, result])))


def test_rows_that_no_vector_divides_leave_the_stock_rules_their_try():
    (space, odd) = (DesignSpace.generate(task_of(w, False), HOST) for w in ("sum:7,48", "sum:7,41"))
    assert len(space.sketches) == 1 < len(odd.sketches)


@pytest.mark.parametrize("tile", [2, 4])
@pytest.mark.parametrize("transform", ["input", "output"])
@pytest.mark.parametrize(("size", "dilation"), [((8, 12), 1), ((7, 9), 1), ((8, 16), 2), ((7, 13), 3)])
def test_winograd_computes_the_same(transform, tile, size, dilation):
    down, across = (-(-n // (tile * dilation)) for n in size)
    if transform == "input":
        image = tvm.te.placeholder((2, *size, 32), name="image")
        result = winograd.transform_input(image, tile, (dilation, dilation), size, dilation)
    else:
        image = tvm.te.placeholder((tile + 2, tile + 2, 2 * dilation**2, down, across, 32), name="products")
        result = tvm.topi.nn.relu(winograd.transform_output(image, tile, (2, *size, 32), dilation))
    task = kernel_task(tvm.te.create_prim_func([image, result]))
    rng = np.random.default_rng(7)
    (sketch,) = (space := DesignSpace.generate(task, HOST)).sketches
    assert is_closed(sketch.trace)
    assert_same(space, [sketch], arrays_for(task, rng), rng, 3, 16)


def test_rows_leave_a_matrix_product_alone():
    """Its operands run along the reduction, too, but each row is read by many others."""
    a, b = tvm.te.placeholder((6, 32)), tvm.te.placeholder((5, 32))
    k = tvm.te.reduce_axis((0, 32))
    product = tvm.te.compute((6, 5), lambda i, j: tvm.te.sum(a[i, k] * b[j, k], axis=k))
    task = kernel_task(tvm.te.create_prim_func([a, b, product]))
    assert not any(is_closed(sketch.trace) for sketch in DesignSpace.generate(task, HOST).sketches)


@pytest.mark.parametrize("channels", [(32, 48), (16, 16, 16), (8, 24), (64,)])
def test_vector_copy_computes_the_same(channels):
    shapes = [(1, 7, 5, c) for c in channels]
    parts = [tvm.te.placeholder(shape, name=f"part{i}") for i, shape in enumerate(shapes)]
    result = tvm.topi.concatenate(parts, axis=-1) if len(parts) > 1 else tvm.topi.nn.pad(parts[0], (0, 1, 1, 0))
    task = kernel_task(tvm.te.create_prim_func([*parts, result]))
    rng = np.random.default_rng(5)
    arrays = arrays_for(task, rng)
    (sketch,) = (space := DesignSpace.generate(task, HOST)).sketches
    assert is_closed(sketch.trace)
    for row in sketch.sample(rng, 3):
        schedule = space.apply(space.candidate(0, row))
        assert np.array_equal(run(schedule.mod, arrays), run(task.mod, arrays))


@pytest.mark.parametrize("seed", seeds())
def test_what_is_done_to_joined_parts_is_done_as_they_are_joined(seed):
    """As in a DenseNet: a factor and a term for each channel of all that came before."""
    rng = np.random.default_rng(seed)
    widths = rng.choice([8, 16, 32, 64], rng.integers(2, 24))
    shapes = [(1, int(rng.integers(1, 9)), 5, int(width)) for width in widths]
    shapes = [(*shapes[0][:3], shape[3]) for shape in shapes]
    parts = [tvm.te.placeholder(shape, name=f"part{i}") for i, shape in enumerate(shapes)]
    joined = tvm.topi.concatenate(parts, axis=-1)
    factor, term = (tvm.te.placeholder((1, 1, 1, int(widths.sum())), name=name) for name in ("factor", "term"))
    result = tvm.topi.nn.relu(tvm.topi.add(tvm.topi.multiply(joined, factor), term))
    task = kernel_task(tvm.te.create_prim_func([*parts, factor, term, result]))
    arrays = arrays_for(task, rng)
    (sketch,) = (space := DesignSpace.generate(task, HOST)).sketches
    assert analyzer_for(space).compiled(sketch.index)
    schedule = space.apply(space.candidate(0, sketch.sample(rng, 1)[0]))
    assert len(schedule.get_child_blocks(schedule.get_sblock("root"))) == 1
    np.testing.assert_allclose(run(schedule.mod, arrays), run(task.mod, arrays), 1e-5, 1e-6)


def test_joined_parts_that_are_a_result_too_stay_a_stage():
    parts = [tvm.te.placeholder((4, 16), name=f"part{i}") for i in range(2)]
    joined = tvm.topi.concatenate(parts, axis=-1)
    task = kernel_task(tvm.te.create_prim_func([*parts, joined, tvm.topi.nn.relu(joined)]))
    for sketch in (space := DesignSpace.generate(task, HOST)).sketches:
        schedule = space.apply(space.candidate(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0]))
        assert len(schedule.get_child_blocks(schedule.get_sblock("root"))) == 2


def test_a_vector_never_holds_two_sources():
    parts = [tvm.te.placeholder((4, c)) for c in (9, 23)]
    task = kernel_task(tvm.te.create_prim_func([*parts, tvm.topi.concatenate(parts, axis=-1)]))
    assert not any(is_closed(sketch.trace) for sketch in DesignSpace.generate(task, HOST).sketches)


@pytest.mark.parametrize("device", ["graviton3", "apple-m1"])
@pytest.mark.parametrize(
    "workload",
    ["matmul:64,48,32", "conv2d:1,16,10,10,32,3,pad=1,layout=NHWC", "depthwise:1,32,10,10,3,pad=1,layout=NHWC"],
)
def test_kernels_for_arm_take_our_rules_and_multiply_and_add_in_vectors(device, workload):
    target = resolve_target(device)
    task = extract_tasks(prepare(load_model(workload).mod, target), target)[0]
    space = DesignSpace.generate(task, target)
    analyzer = analyzer_for(space, profile_for(target))
    assert all(is_closed(sketch.trace) and analyzer.compiled(sketch.index) for sketch in space.sketches)
    sketch = space.sketches[0]
    drawn = sketch.sample(np.random.default_rng(0), 64)
    best = drawn[int(np.argmax(analyzer.score(sketch.index, drawn)))]
    schedule = space.apply(space.candidate(sketch.index, best))
    code = asm_of(schedule.mod, target)
    assert re.search(r"\bfmla(\.4s\s+v\d|\s+v\d+\.4s)", code)


def asm_of(mod: tvm.IRModule, target: tvm.target.Target) -> str:
    return str(
        tvm.tirx.build(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod), target).inspect_source("asm")
    )


@pytest.mark.parametrize("name", OWN_RULES)
def test_a_rule_can_be_left_out(name):
    workload, target = {"rows": "sum:5,32", "register-tile": "matmul:16,32,8"}.get(name), HOST
    if name == "amx":
        target = resolve_target('{"kind":"llvm","mcpu":"sapphirerapids","num-cores":2}')
        words = [tvm.te.placeholder(shape, "int32") for shape in ((16, 16), (16, 32))]
        task = kernel_task(tvm.te.create_prim_func([*words, matmul(*words, 16, BYTES)]))
    elif name == "moves":
        part = tvm.te.placeholder((32, 48))
        task = kernel_task(tvm.te.create_prim_func([part, tvm.topi.transpose(part)]))
    elif name == "columns":
        part = tvm.te.placeholder((4, 32))
        task = kernel_task(tvm.te.create_prim_func([part, tvm.topi.sum(part, axis=0)]))
    elif name == "vector-copy":
        part = tvm.te.placeholder((4, 32))
        task = kernel_task(tvm.te.create_prim_func([part, tvm.topi.nn.pad(part, (1, 0))]))
    elif name == "winograd":
        part = tvm.te.placeholder((1, 8, 8, 32))
        task = kernel_task(tvm.te.create_prim_func([part, winograd.transform_input(part, 4, (1, 1), (8, 8))]))
    else:
        task = task_of(workload, False)
    assert any(is_closed(s.trace) for s in DesignSpace.generate(task, target).sketches)
    # which take what is written by cases, what needs no matrix units, or a reduction alone, too
    others = {"winograd": ["vector-copy", "moves"], "vector-copy": ["moves"]}
    others |= {"amx": ["register-tile"], "columns": ["register-tile"]}
    without = [name, *others.get(name, [])]
    assert not any(is_closed(s.trace) for s in DesignSpace.generate(task, target, without=without).sketches)


def kernel_task(function: tvm.tirx.PrimFunc) -> TuningTask:
    mod = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    args = tuple(TensorSpec(p.name, tuple(int(n) for n in p.ty.shape), "float32") for p in function.params)
    return TuningTask("kernel", "data movement", "0", mod, args, 0.0, 1)


def masked_scores(rows: relax.Expr, columns: relax.Expr, queries: relax.Expr, keys: relax.Expr) -> relax.Expr:
    """Scores of attention, of which two masks leave some; the masks' product has fewer axes than the scores."""
    allowed = relax.op.logical_and(
        relax.op.greater(rows, relax.const(0.0)), relax.op.greater(columns, relax.const(0.0))
    )
    return relax.op.add(relax.op.matmul(queries, keys), relax.op.where(allowed, relax.const(0.0), relax.const(-1e9)))


@pytest.mark.parametrize("without", [[], ["register-tile"]], ids=["ours", "stock"])
def test_a_product_whose_consumer_has_another_producer_is_tiled(without):
    mod = prepare(graph(masked_scores, (1, 1, 12, 16), (2, 1, 1, 16), (2, 4, 12, 8), (2, 4, 8, 16)), HOST)
    task = next(task for task in extract_tasks(mod, HOST) if "where" in task.name)
    with pytest.raises(ScheduleError):  # TVM's rule computes the consumer in each tile
        ms.TuneContext(
            task.mod, target=HOST, space_generator=ms.space_generator.PostOrderApply(), rand_state=1, num_threads=1
        ).generate_design_space()
    space = DesignSpace.generate(task, HOST, without=without)
    assert any("sch.vectorize" in str(sketch.trace) for sketch in space.sketches) != bool(without)
    assert all("sample_perfect_tile" in str(sketch.trace) for sketch in space.sketches)
    rng = np.random.default_rng(0)
    assert_same(space, space.sketches, arrays_for(task, rng), rng, 2, facts_of(task.mod).reduction)
