"""Runs that a job carries out in this process, small enough to take seconds."""

from pruner_engine import protocol as msg
from pruner_engine.jobs.commands import tune
from pruner_engine.jobs.job import JobContext

QUICK = {"check": "none", "repeats": 1}


def started(project, model="matmul:32,32,32", **plan):
    """What a new run says, of four random candidates unless the plan says otherwise."""
    said = []
    plan = {"strategy": "random", "trials": 4, "settings": QUICK, **plan}
    tune.start(msg.Tune(project=str(project), model=str(model), **plan), JobContext(said.append))
    return said


def resumed(project, **asked):
    """What a run says that goes on."""
    said = []
    tune.resume(msg.Resume(project=str(project), **asked), JobContext(said.append))
    return said
