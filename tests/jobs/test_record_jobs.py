"""Tuning records out of a project and into one, by the commands that window and terminal share."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import statistics
from pathlib import Path

import pytest
from click.testing import CliRunner
from tvm.s_tir.meta_schedule.database import JSONDatabase

from databases import connected
from models import write_onnx
from pruner_engine import protocol as msg
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.export.records import RECORDS
from pruner_engine.jobs.commands.bundle import tuned_of
from pruner_engine.jobs.commands.fleet import list_boards
from pruner_engine.jobs.commands.records import export_records, import_records
from pruner_engine.jobs.job import JobContext
from pruner_engine.measure.boards import rpc
from pruner_engine.search.control import Control
from pruner_engine.store.figures.comparison import caches_of
from pruner_engine.store.file.versions import KNOWN_VERSIONS
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from run_jobs import resumed, started

EARLIER = Path(__file__).parents[1] / "faults" / "earlier"


class Said(list):
    """Events of a job."""

    def job(self) -> JobContext:
        return JobContext(self.append, Control(), "")


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    """A small project with six valid trials."""
    project = tmp_path_factory.mktemp("records") / "tuned.pruner"
    started(project, trials=6, settings={"check": "none", "repeats": 1, "caches": "warm"})
    with connected(project) as db:  # on a busy machine some may have been abandoned
        assert db.execute("UPDATE measurements SET censored = 0 WHERE stage = 'ok'").rowcount == 6
    return project


@pytest.fixture
def project(tuned: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(tuned, tmp_path / "own.pruner"))


def exported(project: Path, out: Path, best: int = 3) -> Path:
    said = Said()
    export_records(msg.ExportRecords(project=str(project), out=str(out), best=best), said.job())
    assert said[-1] == msg.RecordsExported(out=str(out), records=best)
    return out


def test_what_others_measured_is_not_what_is_exported_by_default(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "own")
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), Said().job())
    with ProjectReader(project) as reader:
        assert [run["strategy"] for run in reader.runs()] == ["random", "imported"]
        assert reader.run()["strategy"] == "random", "a run that was tuned here is not displaced"
    exported(project, tmp_path / "again", best=5)  # of the imported run there would be three
    with pytest.raises(UserError, match="Run 2 holds what others measured"):
        resumed(project, run_id=2, trials=9)


def test_a_run_is_exported_alone_or_with_all_runs_of_its_target(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "own", best=2)
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=True), Said().job())
    for run_id, all_runs, count in ((2, False, 2), (2, True, 4), (None, False, 4), (None, True, 4)):
        said = Said()
        out = str(tmp_path / f"out-{run_id}-{all_runs}")
        command = msg.ExportRecords(project=str(project), out=out, run_id=run_id, all_runs=all_runs, best=4)
        export_records(command, said.job())
        assert said[-1].records == count


def test_what_others_measured_with_warm_caches_is_kept_apart_from_what_is_measured_otherwise(
    project: Path, tmp_path: Path
) -> None:
    folder, said = exported(project, tmp_path / "own", best=2), Said()
    with connected(project) as db:
        db.execute("UPDATE runs SET settings = json_set(settings, '$.caches', 'network')")
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=True), said.job())
    (told,) = (event for event in said if isinstance(event, msg.Notice))
    assert "exports of runs with network ones leave them out" in told.text and "--run 2" in told.hint
    with ProjectReader(project) as reader:
        assert caches_of(reader.run(2)) == "warm"
    export_records(msg.ExportRecords(project=str(project), out=str(tmp_path / "out"), best=9), said.job())
    assert said[-1].records == 6, "those of the run that was tuned here"


def test_an_engine_at_work_on_the_project_is_not_waited_for(project: Path, tmp_path: Path) -> None:
    with Project(project):
        exported(project, tmp_path / "own")


@pytest.mark.parametrize("version", KNOWN_VERSIONS)
def test_a_file_of_an_earlier_version_is_left_as_it_is(version: str, tmp_path: Path) -> None:
    project = Path(shutil.copy(EARLIER / f"{version}.pruner", tmp_path))
    before = project.read_bytes()
    exported(project, tmp_path / "own", best=1)
    assert project.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_a_sentence(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="file/records cannot be written: Not a directory") as raised:
        exported(project, tmp_path / "file" / "records")
    assert "another folder" in raised.value.hint


def add_model(project: Path, keep: int) -> None:
    """A second model with the same kernel, and a run of it that has `keep` of the first one's trials."""
    with connected(project) as db:
        db.row_factory = sqlite3.Row

        def again(table: str, where: str = "", shift: int = 0, **changes: object) -> None:
            for row in map(dict, db.execute(f"SELECT * FROM {table} {where}").fetchall()):
                moved = {name: row[name] + shift for name in ("id", "round_id", "candidate_id") if name in row}
                new = {**row, **(moved if shift else {}), **changes}
                marks = ",".join("?" * len(new))
                db.execute(f"INSERT INTO {table} ({','.join(new)}) VALUES ({marks})", [*new.values()])

        again("models", id=2, sha256="another")
        again("tasks", id=2, model_id=2)
        again("runs", id=2, model_id=2)
        again("run_tasks", run_id=2, task_id=2)
        best = f"SELECT candidate_id FROM measurements WHERE stage = 'ok' ORDER BY censored, seconds LIMIT {keep}"
        ids = [row["candidate_id"] for row in db.execute(best)]
        chosen = f"IN ({','.join(map(str, ids))})"
        again("rounds", shift=1000, run_id=2, task_id=2)
        again("candidates", f"WHERE id {chosen}", shift=1000, run_id=2, task_id=2)
        again("measurements", f"WHERE candidate_id {chosen}", shift=1000, run_id=2, task_id=2)


