"""The command `pruner` as a user starts it."""

import shlex
import subprocess
import sys

import click

from pruner_engine.cli.main import cli

# small enough that a run takes seconds
SETTINGS = {"round_trials": 6, "population": 128, "draft_set": 16, "fresh_samples": 4}
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
