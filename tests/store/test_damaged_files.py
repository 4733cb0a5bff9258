"""Project files that were cut, made half, made read-only, removed, or come from an earlier version."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import random
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from pruner_engine.errors import UserError
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from seeds import seeded

NOBODY = 65534
REAL = Path(__file__).parents[1] / "faults" / "earlier" / "v2_baselines_by_type.pruner"


def add_run(project: Project, number: int = 0) -> int:
    with project.transaction() as db:
        model_id = db["models"].insert(
            {"name": "m", "kind": "workload", "source": "m", "sha256": str(number), "bytes": 0, "inputs": "[]",
             "outputs": "[]", "created": 0.0}
        ).last_pk  # fmt: skip
    return project.runs.add(model_id, "pruner", number, settings="{}", versions="{}", host="{}")


def runs(path: Path) -> int:
    with ProjectReader(path) as reader:
        return len(reader.runs())


def as_nobody(function, *args) -> str:
    """What a function returns, or the sentence it ends with, for a user who owns nothing."""

    def child(pipe) -> None:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            pipe.send(str(function(*args)))
        except UserError as error:
            pipe.send(str(error))

    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(there,))
    process.start()
    process.join()
    assert here.poll(), "the child died without a word"
    return here.recv()


@seeded(24)
def test_a_write_ahead_log_that_breaks_off_loses_its_end_only(tmp_path, seed):
    path, copy = tmp_path / "p.pruner", tmp_path / "copy.pruner"
    with Project(path) as project:
        for number in range(8):
            add_run(project, number)
        shutil.copy(path, copy)
        log = Path(f"{path}-wal").read_bytes()
    Path(f"{copy}-wal").write_bytes(log[: random.Random(seed).randrange(len(log))])
    try:
        with Project(copy) as project:
            assert project.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
            seeds = [row["seed"] for row in project.query("SELECT seed FROM runs ORDER BY id")]
            assert seeds == list(range(len(seeds)))
            add_run(project, 99)
    except UserError as error:  # before the very first commit reached the file itself
        assert "project" in str(error)


@seeded()
def test_a_project_that_was_cut_anywhere_is_a_sentence_or_a_result(tmp_path, seed):
    whole, copy = tmp_path / "p.pruner", tmp_path / "copy.pruner"
    shutil.copy(REAL, whole)
    with Project(whole):  # brought up to date
        pass
    data, rng = whole.read_bytes(), random.Random(seed)
    pages = range(0, len(data), 4096)
    places = {0, 1, 15, 16, 99, 100, *pages, *(page - 1 for page in pages[1:]), *rng.sample(range(len(data)), 60)}
    said = set()
    for place in sorted(places):
        copy.write_bytes(data[:place])
        for look in (read_all, open_to_write):
            try:
                look(copy)
            except UserError as error:
                assert error.message.endswith("."), (place, error)
                said.add(error.message.replace(str(copy), "")[:24])
        for left in tmp_path.glob("copy.*"):
            left.unlink()
    assert said, "some places do harm"
    read_all(whole)


def read_all(path: Path) -> None:
    with ProjectReader(path) as reader:
        for run in reader.runs():
            reader.tasks(run["id"]), reader.candidates(run["id"], measured=True), reader.failures(run["id"])


def open_to_write(path: Path) -> None:
    with Project(path) as project:
        for row in project.query("SELECT id FROM runs WHERE id IN (1, 2)"):
            project.trials.measured(row["id"]), project.runs.tasks(row["id"])


def counted(path: Path, most: float) -> int:
    """Make a project and die before the statement after the `most`-th; returns how many there were."""
    real, count = sqlite3.connect, 0

    def step(_sql: str) -> None:
        nonlocal count
        count += 1
        if count > most:
            os._exit(9)

    def connect(*args, **options):
        connection = real(*args, **options)
        connection.set_trace_callback(step)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect)
        Project(path).close()
    return count


def test_a_file_whose_maker_was_killed_is_finished_by_the_next(tmp_path):
    statements = counted(tmp_path / "whole.pruner", float("inf"))
    for most in range(0, statements, 3):
        path = tmp_path / f"{most}.pruner"
        process = multiprocessing.get_context("fork").Process(target=counted, args=(path, most))
        process.start()
        process.join()
        assert process.exitcode == 9
        with Project(path) as project:
            add_run(project)
        assert runs(path) == 1, f"died after {most} of {statements} statements"


def test_a_file_that_is_removed_while_it_is_written_is_written_anew(tmp_path):
    path = tmp_path / "p.pruner"
    with Project(path) as project:
        add_run(project)
        path.unlink()
        for _ in range(2):  # nor may what comes later go into the file that has no name
            with pytest.raises(UserError, match="removed"):
                add_run(project, 1)
    assert runs(path) == 1


def test_a_file_that_is_replaced_while_it_is_written_is_kept_beside_the_other(tmp_path):
    path, other = tmp_path / "p.pruner", tmp_path / "other.pruner"
    Project(other).close()
    with Project(path) as project:
        add_run(project)
        other.replace(path)
        for _ in range(2):
            with pytest.raises(UserError, match=r"replaced by another .* p-kept\.pruner"):
                add_run(project, 1)
        assert Path(f"{path}-wal").stat().st_size == 0, "nothing there could be taken for the other's"
    assert (runs(path), runs(tmp_path / "p-kept.pruner")) == (0, 1)
    assert len(list(tmp_path.glob("*.pruner"))) == 2


def test_a_folder_that_is_renamed_while_it_is_written_keeps_all(tmp_path):
    folder, now = tmp_path / "before", tmp_path / "now"
    folder.mkdir()
    with Project(folder / "p.pruner") as project:
        add_run(project)
        folder.rename(now)
        for _ in range(2):
            with pytest.raises(UserError, match=rf"was moved .* {now / 'p.pruner'} now"):
                add_run(project, 1)
        shutil.copy(now / "p.pruner", tmp_path)
    assert runs(tmp_path / "p.pruner") == runs(now / "p.pruner") == 1, "with its log, and without"
    assert not folder.exists() and not list(now.glob("*-lock"))


def test_a_folder_that_is_removed_while_it_is_written_comes_back_with_the_project(tmp_path):
    path = tmp_path / "a" / "b" / "p.pruner"
    path.parent.mkdir(parents=True)
    with Project(path) as project:
        add_run(project)
        shutil.rmtree(tmp_path / "a")
        with pytest.raises(UserError, match="written anew"):
            add_run(project, 1)
    assert runs(path) == 1


def test_a_path_that_is_too_long_for_sqlite_is_said(tmp_path):
    short, folder = tmp_path / "p.pruner", tmp_path.joinpath(*["x" * 200] * 3)
    folder.mkdir(parents=True)
    Project(short).close()
    shutil.copy(short, folder)
    for opened in (Project, ProjectReader):
        with pytest.raises(UserError, match="longer than the 500 bytes"):
            opened(folder / "p.pruner")


def test_a_name_that_leaves_no_room_for_the_files_beside_it_is_said(tmp_path):
    fits, long = (tmp_path / f"{'x' * length}.pruner" for length in (240, 241))
    Project(fits).close()
    with pytest.raises(UserError, match="longer than the 247 bytes"):
        Project(long)
    assert not long.exists(), "nothing is left behind"
    shutil.copy(fits, long)
    ProjectReader(long).close()


def test_a_project_that_was_settled_is_whole_without_its_log(tmp_path):
    path, copy = tmp_path / "p.pruner", tmp_path / "copy.pruner"
    with Project(path) as project:
        add_run(project)
        project.settle()
        shutil.copy(path, copy)
    assert runs(copy) == 1


def test_a_project_that_a_writer_has_left_is_whole_without_its_log_while_a_window_has_it_open(tmp_path):
    path, copy = tmp_path / "p.pruner", tmp_path / "copy.pruner"
    Project(path).close()
    with ProjectReader(path):
        with Project(path) as project:
            add_run(project)
        shutil.copy(path, copy)
    assert runs(copy) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
class TestAnotherUser:
    """Somebody who may read the file, and no more."""

    @pytest.fixture
    def path(self, tmp_path_factory) -> Path:
        folder = tmp_path_factory.mktemp("shared")
        for above in (folder, *folder.parents):
            if above.stat().st_uid == os.getuid() and above != Path("/"):
                above.chmod(above.stat().st_mode | 0o755)
        with Project(folder / "p.pruner") as project:
            add_run(project)
        return folder / "p.pruner"

    def test_reads_it(self, path):
        assert as_nobody(runs, path) == "1"

    def test_is_told_that_the_file_may_not_be_read(self, path):
        path.chmod(0o600)
        for opened in (runs, Project.existing):
            assert as_nobody(opened, path).startswith(f"You may not read {path}.")

    def test_is_told_that_the_folder_cannot_be_written(self, path):
        assert "cannot be written" in as_nobody(Project, path)

    def test_is_told_that_the_file_cannot_be_written(self, path):
        path.parent.chmod(0o777)
        path.chmod(0o444)
        assert "cannot be written" in as_nobody(Project, path)

    def test_is_told_where_the_newest_part_cannot_be_read(self, path):
        with Project(path) as project:
            add_run(project, 1)
            log = Path(f"{path}-wal").read_bytes()
        Path(f"{path}-wal").write_bytes(log)  # as a copy of a project at work, or a killed machine, leaves it
        assert "cannot be read in a folder that is not yours" in as_nobody(runs, path)

    def test_sees_what_is_written_later(self, path):
        def before_and_after(pipe: multiprocessing.connection.Connection) -> str:
            with ProjectReader(path) as reader:
                found = [reader.data_version(), reader.data_version(), len(reader.runs())]
                pipe.send("read")
                pipe.recv()
                found += [reader.data_version(), len(reader.runs())]
            first, again, count, later, more = found
            return f"{again == first} {count} {later != first} {more}"

        here, there = multiprocessing.Pipe()

        def write() -> None:
            here.recv()
            with Project(path) as project:
                add_run(project, 1)
            here.send("written")

        writer = threading.Thread(target=write)
        writer.start()
        assert as_nobody(before_and_after, there) == "True 1 True 2"
        writer.join()

    def test_reads_it_while_it_is_written(self, path):
        with Project(path) as project:
            add_run(project, 1)
            assert as_nobody(runs, path) == "2"


def test_a_file_made_read_only_in_the_middle_is_written_to_its_end(tmp_path):
    """An open file stays open: what is measured in this session is kept, the next one is refused."""
    path = tmp_path / "p.pruner"
    with Project(path) as project:
        path.chmod(0o444)
        add_run(project)
    assert runs(path) == 1


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("VIEW more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "view, more"),
        ("TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM runs; END", "trigger, t"),
    ],
)
def test_queries_that_run_by_themselves_are_in_no_project(tmp_path, made, told):
    path = tmp_path / "p.pruner"
    with Project(path) as project:
        add_run(project)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE {made}")
    for opened in (Project, ProjectReader):
        with pytest.raises(UserError, match=rf"p\.pruner holds a {told}, which no project has"):
            opened(path)
