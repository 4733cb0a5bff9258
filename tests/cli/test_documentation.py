"""docs/terminal.md names every command and every option; every command line that is documented is one."""

import re
from pathlib import Path

import click
import pytest

from pruner_engine.cli.main import cli
from pruner_engine.frontends.workloads import WORKLOADS
from terminal import parsed

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "terminal.md").read_text()


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


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_a_command_does_and_what_each_of_its_options_is(name):
    command = COMMANDS[name]
    assert (command.help or "").strip()
    assert [p.opts[0] for p in command.params if isinstance(p, click.Option) and not (p.help or "").strip()] == []


def test_no_section_is_of_a_command_that_is_gone():
    sections = re.findall(r"^## `(pruner [a-z0-9 ]+[a-z])", DOCUMENT, re.MULTILINE)
    assert set(sections) == set(COMMANDS)


def lines_in(document):
    """Each `pruner` line of the fenced blocks, up to where its output goes."""
    for block in re.findall(r"^```\w*\n(.*?)^```$", document.read_text(), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            yield from re.findall(r"(?:^|&& )(pruner .*?)(?= && | > |$)", line)


EXAMPLES = [
    pytest.param(line, id=f"{document.name}: {line}")
    for document in (ROOT / "README.md", ROOT / "bench" / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for line in lines_in(document)
]


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_line_of_the_documentation_is_understood(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in line.split():
        if re.fullmatch(r"[\w/.-]+\.[a-z]\w+", word):  # a file that is there by then, and the folder that it is in
            (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / word).touch()
    assert parsed(line)


def test_examples_are_found_in_every_document_that_has_some():
    found = {param.id.partition(":")[0] for param in EXAMPLES}
    assert {"README.md", "terminal.md", "extending.md", "gpu.md"} <= found and len(EXAMPLES) > 60


def test_every_built_in_workload_is_documented_with_its_sizes_and_options():
    told = {name: line for line in DOCUMENT.splitlines() for name in re.findall(r"`(\w+:[A-Z,]+)`", line)}
    for name, workload in WORKLOADS.items():
        line = told[f"{name}:{workload.sizes}"]
        options = told["conv2d:N,C,H,W,K,R"] + told["conv1d:N,C,W,K,R"] if "the same" in line else line
        assert all(f"`{option}" in options for option in workload.options), name
