"""Files that were made to harm: seeded mutations of real ones, looked at in child processes that are watched."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import engines
import onnx
from click.testing import CliRunner

from databases import connected
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.export.records import RECORDS, WORKLOADS, read_records
from pruner_engine.frontends import load_model
from pruner_engine.jobs.commands import questions, records, tune
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs import preparing
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.measure.workers.folder import _OWNER
from pruner_engine.protocol import ExportRecords, Inspect, Resume
from pruner_engine.reports.run import write_run
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.verify import create_model

_NUMBERS = (-1, 0, 1, 7, 255, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_STARTS = {"os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "pty.spawn"}
_TELLING = (
    ("status",),
    ("status", "--json"),
    ("tasks",),
    ("compare",),
    ("compare", "--json"),
    ("candidates", "--task", "1"),
    ("rounds",),
    ("decisions", "--task", "1"),
    ("adaptation",),
    ("profile", "--of"),
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_LIMIT_S = 300  # far more than any look takes, on a busy machine too


# ---------------------------------------------------------------- mutations


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, taken out, doubled, or cut off."""
    data = bytearray(content)
    printable = [i for i, byte in enumerate(data) if 32 <= byte < 127] or [0]
    for _ in range(rng.choice([1, 1, 3, 20])):
        if not data:
            break
        at = min(rng.choice([rng.choice(printable), rng.randrange(len(data))]), len(data) - 1)
        size = rng.randrange(1, 64)
        kind = rng.randrange(8)
        if kind < 4:
            data[at] = rng.randrange(256)
        elif kind == 4:
            data[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"9999"])
        elif kind == 5:
            del data[at : at + size]
        elif kind == 6:
            data[at:at] = data[at : at + size]
        elif rng.random() < 0.2:
            del data[max(1, at) :]
    return bytes(data)


def mutated_json(value: object, rng: random.Random) -> object:
    """One value somewhere inside replaced by one of another size or kind."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return {**value, key: mutated_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], mutated_json(value[at], rng), *value[at + 1 :]]
    return rng.choice([*_NUMBERS, None, "", "x" * 1000, [], {}, 1.5, float("inf"), [[[]]], "../../x", True])


def mutated_model(model: onnx.ModelProto, rng: random.Random) -> bytes:
    """A field of the graph set to something that its type allows and its meaning does not."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph, node = model.graph, rng.choice(model.graph.node)
    kind = rng.randrange(7)
    if kind == 0 and node.attribute:
        attribute = rng.choice(node.attribute)
        attribute.i = rng.choice(_NUMBERS)
        for at in range(len(attribute.ints)):
            attribute.ints[at] = rng.choice(_NUMBERS)
    elif kind == 1:
        node.op_type = rng.choice(["Loop", "Gather", "Reshape", "Resize", "Conv", "Identity", "If", "NoSuch", ""])
    elif kind == 2 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice([o for n in graph.node for o in n.output] + ["", "?"])
    elif kind == 3:
        rng.choice(graph.initializer).dims[0] = rng.choice(_NUMBERS)
    elif kind == 4:
        rng.choice(graph.initializer).data_type = rng.randrange(0, 30)
    elif kind == 5:
        dims = rng.choice(list(graph.input) + list(graph.output)).type.tensor_type.shape.dim
        dims[rng.randrange(len(dims))].dim_value = rng.choice(_NUMBERS)
    else:
        graph.node.remove(node)
    return model.SerializeToString()


def mutated_archive(path: Path, rng: random.Random) -> bytes:
    """A record inside a zip archive mutated, its checksum made right again."""
    out = tempfile.SpooledTemporaryFile()  # noqa: SIM115  closed with this function
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        victim = rng.choice(old.namelist())
        for name in old.namelist():
            data = old.read(name)
            if name == victim and data:
                as_json = name.endswith(".json") and rng.random() < 0.7
                data = json.dumps(mutated_json(json.loads(data), rng)).encode() if as_json else mutated(data, rng)
            new.writestr(name if name != victim or rng.random() < 0.9 else f"../{name}", data)
    out.seek(0)
    return out.read()


