"""Makes small-cnn.pruner, the project that the Studio opens as a demonstration: `make sample-project`.

Three searches of the sample model are really run, on a machine that does nothing else. What the window shows of them
stays; the learned models, which are large, are left out, so that the file stays below a megabyte.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent / "models" / "small-cnn.onnx"
PROJECT = HERE / "small-cnn.pruner"
TRACES_KEPT = 2  # of each task and run
# the window opens on the fastest; rounds of 16 let MetaSchedule come to every task
RUNS = (("metaschedule", "--set", "round_trials=16"), ("pruner",), ("moa-pruner",))
TRIALS = 96


def main() -> None:
    PROJECT.unlink(missing_ok=True)
    pruner = Path(sys.executable).parent / "pruner"
    for strategy, *settings in RUNS:
        words = ["--strategy", strategy, *settings, "--trials", str(TRIALS), "--project", PROJECT]
        subprocess.run([pruner, "tune", MODEL, *words], check=True)
    trim(PROJECT)


def trim(project: Path) -> None:
    """Leave out what only an engine needs, and whose machine it was."""
    db = sqlite3.connect(project, isolation_level=None)
    db.execute("DELETE FROM checkpoints")
    # Sketch and decisions say it all; an export wants the whole trace of the best
    db.execute(
        "UPDATE candidates SET trace = NULL WHERE sketch_id IS NOT NULL AND id NOT IN (SELECT candidate_id FROM (SELECT"
        " candidate_id, row_number() OVER (PARTITION BY run_id, task_id ORDER BY seconds) AS place FROM measurements"
        f" WHERE stage = 'ok' AND censored = 0) WHERE place <= {TRACES_KEPT})"
        " AND id NOT IN (SELECT json_extract(value, '$.candidate_id') FROM meta WHERE key LIKE 'yardstick %')"
    )
    db.execute("UPDATE models SET source = name || '.onnx'")
    db.execute("UPDATE runs SET socket = '', pid = NULL, host = json_set(host, '$.system', 'Linux')")
    db.execute("PRAGMA journal_mode=DELETE")  # readable where nothing may be written
    db.execute("VACUUM")
    db.close()


if __name__ == "__main__":
    main()
