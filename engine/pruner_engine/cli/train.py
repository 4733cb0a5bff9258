"""`pruner train`: a cost model from data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pruner_engine.cli.options import NumberType, OutputFile, PathType, WholeType, json_option
from pruner_engine.cli.output import print_json, progress_line
from pruner_engine.errors import UserError
from pruner_engine.replacing import TENSORS, write_whole
from pruner_engine.units import counted

_file = PathType(dir_okay=False, path_type=Path)


@click.command()
@click.argument("data", nargs=-1, required=True, type=_file)
@click.option(
    "--kind",
    type=click.Choice(["pacm-draft", "pacm", "tenset-mlp", "tlp"]),
    default="pacm-draft",
    show_default=True,
    help="What to train; pacm-draft is PaCM on top of the draft's score.",
)
@click.option("--out", type=OutputFile(TENSORS), required=True, help="Checkpoint to write (.safetensors).")
@click.option("--seed", type=WholeType(0), default=0, show_default=True, help="Of weights, split and order.")
@click.option("--epochs", type=WholeType(), default=16, show_default=True, help="At most so many passes.")
@click.option(
    "--hold",
    type=NumberType("share", min=0, max=0.9),
    default=0.2,
    show_default=True,
    help="Share of tasks kept out, to assess on.",
)
@json_option
def train(data: tuple[Path, ...], kind: str, out: Path, seed: int, epochs: int, hold: float, as_json: bool) -> None:
    """Train a cost model from DATA, the data sets that `pruner collect` wrote; `pruner tune --checkpoint` uses it."""
    if out.resolve() in {path.resolve() for path in data}:
        raise UserError(f"{out} is one of the data sets, and would be lost.", "Name another file for the checkpoint.")
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
        write_whole(out, trained.checkpoint)
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
    click.echo(f"written: {out}, learned from {counted(trained.recipe['samples'], 'measurement')}")
    click.echo(f"on {counted(trained.ranking.tasks, 'task')} that it never saw: {_told(ranking)}")
    click.echo(f"the draft alone on the same: {_told(trained.draft.as_json())}")


def _told(ranking: dict[str, Any]) -> str:
    known = [f"{name} {ranking[key]:.3f}" for name, key in _METRICS.items() if ranking[key] is not None]
    return ", ".join(known) or "nothing to assess"


_METRICS = {"top-1": "top1", "top-5": "top5", "pair accuracy": "pair_accuracy"}
