"""Every strategy, on a real task with real measurements, through the same loop."""

import functools
import shutil

import numpy as np
import pytest
from safetensors.numpy import load

from pruner_engine.measure.types import MeasureResult
from pruner_engine.protocol import Failed, Notice, Resume, RunFinished, Tune
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies import make_strategy
from pruner_engine.search.strategies.metaschedule import MetaScheduleSearch
from pruner_engine.search.strategies.model_strategy import few_alike
from pruner_engine.search.strategy import Context, Proposal, Strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.presets import load_presets
from pruner_engine.verify import create_model
from schedules import CPU, task_of

SMALL = {"round_trials": 6, "population": 24, "generations": 1, "draft_set": 16, "fresh_samples": 4, "repeats": 1}
WORKLOAD = "matmul:96,96,96"


@pytest.fixture(scope="module")
def run(engine):
    """What returns the events of one tuning."""

    def tuned(project, strategy, trials=12, seed=0, **settings):
        settings = {**SMALL, **settings}
        engine.send(
            Tune(project=str(project), model=WORKLOAD, strategy=strategy, trials=trials, seed=seed, settings=settings)
        )
        events = []
        for event in engine.events():
            events.append(event)
            if isinstance(event, RunFinished | Failed):
                return events
        raise AssertionError

    return tuned


@pytest.fixture(scope="module")
def tuned(run, tmp_path_factory):
    """A strategy's project of two rounds, tuned once, and what was told meanwhile."""

    @functools.cache
    def of(strategy):
        project = tmp_path_factory.mktemp(strategy) / "p.pruner"
        return project, run(project, strategy, adapt_every=3)

    return of


@pytest.mark.parametrize("strategy", ["random", "ansor", "tenset-mlp", "tlp", "pruner", "moa-pruner", "metaschedule"])
def test_a_strategy_finds_a_fast_kernel(tuned, strategy):
    project, (*_, finished) = tuned(strategy)
    assert isinstance(finished, RunFinished) and finished.state == "finished"
    with ProjectReader(project) as reader:
        measured = reader.candidates(1, measured=True)
        assert len({c["hash"] for c in measured}) == 12
        task = reader.tasks(1)[0]
        assert task["best_s"] < task["untuned_s"] / 3, "any sensible schedule of a matmul is vectorised"
        assert reader.run()["strategy"] == strategy
        if strategy == "random":
            assert {c["origin"] for c in measured} == {"random"}, "chance learns from nothing"


def test_an_offline_strategy_without_a_checkpoint_says_that_it_learns_online(tuned):
    _, events = tuned("tlp")
    assert any(isinstance(e, Notice) and "no checkpoint" in e.text for e in events)


def test_the_same_seed_proposes_the_same_candidates(tmp_path, run):
    """Up to the first measurement, on which the next rounds depend."""
    first = []
    for name in ("a", "b"):
        run(tmp_path / f"{name}.pruner", "pruner", trials=2, seed=5)
        with ProjectReader(tmp_path / f"{name}.pruner") as reader:
            first.append({c["hash"] for c in reader.candidates(1)})
    assert first[0] == first[1]


@pytest.fixture
def gone_on(engine, tuned, tmp_path):
    """What copies a strategy's project and resumes its run with a larger budget."""

    def resumed(strategy, trials):
        project = shutil.copy(tuned(strategy)[0], tmp_path)
        engine.send(Resume(project=str(project), run_id=1, trials=trials))
        assert isinstance(next(e for e in engine.events() if isinstance(e, RunFinished | Failed)), RunFinished)
        return project

    return resumed


def test_a_resumed_run_draws_what_it_has_not_seen(gone_on):
    with ProjectReader(gone_on("random", 18)) as reader:
        assert len({c["hash"] for c in reader.candidates(1, measured=True)}) == 18


def test_a_resumed_run_keeps_the_cadence_of_its_adaptations(gone_on):
    with ProjectReader(gone_on("moa-pruner", 24)) as reader:
        assert {a["round"] for a in reader.adaptations(1)} == {0, 3}
        assert len(reader.rounds(1)) == 4


def context_of(settings=SearchSettings()):  # noqa: B008 (cannot be changed)
    nothing = lambda *_: None  # noqa: E731
    return Context(CPU, load_presets()["a100-40g"].profile, 0, settings, 1, nothing, nothing, nothing)


class Learning(Strategy):
    """Counts the trials that it learns from at a time."""

    round_trials = 4

    def __init__(self, context):
        super().__init__(context)
        self.learned = []

    def propose(self, state, count):
        return Proposal([])

    def learn(self, state, trials):
        self.learned.append(len(trials))
        return {}


def test_a_resumed_run_learns_as_many_trials_at_a_time_as_a_round_has():
    state, untouched = (TaskState(task_of(WORKLOAD, CPU), number) for number in (1, 2))
    for number in range(10):
        candidate = Candidate(0, np.zeros(1, np.int32), f"{number:016x}", [])
        state.add(Trial(candidate, MeasureResult(candidate.hash, "ok", repeats=(1.0,))))
    strategy = Learning(context_of())
    strategy.restore([state, untouched], {})
    assert strategy.learned == [4, 4, 2]


