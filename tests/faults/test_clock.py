"""A wall clock that jumps: budgets, limits and latencies are of another clock."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from pruner_engine.store.reader import ProjectReader
from seeds import seeded
from terminal import SMALL

CLOCK = Path(__file__).parent / "jumping_clock"
ENGINE = Path(__file__).parents[2] / "engine"


@seeded()
def test_a_run_under_a_clock_that_jumps_is_like_any_other(seed, tmp_path):
    project = tmp_path / "m.pruner"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(CLOCK), str(ENGINE)]), "JUMPS": str(seed)}
    look = "import time; a = time.time(); print(max(abs(time.time() - a) for _ in range(99)) > 3600)"
    assert subprocess.run([sys.executable, "-c", look], env=env, capture_output=True, check=True).stdout == b"True\n"

    command = ["tune", "matmul:32,32,32", "--trials", "8", "--minutes", "20", "--project", str(project), *SMALL]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pruner_engine.cli", *command], env=env, capture_output=True, text=True, check=False
    )
    passed = time.monotonic() - started
    assert done.returncode == 0, done.stderr
    with ProjectReader(project) as reader:
        run = reader.run()
        assert (run["state"], run["trials"], run["valid"]) == ("finished", 8, 8)
        assert 0 < run["elapsed_s"] < passed
        elapsed = [point["elapsed_s"] for point in reader.progress(run["id"])]
        assert elapsed == sorted(elapsed)
        for row in reader.candidates(run["id"], measured=True):
            assert 0 < row["seconds"] < 10 and 0 < row["build_s"] < passed and 0 < row["run_s"] < passed, row
