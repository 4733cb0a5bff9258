"""An engine that is killed, in whatever phase: its trials are kept, and the next one goes on from there."""

from __future__ import annotations

import random
import signal
import sqlite3
from pathlib import Path

import pytest
from engines import SETTINGS, WORKLOAD, Death, engine

from pruner_engine.protocol import Export, Resume, Tune
from pruner_engine.store.reader import ProjectReader

BUDGET = 24  # far more than is measured before the last death
FIRST = ("prepare", "baseline", "space")  # a resumed run has these behind it
LATER = ("draft", "verify", "build", "run", "sql BEGIN", "sql INSERT", "sql COMMIT")
LAST = ("learn", "restore")  # of trials that were measured


def deaths(seed: int) -> list[Death]:
    """Some of each kind at a random moment; three seeds in a row have them all."""
    rng = random.Random(seed)
    turn, third = divmod(seed, 3)
    later = random.Random(turn).sample(LATER, len(LATER))[third::3]
    kinds = [FIRST[third], *later, *(LAST if third == 2 else ())]
    many = {"build": 4, "run": 4, "sql BEGIN": 16, "sql INSERT": 4, "sql COMMIT": 16}
    return [Death(at, rng.randint(1, many.get(at, 1)), round(10 ** rng.uniform(0, 2.5))) for at in kinds]


def trials(project: Path) -> list[str]:
    """Hashes of the measured candidates in the order of their commits; fails unless the file is sound."""
    with sqlite3.connect(project) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        found = db.execute(
            "SELECT c.hash FROM measurements x JOIN candidates c ON c.id = x.candidate_id ORDER BY x.id"
        ).fetchall()
    db.close()
    return [row[0] for row in found]


def reported(told: Path) -> int:
    """How many trials the engine said that the run has."""
    return max([0, *(int(line.split()[1]) for line in told.read_text().splitlines() if line.startswith("trials"))])


def tune_command(project: Path, model: str = "xgb") -> Tune:
    return Tune(project=str(project), model=WORKLOAD, trials=BUDGET, settings={**SETTINGS, "model": model})


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    assert engine(tune_command(folder / "m.pruner"), folder / "told") == 0
    return folder / "m.pruner"


@pytest.mark.parametrize("seed", range(6))
def test_no_death_costs_a_trial(seed, tmp_path, unbroken):
    project, told = tmp_path / "m.pruner", tmp_path / "told"
    command: Tune | Resume = tune_command(project, "xgb" if seed % 2 else "pacm-draft")  # which takes longer to learn
    before: list[str] = []
    for death in deaths(seed):
        assert engine(command, told, death) == -signal.SIGKILL, f"{death}: {told.read_text()}"
        now = trials(project)
        assert now[: len(before)] == before, death
        assert len(now) == len(set(now)), death
        assert len(now) >= reported(told), f"what was told is in the file: {death}"
        with ProjectReader(project) as reader:
            assert reader.run()["interrupted"], death
        command, before = Resume(project=str(project)), now
    assert engine(command, told) == 0, told.read_text()
    after = trials(project)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == len(trials(unbroken)) == BUDGET
    with ProjectReader(project) as reader:
        run = reader.run()
        assert (run["state"], run["trials"]) == ("finished", BUDGET)


EXPORT_DEATHS = (
    "export compile the tuned model",
    "check compile the untuned model",
    "check round 1 of 2: tuned",
    "export write",
    'sql INSERT INTO "exports"',
)


def test_an_export_that_is_killed_leaves_nothing_for_ever(tmp_path, unbroken):
    out, told = tmp_path / "bundles" / "tuned", tmp_path / "told"
    rng = random.Random(0)
    command = Export(project=str(unbroken), out=str(out))
    for at in EXPORT_DEATHS:
        assert engine(command, told, Death(at, calls=round(10 ** rng.uniform(0, 2)))) == -signal.SIGKILL, at
        assert at.startswith("sql") or not out.exists(), "a bundle is there whole or not at all"
        assert len(list(out.parent.iterdir())) == 1, f"what the one before left is gone: {at}"
    assert engine(command, told) == 0, told.read_text()
    assert list(out.parent.iterdir()) == [out]
    assert (out / "model.so").exists()
    trials(unbroken)
