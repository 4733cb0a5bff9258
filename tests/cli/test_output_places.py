"""Places that cannot be written are told in a sentence, not by a traceback."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from chosen_runs import make_project
from pruner_engine.cli.collect import _write
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError


def test_a_comparison_below_a_file(tmp_path):
    (tmp_path / "file").touch()
    done = CliRunner().invoke(cli, ["bench", "search", "matmul:16,16,16", "--out", str(tmp_path / "file" / "x")])
    assert isinstance(done.exception, UserError) and "cannot be made" in str(done.exception)


@pytest.mark.parametrize("place", ["file/x.safetensors", "folder"])
def test_a_data_set_that_cannot_be_kept(tmp_path, place):
    """Below a file the write fails, in the place of a folder what comes after it."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    with pytest.raises(UserError, match="cannot be written") as raised:
        _write(tmp_path / "p.pruner", tmp_path / place, lambda _text: None)
    assert "nothing twice" in raised.value.hint
    assert not list(tmp_path.glob("*.part"))
