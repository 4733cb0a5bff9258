"""Time in which all processes are stopped counts against no candidate."""

from pruner_engine.measure.workers.working_clock import WorkingClock


def test_only_seconds_with_looks_pass():
    seconds = iter([100.0, 100.5, 101.5, 3701.5, 3702.0])
    clock = WorkingClock(lambda: next(seconds))
    assert [clock.look() for _ in range(4)] == [100.5, 101.5, 101.5, 102.0]
