"""The project file: who may write it, what is refused, what survives."""

import errno
import fcntl
import inspect
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import chosen_runs
from databases import connected
from pruner_engine.errors import PhaseSilentError, UserError
from pruner_engine.space.candidate import Candidate
from pruner_engine.store.file.lock import WriterLock, is_being_written, last_words
from pruner_engine.store.file.versions import KNOWN_VERSIONS
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.run_states import IMPORTED
from pruner_engine.store.schema import migrations


def add_run(project: Project, strategy: str = "pruner") -> int:
    with project.transaction() as db:
        model_id = db["models"].insert(
            {"name": "m", "kind": "workload", "source": "m", "sha256": strategy, "bytes": 0, "inputs": "[]",
             "outputs": "[]", "created": 0.0}
        ).last_pk  # fmt: skip
    return project.runs.add(model_id, strategy, 0, settings="{}", versions="{}", host="{}")


def test_the_reader_knows_every_migration(tmp_path):
    with Project(tmp_path / "p.pruner"):
        pass
    assert [m.name for m in migrations._migrations] == list(KNOWN_VERSIONS)


def test_what_was_written_is_read(tmp_path):
    with Project(tmp_path / "p.pruner") as project:
        run_id = add_run(project)
        project.runs.add_event(run_id, "warning", "a fan stopped", "look")
        with ProjectReader(project.path) as reader:
            run = reader.run()
            assert (run["id"], run["strategy"], run["state"], run["trials"]) == (run_id, "pruner", "preparing", 0)
            assert run["alive"] and not run["interrupted"]
            assert reader.events(run_id)[0]["text"] == "a fan stopped"
    with ProjectReader(tmp_path / "p.pruner") as reader:
        assert reader.run()["interrupted"], "a run that nobody works on was interrupted"


def test_a_drafted_row_that_the_user_chose_stays_the_users(tmp_path):
    path = tmp_path / "p.pruner"
    chosen_runs.make_project(path, {"a": (1, 1.0)})
    run_id = chosen_runs.add_run(path, "pruner", [("begin", 1.0)])
    with Project(path) as project:
        round_id = project.runs.add_round(run_id, 1)
        found = []
        for origin in ("draft", "user", "evolved"):
            project.trials.add_candidates(run_id, 1, round_id, [], [Candidate(None, np.empty(0), "h", [], origin)])
            found += [row["origin"] for row in project.query("SELECT origin FROM candidates")]
    assert found == ["draft", "user", "user"]


def test_a_run_without_tasks_hides_no_earlier_one_and_is_still_the_one_to_resume(tmp_path):
    with Project(tmp_path / "p.pruner") as project:
        assert project.runs.newest() is None
        tuned, imported = add_run(project), add_run(project, IMPORTED)
        assert project.runs.newest() == tuned, "nothing has tasks"
        with ProjectReader(project.path) as reader:
            assert reader.newest() == reader.run()["id"] == tuned
        with project.transaction() as db:
            target_id = db["targets"].insert({"text": "{}", "device": "", "fingerprint": "", "profile": "{}"}).last_pk
            task = {"model_id": 1, "target_id": target_id, "name": "t", "op": "matmul", "hash": "h", "shapes": "[]"}
            task_id = db["tasks"].insert({**task, "flops": 1.0, "weight": 1, "mod": b""}).last_pk
        project.runs.add_tasks(imported, [task_id])
        assert project.runs.newest() == imported, "what is tuned here has nothing yet"
        project.runs.add_tasks(tuned, [task_id])
        for run_id in (tuned, imported):
            project.runs.update(run_id, state="finished")
        begun = add_run(project, "random")
        assert (project.runs.newest(), project.runs.newest_unfinished()) == (tuned, begun)
        project.runs.add_tasks(begun, [task_id])
        assert project.runs.newest() == begun


def test_imported_records_are_shown_where_nothing_was_tuned(tmp_path):
    with Project(tmp_path / "p.pruner") as project, ProjectReader(project.path) as reader:
        assert reader.newest() is None
        imported = add_run(project, IMPORTED)
        assert reader.newest() == imported
        tuned = add_run(project)
        assert reader.newest() == tuned