def test_a_project_without_a_valid_trial_leaves_no_folder_that_looks_like_records(
    project: Path, tmp_path: Path
) -> None:
    with connected(project) as db:
        db.execute("UPDATE measurements SET stage = 'run', error = 'crash'")
    for _ in range(2):
        with pytest.raises(UserError, match="There is no valid trial to write"):
            exported(project, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_models_that_share_a_kernel_each_find_their_trials(project: Path, tmp_path: Path) -> None:
    add_model(project, keep=2)
    counts = []
    for all_runs in (False, True):
        said, out = Said(), str(tmp_path / f"out-{all_runs}")
        command = msg.ExportRecords(project=str(project), out=out, run_id=2, all_runs=all_runs, best=99)
        export_records(command, said.job())
        counts.append(said[-1].records)
    assert counts[0] == 2 and counts[1] > 4  # of the first model's run there are more than those two


def test_a_kernel_that_is_faster_untuned_counts_as_untuned(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    with connected(project) as db:
        db.execute("UPDATE tasks SET untuned_s = 1e-12")
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=True), Said().job())
    with ProjectReader(project) as reader:
        assert reader.run(2)["latency_s"] == pytest.approx(reader.tasks(2)[0]["weight"] * 1e-12)


def test_a_task_is_that_of_the_run_that_is_meant(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), Said().job())
    with ProjectReader(project) as reader:
        (task,), (foreign,) = reader.tasks(1), reader.tasks(2)
    assert task["name"] == foreign["name"] and task["id"] != foreign["id"]
    common = [str(project), "--task", task["name"], "--json"]
    best = ["--candidate", str(task["best_candidate_id"])]
    asked = (["try", *common, *best, "--run", "1"], ["inspect", *common, *best, "--as", "trace"], ["try", *common])
    for words in (*asked, ["inspect", *common, "--as", "trace"]):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.exception
        assert json.loads(done.stdout)["task"] == task["id"]


def test_metaschedule_reads_exported_records(project: Path, tmp_path: Path) -> None:
    assert len(JSONDatabase(work_dir=str(exported(project, tmp_path / "out")))) == 3


