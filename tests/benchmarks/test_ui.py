"""The benchmarks of the window run, on little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[2] / "bench" / "ui.py"


def measured(script: Path, *options: str) -> dict[str, Any]:
    """What a benchmark prints as JSON."""
    done = subprocess.run(
        [sys.executable, str(script), "--json", "--platform", "offscreen", *options],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_measures_start_frames_stalls_and_share() -> None:
    small = ["--candidates", "320", "--tasks", "10", "--rows", "200", "--seconds", "0.3", "--starts", "1"]
    found = measured(SCRIPT, "--settle", "0.5", *small)
    assert set(found["pages"]) == {"overview", "tasks", "draft", "schedule", "compare"}
    assert set(found["goals"]) <= set(found)
    assert 0 < found["first_paint_s"] < found["window_s"] < found["full_window_s"]
    assert sum(page["frames"] for page in found["pages"].values()) > 0 and found["written_rows_per_second"] > 0
    assert {name for name in found["goals"] if f"own_{name}" not in found} == {"live_core_share"}
    assert found["sleeper"]["longest_s"] > 0 and found["own_longest_stall_s"] > 0


def test_it_measures_how_soon_a_prediction_follows_a_slider() -> None:
    found = measured(SCRIPT.with_name("what_if.py"), "--questions", "4")
    assert len(found["engine"]) == 7
    assert all(0 < task["median_s"] <= task["p99_s"] for task in found["engine"].values())
    assert 0 < found["window"]["answered"] <= found["window"]["moves"] and found["window"]["median_s"] > 0
