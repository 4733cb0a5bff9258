"""A disk that is full, or nearly: one sentence, nothing lost, and on again once there is room."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import tvm
from click.testing import CliRunner
from engines import REFUSED, SETTINGS, WORKLOAD, engine

from databases import connected
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.running import runner
from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
from pruner_engine.measure.workers import pipeline, wire
from pruner_engine.measure.workers.process import error_of, failure_of
from pruner_engine.protocol import Export, Resume, Tune
from pruner_engine.store.file.lock import last_words
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_studio.models.runs import state_of
from schedules import CPU, random_schedule, task_of
from seeds import seeded

BUDGET = 12
HUGE = b'{"run_id": 99999999999999999999, "reason": "more than SQLite takes"}'
MEASURED = "SELECT c.hash FROM measurements x JOIN candidates c ON c.id = x.candidate_id ORDER BY x.id"


def mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def filled(folder: Path, free: int) -> Iterator[None]:
    """Leave so many bytes of a disk free."""
    ballast, block = folder / "ballast", 1 << 12
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(block))
    with ballast.open("r+b") as file:
        file.truncate(max(0, ballast.stat().st_size - free))
    yield
    ballast.unlink()


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    """A disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount(folder, "size=64m"):
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def rows(project: Path, sql: str) -> list:
    """First column of a query; fails unless the file is sound. A file without tables has no rows."""
    with connected(project) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        empty = not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchall()
        found = [] if empty else [row[0] for row in db.execute(sql)]
    db.close()
    return found


def assert_it_says_that_the_disk_was_full(project: Path) -> None:
    """In a window, in a terminal, and whatever the state in which the engine had last committed the run."""
    with ProjectReader(project) as reader:
        run = reader.run()
    assert state_of(run) == "failed" and not run["alive"]
    assert "The disk that holds" in run["reason"] and "full" in run["reason"]
    said = CliRunner().invoke(cli, ["status", str(project)])
    assert "full" in said.output and "interrupted" not in said.output, said.output


@seeded()
def test_a_disk_that_fills_up_in_a_run_and_in_an_export(seed, disk, tmp_path):
    rng = random.Random(seed)
    project, told, out = disk / "m.pruner", tmp_path / "told", disk / "tuned"
    command: Tune | Resume = Tune(project=str(project), model=WORKLOAD, trials=BUDGET, settings=SETTINGS)
    before, broken_off = list[str](), 0
    for free in (rng.randrange(16 << 10), *range(rng.randrange(64 << 10, 512 << 10), 10 << 20, 700 << 10)):
        with filled(disk, free):
            code = engine(command, told)
        if rows(project, "SELECT id FROM runs"):
            command = Resume(project=str(project))
        now = rows(project, MEASURED)
        assert now[: len(before)] == before
        before = now
        if code == 0:
            break
        assert code == REFUSED, told.read_text()
        assert "full" in told.read_text() and "resume" in told.read_text()
        broken_off += bool(now)
        if isinstance(command, Resume):
            assert_it_says_that_the_disk_was_full(project)
    assert broken_off, "one of the disks had room for some of the trials"
    assert len(before) == len(set(before)) == BUDGET

    for free in (rng.randrange(128 << 10), rng.randrange(1 << 20, 4 << 20)):  # for a library, for those beside it
        with filled(disk, free):
            assert engine(Export(project=str(project), out=str(out)), told) == REFUSED, told.read_text()
        assert "room on the disk" in told.read_text()
        assert {path.name for path in disk.iterdir()} <= {"m.pruner", "m.pruner-wal", "m.pruner-shm"}
    assert engine(Export(project=str(project), out=str(out)), told) == 0, told.read_text()
    assert (out / "model.so").exists()


def test_the_last_words_of_a_run_wait_for_the_next_writer(tmp_path):
    """Whoever opens the project takes them in, once; those of a run that has gone on meanwhile are not believed."""
    path = tmp_path / "m.pruner"
    with Project(path) as project:
        model = project.work.add_model(load_model(WORKLOAD))
        runs = [project.runs.add(model, "pruner", 0, settings="{}", versions="{}", host="{}") for _ in range(2)]
        project.leave_words(runs[0], "The disk is full. " * 999)
    assert path.with_name("m.pruner-lock").stat().st_size == 4096, "the room that it had before"
    with ProjectReader(path) as reader:
        assert [state_of(run) for run in reader.runs()] == ["failed", "interrupted"]
        assert reader.run(runs[0])["reason"].startswith("The disk is full. ")
    with Project(path) as project:
        assert [project.runs.get(run)["state"] for run in runs] == ["failed", "preparing"]
        project.runs.update(runs[0], state="finished", reason="")
    assert list(tmp_path.iterdir()) == [path]
    with Project(path) as project:
        project.leave_words(runs[0], "The disk is full.")
    with ProjectReader(path) as reader:
        assert reader.run(runs[0])["state"] == "finished"


