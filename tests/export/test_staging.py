"""A bundle comes to its place whole, or not at all."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pruner_engine.errors import UserError
from pruner_engine.export.library import FORMAT, METADATA
from pruner_engine.export.staging import place_of, staged


def write(place: Path, text: str) -> None:
    with staged(place) as (bundle, _):
        (bundle / METADATA).write_text(json.dumps({"format": FORMAT, "text": text}))


def text_of(place: Path) -> str:
    return json.loads((place / METADATA).read_text())["text"]


DYING = """
import os, signal, sys
from pathlib import Path
from pruner_engine.export import staging

class Deadly(type(Path())):
    def rename(self, target):
        super().rename(target)
        if self.name == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)
        return target

with staging.staged(Deadly(sys.argv[1])) as (bundle, scratch):
    (bundle / "half").write_text("written")
    if sys.argv[2] == "middle":
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["middle", "tuned"])
def test_after_a_death_the_earlier_bundle_is_there_again(tmp_path, moment):
    place = tmp_path / "tuned"
    write(place, "earlier")
    done = subprocess.run([sys.executable, "-c", DYING, str(place), moment], check=False)
    assert done.returncode == -signal.SIGKILL
    assert place.exists() == (moment == "middle")
    with pytest.raises(RuntimeError), staged(place):
        raise RuntimeError
    assert text_of(place) == "earlier"
    assert list(tmp_path.iterdir()) == [place]


def test_a_living_export_is_left_alone(tmp_path):
    place = tmp_path / "tuned"
    with staged(place) as (bundle, _):
        (bundle / METADATA).write_text(json.dumps({"format": FORMAT, "text": "slow"}))
        write(place, "quick")
        assert bundle.exists()
    assert text_of(place) == "slow"
    assert list(tmp_path.iterdir()) == [place]


def test_what_a_user_has_hidden_beside_it_stays(tmp_path):
    (tmp_path / ".tuned-notes").mkdir()
    (tmp_path / ".tuned.pruner-export-notes").write_text("a file")
    write(tmp_path / "tuned", "new")
    assert {path.name for path in tmp_path.iterdir()} == {".tuned-notes", ".tuned.pruner-export-notes", "tuned"}


def test_a_link_to_a_bundle_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    write(tmp_path / "disk" / "tuned", "earlier")
    (tmp_path / "tuned").symlink_to(tmp_path / "disk" / "tuned")
    write(tmp_path / "tuned", "new")
    assert (tmp_path / "tuned").is_symlink() and text_of(tmp_path / "tuned") == "new"
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["tuned"]


def test_what_cannot_be_replaced_is_told_at_once(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for place, told in ((tmp_path / "link", "a link to what"), (Path("/proc"), "disk of its own"), (Path(), "current")):
        with pytest.raises(UserError, match=told), staged(place.absolute()):
            pytest.fail("it began")
    assert {path.name for path in tmp_path.iterdir()} == {"link", "here"}


def test_a_place_that_cannot_be_looked_at_is_a_sentence(tmp_path):
    """As one below a folder that one may not enter, which to an administrator there is none of."""
    with pytest.raises(UserError, match="cannot be written: File name too long"), staged(tmp_path / ("n" * 300)):
        pytest.fail("it began")


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), RuntimeError("No space left on device")]
)
def test_a_full_disk_is_a_sentence(tmp_path, error):
    write(tmp_path / "tuned", "earlier")
    with pytest.raises(UserError, match="room on the disk"), staged(tmp_path / "tuned"):
        raise error
    assert text_of(tmp_path / "tuned") == "earlier"


def test_a_place_below_a_file_is_refused_before_anything_is_compiled(tmp_path):
    (tmp_path / "file").touch()
    for place in ("file/bundle", "file/a/bundle"):
        with pytest.raises(UserError, match="file is a file, in which no folder can be made"):
            place_of(tmp_path / place)
    assert place_of(tmp_path / "new" / "bundle") == tmp_path / "new" / "bundle"
