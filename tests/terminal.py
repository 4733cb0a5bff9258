"""The command `pruner`, as a user starts it or in this process."""

import contextlib
import io
import shlex
import subprocess
import sys
from unittest.mock import patch

import click

from pruner_engine.cli.main import cli, main

# small enough that a run takes seconds
SETTINGS = {"round_trials": 6, "population": 128, "draft_set": 16, "fresh_samples": 4, "repeats": 1}
SMALL = [f"--set={name}={value}" for name, value in SETTINGS.items()]


def parsed(line):
    """What the terminal's own parser makes of a line, without carrying it out."""
    program, *words = shlex.split(line, comments=True)
    assert program == "pruner"
    command = cli
    while isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    return command.make_context(command.name, words).params


def pruner(*args, code=0, **options):
    """Standard output of a command that ends with `code`."""
    command = [sys.executable, "-m", "pruner_engine.cli", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, **options)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def carried_out(*args, said=None):
    """How a command ends that is carried out in this process, and what it says, unless that goes to the file `said`.

    With the fixture `warm` it has an engine that is there already. Starting both takes longer than most commands do.
    """
    words, out, err = ["pruner", *map(str, args)], io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.multiple(sys, argv=words, stdin=io.StringIO()))
        stack.enter_context(contextlib.redirect_stdout(said or out))
        stack.enter_context(contextlib.redirect_stderr(said or err))
        try:
            main()
        except SystemExit as ended:
            return subprocess.CompletedProcess(words, ended.code or 0, out.getvalue(), err.getvalue())
    raise AssertionError("a command ends with an exit code")


def pruner_here(*args, code=0):
    """As `pruner`, in this process."""
    done = carried_out(*args)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr
