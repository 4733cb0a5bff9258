"""Shared by all tests: TVM imported the fast way, and no file of the user's touched."""

import contextlib
import gc
import os
import tempfile

import pytest

from pruner_engine.cli import progress
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.tvm_import import import_tvm

gc.disable()  # what the modules of the tests bring along stays: to look for garbage among it only costs
import_tvm()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_folders():
    """Settings, caches and recent projects of a test run live in a folder of their own, for child processes too."""
    with tempfile.TemporaryDirectory(prefix="pruner-tests-") as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, os.path.join(folder, name.lower()))  # noqa: PTH118
        yield


@pytest.fixture(scope="module")
def engine():
    """One that does job after job, as a window's does: starting one takes longer than most jobs of the tests."""
    with EngineProcess() as process:
        yield process


@pytest.fixture(scope="module")
def warm(engine):
    """Commands of the terminal that are carried out in this process have the module's engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "EngineProcess", lambda: contextlib.nullcontext(engine))
        yield
