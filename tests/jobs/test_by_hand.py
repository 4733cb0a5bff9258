"""Rows of decisions that a person chose: predicted, verified, measured, pinned into a run that waits or works."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
from test_run_life import SETTINGS, WORKLOAD

from databases import connected
from pruner_engine.jobs.commands import tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.protocol import (
    Failed,
    Notice,
    Pause,
    Phase,
    Pin,
    Pinned,
    Resume,
    RunFinished,
    State,
    Tried,
    Try,
    Tune,
    Unpause,
    Verified,
    Verify,
    WhatIf,
    WhatIfScore,
)
from pruner_engine.resources import resource_dir
from pruner_engine.search.control import Control, PinnedRow
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies import make_strategy, register_strategy
from pruner_engine.space.distribution import decision_from
from pruner_engine.store.reader import ProjectReader
from run_jobs import QUICK, resumed
from terminal import carried_out as terminal

_REPLIES = (WhatIfScore, Verified, Tried, Pinned, RunFinished, Failed)


@pytest.fixture(scope="module")
def finished(engine, tmp_path_factory):
    """A project with one finished run of twelve trials."""
    project = tmp_path_factory.mktemp("by-hand") / "m.pruner"
    (done,) = ask(engine, Tune(project=str(project), model=WORKLOAD, trials=12, settings=SETTINGS))
    assert done.valid > 8
    return project


@pytest.fixture
def project(finished, tmp_path):
    return shutil.copy(finished, tmp_path / "m.pruner")


def ask(engine, *commands, refused=False):
    """The reply to each command."""
    replies = []
    for command in commands:
        engine.send(command)
        reply = next(event for event in engine.events() if isinstance(event, _REPLIES))
        assert isinstance(reply, Failed) == refused, reply
        replies.append(reply)
    return replies


def best(project):
    with ProjectReader(project) as reader:
        (task,) = reader.tasks(1)
        return reader.candidate(task["best_candidate_id"])


def test_what_another_machine_tuned_is_not_measured_here(engine, project):
    row, decisions = unmeasured(project)
    with connected(project) as db:
        db.execute("UPDATE targets SET fingerprint = 'elsewhere', device = 'another processor'")
    (told,) = ask(engine, Try(run_id=1, decisions=decisions, **row), refused=True)
    assert "tuned on another processor" in told.message
    with ProjectReader(project) as reader:
        assert reader.run(1)["trials"] == 12


def unmeasured(project):
    """Decisions, in the best candidate's sketch, that the run has not measured."""
    row = best(project)
    with ProjectReader(project) as reader:
        known = [r["decisions"] for r in reader.candidates(1, measured=True) if r["sketch_id"] == row["sketch_id"]]
        specs = next(s["decisions"] for s in reader.sketches(row["task_id"]) if s["id"] == row["sketch_id"])
    for at, spec in enumerate(specs):
        decision = decision_from(spec)
        for value in decision.values():
            edited = [*row["decisions"][:at], decision.to_json(value), *row["decisions"][at + 1 :]]
            if edited not in known:
                return {"project": str(project), "task_id": row["task_id"], "sketch_id": row["sketch_id"]}, edited
    raise AssertionError("everything was measured")


def test_a_row_is_predicted_verified_and_measured_once(engine, project):
    where, decisions = unmeasured(project)
    predicted, verified, tried, again = ask(
        engine,
        WhatIf(**where, decisions=decisions),
        Verify(run_id=1, **where, decisions=decisions),
        Try(run_id=1, **where, decisions=decisions),
        Try(run_id=1, **where, decisions=decisions),
    )
    assert predicted.valid and predicted.reasons
    assert verified.model == SearchSettings().model and re.fullmatch(
        r"\d+ measurements of run 1", verified.learned_from
    )
    assert 1 <= verified.place <= verified.of and verified.like_s > 0
    assert not tried.before and again.before and again.candidate_id == tried.candidate_id
    with ProjectReader(project) as reader:
        row = reader.candidate(tried.candidate_id)
        run = reader.run(1)
        assert (row["decisions"], row["origin"], row["seconds"]) == (decisions, "user", tried.seconds)
        assert reader.trace(row["id"]) and run["trials"] == 13 and run["state"] == "finished"
        assert reader.progress(1)[-1]["trials"] == 13
        (task,) = reader.tasks(1)
        assert run["latency_s"] == pytest.approx(task["best_s"] * task["weight"])


