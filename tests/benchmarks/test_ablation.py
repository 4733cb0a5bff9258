"""What each rule brings: only those that take part are left out, and the libraries compute the same."""

from __future__ import annotations

import json

import pytest

from pruner_engine.benchmarks.ablation import ablation_runs, taking_part
from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.store.reader import ProjectReader
from pruner_engine.targets.target import resolve_target, target_json
from terminal import SMALL, pruner_here

MODEL = "matmul:197,64,64"  # no tile of rows divides 197


def test_each_rule_that_takes_part_is_left_out_once(tmp_path, warm):
    command = ["bench", "rules", MODEL, "--rounds", 1, "--trials", 2, "--out", tmp_path / "rules", *SMALL]
    for name in ("register-tile", "wide-products", "integers"):
        command += ["--rule", name]
    (told,) = json.loads(pruner_here(*command, "--json"))["models"]
    assert told["take_no_part"] == ["integers"]  # nothing is quantised
    variants = told["variants"]
    assert list(variants) == ["(all of them)", "register-tile", "wide-products"]
    whole = variants["(all of them)"]["median_s"]
    for row in variants.values():
        assert row["agreement"]["ok"] and row["ratio"] == pytest.approx(row["median_s"] / whole)
    files = sorted((tmp_path / "rules").glob("*.pruner"), key=lambda file: file.stem)
    names = [file.stem.split("--without-") for file in files]
    assert names == [["matmul_197_64_64", *rule] for rule in ([], ["register-tile"], ["wide-products"])]
    for file, (_, *without) in zip(files, names, strict=True):
        with ProjectReader(file) as reader:
            run = reader.run()
            assert (run["trials"], run["state"], run["settings"]["without_rules"]) == (2, "finished", without)
    told = pruner_here(*command)
    assert "register-tile" in told and "take no part: integers" in told
    for file in files:
        with ProjectReader(file) as reader:
            assert len(reader.runs()) == 1  # nothing was tuned anew


def test_a_rule_that_is_none_is_a_sentence(tmp_path):
    told = pruner_here("bench", "rules", MODEL, "--rule", "nonsense", "--out", tmp_path / "rules", code=1)
    assert "No rule or rewrite is called" in told and "channels-last" in told


def test_what_all_runs_leave_out_is_left_out_of_each_and_takes_no_part(tmp_path):
    target, subject = target_json(resolve_target("auto")), Subject(MODEL)
    assert taking_part(subject, target, ["register-tile"]) == ["register-tile"]
    assert taking_part(subject, target, ["register-tile"], without=["register-tile"]) == []
    settings = {"without_rules": ["register-tile"]}
    runs = ablation_runs(tmp_path, subject, ["rows"], target=target, trials=2, seed=0, settings=settings)
    left_out = {name: run.settings["without_rules"] for name, run in runs.items()}
    assert left_out == {"(all of them)": ["register-tile"], "rows": ["register-tile", "rows"]}
