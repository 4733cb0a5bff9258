"""`pruner tune` and `pruner resume`: search, and go on with it."""

from __future__ import annotations

import sys
from typing import Any

import click

from pruner_engine.cli.arguments import absolute
from pruner_engine.cli.objects import libraries, run_object, untried
from pruner_engine.cli.options import (
    NumberType,
    PathType,
    ShapeType,
    WholeType,
    json_option,
    key_option,
    named_once,
    plugin_option,
    project_argument,
    refuse_lone_key,
    seed_option,
    setting_option,
)
from pruner_engine.cli.output import print_json
from pruner_engine.cli.progress import carry_out
from pruner_engine.errors import UserError
from pruner_engine.jobs.lines import line_of
from pruner_engine.model_names import stem_of, whole
from pruner_engine.protocol import Export, Resume, RunFinished, Tune
from pruner_engine.search.settings import described_settings
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.units import counted, latency, ratio

_MINUTES = NumberType("number of minutes", min=0, min_open=True)


class _Tune(click.Command):
    """Its help lists the settings that `--set` takes, too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Settings, for --set"):
            formatter.write_dl(
                [
                    (f"{name}={setting.default_text}" if setting.default_text else name, setting.meaning)
                    for name, setting in described_settings().items()
                ]
            )


@click.command(cls=_Tune)
@click.argument("model")
@click.option(
    "--input",
    "inputs",
    type=ShapeType(),
    multiple=True,
    callback=named_once,
    help="Shape of an input with dynamic dimensions.",
)
@click.option(
    "--fix", "fixed", multiple=True, metavar="NAME=VALUE", help="Value of an input that an ONNX model is tuned for."
)
@click.option(
    "--target",
    default="auto",
    show_default=True,
    help="auto (this CPU; with --rpc the boards'), cuda, another name of `pruner targets`, a TVM target as JSON.",
)
@click.option(
    "--strategy",
    default="pruner",
    show_default=True,
    help="pruner, moa-pruner, metaschedule, ansor, tenset-mlp, tlp, random, or one of a plugin.",
)
@click.option("--trials", type=WholeType(), help="Candidates to measure.")
@click.option("--minutes", type=_MINUTES, help="Minutes to work. Neither given: until no task gains any more.")
@seed_option
@click.option(
    "--project", type=PathType(dir_okay=False), help="Project file [default: MODEL's name with .pruner, here]."
)
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float16", "bfloat16"]),
    default="float32",
    show_default=True,
    help="Convert a float32 model's products; the outputs are compared first.",
)
@click.option("--rpc", default="", metavar="HOST:PORT", help="Measure on the boards of this tracker.")
@key_option
@setting_option
@click.option(
    "--without", multiple=True, help="A rule of ours or a rewrite of the graph to leave out, such as winograd."
)
@click.option(
    "--checkpoint",
    type=PathType(dir_okay=False, exists=True, resolve_path=True),
    help="Pre-trained cost model that `pruner train` wrote.",
)
@click.option(
    "--start-from",
    type=PathType(dir_okay=False, exists=True, resolve_path=True),
    metavar="PROJECT",
    help="Measure first what this project found best of the same kernels.",
)
@plugin_option
@click.option("--allow-code", is_flag=True, help="Consent to run a TVMScript file, which is Python code.")
@json_option
def tune(
    as_json: bool,
    model: str,
    inputs: tuple[tuple[str, list[int]], ...],
    project: str | None,
    dtype: str,
    rpc: str,
    rpc_key: str,
    checkpoint: str | None,
    start_from: str | None,
    without: tuple[str, ...],
    fixed: tuple[str, ...],
    settings: tuple[tuple[str, Any], ...],
    plugins: tuple[str, ...],
    **options: Any,
) -> None:
    """Tune MODEL: an .onnx, .pt2, .tflite or TVMScript .py file, or a built-in workload such as matmul:512,512,512."""
    refuse_lone_key(rpc, rpc_key)
    given = {
        "dtype": dtype if dtype != "float32" else None,
        "rpc": rpc or None,
        "rpc_key": rpc_key or None,
        "checkpoint": checkpoint,
        "start_from": start_from,
        "without_rules": without or None,
        "fixed": fixed or None,
    }
    command = Tune(
        project=absolute(project or f"{stem_of(model)}.pruner"),
        model=whole(model),
        inputs=dict(inputs),
        settings=dict(settings) | {name: value for name, value in given.items() if value is not None},
        plugins=list(plugins),
        **options,
    )
    _run(command, as_json)


@click.command()
@project_argument
@click.option("--run", "run_id", type=WholeType(), help="Which run [default: the newest unfinished].")
@click.option("--trials", type=WholeType(), help="A new budget of candidates, those measured included.")
@click.option("--minutes", type=_MINUTES, help="A new budget of minutes, those worked included.")
@plugin_option
@json_option
def resume(project: str, plugins: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Go on with an interrupted, stopped or spent run of PROJECT; nothing is measured twice."""
    ProjectReader(project).close()  # a sentence about the file comes before an engine is started
    _run(Resume(project=absolute(project), plugins=list(plugins), **options), as_json)


def _run(command: Tune | Resume, as_json: bool) -> None:
    """Exit code 1 when nothing valid was measured, 3 when the user stopped it."""
    finished = carry_out(command, RunFinished, quiet=as_json)
    with ProjectReader(command.project) as reader:
        if as_json:
            print_json(run_object(reader, finished.run_id))
        else:
            _tell(command.project, finished, reader.run(finished.run_id), libraries(reader, finished.run_id))
    if finished.state == "failed":
        raise UserError(finished.reason, "`pruner status` shows the counts, `pruner doctor` checks the machine.")
    if finished.state == "stopped":
        sys.exit(3)


def _tell(project: str, finished: RunFinished, run: Row, timed: str) -> None:
    click.echo(_outcome(finished))
    if left := untried(run):
        click.echo(f"Untried: {left}")
    if timed:
        click.echo(f"Libraries: {timed}")
    if finished.state == "finished":
        click.echo(f"Next: {line_of(Export(project=project, out='DIR'))}")
    elif finished.state == "stopped":
        click.echo(f"Go on: {line_of(Resume(project=project))}")


def _outcome(finished: RunFinished) -> str:
    """A line; of a run that ended before anything was measured without latencies."""
    counts = f"{finished.state}: {counted(finished.trials, 'trial')}, {finished.trials - finished.valid} failed"
    if not finished.latency_s:
        return counts
    gain = finished.untuned_s / finished.latency_s if finished.untuned_s else None
    return (
        f"{counts}, latency {latency(finished.untuned_s)} untuned → {latency(finished.latency_s)}"
        f" (estimated, {ratio(gain)})"
    )
