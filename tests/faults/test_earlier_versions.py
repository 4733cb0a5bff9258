"""Project files of every earlier schema version, as they were written then: opened, upgraded, resumed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from engines import EARLIER, engine, say_of_this_machine

from pruner_engine.protocol import Resume
from pruner_engine.search.settings import settings_from
from pruner_engine.store.file.versions import KNOWN_VERSIONS
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader

MEASURED = (
    "SELECT c.hash, x.seconds, x.stage FROM measurements x JOIN candidates c ON c.id = x.candidate_id ORDER BY x.id"
)


def test_there_is_a_file_of_every_version():
    assert {path.stem for path in EARLIER.glob("*.pruner")} == set(KNOWN_VERSIONS)


@pytest.mark.parametrize("version", KNOWN_VERSIONS)
def test_a_file_of_an_earlier_version_is_read_upgraded_and_resumed(version, tmp_path):
    path = Path(shutil.copy(EARLIER / f"{version}.pruner", tmp_path / "m.pruner"))
    with ProjectReader(path) as reader:
        run = reader.run()
        assert (run["state"], run["trials"]) == ("finished", 8)
        before = [tuple(row.values()) for row in reader.rows(MEASURED)]
    say_of_this_machine(path)
    assert engine(Resume(project=str(path), trials=10), tmp_path / "told") == 0, (tmp_path / "told").read_text()
    with Project(path) as project:
        assert project.query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
        applied = [row["name"] for row in project.query("SELECT name FROM _sqlite_migrations ORDER BY rowid")]
        assert applied == list(KNOWN_VERSIONS)
        caches = settings_from(project.runs.get(run["id"])["settings"]).caches
        assert caches == ("network" if version == "v4_caches_of_runs" else "warm"), "it goes on as it measured before"
    with ProjectReader(path) as reader:
        after = [tuple(row.values()) for row in reader.rows(MEASURED)]
    assert after[:8] == before
    assert len({row[0] for row in after}) == len(after) == 10
