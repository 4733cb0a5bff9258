"""A run of tests in which a worker dies: it ends, failed, and says in which test that was."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PASSING = "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_passes(n): pass\n"
ABORTS = "import os\ndef test_dies(): os.abort()\n"
HANGS = """
import signal, time
def test_dies():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    time.sleep(10_000)
"""


def run(folder, files):
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "conftest"]
    alone = ["-p", "no:cacheprovider"]  # what failed is not kept for the run that this test is of
    workers = ["--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    limits = ["-o", "timeout=2", "-o", "faulthandler_timeout=4"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    env["PYTHONPATH"] = str(ROOT / "tests")
    return subprocess.run(
        [*command, *alone, *workers, *limits, folder], env=env, capture_output=True, text=True, timeout=200, check=False
    )


@pytest.mark.parametrize("dies", [ABORTS, HANGS], ids=["aborts", "hangs"])
def test_a_worker_that_dies_ends_the_run_with_the_name_of_its_test(tmp_path, dies):
    """xdist waited without end; what it had not tested was not tested at all, so that asking again is no way out."""
    done = run(tmp_path, {"a": PASSING, "b": dies} | {name: PASSING for name in "cdef"})
    assert done.returncode == pytest.ExitCode.INTERNAL_ERROR, done.stdout
    assert "test_b.py::test_dies" in done.stdout.splitlines()[-2] and "crashed" in done.stdout


def test_what_fails_is_named_before_the_summary(tmp_path):
    done = run(tmp_path, {"a": "def test_fails(): assert 0\n", "b": PASSING})
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    named = done.stdout.index("failed: ")
    assert "test_a.py::test_fails (call)" in done.stdout[named:] and named < done.stdout.index("= FAILURES =")
