"""Copies of projects take the names of others whole: with no page of what was there, and never an engine's work."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from limits import files_end_at
from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.store.file.writer import Writer
from pruner_engine.store.reader import ProjectReader
from pruner_studio.models.projects import DEMO, copy_of_demo, copy_project

SAMPLE = resource_dir() / DEMO
OLD = 4711  # seed of the runs of a file that is gone


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """A project whose engine was killed: there is a log of what it wrote last."""
    path = Path(shutil.copy(SAMPLE, tmp_path / "taken.pruner"))
    leave_log(path)
    return path


def leave_log(path: Path) -> None:
    log = Path(f"{path}-wal")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        with db:
            db.execute("UPDATE runs SET seed = ?", [OLD])
        left = log.read_bytes()
    log.write_bytes(left)


def seeds(path: Path) -> set[int]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {seed for (seed,) in db.execute("SELECT seed FROM runs")}


def test_the_log_of_what_was_there_is_not_taken_for_the_copys(finished_project: Path, taken: Path) -> None:
    with ProjectReader(finished_project) as reader:
        copy_project(reader, str(taken))
    assert seeds(taken) == seeds(finished_project) and OLD not in seeds(taken)
    assert [path.name for path in taken.parent.iterdir()] == [taken.name]


def test_a_project_that_an_engine_writes_is_not_replaced(finished_project: Path, taken: Path) -> None:
    with Writer(taken), ProjectReader(finished_project) as reader:
        with pytest.raises(UserError, match="An engine is writing"):
            copy_project(reader, str(taken))
        assert seeds(taken) == {OLD}


def test_copies_to_one_name_do_not_disturb_each_other(finished_project: Path, tmp_path: Path) -> None:
    place = tmp_path / "kept.pruner"
    with ProjectReader(finished_project) as reader, ThreadPoolExecutor() as pool:
        for copied in [pool.submit(copy_project, reader, str(place)) for _ in range(4)]:
            copied.result()
    assert seeds(place) == seeds(finished_project)
    assert list(tmp_path.iterdir()) == [place]


def test_what_a_link_names_is_replaced_and_the_link_stays(finished_project: Path, taken: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.pruner"
    link.symlink_to(taken)
    with ProjectReader(finished_project) as reader:
        copy_project(reader, str(link))
    assert link.is_symlink() and seeds(taken) == seeds(finished_project)


def test_the_log_of_a_demonstration_that_was_removed_is_not_taken_for_the_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    demo = copy_of_demo()
    leave_log(demo)
    demo.unlink()
    assert copy_of_demo() == demo and OLD not in seeds(demo)


def test_no_half_of_the_demonstration_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with files_end_at(SAMPLE.stat().st_size // 2), pytest.raises(UserError, match="could not be copied"):
        copy_of_demo()
    assert not any((tmp_path / "pruner-projects").iterdir())
    assert seeds(copy_of_demo()) == seeds(SAMPLE)
