"""What readers leave beside a project: nothing, unless somebody needs it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3

import pytest

from chosen_runs import make_project
from pruner_engine.store.reader import ProjectReader


@pytest.fixture
def path(tmp_path):
    make_project(tmp_path / "p q.pruner", {"a": (1, 1.0)})
    return tmp_path / "p q.pruner"


def beside(path):
    return sorted(file.name.removeprefix(path.name) for file in path.parent.iterdir())


def test_the_last_reader_takes_away_what_readers_need(path):
    before = path.stat().st_mtime_ns
    with ProjectReader(path):
        with ProjectReader(path) as second:
            assert second.one("SELECT name FROM tasks") == {"name": "a"}
        assert beside(path) == ["", "-shm", "-wal"], "the first reads on"
    assert (beside(path), path.stat().st_mtime_ns) == ([""], before)


def test_a_log_that_holds_something_stays_for_whoever_writes_the_project(path, tmp_path):
    (tmp_path / "copies").mkdir()
    copy = tmp_path / "copies" / path.name
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE more (x)")
        writer.commit()
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")  # as a killed engine leaves both
    before = copy.read_bytes()
    with ProjectReader(copy) as reader:
        assert reader.one("SELECT 1 FROM sqlite_master WHERE name = 'more'")
    assert copy.with_name(f"{copy.name}-wal").stat().st_size and copy.read_bytes() == before


def test_a_reader_whose_project_is_gone_closes(path):
    with ProjectReader(path):
        shutil.rmtree(path.parent)