def test_what_a_first_row_was_timed_by_is_kept_for_the_next(engine, project):
    """Without it the next trial would be told in a unit of its own."""
    yardsticks = "FROM meta WHERE key LIKE 'yardstick %'"
    with connected(project) as db:
        assert db.execute(f"DELETE {yardsticks}").rowcount == 1
    where, decisions = unmeasured(project)
    (tried,) = ask(engine, Try(run_id=1, **where, decisions=decisions))
    with connected(project) as db:
        ((kept,),) = db.execute(f"SELECT value {yardsticks}").fetchall()
    assert json.loads(kept) == {"candidate_id": tried.candidate_id, "seconds": pytest.approx(tried.seconds)}


def test_where_nothing_else_was_measured_no_latency_of_such_a_score_is_told(engine, project, warm):
    row = best(project)
    with connected(project) as db:
        db.execute("DELETE FROM measurements WHERE candidate_id != ?", (row["id"],))
    where = {"project": str(project), "task_id": row["task_id"], "sketch_id": row["sketch_id"]}
    (verified,) = ask(engine, Verify(run_id=1, **where, decisions=row["decisions"]))
    assert (verified.place, verified.of, verified.like_s) == (1, 1, None)
    told = terminal("try", project, "--candidate", row["id"], "--verify")
    assert "puts it on place 1 of 1" in told.stdout and " 0 s" not in told.stdout


def test_a_failure_told_as_json_says_what_to_do(project, warm):
    row = best(project)
    with connected(project) as db:
        failed = "stage = 'run', error = 'timeout', message = 'It took too long.', seconds = NULL"
        db.execute(f"UPDATE measurements SET {failed} WHERE candidate_id = ?", (row["id"],))
    words = ("try", project, "--candidate", row["id"], "--measure")
    told = json.loads(terminal(*words, "--json").stdout)
    assert (told["stage"], told["before"]) == ("run", True)
    assert told["hint"] and told["hint"] in terminal(*words).stdout


def test_a_changed_row_is_held_against_the_one_that_it_was(engine, project):
    where, decisions = unmeasured(project)
    own = best(project)["decisions"]
    as_it_is, changed = ask(engine, WhatIf(**where, decisions=own), WhatIf(**where, decisions=decisions, against=own))
    assert as_it_is.against is None and changed.against.latency_s == as_it_is.latency_s
    assert (changed.latency_s, changed.symbols) != (as_it_is.latency_s, as_it_is.symbols)
    for part in ("times", "penalties", "symbols"):
        assert getattr(changed.against, part) == getattr(as_it_is, part)


def test_a_project_that_was_made_anew_is_asked_about_anew(engine, project):
    where, decisions = unmeasured(project)
    sample = shutil.copy(resource_dir() / "samples" / "small-cnn.pruner", project.with_name("other.pruner"))
    with ProjectReader(sample) as reader:
        other = reader.candidate(next(task["best_candidate_id"] for task in reader.tasks(2) if task["id"] == 1))
    ask(engine, WhatIf(**where, decisions=decisions))
    sample.replace(project)
    place = where | {"task_id": 1, "sketch_id": other["sketch_id"]}
    (told,) = ask(engine, WhatIf(**place, decisions=other["decisions"]))
    assert told.valid


def test_a_row_slower_than_the_untuned_kernel_does_not_change_the_curve(engine, project):
    where, decisions = unmeasured(project)
    with connected(project) as db:
        db.execute("UPDATE tasks SET untuned_s = 1e-12")
    ask(engine, Try(run_id=1, **where, decisions=decisions))
    with ProjectReader(project) as reader:
        assert reader.run(1)["latency_s"] == pytest.approx(reader.tasks(1)[0]["weight"] * 1e-12)


