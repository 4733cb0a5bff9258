"""Set-up of a checkout: which Python it takes, and that it does nothing twice."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOTSTRAP = ROOT / "packaging" / "bootstrap"
sys.path.insert(0, str(ROOT / "packaging"))

import setup_env  # noqa: E402

pytestmark = pytest.mark.skipif(not BOOTSTRAP.is_file(), reason="not a checkout")


def bare_path(folder, *programs):
    """A PATH that holds just `programs`."""
    folder.mkdir()
    for program in ("sh", "dirname", "id", "cat", *programs):
        (folder / Path(program).name).symlink_to(shutil.which(program) or program)
    return {"PATH": str(folder), "HOME": str(folder)}


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_without_a_python_it_says_what_to_install(tmp_path):
    env = bare_path(tmp_path / "bin")
    script(tmp_path / "bin" / "python3.12", "echo 'this launcher knows no such version' >&2; exit 127")
    done = subprocess.run(["/bin/sh", BOOTSTRAP], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().startswith("No Python 3.10 to 3.13") and len(done.stderr.splitlines()) == 1


def test_launchers_that_do_not_run_are_passed_over(tmp_path):
    env = bare_path(tmp_path / "bin")
    script(tmp_path / "bin" / "python3.12", "exit 127")
    script(tmp_path / "bin" / "python3.11", f'exec "{sys.executable}" "$@"')
    venv = tmp_path / "venv"
    venv.mkdir()
    (venv / ".setup-done").write_text(setup_env._stamp(ROOT, ROOT / "packaging" / "constraints.txt"))
    (venv / "bin").mkdir()
    (venv / "bin" / "python").symlink_to(sys.executable)
    done = subprocess.run(
        ["/bin/sh", BOOTSTRAP], env=env | {"VENV": str(venv)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {p.name for p in venv.iterdir()} == {".setup-done", "bin"}  # in place already: nothing was made


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path, capsys):
    (tmp_path / "letters").write_text("dear")
    assert setup_env.main(ROOT, tmp_path) == 1
    assert "is no virtual environment" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]


def test_an_environment_whose_python_is_gone_is_made_again(tmp_path, monkeypatch):
    (tmp_path / ".setup-done").write_text(setup_env._stamp(ROOT, ROOT / "packaging" / "constraints.txt"))
    (tmp_path / "pyvenv.cfg").touch()
    made = []
    monkeypatch.setattr(setup_env, "_system_packages", lambda: None)
    monkeypatch.setattr(setup_env.venv, "create", lambda folder, **_options: made.append(folder))
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: subprocess.CompletedProcess(command, 1))
    assert setup_env.main(ROOT, tmp_path) == 1 and made == [tmp_path]


def test_a_change_of_what_is_needed_asks_for_another_set_up(tmp_path):
    constraints = tmp_path / "constraints.txt"
    (tmp_path / "pyproject.toml").write_text("a")
    constraints.write_text("b")
    before = setup_env._stamp(tmp_path, constraints)
    assert setup_env._stamp(tmp_path, constraints) == before
    constraints.write_text("c")
    assert setup_env._stamp(tmp_path, constraints) != before


def test_missing_system_packages_are_named_when_they_cannot_be_installed(monkeypatch, capsys):
    monkeypatch.setattr(setup_env, "LIBRARIES", {"libnone-such.so.7": "libnone7", "libc.so.6": "libc6"})
    monkeypatch.setattr(setup_env, "_PROGRAMS", {})
    monkeypatch.setattr(shutil, "which", lambda _: None)
    setup_env._system_packages()
    said = capsys.readouterr().err
    assert "libnone7" in said and "libc6" not in said and len(said.splitlines()) == 1


def test_a_display_that_does_not_answer_counts_as_none(monkeypatch):
    import run_sample

    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    assert not run_sample._display_answers()


def test_make_knows_the_documented_targets():
    told = subprocess.run(
        ["make", "-n", "run", "test", "lint", "clean"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "pytest" in told.stdout and "ruff" in told.stdout
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
