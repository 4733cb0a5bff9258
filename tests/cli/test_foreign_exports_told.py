"""What the terminal and the report say of an export that nothing here can run."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pruner_engine.targets.cpu import detect_host
from terminal import SMALL, carried_out, pruner_here

pytestmark = pytest.mark.usefixtures("warm")
ELSEWHERE = "aarch64" if detect_host().arch == "x86_64" else "x86_64"


@pytest.fixture(scope="module")
def foreign(warm, tmp_path_factory) -> Path:
    """A project as it comes from a machine of another architecture."""
    path = tmp_path_factory.mktemp("foreign") / "m.pruner"
    pruner_here("tune", "matmul:16,16,16", "--project", path, "--trials", 2, "--strategy", "random", *SMALL)
    target = json.dumps({"kind": "llvm", "mtriple": f"{ELSEWHERE}-linux-gnu", "num-cores": 2})
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE targets SET text = ?, device = 'Elsewhere', fingerprint = '0'", (target,))
    return path


def test_the_bundle_is_written_and_what_it_lacks_is_said(foreign, tmp_path):
    done = carried_out("export", foreign, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "outputs not checked, latency not measured: nothing here runs the library" in done.stdout
    assert "1 function, 100 % of the estimated time" in done.stdout and " ms" not in done.stdout
    said = " ".join(done.stderr.split())
    assert f"neither checked nor timed. Kernels for {ELSEWHERE} cannot run on this" in said
    assert "python run.py --bench" in said
    told = json.loads(carried_out("export", foreign, "--out", tmp_path / "out", "--json").stdout)
    assert (told["place"]["where"], told["latency"], told["checks"]) == ("nowhere", {}, [])
    assert carried_out("status", foreign).returncode == 0
    assert carried_out("report", foreign, "--html", tmp_path / "r.html").returncode == 0
    assert "Neither checked nor timed: Kernels for" in (tmp_path / "r.html").read_text()


def test_a_comparison_is_refused_with_what_to_do(foreign):
    done = carried_out("bench", "e2e", foreign)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"Kernels for {ELSEWHERE} cannot run" in done.stderr and "--rpc" in done.stderr


@pytest.mark.parametrize("command", ["export", "bench e2e"])
def test_boards_are_named_with_their_tracker(command, foreign, tmp_path):
    words = [*command.split(), foreign, *(["--out", tmp_path / "out"] if command == "export" else [])]
    done = carried_out(*words, "--key", "arm")
    assert done.returncode == 2 and "name the tracker with --rpc" in done.stderr
    done = carried_out(*words, "--rpc", "127.0.0.1:1")
    assert done.returncode == 1 and "No tracker answers at 127.0.0.1:1" in done.stderr
