"""docs/terminal.md names every command and every option."""

import re
from pathlib import Path

import click
import pytest

from pruner_engine.cli.main import cli

DOCUMENT = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text()


def commands_of(group, name="pruner"):
    for command in group.commands.values():
        full = f"{name} {command.name}"
        yield from commands_of(command, full) if isinstance(command, click.Group) else [(full, command)]


COMMANDS = dict(commands_of(cli))


def section_of(name):
    found = re.search(rf"^## `{re.escape(name)}\b.*?`\n(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_with_an_example_and_its_options(name):
    section = section_of(name)
    assert section, f"docs/terminal.md has no section for {name}"
    assert re.search(rf"^{re.escape(name)}( |$)", section, re.MULTILINE), f"no example of {name}"
    options = [flag for p in COMMANDS[name].params if isinstance(p, click.Option) for flag in p.opts]
    missing = [flag for flag in options if f"`{flag}" not in section]
    assert missing == []


def test_no_section_is_of_a_command_that_is_gone():
    sections = re.findall(r"^## `(pruner [a-z0-9 ]+[a-z])", DOCUMENT, re.MULTILINE)
    assert set(sections) == set(COMMANDS)
