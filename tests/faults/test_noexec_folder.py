"""A temporary folder from which nothing may be loaded, as hardened machines have it."""

from __future__ import annotations

import subprocess
import tempfile

import pytest

from pruner_engine.diagnostics.doctor import run_checks
from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from schedules import CPU


@pytest.fixture
def folder(tmp_path, monkeypatch):
    command = ["mount", "-t", "tmpfs", "-o", "size=16m,noexec", "tmpfs", str(tmp_path)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a folder needs root")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for processes
    yield tmp_path
    subprocess.run(["umount", "-l", tmp_path], check=True)


def test_a_folder_mounted_noexec_is_named(folder):
    with pytest.raises(UserError, match="noexec") as told:
        Measurer(CPU)
    assert str(folder) in told.value.message
    assert "TMPDIR" in told.value.hint
    assert not any(folder.iterdir())


def test_the_preflight_names_it_and_nothing_is_to_be_reinstalled(folder):
    report = run_checks()
    checks = {c.name: c for c in report.checks}
    assert not report.ok
    for name in ("Temporary files", "One kernel"):
        assert not checks[name].ok
        assert "noexec" in checks[name].value and str(folder) in checks[name].value
        assert "TMPDIR" in checks[name].hint
