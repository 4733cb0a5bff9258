"""The end-to-end comparison: every contender measured in turn, and said why where that is not possible."""

from __future__ import annotations

from pruner_engine.export.compare import bench_e2e
from schedules import CPU


def test_contenders_are_measured_in_every_round(work):
    steps = []
    found = bench_e2e(
        work.model,
        work.prepared,
        CPU,
        work.database,
        rounds=2,
        repeats=2,
        without=["torch.compile"],
        on_phase=steps.append,
    )
    rows = found["contenders"]
    assert list(rows) == ["tuned", "untuned", "onnxruntime", "torch"]
    assert [rows[name]["measured"] for name in ("tuned", "untuned", "onnxruntime")] == [4, 4, 4]
    assert all(rows[name]["agreement"]["ok"] for name in ("tuned", "untuned", "onnxruntime"))
    assert (rows["torch"]["measured"], rows["torch"]["note"]) == (0, "runs pt2 files only")
    assert found["best_library"] == "onnxruntime"
    assert found["ratio"] == rows["tuned"]["median_s"] / rows["onnxruntime"]["median_s"]
    assert steps[-1] == "round 2 of 2: onnxruntime"
