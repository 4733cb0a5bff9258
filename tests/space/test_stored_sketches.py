"""Sketches that other rules made stay of use: a project outlives the version, or the plugin, that tuned it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pruner_engine.frontends import load_model
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.rules import OWN_RULES
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

HOST = resolve_target("auto")


@pytest.fixture(scope="module")
def task():
    (found,) = extract_tasks(prepare(load_model("conv2d:1,8,12,12,16,3,layout=NHWC").mod, HOST), HOST)
    return found


def test_they_join_those_of_the_rules_in_use_and_make_the_same_candidates(task):
    before, now = DesignSpace.generate(task, HOST), DesignSpace.generate(task, HOST, without=OWN_RULES)
    own = len(now.sketches)
    now.take_in(sketch.trace_json() for sketch in before.sketches)
    assert [s.index for s in now.sketches] == list(range(len(now.sketches)))
    assert {s.hash for s in before.sketches} <= {s.hash for s in now.sketches} and len(now.sketches) > own
    rng, places = np.random.default_rng(0), {s.hash: s.index for s in now.sketches}
    for sketch in before.sketches:
        row = sketch.sample(rng, 1)[0]
        old, new = before.candidate(sketch.index, row), now.candidate(places[sketch.hash], row)
        assert old.hash == new.hash
        assert bool(before.materialise([old])) == bool(now.materialise([new]))


def test_what_is_there_or_cannot_be_applied_is_left_out(task):
    space = DesignSpace.generate(task, HOST)
    known = [sketch.trace_json() for sketch in space.sketches]
    foreign = json.loads(known[-1].replace('"conv2d_nhwc"', '"another"'))
    space.take_in([*known, json.dumps(foreign), "[[], []", "{}", "[1, 2]", '[[["Nothing", [], [], []]], []]'])
    assert len(space.sketches) == len(known)
