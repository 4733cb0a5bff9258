"""`pruner bench`: comparisons on this machine."""

from __future__ import annotations

import click

from pruner_engine.cli.bench.compile import compile_
from pruner_engine.cli.bench.draft import draft
from pruner_engine.cli.bench.e2e import e2e
from pruner_engine.cli.bench.rules import rules
from pruner_engine.cli.bench.search import search
from pruner_engine.cli.bench.trial import trial
from pruner_engine.cli.group import Commands


@click.group(cls=Commands)
def bench() -> None:
    """Compare on this machine: search strategies, the cost of trials, the draft, the libraries."""


for _command in (search, trial, draft, compile_, rules, e2e):
    bench.add_command(_command)
