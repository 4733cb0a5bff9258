"""Names that engine, project file and settings use, in the user's language; an unknown one is shown as it is."""

from __future__ import annotations

from pruner_engine import units
from pruner_studio.translation import tr

# what an engine does
PHASES = {
    "idle": tr("idle"),
    "start": tr("starting"),
    "load": tr("reading the model"),
    "records": tr("records"),
    "precision": tr("precision"),
    "profile": tr("measuring the device"),
    "prepare": tr("finding the kernels"),
    "layout": tr("choosing the layout"),
    "space": tr("laying out the design space"),
    "restore": tr("taking up the run"),
    "baseline": tr("timing without tuning"),
    "draft": tr("draft"),
    "verify": tr("verify"),
    "build": tr("build"),
    "run": tr("run"),
    "measure": tr("measure"),
    "learn": tr("learn"),
    "export": tr("export"),
    "check": tr("check"),
}
# where a trial failed
STAGES = {"build": tr("build"), "load": tr("loading"), "run": tr("run"), "check": tr("check")}
# what a user wants of a task
STEERS = {"normal": "", "pin": tr("pinned"), "boost": tr("boosted"), "freeze": tr("frozen")}
# how grave a problem is
LEVELS = {"error": tr("Error"), "warning": tr("Warning"), "info": tr("Note")}
# where a candidate comes from
ORIGINS = {
    "draft": tr("drafted"),
    "random": tr("random"),
    "evolved": tr("evolved"),
    "user": tr("user"),
    "known": tr("another project"),
}
# what a model's latency is compared with
LIBRARIES = {
    "tuned": tr("Tuned"),
    "untuned": tr("Untuned"),
    "onnxruntime": tr("ONNX Runtime"),
    "torch": tr("PyTorch"),
    "torch.compile": "torch.compile",
    "litert": tr("LiteRT"),
}
# how the window looks
THEMES = {"system": tr("As the system"), "light": tr("Light"), "dark": tr("Dark")}


# kinds of failure, by what the measuring process calls them; what a stage says by itself is left out
ERRORS: dict[str, str] = {
    "timeout": tr("took too long"),
    "crash": tr("crashed"),
    "memory": tr("used too much memory"),
    "wrong": "",
    "error": "",
}


def gain_tone(gain: float | None, worse: str = "") -> str:
    """The colour of a gain; none of one whose digits say that nothing is gained or lost.

    Args:
        worse: the colour of a loss.
    """
    if not gain or units.ratio(gain) == units.ratio(1.0):
        return ""
    return "good" if gain > 1 else worse


def location(value: int) -> str:
    """Where a block is computed, as decisions name it."""
    return {-1: tr("root"), -2: tr("inline")}.get(value) or tr("loop {number}").format(number=value)
