"""What untuned kernels computed does not fill the disk."""

from test_measurer import candidates, measured

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.running.references import References, reference_file
from pruner_engine.measure.types import MeasureOptions
from schedules import CPU, task_of


def test_the_longest_unused_make_room(tmp_path, monkeypatch):
    references = References(tmp_path)
    monkeypatch.setattr(references, "_room", 100)
    for task in ("a", "b", "c"):
        references.make_room(task, 40)
        for kind in ("random", "zeros"):
            reference_file(tmp_path, task, kind).write_bytes(b"")
        assert references.use("a") or task == "c"
    assert [references.use(task) for task in ("a", "b", "c")] == [True, False, True]
    assert sorted({path.name.split(".")[0] for path in tmp_path.iterdir()}) == ["a", "c"]


def test_outputs_that_made_room_are_computed_again_when_they_are_needed(monkeypatch):
    first, second = task_of("matmul:64,64,64"), task_of("matmul:32,32,32")
    with Measurer(CPU, MeasureOptions(check="all")) as measurer:
        monkeypatch.setattr(measurer._untuned._references, "_room", 0)
        told = dict(measurer.all_untuned([first, second]))
        assert all(result.ok for result in told.values())
        assert not reference_file(measurer._folder, first.hash, "random").exists()
        for task in (first, second):
            results = measured(measurer, task, candidates(task, 1))
            assert results and all(result.ok and result.checked for result in results)
