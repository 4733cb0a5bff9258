"""In which layout a run has the convolutions of its model: as asked for, measured, or by a rule."""

from __future__ import annotations

import msgspec
import tvm

from pruner_engine import units
from pruner_engine.frontends import LoadedModel
from pruner_engine.jobs.measuring import measurer_for
from pruner_engine.jobs.open_run import OpenRun
from pruner_engine.protocol import Notice, Phase
from pruner_engine.search.budget import Budget
from pruner_engine.search.layout import Measured, measured_layout, pays
from pruner_engine.search.settings import settings_from
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import layouts


def laid_out(run: OpenRun, model: LoadedModel, target: tvm.target.Target, profile: DeviceProfile) -> tvm.IRModule:
    """Prepare the model of a run; the layout that is measured to be faster becomes one of the run's settings.

    Raises:
        UserError: candidates cannot be measured at all.
    """
    row = run.row
    settings = settings_from(row["settings"])
    there = layouts(model.mod, target, settings.without_rules)
    long = pays(Budget(row["budget_trials"], row["budget_s"]))
    wanted = settings.layout == "measured" or (settings.layout == "auto" and long)
    if there.channels_last is None or not wanted:
        return there.prepared(settings.settled_layout or there.likely)

    def tell(kernel: str) -> None:
        run.job.emit(Phase(name="layout", detail=kernel))

    tasks = extract_tasks(there.prepared(there.likely), target)
    with measurer_for(target, msgspec.structs.replace(settings, check="none"), tasks) as measurer:
        found = measured_layout(there, measurer, profile, settings, row["seed"], tell)
    run.update(settings=settings.with_layout(found.layout).as_json())
    if found.seconds:
        run.note(_told(found))
    return there.prepared(found.layout)


def _told(found: Measured) -> Notice:
    last, own = units.latency(found.seconds["channels-last"]), units.latency(found.seconds["own"])
    if found.layout == "own":
        return Notice(level="info", text=f"Convolutions stay as the model has them: about {own}, channels last {last}.")
    return Notice(level="info", text=f"Convolutions run channels last: about {last}, as the model has them {own}.")
