"""How a command ends: what could not be done, what was stopped, misuse, errors of ours."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from chosen_runs import add_run, make_project
from pruner_engine.cli import main
from pruner_engine.cli.arguments import find_task
from pruner_engine.cli.main import cli
from pruner_engine.cli.progress import EngineBug
from pruner_engine.cli.series import run_all
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.processes.child import environment
from pruner_engine.protocol import Failed
from pruner_engine.store.project import Project
from pruner_engine.store.reader import ProjectReader
from terminal import carried_out

BUG = EngineBug(Failed(kind="bug", message="An error of its own.", hint="Copy it.", report="the engine's trace"))


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (UserError("It is full.", "Make room."), 1, "pruner: It is full. Make room.\n"),
        (StoppedError("It was stopped."), 3, "pruner: It was stopped.\n"),
        (BUG, 70, "the engine's trace"),
        (KeyError("seconds"), 70, "KeyError: 'seconds'"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), 1, "refused: Too many open files. Raise the limit"),
        (PermissionError(errno.EACCES, "Permission denied", "/a"), 1, "refused: Permission denied (/a). Check"),
        (OSError(errno.ESTALE, os.strerror(errno.ESTALE)), 1, "refused: Stale file handle. Check the disk"),
        (MemoryError(), 1, "There is not enough memory."),
        (UnicodeEncodeError("utf-8", "a\udcff", 1, 2, "surrogates not allowed"), 1, r"The name 'a\udcff' is not UTF-8"),
        (UnicodeEncodeError("ascii", "ä", 0, 1, "ordinal not in range"), 70, "UnicodeEncodeError"),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error, code, told, monkeypatch, capsys):
    def fail():
        raise error

    monkeypatch.setattr(sys.modules["pruner_engine.cli.main"], "cli", fail)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == code and told in said
    assert ("pruner-studio" in said) == (code == 70 and error is not BUG), "what can be copied names the versions"


def test_where_no_folder_takes_temporary_files_a_sentence_says_so():
    """As on a full disk: Python takes none in which it could not write."""
    code = "import resource, tempfile; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    code += "from pruner_engine.errors import of_surroundings as told\n"
    code += "from pruner_engine.diagnostics.doctor import _temp\nprint(_temp().value)\n"
    code += "try: tempfile.gettempdir()\nexcept OSError as error: print(told(error))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("No usable temporary directory") == 2 and "set TMPDIR" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["status", "../p.pruner"],
        ["report", "{}", "--html", "x.html"],
        ["bench", "search", "matmul:8,8,8", "--out", "x"],
    ],
    ids=" ".join,
)
def test_a_folder_that_was_removed_is_told_where_names_are_in_it(words, tmp_path):
    make_project(path := tmp_path / "p.pruner", {"a": (1, 1.0)})
    add_run(path, "pruner", [("begin", 1.0), ("trial", 1, 0.5, 2.0), ("end", 5.0)])
    (tmp_path / "gone").mkdir()
    line = [sys.executable, "-m", "pruner_engine.cli", *(word.format(path) for word in words)]
    here = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(tmp_path / "gone"), *line]
    done = subprocess.run(here, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.startswith("pruner: The current folder was removed.")) == (1, True)


def test_a_series_that_is_stopped_begins_no_other_run():
    """Also by a second ^C, which does not wait for the end of the run at work."""
    begun = []

    def stopped(_carry_out):
        begun.append(1)
        raise StoppedError("It was ended at once.")

    with pytest.raises(SystemExit) as ended:
        run_all([SimpleNamespace(title="m", carry_out=stopped)] * 2, quiet=True)
    assert (ended.value.code, len(begun)) == (3, 1)


def test_a_series_keeps_the_report_of_an_error_of_ours():
    def fail(_carry_out):
        raise BUG

    with pytest.raises(UserError, match="the engine's trace"):
        run_all([SimpleNamespace(title="m · pruner · seed 0", carry_out=fail)], quiet=True)


@pytest.mark.parametrize(
    "words",
    [
        ("tune", "matmul:8,8,8", "--seed"),
        ("tune", "matmul:8,8,8", "--trials"),
        ("tasks", "--run"),
        ("try", "--task", "1", "--candidate"),
        ("inspect", "--task", "1", "--against"),
        ("bench", "search", "matmul:8,8,8", "--out", "x", "--seeds"),
    ],
    ids=" ".join,
)
def test_a_number_that_no_project_file_takes_is_misuse(words, tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    file = [] if words[0] in ("tune", "bench") else [str(path)]
    done = CliRunner().invoke(cli, [*words, str(2**63), *file])
    assert done.exit_code == 2 and "is too large" in done.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tune", "matmul:8,8,8", "--key", "pi"), "name the tracker with --rpc"),
        (("tune", "matmul:8,8,8", "--trials", "1e3"), "'1e3' is not a valid integer."),
        (("tune", "matmul:8,8,8", "--minutes", "nan"), "nan is no number of minutes"),
        (("tune", "matmul:8,8,8", "--set", "refresh=1", "--set", "refresh=2"), "refresh is given more than once."),
        (("tune", "matmul:8,8,8", "--input", "x=1,2", "--input", "x=1,3"), "x is given more than once."),
        (("resume", "pyproject.toml", "--minutes", "inf"), "inf is no number of minutes"),
        (("try", "p.pruner", "--verify", "--pin"), "--verify and --pin are two steps"),
        (("steer", "p.pruner", "dance"), "'ACTION': 'dance' is not one of"),
        (("bench", "search", "matmul:8,8,8", "--out", "x", "--seeds", "0,-1"), "-1 is below zero"),
    ],
    ids=str,
)
def test_misuse_is_told_in_words_of_the_command(words, told):
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2 and told in done.output


@pytest.mark.parametrize(
    "words",
    [
        ("status", "missing"),
        ("status", "folder"),
        ("tune", "missing.onnx"),
        ("tune", "matmul:8,8,8", "--project", "folder"),
        ("tune", "matmul:8,8,8", "--checkpoint", "missing"),
        ("resume", "p.pruner", "--plugin", "missing"),
        ("export", "p.pruner", "--out", "p.pruner"),
        ("report", "p.pruner", "--html", "missing/p.html"),
        ("records", "import", "p.pruner", "p.pruner"),
        ("bench", "e2e", "folder"),
        ("bench", "e2e", "missing"),
        ("bench", "search", "--workloads", "missing", "--out", "x"),
        ("train", "missing", "--out", "x"),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("warm")
def test_what_a_name_stands_for_is_no_misuse_of_the_command(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    (tmp_path / "folder").mkdir()
    done = carried_out(*words)
    assert done.returncode == 1 and done.stderr.count("pruner: ") == 1, done.stderr
    assert any(word in done.stderr for word in ("missing", "folder", "p.pruner"))
    assert done.stderr.strip().endswith(".") and len(done.stderr.splitlines()) <= 3


def test_a_folder_is_no_model(tmp_path):
    done = CliRunner().invoke(cli, ["tune", str(tmp_path)])
    assert str(done.exception) == f"{tmp_path} is a folder. Name the file of a model."


def test_a_project_without_runs_says_so(tmp_path):
    with Project(tmp_path / "p.pruner"):
        pass
    assert (
        CliRunner().invoke(cli, ["status", str(tmp_path / "p.pruner")]).output.startswith("p.pruner holds no run yet")
    )


def test_only_short_plain_digits_are_an_id(tmp_path):
    path = tmp_path / "p.pruner"
    make_project(path, {"a": (1, 1.0)})
    with ProjectReader(path) as reader:
        assert find_task(reader, "1") == 1
        for text in ("9" * 30, "²", "١"):
            with pytest.raises(UserError, match="holds no task"):
                find_task(reader, text)


def test_lines_of_two_schedules_are_not_linked(tmp_path):
    words = ["inspect", str(tmp_path / "p.pruner"), "--task", "1", "--linked", "--against", "2"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 2 and "--linked" in done.output


def test_what_is_no_candidate_is_told_with_what_would_be_one(tmp_path):
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    done = CliRunner().invoke(cli, ["inspect", str(tmp_path / "p.pruner"), "--task", "a", "--candidate", "best"])
    assert done.exit_code == 2 and '"best" is neither the id of a candidate nor the word untuned' in done.output


@pytest.fixture
def failed(tmp_path):
    """A project with a run in which the one trial failed."""
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0), "b": (1, 1.0)})
    add_run(tmp_path / "p.pruner", "pruner", [("trial", 1, None, 1.0)])
    return str(tmp_path / "p.pruner")


@pytest.mark.parametrize("command", ["inspect", "try"])
def test_a_candidate_that_the_project_lacks_is_named(failed, command):
    done = CliRunner().invoke(cli, [command, failed, "--candidate", "99"])
    assert "holds no candidate 99" in str(done.exception)


def test_without_a_valid_candidate_there_is_nothing_to_start_from(failed):
    done = CliRunner().invoke(cli, ["try", failed, "--task", "a"])
    assert "Nothing valid was measured of the task." in str(done.exception)
