"""One small file of what `bench/gpu.sh` has done so far: FOLDER/result.json.

    python bench/gpu_result.py FOLDER TARGET MINUTES

Each step has a state: done, partial (a step before it goes on next time), stopped (out of its time or killed; the next
call goes on), failed, or skipped; why; the seconds that it took; and what it printed, null where that was nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def result(folder: Path, target: str, minutes: float) -> dict[str, Any]:
    """What the steps told, by their names, in the order in which they were first reached."""
    steps: dict[str, dict[str, Any]] = {}
    for line in (folder / "steps.tsv").read_text().splitlines():
        name, state, seconds, why = line.split("\t", 3)
        spent = steps.get(name, {}).get("seconds", 0) + int(seconds)  # of all calls
        steps[name] = {"state": state, "why": why, "seconds": spent, "result": _printed(folder / f"{name}.json")}
    return {"target": target, "minutes": minutes, "steps": steps}


def _printed(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def main() -> None:
    folder, target, minutes = sys.argv[1:]
    found, path = result(Path(folder), target, float(minutes)), Path(folder) / "result.json"
    half = path.with_suffix(".tmp")
    half.write_text(json.dumps(found, separators=(",", ":")))
    half.replace(path)
    for name, step in found["steps"].items():
        print(f"{step['state']:8} {name:32} {step['seconds']:6} s  {step['why']}".rstrip())
    print(path)


if __name__ == "__main__":
    main()
