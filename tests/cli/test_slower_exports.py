"""What the terminal says and asks of a tuned model that a library beats."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from plain_product import save_product
from pruner_engine.store.reader import ProjectReader
from terminal import SMALL, carried_out, pruner_here

pytestmark = pytest.mark.usefixtures("warm")


@pytest.fixture(scope="module")
def tuned(warm, tmp_path_factory) -> Path:
    """A matrix product whose one trial gained nothing: its plain loops are far behind any library."""
    folder = tmp_path_factory.mktemp("slow")
    path = folder / "product.pruner"
    words = ["tune", save_product(folder), "--project", path, "--trials", 1, "--strategy", "random"]
    pruner_here(*words, *SMALL)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE measurements SET seconds = 9, repeats = '[9.0]'")
        db.execute("UPDATE progress SET latency_s = 9")
    return path


def exports(project: Path) -> list[dict]:
    with ProjectReader(project) as reader:
        return reader.exports()


def export(project: Path, out: Path, *more: str) -> subprocess.CompletedProcess:
    """By a command that nobody can answer."""
    return carried_out("export", project, "--out", out, *more)


def answered(project: Path, out: Path, answer: str) -> tuple[int, str]:
    """Exit code and what is asked of somebody at a terminal who answers."""
    ours, its = os.openpty()
    try:
        os.write(ours, answer.encode())
        command = [sys.executable, "-m", "pruner_engine.cli", "export", str(project), "--out", str(out)]
        done = subprocess.run(command, stdin=its, stdout=subprocess.DEVNULL, stderr=its, timeout=500, check=False)
        return done.returncode, os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(its)


def test_somebody_at_a_terminal_is_asked_before(tuned: Path, tmp_path: Path) -> None:
    before = exports(tuned)
    for answer in ("n\n", "\n"):
        code, told = answered(tuned, tmp_path / "out", answer)
        assert code == 3 and "estimated) is slower than ONNX Runtime" in told and "Export it all the same?" in told
        assert "Nothing was exported." in told and not (tmp_path / "out").exists()
    assert exports(tuned) == before


def test_who_cannot_answer_is_told_and_the_export_goes_on(tuned: Path, tmp_path: Path) -> None:
    done = export(tuned, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "is slower than ONNX Runtime" in done.stderr and "It is exported all the same." in done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("The tuned model ("))
    assert "measured) is slower than ONNX Runtime (" in line and "Tune it longer, above all matmul" in line
    assert (tmp_path / "out" / "model.so").exists()
    quiet = export(tuned, tmp_path / "out", "--yes")
    assert quiet.returncode == 0 and "all the same" not in quiet.stderr


def test_json_carries_what_was_known_and_what_was_found(tuned: Path, tmp_path: Path) -> None:
    done = export(tuned, tmp_path / "out", "--weights", "beside", "--json")
    assert done.returncode == 0 and done.stderr == ""
    told = json.loads(done.stdout)
    assert "onnxruntime" in told["slower_than"] and "onnxruntime" in told["expected_slower_than"]
    assert told["on_device"] and (tmp_path / "out" / told["weights"]["file"]).exists()
    (run,) = json.loads(pruner_here("status", tuned, "--json"))["runs"]
    assert run["measured_s"] == told["latency"]["tuned"]["seconds"] != run["latency_s"]
    heads = pruner_here("status", tuned).splitlines()
    assert any("estimated" in line and "measured" in line for line in heads)
