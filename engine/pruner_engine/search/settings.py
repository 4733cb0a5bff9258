"""Settings of a run beyond model, target, strategy, budget and seed; kept with the run in the project file."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from pruner_engine.caches import Caches
from pruner_engine.errors import UserError
from pruner_engine.measure.boards.addresses import tracker_at
from pruner_engine.rule_names import Layout
from pruner_engine.search.refused_settings import refusal

_Positive = Annotated[int, Meta(ge=1)]
_Count = Annotated[int, Meta(ge=0)]
_Share = Annotated[float, Meta(ge=0.0, le=1.0)]
_Seconds = Annotated[float, Meta(gt=0.0, le=1e6)]  # no clock and no limit of the system's takes any number


class SearchSettings(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Defaults follow the constants of Pruner's authors (ASPLOS 2025) unless a comment says why not.

    Attributes:
        round_trials: candidates measured a round; if not given the strategy's own number (Pruner 10, MetaSchedule 64)
            or as many as this machine builds at a time.
        population: candidates that outlive a generation; if not given the strategy's own number (Pruner 1536 of each
            sketch, from four times as many; Ansor 2048).
        generations: of the genetic search; if not given the strategy's own number (Pruner 2, Ansor 4).
        mutation: probability that an offspring is a mutation rather than a crossover.
        draft_set: candidates that the draft hands to verification.
        fresh_samples: random candidates verified beside the draft set, so that a blind spot of the analyzer shows.
        refresh: rounds of a task for which one draft set serves.
        eps_greedy: share of a round picked at random from what was verified.
        elite_share: share of the initial population that mutates measured good candidates.
        model: learned cost model that verifies: pacm-draft, pacm, tenset-mlp, tlp, xgb, random, or one of a plugin.
        checkpoint: file with a pre-trained model.
        start_from: project whose best schedules of the same kernels are measured first.
        momentum: share of its weights that MoA's siamese keeps at an adaptation.
        adapt_every: rounds between adaptations of MoA.
        trials_per_task: at most so many trials of each task, and the budget where none is given; 0 switches that off.
        patience: trials of a task without gain after which it is tuned no more; 0 is 64 without a budget, off with one.
        layout: of convolutions: own, channels-last, or measured for the faster one; auto: measured where a run is long.
        without_rules: names of our own schedule rules and rewrites of the graph to leave out.
        build_timeout_s: seconds that building one candidate may take.
        run_timeout_s: seconds that running one candidate may take; filling large arguments is given more.
        repeats: timed repeats of a candidate that is not abandoned.
        caches: what a timed call finds in them (this machine's CPU only): network, what the rest of an inference leaves
            there; warm, all that the call before left; cold, neither weights nor outputs.
        calibrated: begin with the draft's corrections that earlier runs left for this device, and leave new ones; only
            with `caches` network.
        fixed: values of inputs of an ONNX model, such as sr=16000: constants of the model that is tuned.
        dtype: of a float32 model's products: float32, or float16 or bfloat16 to convert it.
        rpc: host:port of a tracker whose boards measure instead of this machine; empty for this machine.
        rpc_key: which boards of the tracker.
        check: whose outputs are compared with the untuned kernel's: best (every new best), all, or none.
    """

    round_trials: _Positive | None = None
    population: _Positive | None = None
    generations: _Count | None = None
    mutation: _Share = 0.85
    # Reference: 512. Each costs 2-15 ms to apply and featurise: a fifth keeps verifying shorter than measuring.
    draft_set: _Positive = 96
    fresh_samples: _Count = 16
    refresh: _Positive = 2
    eps_greedy: _Share = 0.1
    elite_share: _Share = 0.1
    model: str = "pacm-draft"
    checkpoint: str = ""
    start_from: str = ""
    momentum: _Share = 0.99
    adapt_every: _Positive = 4
    trials_per_task: _Count = 0
    patience: _Count = 0
    layout: Literal["auto", "measured"] | Layout = "auto"
    without_rules: tuple[str, ...] = ()
    build_timeout_s: _Seconds = 30.0
    run_timeout_s: _Seconds = 10.0
    repeats: _Positive = 3
    caches: Caches = "network"
    calibrated: bool = True
    fixed: tuple[str, ...] = ()
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    rpc: str = ""
    rpc_key: str = ""
    check: Literal["best", "all", "none"] = "best"

    @property
    def tracker(self) -> tuple[str, int] | None:
        """Host and port of the tracker; None for this machine.

        Raises:
            UserError: `rpc` is no address.
        """
        return tracker_at(self.rpc) if self.rpc else None

    @property
    def settled_layout(self) -> Layout | None:
        """The layout that was given or found; None where that is left to the rule."""
        return self.layout if self.layout in ("own", "channels-last") else None

    def as_json(self) -> str:
        return msgspec.json.encode(self).decode()


class Setting(NamedTuple):
    """The default of a setting, and its meaning in one line."""

    default: Any
    meaning: str

    @property
    def default_text(self) -> str:
        """The default as `--set` takes it; empty where there is none."""
        if isinstance(self.default, str):
            return self.default
        return "" if self.default in (None, ()) else json.dumps(self.default)


def described_settings() -> dict[str, Setting]:
    """All settings by name, in the order of the fields, as the documentation of `SearchSettings` explains them."""
    attributes = inspect.cleandoc(SearchSettings.__doc__ or "").partition("Attributes:\n")[2]
    meanings = dict(re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", attributes, re.MULTILINE))
    defaults = SearchSettings()
    return {
        name: Setting(getattr(defaults, name), " ".join(meanings[name].split()))
        for name in SearchSettings.__struct_fields__
    }


def asked_settings(run: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run's row as it was given them: a layout that it has measured itself makes it no other run."""
    asked = run.get("asked_layout")
    return {**run["settings"], **({"layout": asked} if asked else {})}


def settings_from(values: dict[str, Any] | str) -> SearchSettings:
    """Settings from a mapping or its JSON; unknown names and wrong types are refused with a sentence."""
    given = values
    try:
        if isinstance(given, str):
            given = msgspec.json.decode(given, type=dict[str, Any])
        if "cold_cache" in given:  # as earlier versions called it
            given = {"caches": "cold" if given["cold_cache"] else "warm", **given}
            del given["cold_cache"]
        return msgspec.convert(given, SearchSettings)
    except msgspec.DecodeError as error:
        raise UserError(refusal(SearchSettings, given, error), "`pruner tune --help` lists the settings.") from error
