"""`pruner try`: decisions of one's own, predicted, verified, measured or put into the search."""

from __future__ import annotations

import json
from typing import Any

import click

from pruner_engine.cli.arguments import absolute, candidate_and_sketch, chosen_task, opened
from pruner_engine.cli.options import WholeType, json_option, plugin_option, project_argument, run_option, task_option
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.errors import UserError
from pruner_engine.inspect.why import why_text
from pruner_engine.jobs.client import tell_engine
from pruner_engine.jobs.lines import decision_names
from pruner_engine.measure.advice import advice
from pruner_engine.protocol import Answer, Pin, Pinned, Tried, Try, Verified, Verify, WhatIf, WhatIfScore
from pruner_engine.store.reader import Row
from pruner_engine.units import latency


@click.command("try")
@project_argument
@task_option
@click.option(
    "--candidate", type=WholeType(), help="Whose decisions to start from [default: the run's best of the task]."
)
@run_option
@click.option(
    "--decide", "edits", multiple=True, metavar="NAME=VALUE", help="Another value of a decision; factors with commas."
)
@click.option("--draft", is_flag=True, help="Ask the draft model. This is the default.")
@click.option("--verify", is_flag=True, help="Ask the run's learned model too.")
@click.option("--measure", is_flag=True, help="Measure it now and keep it as a trial of the run.")
@click.option("--pin", is_flag=True, help="Have the run measure it first when it goes on.")
@plugin_option
@json_option
def try_(
    project: str,
    task: str | None,
    candidate: int | None,
    run_id: int | None,
    edits: tuple[str, ...],
    plugins: tuple[str, ...],
    as_json: bool,
    **steps: bool,
) -> None:
    """Change decisions of a schedule: what does the draft model say, the learned one, the machine?"""
    step, *others = [name for name, asked in steps.items() if asked] or ["draft"]
    if others:
        raise click.UsageError(f"--{step} and --{others[0]} are two steps: ask for one after the other.")
    with opened(project) as reader:
        run = reader.run(run_id)
        task_id = chosen_task(reader, task, candidate, run["id"])
        start, sketch = candidate_and_sketch(reader, run["id"], task_id, candidate)
        specs = sketch["decisions"]
        decisions = list(start["decisions"])
        for edit in edits:
            at, value = _edit(specs, edit)
            decisions[at] = value
    common: dict[str, Any] = {
        "project": absolute(project),
        "task_id": task_id,
        "sketch_id": sketch["id"],
        "decisions": decisions,
        "plugins": list(plugins),
    }
    against = start["decisions"] if decisions != start["decisions"] else None
    command = WhatIf(**common, against=against) if step == "draft" else _COMMANDS[step](run_id=run["id"], **common)
    if step == "pin" and run["alive"] and run["socket"]:
        tell_engine(run["socket"], command)
        answer = None
    else:
        answer = carry_out(command, Answer, quiet=as_json)
    if as_json:
        told: dict[str, Any] = {"candidate_id": None, "before": None}  # the run at work has not taken it up yet
        if answer:
            told = {name: getattr(answer, name) for name in answer.__struct_fields__ if name != "request"}
        if isinstance(answer, Tried):
            told["hint"] = _hint(answer)
        print_json({"run": run["id"], "task": task_id, "sketch": sketch["id"], "decisions": decisions, **told})
        return
    for name, spec, value in zip(decision_names(specs), specs, decisions, strict=True):
        click.echo(f"decision {name}: {_told(spec, value)}")
    click.echo(_sentence(answer) if answer else f"run {run['id']} measures it first in its next round")


_COMMANDS: dict[str, Any] = {"verify": Verify, "measure": Try, "pin": Pin}


def _edit(specs: list[Row], edit: str) -> tuple[int, Any]:
    """Place and value of `NAME=VALUE`; a choice is named by what it stands for."""
    name, equals, text = edit.partition("=")
    names = decision_names(specs)
    if not equals or name not in names:
        raise UserError(f'"{edit}" names no decision.', f"Write NAME=VALUE with NAME one of {', '.join(names)}.")
    place = names.index(name)
    domain = specs[place]["domain"]
    try:
        value = json.loads(f"[{text}]") if "extent" in domain else json.loads(text)
        return place, domain["candidates"].index(value) if "candidates" in domain else value
    except ValueError as error:
        allowed = domain.get("candidates") or domain.get("indices") or f"factors of {domain['extent']}, as 2,4,8"
        raise UserError(f"{text} is no value of {name}.", f"Use {allowed}.") from error


def _told(spec: Row, value: Any) -> str:
    if "extent" in spec["domain"]:
        return " × ".join(map(str, value))
    return str(spec["domain"]["candidates"][value] if "candidates" in spec["domain"] else value)


def _hint(answer: Tried) -> str:
    """What to do about a failure; empty where it has not failed."""
    return "" if answer.stage == "ok" else advice(answer.stage, answer.error)


def _sentence(answer: Any) -> str:
    match answer:
        case WhatIfScore():
            return why_text(answer, None)
        case Verified():
            return (
                f"{answer.model} (learned from {answer.learned_from}) puts it on place {answer.place} of {answer.of};"
                f" measured candidates of such a score took {latency(answer.like_s)}."
            )
        case Tried():
            if answer.stage != "ok":
                return f"candidate {answer.candidate_id} failed in {answer.stage}: {answer.message}\n{_hint(answer)}"
            before = " (measured before)" if answer.before else ""
            return f"candidate {answer.candidate_id}: {latency(answer.seconds)}{before}"
        case Pinned():
            what = "was measured before" if answer.before else "is measured first when the run goes on: pruner resume"
            return f"candidate {answer.candidate_id} {what}"
    raise AssertionError(answer)