def test_random_search_fills_a_round_however_many_builders_there_are():
    task = task_of(WORKLOAD, CPU)
    state = TaskState(task, 1, space=DesignSpace.generate(task, CPU))
    strategy = make_strategy("random", context_of())
    strategy.widen_rounds(160)
    assert len(strategy.propose(state, strategy.round_trials).candidates) == 160


def test_short_first_rounds_keep_builders_busy_two_at_a_time():
    few, many, whole = (make_strategy(name, context_of()) for name in ("pruner", "pruner", "random"))
    few.widen_rounds(2)
    assert few.opening_trials == 3
    many.widen_rounds(9)
    assert many.opening_trials == 5
    many.widen_rounds(64)
    assert many.opening_trials == 6
    whole.widen_rounds(15)
    assert whole.opening_trials == 0


def test_a_missing_checkpoint_is_one_sentence(tmp_path, run):
    failed = run(tmp_path / "p.pruner", "pruner", checkpoint=str(tmp_path / "none.safetensors"))[-1]
    assert isinstance(failed, Failed) and failed.kind == "user"
    assert "cannot be read" in failed.message


def test_momentum_adaptation_without_a_pretrained_model_says_how_to_get_one(tmp_path, run):
    failed = run(tmp_path / "p.pruner", "moa-pruner", model="tlp")[-1]
    assert isinstance(failed, Failed) and failed.kind == "user"
    assert "no tlp model is installed" in failed.message and "pruner train" in failed.hint


def stock_search(**settings):
    """The stock search with a task."""
    task, nothing = task_of("matmul:32,32,32"), lambda *_: None
    profile, chosen = load_presets()["sapphire-rapids"].profile, SearchSettings(**settings)
    search = MetaScheduleSearch(Context(CPU, profile, 0, chosen, 1, nothing, nothing, nothing))
    return search, TaskState(task, 1, space=DesignSpace.generate(task, CPU))


@pytest.mark.parametrize(("settings", "size"), [({}, (512, 4)), ({"population": 24, "generations": 1}, (24, 1))])
def test_the_stock_search_is_as_large_as_it_was_published_or_as_the_settings_say(settings, size):
    search, state = stock_search(**settings)
    tvms = search._tune_context(state).search_strategy
    assert (tvms.population_size, tvms.genetic_num_iters) == size


def test_the_stock_search_says_that_it_takes_no_checkpoint():
    nothing, said = lambda *_: None, []
    profile, settings = load_presets()["sapphire-rapids"].profile, SearchSettings(checkpoint="pacm.safetensors")
    MetaScheduleSearch(Context(CPU, profile, 0, settings, 2, nothing, nothing, lambda *told: said.append(told)))
    ((level, text, _),) = said
    assert level == "warning" and "the checkpoint is not used" in text


def measured_round(search, state, count):
    """Hashes of what a round of so many trials measures."""
    candidates = search.propose(state, count).candidates
    trials = [Trial(c, MeasureResult(c.hash, "ok", repeats=(1e-4 + len(state.trials) * 1e-6,))) for c in candidates]
    for trial in trials:
        state.add(trial)
    search.learn(state, trials)
    return [candidate.hash for candidate in candidates]


def test_what_the_stock_search_found_and_a_cut_round_had_no_room_for_is_measured_next():
    search, state = stock_search(round_trials=8, population=64, generations=1)
    found = [c.hash for c in search.propose(state, 8).candidates]  # of a round that was broken off
    assert measured_round(search, state, 3) == found[:3]
    whole = measured_round(search, state, 8)
    assert whole[:5] == found[3:] and len(set(whole)) == 8
    assert len({trial.candidate.hash for trial in state.trials}) == 11


def test_a_round_is_not_spent_on_candidates_of_one_score():
    scores = [5.0, 5.0, 5.0, 5.0, 4.0, 5.0, 3.0]
    ranked = [Candidate(0, np.array([i]), str(i), [], verified_score=score) for i, score in enumerate(scores)]
    assert [c.hash for c in few_alike(ranked)] == ["0", "1", "2", "4", "6", "3", "5"]


def test_an_offline_strategy_that_was_cut_off_before_its_first_checkpoint_learns_nothing(tmp_path):
    (file := tmp_path / "model.safetensors").write_bytes(create_model("tenset-mlp", 7).to_bytes())
    settings, nothing = SearchSettings(checkpoint=str(file), population=8, generations=0), lambda *_: None
    profile = load_presets()["sapphire-rapids"].profile
    strategy = make_strategy("tenset-mlp", Context(CPU, profile, 0, settings, 2, nothing, nothing, nothing))
    task = task_of("matmul:32,32,32")
    state = TaskState(task, 1, space=DesignSpace.generate(task, CPU))
    for place, candidate in enumerate(strategy.propose(state, 4).candidates, 1):
        state.add(Trial(candidate, MeasureResult(candidate.hash, "ok", repeats=(1e-4 * place,))))
    strategy.restore([state], {})
    kept, given = load(strategy.model.to_bytes()), load(file.read_bytes())
    assert len(state.trials) == 4 and all(np.array_equal(kept[name], given[name]) for name in given)
