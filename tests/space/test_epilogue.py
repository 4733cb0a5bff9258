"""The rule by which what reads a product's results more than once becomes part of the product's kernel on a GPU."""

import numpy as np
import pytest
from tvm.s_tir import Schedule
from tvm.tirx import SeqStmt

from cuda_compiler import needs_cuda_compiler
from draft.spaces import EPILOGUES, GPU, accepted, analyzer_of, space_of
from epilogues import CHAINS, HALVES, KINDS, epilogue_task
from machines import arrays_for, result_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.rule_names import EPILOGUE_RULE
from pruner_engine.search.explorer import Explorer
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from seeds import seeds
from without_threads import one_after_another

HOPPER = resolve_target("h100")
OTHERS = [
    "convolution, bias, residual, relu",
    "depthwise convolution, bias, clip",
    "matmul, scale, softmax",
    "sum, layer norm",
    "exp, product, sum, tanh",
    "argmax",
    "group norm",
    "gates",
    "gelu:64,96",
    "maxpool:1,16,16,16,2",
    "conv2d of halves, relu",
]


def chain_of(kind, seed):
    return sorted(CHAINS)[(seed + [*KINDS, *HALVES].index(kind)) % len(CHAINS)]


def space_of_kind(kind, seed, without=()):
    return DesignSpace.generate(epilogue_task(kind, chain_of(kind, seed), GPU, seed), GPU, without=without)


def launches(space, sketch, row=None):
    """The kernels of a sketch, its decisions as they were drawn or as a row has them; no postprocessing."""
    schedule = Schedule(space.task.mod)
    (sketch.trace if row is None else sketch.to_trace(row)).apply_to_schedule(schedule, remove_postproc=True)
    body = schedule.mod["main"].body.block.body
    return schedule.mod, len(body.seq) if isinstance(body, SeqStmt) else 1


def valid_rows(space, sketch, count):
    rows = sketch.sample(np.random.default_rng(4), 1000)
    return rows[np.isfinite(analyzer_of(space).score(sketch.index, rows))][:count]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("kind", KINDS)
def test_one_kernel_computes_what_the_untuned_kernel_computes(kind, seed):
    """Or two, where parts of a long sum are added up by the second."""
    space = space_of_kind(kind, seed)
    analyzer, arrays = analyzer_of(space), arrays_for(space.task, np.random.default_rng(3))
    wanted = result_of(space.task.mod, arrays)
    for sketch in space.sketches:
        assert analyzer.compiled(sketch.index)
        assert launches(space, sketch)[1] == 1 + ("RFactor" in sketch.trace_json())
    for sketch in (space.sketches[0], space.sketches[-1]):
        candidates = [space.candidate(sketch.index, row) for row in valid_rows(space, sketch, 1)]
        assert len(space.materialise(candidates)) == len(candidates) == 1
        found = result_of(one_after_another(candidates[0].schedule.mod), arrays)
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("kind", HALVES)
def test_so_does_one_on_tensor_cores(kind, seed):
    """As it is before their instructions take the place of loops."""
    space = space_of_kind(kind, seed)
    analyzer, arrays = analyzer_of(space), arrays_for(space.task, np.random.default_rng(3))
    wanted = result_of(space.task.mod, arrays)
    for sketch in space.sketches:
        assert "wmma" in sketch.trace_json() and analyzer.compiled(sketch.index)
        mod, number = launches(space, sketch, valid_rows(space, sketch, 1)[0])
        assert number == 1
    found = result_of(one_after_another(mod), arrays)
    np.testing.assert_allclose(found, wanted, rtol=5e-3, atol=5e-3)


def test_vectors_are_no_wider_than_what_their_elements_are_converted_to_allows():
    """Eight halves of a fetch are eight numbers of float32 on the way through a GELU, which TVM's check refuses."""
    modules, tried = accepted(space_of("halves, in halves, gelu", GPU), "a100-40g", 24)
    assert len(modules) == tried == 24


@pytest.mark.parametrize("kind", ["product", "long sum", "pixels of halves"])
def test_without_it_the_chain_is_launched_alone(kind):
    with_rule, without = (space_of_kind(kind, 0, names) for names in ((), (EPILOGUE_RULE,)))
    assert len(with_rule.sketches) == len(without.sketches)
    for one, other in zip(with_rule.sketches, without.sketches, strict=True):
        assert launches(with_rule, one)[1] + 1 == launches(without, other)[1]


@pytest.mark.parametrize("workload", OTHERS)
def test_other_kernels_keep_their_spaces(workload):
    space = space_of(workload, GPU)
    without = DesignSpace.generate(space.task, GPU, without=[EPILOGUE_RULE])
    assert [sketch.hash for sketch in space.sketches] == [sketch.hash for sketch in without.sketches]


@needs_cuda_compiler
@pytest.mark.parametrize("preset", ["a100-40g", "h100"])
def test_they_compile_to_machine_code(preset, built):
    target, modules = resolve_target(preset), []
    for workload in (EPILOGUES[0], EPILOGUES[6]):
        modules += accepted(space_of(workload, target), preset, 1)[0]
    results = built(preset, modules)
    assert len(results) == 2 and all(result.ok for result in results), [result.message for result in results]


def test_the_draft_expects_the_launch_to_be_saved():
    profile = load_presets()["h100"].profile

    def expected(without):
        space = DesignSpace.generate(epilogue_task("convolution", "silu", HOPPER), HOPPER, without=without)
        explorer = Explorer(space, Analyzer(space, profile), SearchSettings(draft_set=8))
        return 2.0 ** -explorer.draft(np.random.default_rng(0)).candidates[0].draft_score

    assert expected([]) < expected([EPILOGUE_RULE]) - 0.9 * profile.parallel_overhead_s
