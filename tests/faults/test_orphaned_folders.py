"""Folders of measurements whose engines were killed with all their processes."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from pathlib import Path

import foul
import pytest
from engines import context
from test_killed_processes import measuring

from pruner_engine.measure.workers import folder
from pruner_engine.measure.workers.folder import BuildFolder


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """The folder of temporary files, of processes that are started too."""
    found = tmp_path / "tmp"
    found.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    return found


def orphan(place: Path) -> Path:
    """A folder with a library in it, of an engine that is dead."""
    made = BuildFolder()
    (made.path / "1.so").touch()
    made._owner.close()  # as the kernel does when its process dies
    assert made.path.parent == place
    return made.path


def in_a_folder_of_its_own(place, told) -> None:
    tempfile.tempdir = place
    measuring(foul.hang, told)


def test_what_an_engine_killed_with_all_its_processes_leaves_goes_with_the_next(place):
    told, telling = context().Pipe(duplex=False)
    engine = context().Process(target=in_a_folder_of_its_own, args=(str(place), telling))
    engine.start()
    left = Path(told.recv())
    zygote = int((Path(f"/proc/{engine.pid}/task/{engine.pid}/children")).read_text().split()[0])
    os.kill(zygote, signal.SIGSTOP)  # it cannot clear up
    next_to_it = BuildFolder()
    assert left.is_dir(), "its engine lives"
    os.killpg(engine.pid, signal.SIGKILL)
    engine.join()
    assert left.is_dir()
    BuildFolder().remove()
    assert list(place.glob("pruner-measure-*")) == [next_to_it.path], "of a living engine"
    next_to_it.remove()


def test_what_is_no_orphan_of_this_users_stays(place, tmp_path):
    other, mine = tmp_path / "other", tmp_path / "mine"
    for target in (other, mine):
        target.mkdir()
        (target / "owner").touch()
    earlier, link, linked, pipe, file = (
        place / f"pruner-measure-{n}" for n in ("old", "link", "linked", "pipe", "file")
    )
    earlier.mkdir()  # of a version that locked nothing: its engine may live
    link.symlink_to(mine)
    linked.mkdir()
    (linked / "owner").symlink_to(other / "owner")
    pipe.mkdir()
    os.mkfifo(pipe / "owner")
    file.touch()
    (place / "pruner-measured").mkdir()
    if os.geteuid() == 0:
        os.chown(orphan(place), 1234, 1234)
    before = set(place.iterdir())
    BuildFolder().remove()
    assert set(place.iterdir()) == before
    assert (mine / "owner").exists() and (other / "owner").exists()


def test_where_others_may_rename_folders_nothing_is_removed(place):
    left = orphan(place)
    place.chmod(0o777)  # without the sticky bit of /tmp somebody may give the orphan's name to any folder
    BuildFolder().remove()
    assert left.is_dir()
    place.chmod(0o777 | stat.S_ISVTX)
    BuildFolder().remove()
    assert not left.exists()


def test_one_that_is_taken_for_an_orphan_as_it_is_made_is_made_again(place, monkeypatch):
    flock, taken = folder.fcntl.flock, list[str]()

    def after_another(file, how):
        if not taken:  # another engine is quicker
            taken.append(str(Path(file.name).parent))
            folder._remove_orphan(taken[0])
        flock(file, how)

    monkeypatch.setattr(folder.fcntl, "flock", after_another)
    made = BuildFolder()
    assert [made.path] == list(place.iterdir()) and str(made.path) not in taken
    made.remove()
