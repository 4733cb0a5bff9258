"""A library that does not run here is run on a board, or nowhere, and that is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from on_the_way import Work

from fleets import own_board, tracking, wait_for
from pruner_engine.errors import UserError
from pruner_engine.export import export_bundle
from pruner_engine.export.baselines import example_inputs
from pruner_engine.export.boards import limit_of, time_on_board
from pruner_engine.export.compare import bench_e2e
from pruner_engine.export.files.run import missing_features
from pruner_engine.export.place import Place
from pruner_engine.export.tuned import TunedModel
from pruner_engine.export.turns import Turns
from pruner_engine.frontends import load_model
from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.target import resolve_target, why_not_here
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from schedules import tvm

FOREIGN = "graviton3" if detect_host().arch == "x86_64" else '{"kind":"llvm","mtriple":"x86_64-linux-gnu"}'


@pytest.fixture(scope="module")
def fleet():
    """A board of this machine's own kind."""
    with tracking() as port, own_board(port, "twin"):
        wait_for(lambda: "twin" in boards_of("127.0.0.1", port))
        yield Fleet("127.0.0.1", port, "twin")


def untuned_for(target: str, model: str = "matmul:16,16,16") -> TunedModel:
    made, found = load_model(model), resolve_target(target)
    prepared = prepare(made.mod, found)
    database = tvm.s_tir.meta_schedule.database.MemoryDatabase()
    return TunedModel(made, prepared, found, extract_tasks(prepared, found), database, own_threads=2)


@pytest.fixture(scope="module")
def unchecked(tmp_path_factory):
    """A bundle for another architecture, and its metadata; not to be written to."""
    tuned, out = untuned_for(FOREIGN), tmp_path_factory.mktemp("foreign") / "bundle"
    return out, export_bundle(tuned, out, {}, runs_on=Place("", why_not=why_not_here(tuned.target)))


def run_here(bundle: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(bundle / "run.py")], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("weights_beside", [False, True])
def test_a_board_checks_and_times_what_is_exported(weights_beside, fleet, work: Work, tmp_path):
    place = Place("boards of twin", fleet)
    told = export_bundle(work.tuned(), tmp_path / "out", {}, runs_on=place, weights_beside=weights_beside, repeats=4)
    assert told["place"] == {"where": "boards", "device": "boards of twin", "why_not": ""}
    assert {check["against"]: check["ok"] for check in told["checks"]} == {"untuned": True, "onnxruntime": True}
    measured = {name: len(timing["repeats"]) for name, timing in told["latency"].items()}
    assert measured.pop("onnxruntime") == 0
    assert measured.keys() == {"tuned", "untuned"} and {*measured.values()} <= {4, 6}, "six where two rounds disagree"
    assert "not on the board" in told["latency"]["onnxruntime"]["note"] and told["slower_than"] in ([], ["untuned"])
    assert run_here(tmp_path / "out").returncode == 0


def test_what_cannot_be_profiled_is_covered_as_far_as_tuning_knows(bundle, fleet, work: Work, tmp_path):
    told = export_bundle(work.tuned(), tmp_path / "out", {}, runs_on=Place("there", fleet), repeats=2)["coverage"]
    assert told["estimated"] and not bundle[1]["coverage"]["estimated"]
    profiled = {row["name"]: row["calls"] for row in bundle[1]["coverage"]["functions"] if row["task"]}
    found = {row["name"]: row for row in told["functions"] if row["task"]}
    assert {name: row["calls"] for name, row in found.items()} == {
        name.removesuffix("_prepacked"): calls for name, calls in profiled.items()
    }
    assert all(row["seconds"] == pytest.approx(1e-3 * row["calls"]) for row in found.values()), "as recorded"
    assert sum(row["share"] for row in found.values()) == pytest.approx(1)
    assert told["summary"]["applied"]["share"] == pytest.approx(1)


def test_a_comparison_on_a_board_is_without_the_libraries(fleet, work: Work):
    found = bench_e2e(work.tuned(), Turns(2, 2), place=Place("boards of twin", fleet))
    assert {name: row["measured"] for name, row in found["contenders"].items()} == {"tuned": 4, "untuned": 4}
    assert found["contenders"]["tuned"]["agreement"]["ok"]
    assert (found["device"], found["best_library"], found["ratio"]) == ("boards of twin", None, None)


def test_a_comparison_of_what_nothing_here_runs_is_refused():
    tuned = untuned_for(FOREIGN)
    with pytest.raises(UserError, match=r"Kernels for .* cannot run on this") as refused:
        bench_e2e(tuned, Turns(1, 1), place=Place("", why_not=why_not_here(tuned.target)))
    assert "--rpc" in refused.value.hint


