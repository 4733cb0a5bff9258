"""Options that several commands share."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import click

from pruner_engine.benchmarks.workloads import parse_shape
from pruner_engine.errors import UserError
from pruner_engine.protocol import UNTUNED
from pruner_engine.replacing import Kind, refuse_other

_LARGEST = 2**63 - 1  # that a project file takes


class ShapeType(click.ParamType):
    """Name and shape of an input."""

    name = "name=1,3,224,224"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, list[int]]:
        try:
            return parse_shape(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class SettingType(click.ParamType):
    """Name and value of a setting; a value that is no JSON is text."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, equals, text = value.partition("=")
        if not equals:
            self.fail(f'"{value}" is not a setting; write name=value.', param, ctx)
        try:
            return name, json.loads(text)
        except ValueError:
            return name, text


def named_once(_ctx: click.Context, _param: click.Parameter, pairs: tuple[tuple[str, Any], ...]) -> Any:
    """The names and values of an option that may be repeated; the same name twice is a mistake."""
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise click.BadParameter(f"{twice} is given more than once.")
    return pairs


class PathType(click.Path):
    """A file or folder; an empty name, as of a variable that is not set, would be the current folder.

    Only that is misuse: what lies in the place, or does not, is no fault of the command line.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("The name is empty.", param, ctx)
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise UserError(error.message, "Check the name, or name another.") from error


class OutputFile(PathType):
    """A file to be written, refused before hours of work where its folder cannot take it or it is of another kind."""

    def __init__(self, kind: Kind | None = None) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(str(super().convert(value, param, ctx)))
        folder = path.absolute().parent
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(
                f"The folder {folder} is not there or cannot be written.", "Make it, or choose another place."
            )
        if self._kind is not None:
            refuse_other(path, self._kind)
        return path


class WholeType(click.IntRange):
    """A whole number from `least` on: a count, a seed, or an id."""

    name = "integer"

    def __init__(self, least: int = 1) -> None:
        super().__init__(least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(super().convert(value, param, ctx))
        if number > _LARGEST:
            self.fail(f"{value} is too large.", param, ctx)
        return number


class NumberType(click.FloatRange):
    """A number within bounds, as `click.FloatRange` takes them; "nan" and "inf", which Python reads as some, are none.

    Args:
        what: it is, in a sentence about one that is not.
    """

    name = "float"

    def __init__(self, what: str, **bounds: Any) -> None:
        super().__init__(**bounds)
        self._what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no {self._what}.", param, ctx)
        return number


class CandidateType(click.ParamType):
    """Id of a candidate, or the word for the kernel as it is without tuning."""

    name = "id|untuned"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if not str(value).isdecimal() and value != "untuned":
            self.fail(f'"{value}" is neither the id of a candidate nor the word untuned.', param, ctx)
        return UNTUNED if value == "untuned" else WholeType().convert(value, param, ctx)


class NumbersType(click.ParamType):
    """Whole numbers from 0 on, separated by commas."""

    name = "0,1,2"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        try:
            numbers = [int(text) for text in value.split(",")]
        except ValueError:
            self.fail(f'"{value}" is no list of numbers; write 0,1,2.', param, ctx)
        if max(numbers) > _LARGEST:
            self.fail(f"{max(numbers)} is too large.", param, ctx)
        if min(numbers) < 0:
            self.fail(f"{min(numbers)} is below zero.", param, ctx)
        return numbers


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
project_argument = click.argument("project", type=PathType(dir_okay=False))
run_option = click.option("--run", "run_id", type=WholeType(), help="Which run [default: the newest].")
exported_run_option = click.option(
    "--run",
    "run_id",
    type=WholeType(),
    help="Trials of this run [default: all runs on the newest one's target that measured with the same caches].",
)
all_runs_option = click.option(
    "--all-runs",
    is_flag=True,
    help="With --run: the best of all runs on its target, not of it alone; without --run that is so anyway.",
)
task_option = click.option("--task", help="Name or id of the task [default: the candidate's, or the only one].")
target_option = click.option(
    "--target", default="auto", show_default=True, help="What to tune for, as `pruner tune` takes it."
)
seed_option = click.option("--seed", type=WholeType(0), default=0, show_default=True, help="Of every choice by chance.")
operators_option = click.option(
    "--operator", "operators", multiple=True, help="A workload; may be repeated [default: one of each class]."
)
setting_option = click.option(
    "--set",
    "settings",
    type=SettingType(),
    multiple=True,
    callback=named_once,
    help="A setting of the search, such as draft_set=512; the end of `pruner tune --help` lists them.",
)
plugin_option = click.option(
    "--plugin",
    "plugins",
    type=PathType(dir_okay=False, exists=True, resolve_path=True),
    multiple=True,
    help="Python file that registers a strategy, cost model or schedule rule of your own; its code is run.",
)
rpc_option = click.option(
    "--rpc", default="", metavar="HOST:PORT", help="Run it on a board of this tracker [default: the run's own boards]."
)
key_option = click.option("--key", "rpc_key", default="", help="Which boards of the tracker.")
lists_option = click.option(
    "--workloads",
    "lists",
    type=PathType(dir_okay=False, path_type=Path),
    multiple=True,
    help="File that lists models and workloads, one a line.",
)


def refuse_lone_key(rpc: str, key: str) -> None:
    """Raises UsageError where boards are named without their tracker."""
    if key and not rpc:
        raise click.UsageError("--key says which boards of a tracker: name the tracker with --rpc.")
