"""The command `pruner`."""

from __future__ import annotations

import sys
from typing import Any

import click

from pruner_engine import __version__
from pruner_engine.cli import bench, bench_more, commands, data, fleet, looking, records, report, steering, trying
from pruner_engine.cli.options import (
    CandidateType,
    ShapeType,
    WholeType,
    all_runs_option,
    json_option,
    plugin_option,
    project_argument,
    setting_option,
)
from pruner_engine.cli.progress import EngineBug
from pruner_engine.errors import StoppedError, UserError
from pruner_engine.inspect import FORMS
from pruner_engine.model_names import stem_of


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="pruner")
def cli() -> None:
    """Tune neural networks for fast kernels, look at the schedules, export the tuned library."""


@cli.command()
@click.argument("model")
@click.option("--input", "inputs", type=ShapeType(), multiple=True, help="Shape of an input with dynamic dimensions.")
@click.option(
    "--target", default="auto", show_default=True, help="auto (this CPU), cuda, a preset, a TVM target as JSON."
)
@click.option("--strategy", default="pruner", show_default=True, help="pruner, metaschedule, …")
@click.option("--trials", type=WholeType(), help="Candidates to measure.")
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="Minutes to work. Neither given: until no task gains any more.",
)
@click.option("--seed", type=WholeType(0), default=0, show_default=True)
@click.option(
    "--project", type=click.Path(dir_okay=False), help="Project file [default: MODEL's name with .pruner, here]."
)
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float16", "bfloat16"]),
    default="float32",
    show_default=True,
    help="Convert a float32 model's products; the outputs are compared first.",
)
@click.option("--rpc", default="", metavar="HOST:PORT", help="Measure on the boards of this tracker.")
@click.option("--key", "rpc_key", default="", help="Which boards of the tracker.")
@setting_option
@click.option(
    "--without", multiple=True, help="A rule of ours or a rewrite of the graph to leave out, such as winograd."
)
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False, exists=True, resolve_path=True),
    help="Pre-trained cost model that `pruner train` wrote.",
)
@plugin_option
@click.option("--allow-code", is_flag=True, help="Consent to run a TVMScript file, which is Python code.")
@json_option
def tune(
    as_json: bool,
    model: str,
    project: str | None,
    dtype: str,
    rpc: str,
    rpc_key: str,
    checkpoint: str | None,
    without: tuple[str, ...],
    **options: Any,
) -> None:
    """Tune MODEL: an .onnx or .pt2 file, or a built-in workload such as matmul:512,512,512."""
    if dtype != "float32":
        options["settings"] = (*options["settings"], ("dtype", dtype))
    if rpc:
        options["settings"] = (*options["settings"], ("rpc", rpc), ("rpc_key", rpc_key))
    if checkpoint:
        options["settings"] = (*options["settings"], ("checkpoint", checkpoint))
    if without:
        options["settings"] = (*options["settings"], ("without_rules", without))
    file = project or default_project(model)
    commands.tune(model, file, as_json=as_json, **options)


@cli.command()
@project_argument
@click.option("--run", "run_id", type=WholeType(), help="Which run [default: the newest unfinished].")
@click.option("--trials", type=WholeType(), help="A new budget of candidates, those measured included.")
@click.option(
    "--minutes", type=click.FloatRange(0, min_open=True), help="A new budget of minutes, those worked included."
)
@plugin_option
@json_option
def resume(project: str, as_json: bool, **options: Any) -> None:
    """Go on with an interrupted, stopped or spent run of PROJECT; nothing is measured twice."""
    commands.resume(project, as_json=as_json, **options)


@cli.command()
@project_argument
@json_option
def status(project: str, as_json: bool) -> None:
    """Runs of PROJECT: state, trials, latency, gain, failures."""
    commands.status(project, as_json=as_json)


@cli.command()
@project_argument
@click.option("--run", "run_id", type=WholeType(), help="Which run [default: the newest].")
@json_option
def tasks(project: str, run_id: int | None, as_json: bool) -> None:
    """Tasks of a run: shapes, weight, share of time, best latency, gain."""
    commands.tasks(project, run_id, as_json=as_json)


@cli.command()
@project_argument
@click.argument("others", nargs=-1, type=click.Path(dir_okay=False))
@click.option("--run", "run_id", type=WholeType(), help="Whose model's runs [default: the newest's].")
@click.option("--goal", "goal_of", help="Run whose last latency is the goal [default: the stock search's].")
@json_option
def compare(project: str, others: tuple[str, ...], run_id: int | None, goal_of: str | None, as_json: bool) -> None:
    """Runs of one model in PROJECT, and OTHERS: when was each as good as the stock search at its end?"""
    commands.compare_runs(project, others, run_id, goal_of, as_json=as_json)


@cli.command()
@project_argument
@click.option("--task", required=True, help="Name or id of the task.")
@click.option("--candidate", type=CandidateType(), help="Id of a candidate, or untuned [default: the task's best].")
@click.option("--against", type=CandidateType(), help="Another one of the task, of any run: tell what differs.")
@click.option("--as", "form", default="trace", show_default=True, type=click.Choice((*FORMS, "why")))
@click.option("--linked", is_flag=True, help="Name beside each line of code the loop or block that it computes.")
@json_option
def inspect(
    project: str, task: str, candidate: int | None, against: int | None, form: str, linked: bool, as_json: bool
) -> None:
    """One schedule as text, or the difference of two."""
    if linked and against is not None:
        raise click.UsageError("--linked is for one schedule, not with --against.")
    if against is not None:
        looking.differ(project, task, candidate, against, form, as_json=as_json)
    else:
        looking.inspect(project, task, candidate, form, linked=linked, as_json=as_json)


@cli.command()
@project_argument
@click.option("--out", required=True, type=click.Path(file_okay=False), help="Folder to write the bundle to.")
@click.option(
    "--run", "run_id", type=WholeType(), help="Trials of this run [default: all runs on the newest one's target]."
)
@all_runs_option
@json_option
def export(project: str, out: str, run_id: int | None, all_runs: bool, as_json: bool) -> None:
    """Compile the tuned model, check what it computes, write a bundle that runs without this program."""
    commands.export(project, out, run_id, all_runs=all_runs, as_json=as_json)


@cli.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check that a tuning would work here; every failure says what to do."""
    commands.doctor(as_json=as_json)


for _command in (
    bench.bench,
    data.collect,
    data.train,
    report.report,
    trying.try_,
    steering.steer,
    records.records,
    records.boards,
    fleet.tracker,
    fleet.serve,
):
    cli.add_command(_command)
for _part in (bench_more.draft, bench_more.compile_, bench_more.e2e):
    bench.bench.add_command(_part)


def default_project(model: str) -> str:
    """MODEL's own name in the current folder."""
    return f"{stem_of(model)}.pruner"


def main() -> None:
    """Entry point; docs/terminal.md lists the exit codes."""
    try:
        cli()
    except StoppedError as error:
        click.echo(f"pruner: {error}", err=True)
        sys.exit(3)
    except UserError as error:
        click.echo(f"pruner: {error}", err=True)
        sys.exit(1)
    except EngineBug as error:
        click.echo(f"pruner: {error}", err=True)
        sys.exit(70)
    except Exception as error:
        from pruner_engine.bug_report import WHAT_TO_DO, bug_report

        said = f"pruner met an error of its own: {type(error).__name__}. {WHAT_TO_DO}"
        click.echo(f"{said}\n\n{bug_report(error)}", err=True)
        sys.exit(70)


if __name__ == "__main__":
    main()
