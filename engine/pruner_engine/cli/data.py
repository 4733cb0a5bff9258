"""Commands that make data sets of measurements and train cost models from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pruner_engine.benchmarks.workloads import Subject, subjects_of
from pruner_engine.cli.options import OutputFile, WholeType, json_option, lists_option, setting_option
from pruner_engine.cli.output import print_json, progress_line
from pruner_engine.cli.series import refuse_failed, run_all
from pruner_engine.errors import UserError

if TYPE_CHECKING:
    from pruner_engine.verify.dataset import DataSet

_file = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("models", nargs=-1)
@lists_option
@click.option(
    "--target", "targets", multiple=True, default=["auto"], show_default=True, help="Repeat it to measure on several."
)
@click.option("--trials-per-task", type=WholeType(2), default=128, show_default=True, help="Half of them are random.")
@click.option("--seed", type=WholeType(0), default=0, show_default=True)
@setting_option
@click.option("--project", type=OutputFile(), required=True, help="Project file that keeps the measurements.")
@click.option("--out", type=OutputFile(), required=True, help="Data set to write (.safetensors).")
@json_option
def collect(
    models: tuple[str, ...], lists: tuple[Path, ...], project: Path, out: Path, as_json: bool, **options: Any
) -> None:
    """Measure random and searched candidates of MODELS and write them with their features as one data set.

    Called again it goes on where it was interrupted, and adds what is new.
    """
    data, failed = _collect(subjects_of(models, lists), project, out, quiet=as_json, **options)
    told = {
        "out": str(out.absolute()),
        "project": str(project.absolute()),
        "tasks": len(data.records),
        "samples": len(data),
        "targets": sorted({record.target for record in data.records.values()}),
        "errors": failed,
    }
    if as_json:
        print_json(told)
    else:
        click.echo(f"written: {len(data)} measurements of {len(data.records)} tasks in {out}")
        click.echo(f"Next: pruner train {out} --kind pacm --out MODEL.safetensors")
    refuse_failed(failed)


def _collect(
    subjects: list[Subject],
    project: Path,
    out: Path,
    *,
    targets: tuple[str, ...],
    trials_per_task: int,
    seed: int,
    settings: tuple[tuple[str, Any], ...],
    quiet: bool,
) -> tuple[DataSet, list[str]]:
    """The data set as it is written now, and what failed."""
    with progress_line(quiet=quiet):
        from pruner_engine.tvm_import import import_tvm

        import_tvm()
        from pruner_engine.benchmarks import collection
    wanted = collection.wanted_runs(
        project, subjects, targets, trials_per_task=trials_per_task, seed=seed, settings=dict(settings)
    )
    failed = run_all(wanted, quiet=quiet)
    with progress_line(quiet=quiet) as tell:
        return _write(project, out, tell), failed


def _write(project: Path, out: Path, tell: Callable[[str], None]) -> DataSet:
    from pruner_engine.benchmarks.collection import featurise
    from pruner_engine.store.project import Project
    from pruner_engine.verify.dataset import write_dataset

    with Project(project) as opened:
        data = featurise(opened, lambda name, at, of: tell(f"features {at}/{of} {name}"))
    try:
        write_dataset(data, out)
    except OSError as error:
        raise UserError(
            f"{out} cannot be written: {error.strerror}.",
            "Make room or choose another place, then the same command again: it measures nothing twice.",
        ) from error
    return data


@click.command()
@click.argument("data", nargs=-1, required=True, type=_file)
@click.option(
    "--kind",
    type=click.Choice(["pacm-draft", "pacm", "tenset-mlp", "tlp"]),
    default="pacm-draft",
    show_default=True,
)
@click.option("--out", type=OutputFile(), required=True, help="Checkpoint to write (.safetensors).")
@click.option("--seed", type=WholeType(0), default=0, show_default=True, help="Of weights, split and order.")
@click.option("--epochs", type=WholeType(), default=50, show_default=True, help="At most so many passes.")
@click.option(
    "--hold",
    type=click.FloatRange(0, 0.9),
    default=0.2,
    show_default=True,
    help="Share of tasks kept out, to assess on.",
)
@json_option
def train(data: tuple[Path, ...], kind: str, out: Path, seed: int, epochs: int, hold: float, as_json: bool) -> None:
    """Train a cost model from DATA, the data sets that `pruner collect` wrote; `pruner tune --checkpoint` uses it."""
    with progress_line(quiet=as_json) as tell:
        from pruner_engine.verify.offline import train as train_model

        trained = train_model(
            kind,
            data,
            seed=seed,
            epochs=epochs,
            hold_tasks=hold,
            on_epoch=lambda epoch, loss, accuracy: tell(
                f"epoch {epoch} · loss {loss:.4f} · pair accuracy {accuracy:.3f}"
            ),
        )
    try:
        out.write_bytes(trained.checkpoint)
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.", "Choose another place.") from error
    ranking = trained.ranking.as_json()
    if as_json:
        print_json(
            {
                "out": str(out.absolute()),
                "kind": kind,
                "recipe": trained.recipe,
                "held_out": ranking,
                "draft": trained.draft.as_json(),
            }
        )
        return
    click.echo(f"written: {out}, learned from {trained.recipe['samples']} measurements")
    click.echo(f"on {ranking['tasks']} tasks that it never saw: {_told(ranking)}")
    click.echo(f"the draft alone on the same: {_told(trained.draft.as_json())}")


def _told(ranking: dict[str, Any]) -> str:
    known = [f"{name} {ranking[key]:.3f}" for name, key in _METRICS.items() if ranking[key] is not None]
    return ", ".join(known) or "nothing to assess"


_METRICS = {"top-1": "top1", "top-5": "top5", "pair accuracy": "pair_accuracy"}