def test_records_of_another_device_never_mix_with_measurements(project: Path, tmp_path: Path) -> None:
    folder, said = exported(project, tmp_path / "out"), Said()
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), said.job())
    with ProjectReader(project) as reader:
        first, second = reader.runs()
        (task,) = reader.tasks(first["id"])
        (foreign,) = reader.tasks(second["id"])
    assert said[-1].records == second["trials"] == 3
    assert (second["strategy"], second["state"]) == ("imported", "finished")
    assert first["fingerprint"] != second["fingerprint"] and task["id"] != foreign["id"]
    assert foreign["best_s"] == pytest.approx(task["best_s"])


def test_of_a_device_that_is_not_known_nothing_is_drafted(tmp_path: Path) -> None:
    """Records of some kernels alone: the others are exported as they are."""
    started(project := tmp_path / "p.pruner", write_onnx(tmp_path / "m.onnx"))
    with connected(project) as db:
        db.execute("UPDATE measurements SET censored = 0 WHERE stage = 'ok'")
    export_records(msg.ExportRecords(project=str(project), out=str(tmp_path / "out")), Said().job())
    records = tmp_path / "out" / RECORDS
    records.write_text(records.read_text().splitlines(keepends=True)[0])
    import_records(msg.ImportRecords(project=str(project), folder=str(tmp_path / "out")), Said().job())
    with tuned_of(project, lambda phase: None, 2) as tuned:
        assert len(tuned.tasks) > 1 and not tuned.drafted and not tuned.undrafted


def test_records_of_this_device_join_its_tasks(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=True), Said().job())
    with ProjectReader(project) as reader:
        first, second = reader.runs()
        assert first["fingerprint"] == second["fingerprint"]
        assert reader.trace(reader.tasks(second["id"])[0]["best_candidate_id"])


def test_a_torn_tail_is_dropped_and_said(project: Path, tmp_path: Path) -> None:
    folder, said = exported(project, tmp_path / "out"), Said()
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(data[:-20])
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), said.job())
    assert said[-1].records == 2 and "torn" in said[-1].problems[0]
    with ProjectReader(project) as reader:
        assert "torn" in reader.events(2)[0]["text"]


def test_traces_that_do_not_fit_are_left_out_and_said(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    rows = [json.loads(line) for line in (folder / RECORDS).read_text().splitlines()]
    rows[0][1][0] = [[["GetSBlock", [], ["nowhere", "main"], ["b0"]]], []]
    (folder / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = Said()
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), said.job())
    assert said[-1].records == 2 and "does not fit" in said[-1].problems[0]


def for_another(folder: Path, **changes: object) -> Path:
    """The records, the first of which another target was compiled for."""
    rows = [json.loads(line) for line in (folder / RECORDS).read_text().splitlines()]
    rows[0][1][2] |= changes
    (folder / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.mark.parametrize("same_device", [False, True])
def test_records_of_another_target_are_taken_over_and_told(project: Path, tmp_path: Path, same_device: bool) -> None:
    folder, said = for_another(exported(project, tmp_path / "out"), mcpu="nehalem"), Said()
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=same_device), said.job())
    (told,) = said[-1].problems
    assert said[-1].records == 3 and "nehalem" in told and "1 of 3; they were taken over" in told


@pytest.mark.parametrize("other", [{"kind": "cuda", "arch": "sm_80"}, {"mtriple": "riscv64-linux-gnu"}], ids=str)
def test_times_of_a_machine_that_this_is_not_never_count_as_its_own(project: Path, tmp_path: Path, other) -> None:
    folder = for_another(exported(project, tmp_path / "out"), **other)
    command = msg.ImportRecords(project=str(project), folder=str(folder), same_device=True)
    with pytest.raises(UserError, match=r"The records were measured for (cuda sm_80|riscv64 .+); the device"):
        import_records(command, Said().job())
    with ProjectReader(project) as reader:
        assert len(reader.runs()) == 1
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), Said().job())


