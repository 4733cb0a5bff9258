"""How fast the draft is, and how much of the design spaces of networks it has in closed form."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target

from pruner_engine.benchmarks.networks import NETWORKS
from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.frontends import load_model
from pruner_engine.processes.lifetime import end_without_a_word
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, target_json
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

_ROWS = 1 << 17
_STUCK_S = 120.0  # scoring the rows takes less than a second
_POPULATION, _GENERATIONS = 64, 2  # of MetaSchedule's search; its rate does not depend on them


def bench_draft(
    target: str,
    operators: Sequence[str],
    networks: Mapping[str, Sequence[str]] = NETWORKS,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Rates of scoring, and coverage.

    Args:
        target: as `resolve_target` takes it.
        operators: models or workloads; the heaviest kernel of each is timed.
        networks: lists of models or workloads by name, whose sketches are counted.

    Returns:
        {"target", "operators": [{"workload", "sketches", "rows_per_second", "rows_per_second_two",
        "metaschedule_rows_per_second"}], "networks": [{"name", "tasks", "sketches", "compiled"}]}; rates are candidates
        a second: in one process, in two (None where processes do not fork), and those that MetaSchedule's evolutionary
        search explores with a model that costs nothing.
    """
    resolved = resolve_target(target)
    rates = []
    for workload in operators:
        on_progress(workload)
        rates.append({"workload": workload, **_rates(spaces_of(workload, resolved)[0])})
    coverage = []
    for name, workloads in networks.items():
        on_progress(name)
        coverage.append({"name": name, **_coverage(workloads, resolved)})
    return {"target": target_json(resolved), "operators": rates, "networks": coverage}


def spaces_of(source: str, target: Target) -> list[DesignSpace]:
    """The design spaces of a model's kernels, heaviest first."""
    tasks = extract_tasks(prepare(load_model(source).mod, target), target)
    return [DesignSpace.generate(task, target) for task in tasks]


def _rates(space: DesignSpace) -> dict[str, Any]:
    analyzer = analyzer_for(space, profile_for(space.target))
    rng = np.random.default_rng(0)
    share = _ROWS // len(space.sketches)
    work = [(s.index, s.sample(rng, share)) for s in space.sketches if analyzer.compiled(s.index)]
    _score(analyzer, work)  # compiles what is needed
    one, two = _timed(lambda: _score(analyzer, work)), _in_two_processes(analyzer, work)
    rows = sum(len(r) for _, r in work)
    return {
        "sketches": len(space.sketches),
        "rows_per_second": rows / one,
        "rows_per_second_two": None if two is None else rows / two,
        "metaschedule_rows_per_second": _metaschedule_rate(space),
    }


def _score(analyzer: Analyzer, work: Sequence[tuple[int, Rows]]) -> None:
    for index, rows in work:
        analyzer.score(index, rows)


def _in_two_processes(analyzer: Analyzer, work: Sequence[tuple[int, Rows]]) -> float | None:
    """Seconds; threads would wait for each other, since each array operation takes a few microseconds only."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("fork")
    meeting = context.Barrier(3, timeout=_STUCK_S)

    def score(half: int) -> None:
        end_without_a_word()
        mine = [(index, rows[half::2]) for index, rows in work]
        meeting.wait()
        _score(analyzer, mine)
        meeting.wait()

    both = [context.Process(target=score, args=(half,), daemon=True) for half in range(2)]
    for one in both:
        one.start()
    meeting.wait()
    seconds = _timed(meeting.wait)
    for one in both:
        one.join(_STUCK_S)  # or they stay as zombies for as long as this process lives
    return seconds


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _metaschedule_rate(space: DesignSpace) -> float:
    strategy = ms.search_strategy.EvolutionarySearch(
        population_size=_POPULATION, init_measured_ratio=0.0, init_min_unmeasured=8, genetic_num_iters=_GENERATIONS
    )
    context = ms.TuneContext(
        space.task.mod,
        target=space.target,
        space_generator=ms.space_generator.PostOrderApply(),
        search_strategy=strategy,
        rand_state=1,
        num_threads=1,
    )
    context.pre_tuning(
        8, 8, context.generate_design_space(), ms.database.MemoryDatabase(), ms.cost_model.CostModel.create("random")
    )
    seconds = _timed(context.generate_measure_candidates)
    return _POPULATION * (_GENERATIONS + 1) / seconds


def _coverage(workloads: Sequence[str], target: Target) -> dict[str, int]:
    spaces = [space for workload in workloads for space in spaces_of(workload, target)]
    profile = profile_for(target)
    compiled = 0
    for space in spaces:
        analyzer = analyzer_for(space, profile)
        compiled += sum(analyzer.compiled(s.index) for s in space.sketches)
    return {"tasks": len(spaces), "sketches": sum(len(s.sketches) for s in spaces), "compiled": compiled}