def test_a_row_that_is_pinned_waits_and_is_measured_first_when_the_run_goes_on(engine, project):
    where, decisions = unmeasured(project)
    (pinned,) = ask(engine, Pin(run_id=1, **where, decisions=decisions))
    with ProjectReader(project) as reader:
        assert reader.candidate(pinned.candidate_id)["stage"] is None
    (done,) = ask(engine, Resume(project=str(project), run_id=1, trials=15))
    assert done.trials == 15
    with ProjectReader(project) as reader:
        thirteenth = reader.rows("SELECT candidate_id FROM measurements ORDER BY id")[12]["candidate_id"]
        assert thirteenth == pinned.candidate_id
        assert reader.candidate(thirteenth)["decisions"] == decisions


def test_of_a_frozen_task_only_what_was_pinned_is_measured(engine, project):
    where, decisions = unmeasured(project)
    ask(engine, Pin(run_id=1, **where, decisions=decisions))
    with connected(project) as db:
        db.execute("UPDATE run_tasks SET steer = 'freeze'")
    (done,) = ask(engine, Resume(project=str(project), run_id=1, trials=15))
    assert done.trials == 13


def test_what_is_pinned_of_a_task_that_is_given_up_gives_it_up_no_second_time(engine, project):
    with connected(project) as db:
        db.execute("UPDATE runs SET settings = json_set(settings, '$.build_timeout_s', 0.001)")
    resumed(project, run_id=1, trials=60)
    where, decisions = unmeasured(project)
    ask(engine, Pin(run_id=1, **where, decisions=decisions))
    (done,) = ask(engine, Resume(project=str(project), run_id=1, trials=60))
    with ProjectReader(project) as reader:
        assert done.trials - done.valid > 24, "what was pinned is measured, and fails"
        assert sum("is tuned no more" in event["text"] for event in reader.events(1)) == 1


def test_a_row_is_pinned_into_a_run_that_works(engine, project):
    where, decisions = unmeasured(project)
    engine.send(Resume(project=str(project), run_id=1, trials=36))
    engine.send(Pin(run_id=1, **where, decisions=decisions))
    events = []
    for event in engine.events():
        events.append(event)
        if isinstance(event, RunFinished | Failed):
            break
    assert any(isinstance(event, Notice) and "pinned and measured next" in event.text for event in events)
    with ProjectReader(project) as reader:
        (found,) = reader.rows("SELECT id FROM candidates WHERE origin = 'user'")
        row = reader.candidate(found["id"])
        assert row["decisions"] == decisions and row["stage"] is not None
        order = [r["candidate_id"] for r in reader.rows("SELECT candidate_id FROM measurements ORDER BY id")]
        assert order.index(row["id"]) < 12 + 2 * SETTINGS["round_trials"], "it went before what the search wanted"


def test_a_pinned_row_is_measured_though_its_round_is_broken_off(engine, project):
    where, decisions = unmeasured(project)
    engine.send(Pin(run_id=1, **where, decisions=decisions))
    engine.send(Resume(project=str(project), run_id=1, trials=24))
    paused = False
    for event in engine.events():
        if isinstance(event, Phase) and event.name == "measure" and not paused:
            engine.send(Pause())
            paused = True
        elif isinstance(event, State) and event.name == "paused":
            engine.send(Unpause())
        elif isinstance(event, RunFinished | Failed):
            break
    assert paused and event.trials == 24
    with ProjectReader(project) as reader:
        (found,) = reader.rows("SELECT id FROM candidates WHERE origin = 'user'")
        assert reader.candidate(found["id"])["stage"] is not None


def test_a_row_that_is_pinned_too_late_waits_for_the_next_session(engine, project):
    where, decisions = unmeasured(project)
    engine.send(Resume(project=str(project), run_id=1, trials=12))  # which it has had
    engine.send(Pin(run_id=1, **where, decisions=decisions))
    assert next(event for event in engine.events() if isinstance(event, RunFinished | Failed)).trials == 12
    with ProjectReader(project) as reader:
        (found,) = reader.rows("SELECT id FROM candidates WHERE origin = 'user'")
        assert reader.candidate(found["id"])["stage"] is None
    ask(engine, Resume(project=str(project), run_id=1, trials=13))
    with ProjectReader(project) as reader:
        assert reader.candidate(found["id"])["stage"] is not None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decisions": [[3, 3, 3]]}, "decisions"),
        ({"sketch_id": 999}, "no sketch"),
        ({"run_id": 9}, "Run 9"),
        ({"task_id": 99}, "no task"),
    ],
)
def test_what_does_not_fit_is_a_sentence(engine, project, change, told):
    where, decisions = unmeasured(project)
    (failed,) = ask(engine, Pin(**{"run_id": 1, **where, "decisions": decisions, **change}), refused=True)
    assert failed.kind == "user" and told in failed.message


