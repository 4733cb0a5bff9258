"""Exports of runs that boards measured for a processor that this machine's is not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleets import own_board, tracking, wait_for
from pruner_engine.errors import UserError
from pruner_engine.jobs.commands import bundle, tune
from pruner_engine.jobs.commands.bundle import compare_libraries
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.places import place_for
from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.protocol import Export, Exported, Notice, Tune
from pruner_engine.search.control import Control
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets import target as targets
from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.target import host_target, resolve_target, target_json

HOST, TARGET = detect_host(), target_json(host_target())
pytestmark = pytest.mark.skipif(not HOST.features, reason="the system does not tell what this processor lacks")


@pytest.fixture(scope="module", autouse=True)
def _lesser_processor():
    """One that lacks what its boards have."""
    lesser = replace(HOST, features=HOST.features[1:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(targets, "detect_host", lambda: lesser)
        yield


@pytest.fixture(scope="module")
def fleet():
    with tracking() as port, own_board(port, "newer"):
        wait_for(lambda: "newer" in boards_of("127.0.0.1", port))
        yield f"127.0.0.1:{port}"


@pytest.fixture(scope="module")
def project(fleet, tmp_path_factory) -> Path:
    """A run that boards measured."""
    path = tmp_path_factory.mktemp("foreign") / "p.pruner"
    settings = {"check": "none", "repeats": 1, "rpc": fleet, "rpc_key": "newer"}
    command = Tune(
        project=str(path), model="matmul:32,32,32", trials=4, strategy="random", settings=settings,
        target=TARGET,
    )  # fmt: skip
    tune.start(command, JobContext(lambda _: None, Control(), ""))
    return path


def exported(project: Path, out: Path, **more: Any) -> tuple[dict[str, Any], list[Notice]]:
    """The summary, and what was said."""
    events: list[Any] = []
    bundle.export(Export(project=str(project), out=str(out), **more), JobContext(events.append, Control(), ""))
    (told,) = (event.summary for event in events if isinstance(event, Exported))
    return told, [event for event in events if isinstance(event, Notice)]


def without_its_tracker(project: Path, folder: Path) -> Path:
    """The project as it is where its tracker cannot be reached."""
    path = folder / "p.pruner"
    path.write_bytes(project.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("""UPDATE runs SET settings = json_set(settings, '$.rpc', '127.0.0.1:1')""")
    return path


def test_the_boards_of_the_run_time_what_is_exported(project, tmp_path):
    told, notices = exported(project, tmp_path / "out")
    assert (told["place"]["where"], told["on_device"], notices) == ("boards", True, [])
    assert {check["against"] for check in told["checks"]} == {"untuned"}
    with ProjectReader(project) as reader:
        assert reader.exported(1)["seconds"] == told["latency"]["tuned"]["seconds"]
        assert {row["name"] for row in reader.baselines(1)} == {"tuned", "untuned"}, "no library was timed there"


def test_where_neither_runs_it_the_bundle_is_written_unchecked(project, tmp_path):
    lonely = without_its_tracker(project, tmp_path)
    told, notices = exported(lonely, tmp_path / "out")
    assert (told["place"]["where"], told["on_device"], told["checks"], told["latency"]) == ("nowhere", False, [], {})
    assert (tmp_path / "out" / "model.so").is_file() and (tmp_path / "out" / "runtime").is_dir()
    (notice,) = notices
    assert notice.level == "warning" and "neither checked nor timed. No tracker answers" in notice.text
    assert "python run.py --bench" in notice.hint
    with ProjectReader(lonely) as reader:
        assert reader.exported(1) is None


def test_boards_that_are_named_come_first(project, fleet, tmp_path):
    lonely = without_its_tracker(project, tmp_path)
    told, notices = exported(lonely, tmp_path / "out", rpc=fleet)
    assert (told["place"]["device"], told["on_device"], notices) == ("boards of newer", True, [])
    with pytest.raises(UserError, match='has no board "other"'):
        exported(lonely, tmp_path / "second", rpc=fleet, rpc_key="other")
    assert not (tmp_path / "second").exists()


def test_a_comparison_takes_the_boards_or_says_why_not(project, fleet, tmp_path):
    options: dict[str, Any] = {"rounds": 1, "without": (), "on_phase": lambda _: None}
    assert set(compare_libraries(project, **options)["contenders"]) == {"tuned", "untuned"}
    lonely = without_its_tracker(project, tmp_path)
    with pytest.raises(UserError, match="No tracker answers"):
        compare_libraries(lonely, **options)
    assert compare_libraries(lonely, rpc=fleet, **options)["device"] == "boards of newer"


def test_models_for_gpus_run_on_no_boards(fleet):
    target, settings = resolve_target('{"kind":"cuda","arch":"sm_10"}'), SearchSettings(rpc=fleet, rpc_key="newer")
    place = place_for(target, settings)
    assert place.where == "nowhere" and place.why_not.startswith("Kernels for sm_10 cannot run")
    with pytest.raises(UserError, match="Boards run no models for GPUs"):
        place_for(target, settings, boards_only=True)