def test_a_library_that_fails_on_a_board_is_a_sentence_and_the_board_lives_on(fleet, bundle, work: Work, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "broken")
    (tmp_path / "broken" / "model.so").write_bytes(b"\x7fELF and no more")
    model, inputs = work.model, example_inputs(work.model)
    with pytest.raises(UserError, match="The tuned library did not run on a board of twin") as failed:
        time_on_board(fleet, 0.0, "tuned", tmp_path / "broken", model, inputs, 2, 1)
    assert "pruner boards" in failed.value.hint and "\n" not in failed.value.message
    assert time_on_board(fleet, 0.0, "tuned", bundle[0], model, inputs, 2, 1).repeats


def test_where_no_board_is_free_that_is_said(bundle, fleet, work: Work):
    nobody = Fleet(fleet.host, fleet.port, "nobody", wait_s=1.0)
    with pytest.raises(UserError, match='No board "nobody" could be had within 1 s'):
        time_on_board(nobody, 0.0, "tuned", bundle[0], work.model, example_inputs(work.model), 2, 1)


def test_a_board_is_waited_for_as_long_as_the_untuned_model_takes(bundle):
    quick, slow, unknown = (limit_of(bundle[0], seconds) for seconds in (0.001, 60.0, 0.0))
    assert quick < unknown < slow


def test_a_bundle_that_nothing_here_runs_says_what_it_is(unchecked):
    out, told = unchecked
    there = resolve_target(FOREIGN).attrs["mtriple"].partition("-")[0]
    assert (told["checks"], told["latency"], told["slower_than"]) == ([], {}, [])
    assert told["place"]["where"] == "nowhere" and told["place"]["why_not"].startswith(f"Kernels for {there}")
    assert [(row["state"], row["calls"], row["seconds"]) for row in told["coverage"]["functions"]] == [
        ("fallback", 1, None)
    ]
    assert told["coverage"]["summary"]["fallback"] == {"functions": 1, "share": None}
    assert told["device"]["arch"] == there
    assert set(told["files"]) >= {"model.so", "run.py", "README.txt", "cpp/main.cc"}
    assert json.loads((out / "metadata.json").read_text())["place"] == told["place"]


def test_a_bundle_for_another_architecture_says_what_to_install_there(unchecked):
    out, told = unchecked
    assert not (out / "runtime").exists(), "libraries of this machine would be of no use"
    packages = [f"{name}=={told['versions'][name]}" for name in ("apache-tvm", "apache-tvm-ffi")]
    assert told["needs"] == ["numpy", *packages]
    read_me = (out / "README.txt").read_text()
    assert f"pip install {' '.join(told['needs'])}" in read_me and "has not been run yet" in read_me
    assert "  runtime/" not in read_me


def test_a_bundle_of_this_architecture_brings_its_runtime(bundle):
    assert bundle[1]["needs"] == ["numpy", f"apache-tvm-ffi=={bundle[1]['versions']['apache-tvm-ffi']}"]
    assert "  runtime/" in (bundle[0] / "README.txt").read_text()


@pytest.mark.skipif(detect_host().arch != "x86_64", reason="its target is another then")
def test_features_of_arm_processors_are_told(unchecked):
    assert {"neon", "dotprod", "i8mm", "bf16", "sve"} <= set(unchecked[1]["device"]["features"])


def test_on_a_machine_of_another_architecture_it_is_a_sentence(unchecked, tmp_path):
    done = run_here(unchecked[0])
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"This bundle is for {unchecked[1]['device']['arch']} processors" in done.stderr
    shutil.copytree(unchecked[0], tmp_path / "old")  # earlier ones did not tell what they are for
    del (metadata := dict(unchecked[1]))["device"]
    (tmp_path / "old" / "metadata.json").write_text(json.dumps({**metadata, "device": {"kind": "cpu"}}))
    done = run_here(tmp_path / "old")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "is not a bundle that can be loaded" in done.stderr


@pytest.mark.parametrize(
    ("told", "lacking"),
    [
        ("processor\t: 0\nFeatures\t: fp asimd crc32 asimddp asimdhp\n", ["i8mm", "sve"]),
        ("processor\t: 0\nFeatures\t: fp asimd asimddp asimdhp i8mm sve\n", []),
        ("processor\t: 0\nflags\t\t: sse4_2 avx2\n", []),  # an emulator shows the host's
    ],
)
def test_features_that_an_arm_processor_lacks_are_found_by_the_names_of_linux(told, lacking, monkeypatch, tmp_path):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    (tmp_path / "cpuinfo").write_text(told)
    assert missing_features(["neon", "dotprod", "fullfp16", "i8mm", "sve"], tmp_path / "cpuinfo") == lacking


def test_what_is_not_linked_here_leaves_an_earlier_bundle_alone(bundle, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "out")
    with pytest.raises(UserError, match="Nothing is linked here for arm64-apple"):
        export_bundle(untuned_for("apple-m1"), tmp_path / "out", {}, runs_on=Place("", why_not="It is an Apple."))
    assert json.loads((tmp_path / "out" / "metadata.json").read_text()) == json.loads(
        (bundle[0] / "metadata.json").read_text()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
