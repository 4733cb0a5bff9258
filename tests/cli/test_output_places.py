"""Places that cannot be written are told in a sentence, and nothing is written over that is of another kind."""

from __future__ import annotations

import stat

import pytest
from click.testing import CliRunner

from chosen_runs import make_project
from limits import files_end_at
from pruner_engine.cli.collect import _write
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.reports.page import render, write_page
from pruner_engine.verify.dataset import DataSet, write_dataset


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


@pytest.mark.parametrize(
    "command",
    [
        ["report", "p.pruner", "--html", "p.pruner"],
        ["bench", "search", "matmul:16,16,16", "--out", "cmp", "--html", "p.pruner"],
        ["bench", "e2e", "p.pruner", "--html", "p.pruner"],
        ["collect", "matmul:16,16,16", "--project", "p.pruner", "--out", "p.pruner"],
        ["train", "data.safetensors", "--out", "p.pruner"],
        ["train", "data.safetensors", "--out", "data.safetensors"],
    ],
)
def test_what_is_of_another_kind_is_never_written_over(tmp_path, monkeypatch, command):
    """A project in the place of a page, completed by mistake, was lost."""
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    write_dataset(DataSet(), tmp_path / "data.safetensors")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = CliRunner().invoke(cli, command)
    assert isinstance(done.exception, UserError) and "would be lost" in str(done.exception)
    assert {path: path.read_bytes() for path in before} == before


def test_a_page_is_written_over_a_page(tmp_path):
    write_page(tmp_path / "page.html", render("page.html") + "first")
    write_page(tmp_path / "page.html", render("page.html"))
    assert (tmp_path / "page.html").read_text() == render("page.html")


@pytest.fixture
def no_room():
    """As on a full disk."""
    with files_end_at(100):
        yield


def test_what_does_not_fit_leaves_what_was_there(tmp_path, no_room):
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html>")
    with pytest.raises(UserError, match="cannot be written"):
        write_page(page, "<!DOCTYPE html>" * 100)
    assert page.read_text() == "<!DOCTYPE html>" and list(tmp_path.iterdir()) == [page]


def test_what_others_may_not_read_stays_so_when_it_is_written_over(tmp_path):
    page = tmp_path / "page.html"
    write_page(page, render("page.html"))
    page.chmod(0o600)
    write_page(page, render("page.html"))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_links_and_devices_are_written_through(tmp_path):
    """A data set that was to go nowhere took the place of the device."""
    file, link, device = tmp_path / "file", tmp_path / "link", tmp_path / "device"
    link.symlink_to(file)
    device.symlink_to("/dev/null")
    for place in (link, device, link):
        write_dataset(DataSet(), place)
    assert link.is_symlink() and file.is_file() and device.is_char_device()