@pytest.mark.parametrize("content", [b"", b"\xff" * 4096, b'{"run_id": "1", "reason": 2}', b"[" * 4096, HUGE])
def test_a_lock_file_that_holds_something_else_says_nothing(content, tmp_path):
    path = tmp_path / "m.pruner"
    path.with_name("m.pruner-lock").write_bytes(content)
    assert last_words(path) is None
    with Project(path):
        pass
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("workload", "check", "free"),
    [("matmul:32,32,32", "none", 4 << 10), ("matmul:1024,1024,8", "all", 3 << 20)],  # reference outputs are of 4 MiB
    ids=["builds", "reference outputs"],
)
def test_a_disk_without_room_costs_no_candidate(disk, monkeypatch, workload, check, free):
    task = task_of(workload)
    inputs = [MeasureInput("a", random_schedule(task).mod)]
    results: list[MeasureResult] = []
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    monkeypatch.setattr(pipeline, "_SILENCE_S", 3600.0)  # nothing that was given up is waited for
    with Measurer(CPU, MeasureOptions(check=check)) as measurer:
        with filled(disk, free), pytest.raises(UserError, match="where candidates are built, is full"):
            measurer.measure(task, inputs, best_s=None, on_result=results.append)
        assert results == []
        measurer.measure(task, inputs, best_s=None, on_result=results.append)
    assert [(result.ok, result.checked) for result in results] == [(True, check == "all")], results


@pytest.mark.parametrize("built_before", [True, False], ids=["a library", "what a builder says"])
def test_a_disk_that_takes_no_more_files_costs_no_candidate(disk, monkeypatch, built_before):
    task = task_of("matmul:32,32,32")
    inputs = [MeasureInput(name, random_schedule(task, seed=seed).mod) for seed, name in enumerate("ab")]
    results: list[MeasureResult] = []
    subprocess.run(["mount", "-o", "remount,nr_inodes=64", disk], check=True)
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    with Measurer(CPU, MeasureOptions(check="none", build_workers=1)) as measurer:
        if built_before:
            measurer.build(inputs[:1], results.append)
        measurer.wait_until_up()
        with contextlib.suppress(OSError):
            for number in range(1000):
                (disk / str(number)).touch()
        with pytest.raises(UserError, match="where candidates are built, is full"):
            measurer.build(inputs[1:], results.append)
    assert all(result.ok for result in results)


LINKER = """#!/bin/sh
echo 'ld: final link failed: {reason}' >&2
exit 1
"""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_only_a_compiler_finds_full_costs_no_candidate(number, tmp_path, monkeypatch):
    """What a user may have of it is used up, or another has freed some by the time that one looks."""
    linker, results = tmp_path / "ld", list[MeasureResult]()
    linker.write_text(LINKER.format(reason=os.strerror(number)))
    linker.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with Measurer(CPU, MeasureOptions(check="none")) as measurer:
        with pytest.raises(UserError, match="where candidates are built, is full"):
            measurer.build([MeasureInput("a", random_schedule(task_of(WORKLOAD)).mod)], results.append)
        assert not list(measurer._folder.glob("*.o"))
    assert results == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_quota_is_known_as_a_full_disk_is(number):
    assert error_of(OSError(number, "in another language", "1.so"))[0] == wire.NO_ROOM
    assert (
        failure_of("The build", signal.SIGABRT, f"LLVM ERROR: IO failure on output stream: {os.strerror(number)}")[0]
        == wire.NO_ROOM
    )


def test_a_boards_full_disk_is_not_this_machines(tmp_path, monkeypatch):
    """The run is tried again, on another board where there is one."""

    class Full:
        def __init__(self, fleet, timeout_s):
            self.device = tvm.runtime.device

        def load(self, job):
            raise RuntimeError(f"RPCError: the linker failed: {os.strerror(errno.ENOSPC)}")

    monkeypatch.setattr(runner, "Board", Full)
    job = wire.Run(
        id=1, task="t", device="cpu", threads=1, kernel=wire.Kernel("", []), args=[], best_s=None, repeats=1,
        facts=wire.KernelFacts([], 1, ["random"], {}, {}, 0.0, False), check="none", cold=False, timeout_s=9.0,
        fleet=wire.Fleet("127.0.0.1", 9190, "full"),
    )  # fmt: skip
    answer = runner._run_on_board(job, tmp_path)
    assert answer.error == wire.NO_BOARD and "A board's disk is full" in answer.message