def test_the_terminal_tries_and_compares(project, warm):
    where, decisions = unmeasured(project)
    row = best(project)
    with ProjectReader(project) as reader:
        specs = next(s["decisions"] for s in reader.sketches(row["task_id"]) if s["id"] == row["sketch_id"])
    at = next(at for at in range(len(specs)) if decisions[at] != row["decisions"][at])
    value = decisions[at]
    text = ",".join(map(str, value)) if isinstance(value, list) else str(specs[at]["domain"]["candidates"][value])
    edit = f"{specs[at]['name']}={text}"
    done = terminal("try", project, "--task", where["task_id"], "--decide", edit, "--measure", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["decisions"] == decisions and told["stage"] == "ok"
    candidate = told["candidate_id"]
    shown = terminal("inspect", project, "--task", where["task_id"], "--candidate", candidate, "--as", "why").stdout
    assert shown.startswith("predicted") and "- " in shown
    assert terminal("inspect", project, "--candidate", candidate, "--as", "why").stdout == shown, "of its own task"
    other = terminal(
        "inspect", project, "--task", where["task_id"], "--candidate", candidate, "--against", row["id"], "--as", "nest"
    ).stdout
    assert f"candidate {candidate}" in other and f"candidate {row['id']}" in other
    untuned = terminal("inspect", project, "--task", where["task_id"], "--candidate", "untuned", "--against", candidate)
    assert untuned.stdout.splitlines()[0].split("|")[0].strip() == "untuned kernel" and "+ " in untuned.stdout
    asked = terminal("inspect", project, "--task", where["task_id"], "--candidate", "untuned", "--as", "why")
    assert asked.returncode == 1 and "own sketches only" in asked.stderr
    several = terminal("inspect", resource_dir() / "samples" / "small-cnn.pruner")
    assert several.returncode == 1 and "The run has 14 tasks. Name one with --task" in several.stderr
    refused = terminal("try", project, "--task", where["task_id"], "--decide", "nothing=1")
    assert refused.returncode == 1 and "names no decision" in refused.stderr


def test_a_row_that_is_pinned_as_the_run_ends_waits_for_the_next(tmp_path):
    """After its last round a strategy is asked once more what it has learned, which may take a moment."""
    said, control, project = [], Control(), tmp_path / "p.pruner"

    def pinned_late(context):
        strategy = make_strategy("random", context)
        propose, states = strategy.propose, []

        def noting(state, count):
            states[:] = [state]
            return propose(state, count)

        def pin_now():
            (state,) = states
            rows = state.space.sketches[0].sample(np.random.default_rng(1), 64)
            free = (c for c in (state.space.candidate(0, row) for row in rows) if c.hash not in state.measured)
            control.pinned.put(PinnedRow(state.task_id, state.sketch_ids[0], next(free).decisions))

        strategy.propose, strategy.calibration = noting, pin_now
        return strategy

    register_strategy("pinned-late", pinned_late)
    plan = Tune(project=str(project), model=WORKLOAD, strategy="pinned-late", trials=4, settings=QUICK)
    tune.start(plan, JobContext(said.append, control))
    with ProjectReader(project) as reader:
        (waiting,) = [row for row in reader.candidates(1) if row["origin"] == "user"]
        assert waiting["stage"] is None
        assert (reader.run(1)["state"], reader.run(1)["phase"]) == ("finished", "")
    assert any(isinstance(event, Notice) and f"{waiting['id']} is pinned" in event.text for event in said)
    resumed(project, trials=5)
    with ProjectReader(project) as reader:
        assert reader.candidate(waiting["id"])["stage"] is not None
