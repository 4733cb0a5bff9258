"""Command lines: for each command to the engine the `pruner` line that does the same in a terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from pruner_engine import protocol as msg
from pruner_engine.search.settings import SearchSettings, asked_settings

_SETTING_OPTIONS = {
    "checkpoint": "--checkpoint",
    "dtype": "--dtype",
    "rpc": "--rpc",
    "rpc_key": "--key",
    "start_from": "--start-from",
}
_REPEATED_OPTIONS = {"fixed": "--fix", "without_rules": "--without"}


def line_of(command: Any) -> str:  # noqa: PLR0911
    """The line for a command to the engine."""
    match command:
        case msg.Tune():
            return tune_line(command)
        case msg.Resume():
            budget = {"--run": command.run_id, "--trials": command.trials, "--minutes": command.minutes}
            return _line("resume", command.project, *plugin_words(command.plugins), **budget)
        case msg.Export():
            flags = ["--all-runs"] if command.all_runs else []
            weights = {None: None, True: "beside", False: "inside"}[command.weights_beside]
            options = {"--out": command.out, "--run": command.run_id, "--weights": weights}
            options |= {"--rpc": command.rpc or None, "--key": command.rpc_key or None}
            return _line("export", command.project, *flags, *plugin_words(command.plugins), **options)
        case msg.ExportRecords():
            flags = ["--all-runs"] if command.all_runs else []
            options = {"--out": command.out, "--run": command.run_id, "--best": command.best}
            return _line("records", "export", command.project, *flags, **options)
        case msg.ImportRecords():
            flags = ["--same-device"] if command.same_device else []
            return _line("records", "import", command.project, command.folder, *flags)
        case msg.ListBoards():
            return _line("boards", command.tracker)
        case msg.Profile():
            flags = [] if command.measure else ["--kept"]
            return _line("profile", *flags, **{"--target": None if command.target == "auto" else command.target})
        case msg.Doctor():
            return _line("doctor")
    raise TypeError(f"{type(command).__name__} has no line")


def report_line(project: str, run_id: int | None, out: str) -> str:
    """The line that writes a run as one page."""
    return _line("report", project, **{"--html": out, "--run": run_id})


def status_line(project: str) -> str:
    """The line that lists the runs of a project."""
    return _line("status", project)


def tasks_line(project: str, run_id: int | None) -> str:
    """The line that lists the tasks of a run."""
    return shlex.join(tasks_words(project, run_id))


def tasks_words(project: str, run_id: int | None) -> list[str]:
    """The words of that line."""
    return _words("tasks", project, **{"--run": run_id})


def inspect_words(project: str, task_id: int, candidate_id: int, form: str, plugins: Sequence[str] = ()) -> list[str]:
    """The words that print a candidate, or the untuned kernel, in one of its forms."""
    named = "untuned" if candidate_id == msg.UNTUNED else candidate_id
    options = {"--task": task_id, "--candidate": named, "--as": form}
    return [*_words("inspect", project, **options), *plugin_words(plugins)]


def try_words(project: str, task_id: int, run_id: int, candidate_id: int, plugins: Sequence[str] = ()) -> list[str]:
    """The words that tell the decisions of a candidate, and with further ones what becomes of others."""
    options = {"--task": task_id, "--run": run_id, "--candidate": candidate_id}
    return [*_words("try", project, **options), *plugin_words(plugins)]


def rounds_line(project: str, run_id: int | None, task_id: int | None) -> str:
    """The line that lists the rounds of a run, or of one of its tasks."""
    return _line("rounds", project, **{"--run": run_id, "--task": task_id})


def adaptation_line(project: str, run_id: int | None, task_id: int | None) -> str:
    """The line that lists the adaptations of a run, or those in rounds of one of its tasks."""
    return _line("adaptation", project, **{"--run": run_id, "--task": task_id})


def decisions_words(project: str, run_id: int, candidate_id: int) -> list[str]:
    """The words that tell how often each value of a candidate's decisions occurs."""
    return _words("decisions", project, **{"--run": run_id, "--candidate": candidate_id})


def steer_line(project: str, steer: msg.Steer) -> str:
    """The line that steers a task of the run that an engine works on."""
    return _line("steer", project, steer.action, **{"--task": steer.task_id})


def compare_line(project: str, run_id: int | None, goal_of: str | None, others: Sequence[str]) -> str:
    """The line that lays the runs of a run's model, of other projects too, over each other."""
    return _line("compare", project, *others, **{"--run": run_id, "--goal": goal_of})


def tune_line(plan: msg.Tune) -> str:
    """The line of a new run; what is as by default is left out."""
    words: list[Any] = ["tune", plan.model]
    for name, shape in plan.inputs.items():
        words += ["--input", f"{name}={','.join(map(str, shape))}"]
    for flag, value, default in (
        ("--target", plan.target, "auto"), ("--strategy", plan.strategy, "pruner"), ("--trials", plan.trials, None),
        ("--minutes", plan.minutes, None), ("--seed", plan.seed, 0), ("--project", plan.project, ""),
    ):  # fmt: skip
        if value != default:
            words += [flag, f"{value:g}" if isinstance(value, float) else value]
    for name, value in plan.settings.items():
        if name in _SETTING_OPTIONS:
            words += [_SETTING_OPTIONS[name], value] if value else []
        elif name in _REPEATED_OPTIONS:
            words += [word for part in value for word in (_REPEATED_OPTIONS[name], part)]
        else:
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return _line(*words, *plugin_words(plan.plugins), *(["--allow-code"] if plan.allow_code else []))


def decision_names(specs: Sequence[dict[str, Any]]) -> list[str]:
    """What `pruner try --decide` calls each decision of a sketch: those that share a name are numbered, as "ax0.2"."""
    names = [spec["name"] for spec in specs]
    return [
        name if names.count(name) == 1 else f"{name}.{names[: at + 1].count(name)}" for at, name in enumerate(names)
    ]


def plan_of(run: dict[str, Any], project: str) -> msg.Tune:
    """The command that makes a run anew, as it was asked for.

    Args:
        run: a row of the reader's.
        project: where to.
    """
    defaults = json.loads(SearchSettings().as_json())
    return msg.Tune(
        project=project,
        model=run["source"],
        inputs={spec["name"]: spec["shape"] for spec in run["inputs"]} if run["model_kind"] != "workload" else {},
        target=run["asked_target"] or run["target"] or "auto",
        strategy=run["strategy"],
        trials=run["budget_trials"],
        minutes=run["budget_s"] / 60 if run["budget_s"] else None,
        seed=run["seed"],
        settings={name: value for name, value in asked_settings(run).items() if value != defaults.get(name)},
        allow_code=run["model_kind"] == "tvmscript",
    )


def plugin_words(files: Sequence[str]) -> list[str]:
    """The words that name the files of plugins."""
    return [word for file in files for word in ("--plugin", file)]


def _line(*words: Any, **options: Any) -> str:
    return shlex.join(_words(*words, **options))


def _words(*words: Any, **options: Any) -> list[str]:
    told = [str(word) for word in words]
    for flag, value in options.items():
        if value is not None:
            told += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return ["pruner", *told]