def mutate_rows(path: Path, rng: random.Random) -> None:
    """Values of a project file replaced, as somebody with an SQL shell could do."""
    with connected(path) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.choice([1, 1, 4])):
            table = rng.choice(
                [t for t in tables if not t.startswith("_") and db.execute(f"SELECT 1 FROM {t}").fetchone()]
            )
            column = rng.choice([row[1] for row in db.execute(f"PRAGMA table_info({table})")])
            (at, value) = rng.choice(db.execute(f"SELECT rowid, {column} FROM {table}").fetchall())
            try:
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?", (_other(value, rng), at))
            except sqlite3.IntegrityError:
                continue
    db.close()


def _other(value: object, rng: random.Random) -> object:
    if isinstance(value, bytes) and value[:2] == b"\x1f\x8b":
        inside = gzip.decompress(value)
        changed = (
            json.dumps(mutated_json(json.loads(inside), rng)).encode() if rng.random() < 0.7 else mutated(inside, rng)
        )
        return gzip.compress(changed, mtime=0)
    if isinstance(value, bytes) and value:
        return mutated(value, rng)
    if isinstance(value, str) and value.startswith(("[", "{")) and rng.random() < 0.7:
        with contextlib.suppress(ValueError):  # it may have been changed before
            return json.dumps(mutated_json(json.loads(value), rng))
    return rng.choice([*_NUMBERS, None, "", "text", b"\xff\0", 1.5, float("nan"), "[]", "../../etc/passwd"])


# ---------------------------------------------------------------- looks: each takes a folder with originals and a seed


