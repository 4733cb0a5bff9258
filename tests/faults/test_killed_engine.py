"""An engine that is killed, in whatever phase: its trials are kept, and the next one goes on from there."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pytest
from engines import KILLED, SETTINGS, WORKLOAD, Death, engine

from databases import connected
from pruner_engine.export.library import METADATA
from pruner_engine.protocol import Export, Resume, Tune
from pruner_engine.store.reader import ProjectReader
from seeds import seeded

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
    return [drawn(at, rng, many.get(at, 1), 2.5) for at in kinds]


def drawn(at: str, rng: random.Random, most: int = 1, decades: float = 2.0) -> Death:
    """A death some calls after one of the first `most` times that it happens, or some milliseconds."""
    nth, calls = rng.randint(1, most), round(10 ** rng.uniform(0, decades))
    return Death(at, nth, calls, rng.uniform(1e-6, 20e-3) if rng.random() < 0.5 else None)


def trials(project: Path) -> list[str]:
    """Hashes of the measured candidates in the order of their commits; fails unless the file is sound."""
    with connected(project) as db:
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


def test_what_a_task_is_measured_by_is_kept_with_its_first_trial(tmp_path):
    """Else the next session would measure by another kernel, in the unit of another minute."""
    project, told = tmp_path / "m.pruner", tmp_path / "told"
    # the untuned kernel and the probe are run before the candidates of the first round
    assert engine(tune_command(project), told, Death("run", nth=4)) in KILLED
    assert trials(project), "that round is under way"
    with ProjectReader(project) as reader:
        (kept,) = reader.rows("SELECT value FROM meta WHERE key LIKE 'yardstick %'")
        measured = [row["id"] for row in reader.candidates(1, measured=True)]
    assert json.loads(kept["value"])["candidate_id"] in measured


@seeded(3)
def test_no_death_costs_a_trial(seed, tmp_path, unbroken):
    project, told = tmp_path / "m.pruner", tmp_path / "told"
    turn, third = divmod(seed, 3)
    # which takes longer to learn, and to start: first where deaths while it learns are drawn, then everywhere else
    slow = (third == 2) == (turn % 2 == 0)
    command: Tune | Resume = tune_command(project, "pacm-draft" if slow else "xgb")
    before: list[str] = []
    for death in deaths(seed):
        assert engine(command, told, death) in KILLED, f"{death}: {told.read_text()}"
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
    "os.rename",  # of the bundle to its place, or before it of one that is there
    'sql INSERT INTO "exports"',
)


def assert_whole(bundle: Path) -> None:
    files = json.loads((bundle / METADATA).read_text())["files"]
    assert "model.so" in files
    for name, digest in files.items():
        assert hashlib.sha256((bundle / name).read_bytes()).hexdigest() == digest, name


@seeded()
def test_an_export_that_is_killed_leaves_nothing_for_ever(seed, tmp_path, unbroken):
    out, told = tmp_path / "bundles" / "tuned", tmp_path / "told"
    rng = random.Random(seed)
    command = Export(project=str(unbroken), out=str(out))
    written = False
    for at in rng.sample(EXPORT_DEATHS, len(EXPORT_DEATHS)):
        death = drawn(at, rng, 2 if at == "os.rename" and out.exists() else 1)
        code = engine(command, told, death)
        assert code in KILLED or (code == 0 and death.seconds), death  # that it took to its end
        written |= at.startswith("sql") or code == 0
        left = [path for path in out.parent.iterdir() if path != out]
        assert len(left) <= 1, f"what the one before left is gone: {death}"
        if out.exists():
            assert_whole(out)
        elif written:  # it had given way
            assert_whole(left[0] / "earlier")
    assert engine(command, told) == 0, told.read_text()
    assert list(out.parent.iterdir()) == [out]
    assert_whole(out)
    trials(unbroken)
