"""Several engines that want one project at the same time: each works on it alone, or is refused."""

from __future__ import annotations

import random
import shutil
import time

from engines import EARLIER, REFUSED, SETTINGS, WORKLOAD, say_of_this_machine, started

from pruner_engine.protocol import Export, Resume, Tune
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from seeds import seeded

MEASURED = "SELECT c.hash, c.run_id FROM measurements x JOIN candidates c ON c.id = x.candidate_id ORDER BY x.id"


@seeded()
def test_engines_that_start_together_leave_one_sound_project(seed, tmp_path):
    rng, project = random.Random(seed), tmp_path / "m.pruner"
    before: list[tuple] = []
    if seed % 2 == 0:  # else all of them would make it
        shutil.copy(EARLIER / "v3_verified_candidates.pruner", project)
        say_of_this_machine(project)
        with ProjectReader(project) as reader:
            before = [tuple(row.values()) for row in reader.rows(MEASURED)]
    engines = {}
    for number in range(3):
        tuning = Tune(project=str(project), model=WORKLOAD, trials=2, seed=number, settings=SETTINGS)
        others = [Resume(project=str(project), trials=9), Export(project=str(project), out=str(tmp_path / f"{number}"))]
        command, told = rng.choice([tuning, *(others if before else ())]), tmp_path / f"told{number}"
        engines[told] = command, started(command, told)
        time.sleep(rng.choice([0.0, rng.uniform(0, 0.3)]))
    done = []
    for told, (command, process) in engines.items():
        process.join()
        assert process.exitcode in (0, REFUSED), told.read_text()
        if process.exitcode == 0:
            done.append(command)
        else:
            assert "Another engine works on this project" in told.read_text()
    assert done, "one of them is the first"
    with Project(project) as checked:
        assert checked.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    with ProjectReader(project) as reader:
        after = [tuple(row.values()) for row in reader.rows(MEASURED)]
        assert after[: len(before)] == before
        assert len(set(after)) == len(after)
        tuned = [command for command in done if isinstance(command, Tune)]
        resumed = any(isinstance(command, Resume) for command in done)
        assert len(after) == len(before) + 2 * len(tuned) + (9 - len(before)) * resumed
        assert all(run["state"] == "finished" for run in reader.runs())
