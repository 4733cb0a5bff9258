"""A temporary folder from which nothing may be loaded, as hardened machines have it."""

from __future__ import annotations

import subprocess
import tempfile

import pytest

from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from schedules import CPU


def test_a_folder_mounted_noexec_is_named(tmp_path, monkeypatch):
    command = ["mount", "-t", "tmpfs", "-o", "size=16m,noexec", "tmpfs", str(tmp_path)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a folder needs root")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        with pytest.raises(UserError, match="noexec") as told:
            Measurer(CPU)
        assert str(tmp_path) in told.value.message
        assert "TMPDIR" in told.value.hint
        assert not any(tmp_path.iterdir())
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)
