"""How runs are presented: names, states, budgets, and the curve of their latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pruner_engine import units
from pruner_engine.caches import caches_of
from pruner_engine.store.reader import Row
from pruner_studio.models.words import LIBRARIES
from pruner_studio.translation import tr

if TYPE_CHECKING:  # the bar on top is there before numpy is
    import numpy as np


STATES = {
    "preparing": (tr("preparing"), "info"),
    "tuning": (tr("tuning"), "info"),
    "pausing": (tr("pausing"), "warn"),
    "paused": (tr("paused"), "warn"),
    "stopping": (tr("stopping"), "warn"),
    "stopped": (tr("stopped"), "neutral"),
    "finished": (tr("finished"), "good"),
    "failed": (tr("failed"), "bad"),
    "interrupted": (tr("interrupted"), "warn"),
}
ENDED = ("stopped", "interrupted", "failed", "finished")
# What a run's latency is held against: what it is called, and its colour
BASELINES = {
    "untuned": (LIBRARIES["untuned"], "muted"),
    "onnxruntime": (LIBRARIES["onnxruntime"], "series3"),
    "torch": (LIBRARIES["torch"], "series4"),
    "torch.compile": (LIBRARIES["torch.compile"], "text"),
    "litert": (LIBRARIES["litert"], "series3"),  # never beside ONNX Runtime
}


def state_of(run: Row) -> str:
    """State of a run as it is shown: a run that is at work with no engine alive was interrupted."""
    return "interrupted" if run["interrupted"] else run["state"]


def run_name(run: Row) -> str:
    """What a run is called in the list of a project's runs."""
    return tr("Run {id} · {model} · {strategy}").format(**{key: run[key] for key in ("id", "model", "strategy")})


def short_name(run: Row) -> str:
    """What a run is called in a legend, among runs of one model; one of another project has that one's name too."""
    return f"{name_of(run)} {strategy_of(run)}"


def strategy_of(run: Row) -> str:
    """A run's strategy, and with which caches it measured if not with a network's: such latencies are others."""
    named = {"network": "{strategy}", "warm": tr("{strategy}, warm caches"), "cold": tr("{strategy}, cold caches")}
    return named[caches_of(run)].format(strategy=run["strategy"])


def told_state(run: Row) -> str:
    """State of a run in the reader's language."""
    return state_name(state_of(run))


def state_name(state: str) -> str:
    """A state in the reader's language; one that only the file knows as it is."""
    return STATES[state][0] if state in STATES else state


def name_of(run: Row) -> str:
    """A run's number, behind the project's name where it is another one's."""
    return str(run.get("name", run["id"]))


def runs_left_out(drawn: int, every: int) -> str:
    """A note that not every run is drawn; empty where every one is."""
    return tr("{drawn} of {all} runs drawn").format(drawn=drawn, all=every) if drawn < every else ""


def step_points(rows: list[Row], axis: str) -> tuple[np.ndarray, np.ndarray]:
    """Change points of the latency curve over `trials` or `elapsed_s`, the last point kept."""
    import numpy as np

    known = [row for row in rows if row["latency_s"] is not None]
    kept = [row for at, row in enumerate(known) if at == 0 or row["latency_s"] != known[at - 1]["latency_s"]]
    if known and kept[-1] is not known[-1]:
        kept.append(known[-1])
    return np.array([row[axis] for row in kept], float), np.array([row["latency_s"] for row in kept], float)


def budget_used(run: Row) -> float | None:
    """Share of a run's budget that is used, or None where it has none."""
    shares = []
    if run["budget_trials"]:
        shares.append(run["trials"] / run["budget_trials"])
    if run["budget_s"]:
        shares.append(run["elapsed_s"] / run["budget_s"])
    return min(1.0, max(shares)) if shares else None


def budget_text(run: Row) -> str:
    """What a run may spend, behind what it has spent."""
    if run["budget_trials"]:
        return tr("of {budget}").format(budget=units.count(run["budget_trials"]))
    return (
        tr("of {budget}").format(budget=units.duration(run["budget_s"]))
        if run["budget_s"]
        else tr("until no more gain")
    )
