"""In which layout a run has the convolutions of its model: as asked for, measured, or by a rule."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import tvm

from pruner_engine import units
from pruner_engine.errors import StoppedError
from pruner_engine.frontends import LoadedModel
from pruner_engine.jobs.runs.measuring import measurer_for
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.protocol import Notice, Phase
from pruner_engine.rule_names import Layout
from pruner_engine.search.budget import Budget
from pruner_engine.search.layout import Measured, measured_layout, pays
from pruner_engine.search.settings import settings_from
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import layouts
from pruner_engine.tasks.task import TuningTask


def laid_out(
    run: OpenRun, model: LoadedModel, target: tvm.target.Target, profile: DeviceProfile, settle: Callable[[], None]
) -> list[TuningTask]:
    """The tasks of a run's model; the layout that is measured to be faster becomes one of the run's settings.

    Args:
        settle: called before anything is measured, to wait for what works beside this.

    Raises:
        StoppedError: the run was stopped before it was known which one is faster.
        UserError: candidates cannot be measured at all.
    """
    row = run.row
    settings = settings_from(row["settings"])
    there = layouts(model.mod, target, settings.without_rules)
    likely = extract_tasks(there.prepared(settings.settled_layout or there.likely), target)
    # where none is given, what each task may make is the budget
    trials = row["budget_trials"] or settings.trials_per_task * len(likely) or None
    long = pays(Budget(trials, row["budget_s"]))
    wanted = settings.layout == "measured" or (settings.layout == "auto" and long)
    if there.channels_last is None or not wanted:
        return likely

    def tell(kernel: str) -> None:
        run.job.emit(Phase(name="layout", detail=kernel))

    names: tuple[Layout, Layout] = ("own", "channels-last")
    tasks = {name: likely if name == there.likely else extract_tasks(there.prepared(name), target) for name in names}
    stop = run.job.control.stop.is_set
    with measurer_for(target, msgspec.structs.replace(settings, check="none")) as measurer:
        settle()
        found = measured_layout(tasks, there.likely, measurer, profile, settings, row["seed"], tell, stop)
    if stop():
        raise StoppedError("The run was stopped while layouts were measured.", "A resume measures them.")
    settled = msgspec.structs.replace(settings, layout=found.layout)
    run.project.runs.settle_layout(run.id, settled.as_json(), asked=settings.layout)
    if found.seconds:
        run.note(_told(found))
    return tasks[found.layout]


def _told(found: Measured) -> Notice:
    last, own = units.latency(found.seconds["channels-last"]), units.latency(found.seconds["own"])
    if found.layout == "own":
        return Notice(level="info", text=f"Convolutions stay as the model has them: about {own}, channels last {last}.")
    return Notice(level="info", text=f"Convolutions run channels last: about {last}, as the model has them {own}.")
