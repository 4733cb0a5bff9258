"""Threads of the libraries that learn sleep while they wait: builders may have the cores."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pruner_engine.processes.child import environment
from pruner_engine.processes.openmp import sleeping_threads

_STOCK = """
from pruner_engine.tvm_import import import_tvm
import_tvm()
from pruner_engine.search.settings import SearchSettings
from pruner_engine.search.strategies.metaschedule import MetaScheduleSearch
from pruner_engine.search.strategy import Context
from pruner_engine.targets.target import resolve_target
nothing = lambda *_: None
MetaScheduleSearch(Context(resolve_target("graviton3"), None, 0, SearchSettings(), 2, nothing, nothing, nothing))
"""
_OWN = "from pruner_engine.tvm_import import import_tvm; import_tvm(); import pruner_engine.verify.gradient_boosting"


@pytest.mark.parametrize("learner", [_OWN, _STOCK], ids=["ours", "TVM's"])
def test_a_library_that_learns_says_that_its_threads_sleep(learner):
    env = environment(OMP_DISPLAY_ENV="true")
    env.pop("OMP_WAIT_POLICY", None)
    code = f"{learner}\nimport os; print(os.environ.get('OMP_WAIT_POLICY'))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in done.stderr
    assert done.stdout.splitlines()[-1] == "None", "what it starts is asked nothing"


def test_what_the_user_says_of_them_stays(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    with sleeping_threads():
        assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
