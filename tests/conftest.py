"""Shared by all tests: TVM imported the fast way, and no file of the user's touched."""

import compileall
import contextlib
import gc
import os
import sys
import tempfile
from pathlib import Path

import pytest

from pruner_engine.cli import progress
from pruner_engine.jobs.client import EngineProcess
from pruner_engine.measure.workers import launch
from pruner_engine.measure.workers.spare import keeping_a_spare
from pruner_engine.tvm_import import import_tvm

_DIED = pytest.StashKey[bool]()

# what waits for another thread leaves the core to the other worker; before PyTorch is loaded, which reads it then
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # so does what waits in numpy

gc.disable()  # what the modules of the tests bring along stays: to look for garbage among it only costs
import_tvm()


class _Failures:
    """Writes the name of what failed at once: the summary of a long run is far."""

    def __init__(self, config):
        self._config = config

    def pytest_runtest_logreport(self, report):
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.write_line(f"\nfailed: {report.nodeid} ({report.when})", red=True)


def pytest_configure(config):
    """Processes that tests start find our modules compiled, where Python was told to keep nothing of the kind, too."""
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(_Failures(config))
    if sys.dont_write_bytecode:
        for package in ("engine", "studio"):
            compileall.compile_dir(Path(__file__).parents[1] / package, quiet=1)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """A worker that died ends the run, and most was not tested then: that is no run that only some tests failed in."""
    if error:
        node.config.stash[_DIED] = True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if session.config.stash.get(_DIED, False):
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


# Folders with files that take long, which come first: one that is left at the end keeps a single worker busy
_LONG = ("faults", "export", "search", "cli", "benchmarks", "jobs", "draft", "space", "measure", "inspect", "verify")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: _LONG.index(item.path.parent.name) if item.path.parent.name in _LONG else len(_LONG))


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory):
    """Settings, caches and recent projects of a test run live in folders of their own, for child processes too.

    Workers share the caches: measuring the processor takes seconds.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with tempfile.TemporaryDirectory(prefix="pruner-tests-") as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, os.path.join(folder, name.lower()))  # noqa: PTH118
        patch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
        # PyTorch's compiler believes what the processor says of its vectors: else it compiles a trial of each kind
        patch.setenv("TORCHINDUCTOR_VEC_ISA_OK", "1")
        yield


@contextlib.contextmanager
def _taking_over():
    """Jobs that are done here take over each other's measurement process, as an engine's do.

    Starting one takes longer than what most of them measure.
    """
    whole = launch.process_environment
    with pytest.MonkeyPatch.context() as patch, keeping_a_spare():
        # pytest writes there which test runs, and one of another environment would not be taken
        patch.setattr(launch, "process_environment", lambda: whole() | {"PYTEST_CURRENT_TEST": ""})
        yield


@pytest.fixture(scope="session")
def _one_measurement_process():
    """Of the tests of all files."""
    with _taking_over():
        yield


@pytest.fixture(scope="module")
def one_measurement_process():
    """Of the tests of one file."""
    with _taking_over():
        yield


@pytest.fixture(scope="module", autouse=True)
def _no_more_processes_than_needed(request):
    """Where what ends them is tested, and those come first, each job has its own, unless it is asked for."""
    if request.path.parent.name != "faults":
        request.getfixturevalue("_one_measurement_process")


class _Engine:
    """One that does job after job, as a window's does: starting one takes longer than most jobs of the tests."""

    def __init__(self):
        self._ends = contextlib.ExitStack()
        self._process = None

    def at_hand(self):
        """A living one, the same as before where there is one."""
        if self._process is None:
            self._process = self._ends.enter_context(EngineProcess())
        return self._process

    def end(self):
        self._ends.close()
        self._process = None


@pytest.fixture(scope="session")
def _engine():
    kept = _Engine()
    yield kept
    kept.end()


@pytest.fixture(scope="module")
def engine(request, _engine):
    """The engine of all files; a file that plugins are loaded in has its own, since what they register stays."""
    failed = request.session.testsfailed
    yield _engine.at_hand()
    if request.session.testsfailed != failed:  # which may have left it at work
        _engine.end()


@pytest.fixture(scope="module")
def warm(engine):
    """Commands of the terminal that are carried out in this process have the engine of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "EngineProcess", lambda: contextlib.nullcontext(engine))
        yield