def look_at_onnx(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    content = (folder / "model.onnx").read_bytes()
    changed = mutated(content, rng) if seed % 2 else mutated_model(onnx.load_from_string(content), rng)
    _prepare(load_model("model.onnx", content=changed), seed)


def look_at_pt2(folder: Path, seed: int) -> None:
    rng, path = random.Random(seed), folder / "model.pt2"
    changed = mutated(path.read_bytes(), rng) if seed % 4 == 0 else mutated_archive(path, rng)
    _prepare(load_model("model.pt2", content=changed), seed)


def _prepare(model, seed: int) -> None:
    if seed % 5 == 0:
        target = resolve_target("auto")
        extract_tasks(prepare(model.mod, target), target)


def look_at_records(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        for name in (WORKLOADS, RECORDS):
            lines = (folder / "records" / name).read_bytes().splitlines()
            at = rng.randrange(len(lines))
            if rng.random() < 0.5:
                lines[at] = mutated(lines[at], rng)
            else:
                lines[at] = json.dumps(mutated_json(json.loads(lines[at]), rng)).encode()
            Path(scratch, name).write_bytes(b"\n".join(lines))
        if problems := read_records(Path(scratch)).problems:
            raise UserError(problems[0])


def look_at_checkpoint(folder: Path, seed: int) -> None:
    rng, path = random.Random(seed), sorted((folder / "checkpoints").iterdir())[seed % 4]
    content = path.read_bytes()
    head = 8 + int.from_bytes(content[:8], "little") if not path.name.startswith("xgb") else len(content)
    changed = mutated(content[:head], rng) + content[head:] if rng.random() < 0.7 else mutated(content, rng)
    create_model(path.name, 0).from_bytes(changed)


def look_at_project(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(shutil.copy(folder / "m.pruner", scratch))
        if seed % 2:
            mutate_rows(path, rng)
        else:
            path.write_bytes(mutated(path.read_bytes(), rng))
        with ProjectReader(path) as reader:
            for run in reader.runs():
                for read in (reader.tasks, reader.progress, reader.failures, reader.rounds, reader.candidates):
                    read(run["id"])
                for read in (reader.baselines, reader.adaptations, reader.exports, reader.events):
                    read(run["id"])
        with Project(path) as project:
            run = OpenRun(project, project.runs.newest(), JobContext(lambda event: None))
            preparing.prepared(run, preparing.target_here(run))


def look_at_schedules(folder: Path, seed: int) -> None:
    """What inspects a candidate, asks the draft model, writes a report and records."""
    job = JobContext(lambda event: None)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(shutil.copy(folder / "m.pruner", scratch))
        mutate_rows(path, random.Random(seed))
        with ProjectReader(path) as reader:
            write_run(reader, None, path.with_suffix(".html"))
            task_id = reader.rows("SELECT min(id) AS id FROM tasks")[0]["id"]
        questions.inspect(Inspect(project=str(path), task_id=task_id, forms=["tvmscript", "why"]), job)
        records.export_records(ExportRecords(project=str(path), out=str(path.with_suffix(".records"))), job)


def look_at_project_in_the_terminal(folder: Path, seed: int) -> None:
    """What commands tell of a project without an engine."""
    refused: UserError | None = None
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(shutil.copy(folder / "m.pruner", scratch))
        mutate_rows(path, random.Random(seed))
        for command, *options in _TELLING:
            try:
                CliRunner().invoke(cli, [command, *options, str(path)], catch_exceptions=False)
            except UserError as error:
                refused = error
    if refused is not None:
        raise refused


def look_at_project_and_resume(folder: Path, seed: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(shutil.copy(folder / "m.pruner", scratch))
        mutate_rows(path, random.Random(seed))
        tune.resume(Resume(project=str(path), trials=9), JobContext(lambda event: None))


# ---------------------------------------------------------------- the watch


def outcomes(look: Callable[[Path, int], None], folder: Path, seeds: Iterable[int]) -> dict[int, str]:
    """What became of each seed: "ok", "refused: …", "error: …", "died: …", or "forbidden: …" with what."""
    waiting, found = list(seeds), dict[int, str]()
    report = folder / f"{look.__name__}.report"
    while waiting:
        report.write_text("")
        process = engines.context().Process(target=_watched, args=(look, folder, waiting, report))
        process.start()
        process.join()
        lines = [json.loads(line) for line in report.read_text().splitlines()]
        found.update({seed: said for seed, said in lines})
        waiting = waiting[len(lines) :]
        if waiting:
            found[waiting.pop(0)] = f"died: {process.exitcode}"
    return found


def _watched(look: Callable[[Path, int], None], folder: Path, seeds: list[int], report: Path) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.dont_write_bytecode = True  # of modules that are imported for the first time, which would be writes, too
    forbidden: list[str] = []
    allowed = (tempfile.gettempdir(), os.environ["XDG_STATE_HOME"], os.environ["XDG_CACHE_HOME"], "/dev/")

    def audit(event: str, args: tuple) -> None:
        if event in _STARTS and "pruner_engine" not in str(args):
            forbidden.append(f"{event} {args}")
        # an owner's file is opened within the folders of engines that other tests killed, which no audit tells
        elif event == "open" and isinstance(args[0], str) and args[0] != _OWNER and args[2] & _WRITING:
            forbidden.extend(
                f"write {path}" for path in [str(Path(args[0]).absolute())] if not path.startswith(allowed)
            )

    sys.addaudithook(audit)
    for seed in seeds:
        signal.alarm(_LIMIT_S)
        forbidden.clear()
        try:
            look(folder, seed)
            said = "ok"
        except UserError as error:
            said = f"refused: {error}"
        except BaseException as error:  # whatever else comes out is what the test looks for
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
            said = f"error: {type(error).__name__} at {place}: {str(error)[:300]}"
        if forbidden:
            said = f"forbidden: {forbidden}"
        with report.open("a") as file:
            file.write(json.dumps([seed, said]) + "\n")
    os._exit(0)