@pytest.mark.parametrize(
    "target", [None, 3, "llvm", ["llvm"], {"kind": {}, "mattr": 7, "num-cores": "x" * 999}], ids=str
)
def test_a_target_that_makes_no_sense_costs_no_record(project: Path, tmp_path: Path, target) -> None:
    folder, said = exported(project, tmp_path / "out"), Said()
    rows = [json.loads(line) for line in (folder / RECORDS).read_text().splitlines()]
    for row in rows:
        row[1][2] = target
    (folder / RECORDS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), said.job())
    assert said[-1].records == 3 and all(len(told) < 400 for told in said[-1].problems)


def test_a_schedule_that_several_runs_measured_is_written_once(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "own", best=6)
    import_records(msg.ImportRecords(project=str(project), folder=str(folder), same_device=True), Said().job())
    with connected(project) as db:  # the fastest is also the slowest by its second measurement
        (fastest,) = db.execute("SELECT id FROM measurements WHERE run_id = 2 ORDER BY seconds LIMIT 1").fetchone()
        db.execute("UPDATE measurements SET seconds = 9.0, repeats = '[9.0]' WHERE id = ?", (fastest,))
    said, both = Said(), str(tmp_path / "both")
    export_records(msg.ExportRecords(project=str(project), out=both, run_id=2, all_runs=True, best=8), said.job())
    assert said[-1].records == 6
    lines = (Path(both) / RECORDS).read_text().splitlines()
    seconds = [statistics.median(json.loads(line)[1][1]) for line in lines]
    assert seconds == sorted(seconds) and 9.0 not in seconds


def test_a_record_that_comes_twice_is_told_as_one(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    lines = (folder / RECORDS).read_text()
    (folder / RECORDS).write_text(lines * 2)
    said = Said()
    import_records(msg.ImportRecords(project=str(project), folder=str(folder)), said.job())
    with ProjectReader(project) as reader:
        assert said[-1].records == reader.run(said[-1].run_id)["trials"] == len(lines.splitlines())


def test_nothing_that_fits_changes_nothing(project: Path, tmp_path: Path) -> None:
    folder = exported(project, tmp_path / "out")
    (folder / RECORDS).write_text("")
    with pytest.raises(UserError, match="No record"):
        import_records(msg.ImportRecords(project=str(project), folder=str(folder)), Said().job())
    with ProjectReader(project) as reader:
        assert len(reader.runs()) == 1


def test_boards_of_a_tracker_are_listed_with_a_sign_of_life() -> None:
    from tvm.rpc.server import Server
    from tvm.rpc.tracker import Tracker

    tracker = Tracker(host="127.0.0.1", port=9190, port_end=9290)
    try:
        server = Server(host="127.0.0.1", port=9090, port_end=9190, key="pi", tracker_addr=("127.0.0.1", tracker.port))
        try:
            said = Said()
            for _ in range(50):
                list_boards(msg.ListBoards(tracker=f"127.0.0.1:{tracker.port}"), said.job())
                if said[-1].boards:
                    break
            (board,) = said[-1].boards
            assert board.key == "pi" and board.sign == "answers"
        finally:
            server.terminate()
    finally:
        tracker.terminate()


def test_what_accepts_and_says_nothing_is_no_tracker_and_no_board(monkeypatch) -> None:
    """As a stopped process does: its connections are accepted for it."""
    monkeypatch.setattr(rpc, "_ANSWER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        assert rpc.sign_of_life("127.0.0.1", port, 0.2) == "silent"
        with pytest.raises(UserError, match="No tracker answers"):
            list_boards(msg.ListBoards(tracker=f"127.0.0.1:{port}"), Said().job())
    for host in ("127.0.0.1", "a..b"):  # as a tracker that talks nonsense may name it
        assert rpc.sign_of_life(host, port, 0.2) == "gone"


def test_no_tracker_is_a_sentence() -> None:
    with pytest.raises(UserError, match="No tracker answers"):
        list_boards(msg.ListBoards(tracker="127.0.0.1:1"), Said().job())
    with pytest.raises(UserError, match="not the address"):
        list_boards(msg.ListBoards(tracker="nowhere"), Said().job())
