"""Libraries are linked for other machines than this one, or it is said what is missing."""

import pytest
import tvm
from tvm.target import Target

from cuda_compiler import needs_cuda_compiler
from pruner_engine.errors import UserError
from pruner_engine.frontends.workloads import build_workload
from pruner_engine.measure.building import linker
from pruner_engine.measure.building.build import build
from pruner_engine.measure.building.linker import Linker, command_for, cross_linker, links_for
from pruner_engine.measure.workers import wire
from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.targets.target import device_kind, resolve_target, target_json
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

ARM, AARCH64 = {"kind": "llvm", "mtriple": "aarch64-linux-gnu"}, 183
MACHINE = slice(18, 20)  # of an ELF file's header


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A PATH on which nothing is; commands may be put there."""
    cross_linker.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    yield tmp_path
    cross_linker.cache_clear()


@needs_cuda_compiler
@pytest.mark.parametrize("name", ["graviton3", "orin"])
def test_a_library_of_another_machine_is_linked_here(tmp_path, name):
    target, library = resolve_target(name), tmp_path / "kernel.so"
    if device_kind(target) == "cuda":
        use_cuda_compiler()
    (task,) = extract_tasks(prepare(build_workload("matmul:16,16,16"), target), target)
    job = wire.Build(
        id=0, mod=tvm.ir.save_json(task.mod), target=target_json(target), library=str(library), untuned=True
    )
    assert not build(job).error
    header = library.read_bytes()[:20]
    assert header[:4] == b"\x7fELF" and int.from_bytes(header[MACHINE], "little") == AARCH64


def test_this_machines_own_linker_is_left_alone():
    assert command_for(resolve_target("auto")) == linker.linker()
    assert command_for(Target({"kind": "cuda", "arch": "sm_90"}, host="llvm")) == linker.linker()


@pytest.mark.parametrize("triple", ["aarch64-linux-gnu", "aarch64-unknown-linux-gnu"])
@pytest.mark.parametrize("name", ["aarch64-linux-gnu-ld", "ld.lld"])
def test_what_is_installed_is_found_by_its_usual_name(bare, triple, name):
    (bare / name).write_text("#!/bin/sh\n")
    (bare / name).chmod(0o755)
    assert cross_linker(triple)[0] == str(bare / name)


def test_without_a_linker_it_is_said_what_to_install(bare, monkeypatch):
    monkeypatch.setattr(linker.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UserError, match="No linker for aarch64") as told:
        Linker(Target(ARM))
    assert "lld" in told.value.hint and "ziglang" in told.value.hint
    assert not links_for(Target(ARM)), "boards link by themselves then"


def test_only_what_linux_runs_is_linked():
    with pytest.raises(UserError, match="arm64-apple-macos"):
        Linker(resolve_target("apple-m1"))


def test_a_failing_linker_is_quoted(bare):
    (bare / "ld.lld").write_text("#!/bin/sh\necho no such object >&2; exit 1\n")
    (bare / "ld.lld").chmod(0o755)
    with pytest.raises(RuntimeError, match="no such object"):
        Linker(Target(ARM))("x.so", ["x.o"])