def test_a_run_whose_engine_died_stays_interrupted_while_another_run_is_at_work(tmp_path):
    with Project(tmp_path / "p.pruner") as project:
        dead = add_run(project)
    with Project(tmp_path / "p.pruner") as project, ProjectReader(project.path) as reader:
        at_work = add_run(project, "random")
        assert [(run["id"], run["alive"], run["interrupted"]) for run in reader.runs()] == [
            (dead, False, True),
            (at_work, True, False),
        ]


def test_a_reader_sees_that_another_process_committed(tmp_path):
    with Project(tmp_path / "p.pruner") as project, ProjectReader(project.path) as reader:
        before = reader.data_version()
        add_run(project)
        assert reader.data_version() != before


def test_a_second_writer_is_refused_with_a_sentence(tmp_path):
    with Project(tmp_path / "p.pruner") as project:
        assert is_being_written(project.path)
        with pytest.raises(UserError, match="Another engine works on this project"):
            Project(tmp_path / "p.pruner")
    assert not is_being_written(tmp_path / "p.pruner")
    Project(tmp_path / "p.pruner").close()


def test_a_run_at_work_is_alive_through_a_link_too(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.pruner").symlink_to(tmp_path / "folder" / "p.pruner")
    with Project(tmp_path / "link.pruner") as project:
        add_run(project)
        with ProjectReader(tmp_path / "link.pruner") as reader:
            assert reader.run()["alive"]


def test_a_look_at_the_lock_keeps_no_writer_away(tmp_path):
    looking = os.open(tmp_path / "p.pruner-lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.03, os.close, (looking,)).start()
    Project(tmp_path / "p.pruner").close()


def test_a_disk_without_locks_is_a_sentence(tmp_path, monkeypatch):
    def refuse(_fd, _how):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    before = len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(UserError, match="takes no locks"):
        Project(tmp_path / "p.pruner")
    assert not is_being_written(tmp_path / "p.pruner")
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_the_lock_of_a_killed_writer_is_free(tmp_path):
    path = tmp_path / "p.pruner"
    code = (
        "import sys, time\n"
        "from pruner_engine.store.project import Project\n"
        "p = Project(sys.argv[1]); print('open', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"open\n"
    assert is_being_written(path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert not is_being_written(path)
    Project(path).close()


def test_a_writer_whose_lock_somebody_removed_leaves_that_of_the_next_one_alone(tmp_path):
    path = tmp_path / "p.pruner"
    first = WriterLock(path)
    (tmp_path / "p.pruner-lock").unlink()
    second = WriterLock(path)
    first.release()
    assert is_being_written(path)
    with pytest.raises(UserError, match="Another engine works on this project"):
        WriterLock(path)
    second.release()
    assert not any(tmp_path.iterdir())


def test_a_writer_whose_folder_has_become_something_else_still_lets_go_of_its_lock(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    before = len([*Path("/proc/self/fd").iterdir()])
    lock = WriterLock(folder / "p.pruner")
    shutil.rmtree(folder)
    folder.touch()
    lock.release()
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    """Somebody who hands a project on may have put one beside it."""
    (letter := tmp_path / "letter").write_text("Dear reader")
    (tmp_path / "p.pruner-lock").symlink_to(letter)
    with pytest.raises(UserError, match="cannot be written"):
        Project(tmp_path / "p.pruner")
    assert letter.read_text() == "Dear reader"


def test_nobody_waits_for_a_pipe_in_the_place_of_the_lock(tmp_path):
    os.mkfifo(tmp_path / "p.pruner-lock")
    assert not is_being_written(tmp_path / "p.pruner") and last_words(tmp_path / "p.pruner") is None


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\x00" + bytes(4000)], ids=["text", "torn"]
)
def test_a_foreign_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "p.pruner"
    path.write_bytes(content)
    for opener in (Project, ProjectReader):
        with pytest.raises(UserError):
            opener(path)
    assert path.read_bytes() == content


def test_a_model_in_the_place_of_a_project_is_told_to_be_one(tmp_path):
    (path := tmp_path / "model.onnx").write_bytes(b"a model, but no database")
    with pytest.raises(UserError, match="is a model, and no project") as refused:
        ProjectReader(path)
    assert "pruner tune" in refused.value.hint


def test_an_empty_file_is_told_to_be_one_and_becomes_a_project_where_one_is_begun(tmp_path):
    path = tmp_path / "p.pruner"
    path.touch()
    for opener in (Project.existing, ProjectReader):
        with pytest.raises(UserError, match="is an empty file"):
            opener(path)
    assert path.read_bytes() == b""
    Project(path).close()
    ProjectReader(path).close()


def test_a_file_that_an_engine_has_only_begun_is_told_to_be_one(tmp_path):
    path = tmp_path / "p.pruner"
    path.touch()
    lock = WriterLock(path)
    with pytest.raises(UserError, match="only being made"):
        ProjectReader(path)
    lock.release()
    with pytest.raises(UserError, match="is an empty file"):
        ProjectReader(path)


def test_another_programs_database_is_refused(tmp_path):
    path = tmp_path / "p.pruner"
    with connected(path) as db:
        db.execute("CREATE TABLE runs (id)")
    db.close()
    with pytest.raises(UserError, match="not a project of Pruner Studio"):
        Project(path)


def test_a_file_that_the_reader_refuses_is_not_kept_open(tmp_path):
    path = tmp_path / "p.pruner"
    with connected(path) as db:
        db.execute("CREATE TABLE runs (id)")
    db.close()
    with pytest.raises(UserError, match="not a project of Pruner Studio") as refused:
        ProjectReader(path)
    assert refused.value, "what is told holds the frames in which the file was opened"
    assert str(path) not in [file.path for file in psutil.Process().open_files()]


def test_a_newer_file_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "p.pruner"
    Project(path).close()
    with connected(path) as db:
        db.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('pruner-studio', 'v99', '2099')"
        )
    db.close()
    for opener in (Project, ProjectReader):
        with pytest.raises(UserError, match="newer version"):
            opener(path)


def test_a_missing_file_or_folder_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="no project file"):
        ProjectReader(tmp_path / "p.pruner")
    with pytest.raises(UserError, match="no folder"):
        Project(tmp_path / "nowhere" / "p.pruner")


@pytest.mark.parametrize("size", range(0, 61440, 4099))
def test_a_file_cut_anywhere_never_crashes_the_reader(tmp_path, size):
    path = tmp_path / "p.pruner"
    with Project(path) as project:
        add_run(project)
        with project.transaction() as db:
            db.conn.execute("SELECT 1")
        project._db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(path.read_bytes()[:size])
    try:
        with ProjectReader(path) as reader:
            reader.runs()
    except UserError:
        pass


def test_an_error_at_any_place_leaves_no_transaction_begun(tmp_path):
    """As the watchdog raises one, wherever the main thread is: what was written later would be part of it, and lost."""
    code = inspect.unwrap(Project.transaction).__code__
    with Project(tmp_path / "p.pruner") as project:
        run_id = add_run(project)
        for place in itertools.count():
            lines = itertools.count()

            def raising(frame, event, _, lines=lines, place=place):
                if frame.f_code is not code:
                    return None
                if event == "line" and next(lines) == place:
                    raise PhaseSilentError
                return raising

            sys.settrace(raising)
            try:
                project.runs.update(run_id, phase=str(place))
            except PhaseSilentError:
                pass
            else:
                break
            finally:
                sys.settrace(None)
            assert not project._db.conn.in_transaction
        assert place > 4, "the places were reached"


def test_a_failed_transaction_leaves_nothing(tmp_path):
    with Project(tmp_path / "p.pruner") as project:
        run_id = add_run(project)
        with pytest.raises(RuntimeError), project.transaction() as db:
            db["events"].insert({"run_id": run_id, "at": time.time(), "level": "info", "text": "half", "hint": ""})
            raise RuntimeError
        with ProjectReader(project.path) as reader:
            assert reader.events(run_id) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_a_sentence(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UserError, match="cannot be written"):
            Project(tmp_path / "p.pruner")
    finally:
        tmp_path.chmod(0o700)


def test_the_reason_that_is_told_of_failures_is_that_of_the_first(tmp_path):
    path = tmp_path / "p.pruner"
    chosen_runs.make_project(path, {"a": (1, 1.0), "b": (1, 1.0)})
    events = [("begin", 1.0), *(("trial", task, None, 2.0) for task in (2, 1, 1, 2)), ("end", 3.0)]
    chosen_runs.add_run(path, "random", events)
    with Project(path) as project:
        project.query("UPDATE measurements SET message = 'reason ' || id RETURNING id")
        (found,) = project.trials.failures(1)
        assert (found["n"], found["message"]) == (4, "reason 1")
