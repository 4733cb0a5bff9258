"""Processes of our own, started wherever the user is."""

from __future__ import annotations

import os
import subprocess

import pytest

from pruner_engine.processes.child import environment, module_command


@pytest.mark.parametrize(
    ("module", "code", "path"),
    [
        *(("pruner_engine.cli", 0, path) for path in ("", os.pathsep, "{0}" + os.pathsep)),
        ("pruner_engine.jobs", 0, os.pathsep),
        ("pruner_engine.measure.workers.zygote", 1, os.pathsep),
    ],
)
def test_files_in_the_current_folder_are_nobodys_modules(tmp_path, monkeypatch, module, code, path):
    monkeypatch.setenv("PYTHONPATH", path.format(tmp_path / "elsewhere"))
    for name in ("runpy", "queue", "html", "psutil", "tvm", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open('{name}.run', 'w').close()")
    done = subprocess.run(
        module_command(module, "--help"), cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == code
    assert not list(tmp_path.glob("*.run"))


def test_arguments_are_the_modules_own(tmp_path):
    done = subprocess.run(
        module_command("json.tool", "--indent", "1"), input="[1]", capture_output=True, text=True, check=True
    )
    assert done.stdout == "[\n 1\n]\n"


def test_threads_that_multiply_matrices_sleep_while_they_wait_unless_the_user_says_otherwise(monkeypatch):
    name = "OPENBLAS_THREAD_TIMEOUT"
    monkeypatch.delenv(name)
    assert environment()[name] == "4"
    monkeypatch.setenv(name, "20")
    assert environment()[name] == "20"
