"""Weights beside the library: the same outputs from Python and from C++, and a file that others read, too."""

from __future__ import annotations

import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file

from pruner_engine.export import weights
from pruner_engine.export.build import compile_model
from pruner_engine.export.library import LIBRARY
from pruner_engine.export.weights import WEIGHTS, write_weights


def test_the_file_holds_what_the_library_lacks(bundle, again, work, tmp_path):
    out, metadata = again
    kept = load_file(out / WEIGHTS)
    assert [list(kept[f"weight{i}"].shape) for i in range(len(kept))] == [
        spec["shape"] for spec in metadata["weights"]["tensors"]
    ]
    size = sum(value.nbytes for value in kept.values())
    assert size > 4096
    tuned = work.partly_tuned()
    tuned.build(tuned.applied(), tmp_path)  # the same kernels, with the weights inside
    assert (tmp_path / LIBRARY).stat().st_size - (out / LIBRARY).stat().st_size > size // 2
    assert WEIGHTS in metadata["files"] and WEIGHTS not in bundle[1]["files"]


@pytest.mark.parametrize(("most", "beside"), [(1 << 10, True), (1 << 30, False)])
def test_many_stand_beside_unless_it_is_said(most, beside, work, tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "_MANY_BYTES", most)
    tuned = work.partly_tuned()
    for folder, said in (("auto", None), ("inside", False), ("beside", True)):
        (tmp_path / folder).mkdir()
        metadata = tuned.build(tuned.applied(), tmp_path / folder, weights_beside=said)
        assert ("weights" in metadata) == (beside if said is None else said)
        assert (tmp_path / folder / WEIGHTS).exists() == ("weights" in metadata)


def test_outputs_from_python(again, image, expected, tmp_path):
    np.savez(tmp_path / "in.npz", image=image)
    command = [sys.executable, str(again[0] / "run.py"), "--inputs", "in.npz", "--outputs", "out.npz"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as out:
        np.testing.assert_allclose(out["probabilities"], expected[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(out["logits"], expected[1], rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no C++ compiler here")
def test_outputs_from_cpp(again, image, expected, tmp_path):
    folder = shutil.copytree(again[0], tmp_path / "bundle")
    made = subprocess.run(
        ["make", "-C", str(folder / "cpp"), "CXXFLAGS=-O0 -Wall -Werror"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    image.tofile(tmp_path / "image.bin")
    command = [str(folder / "cpp" / "run_model"), "image.bin"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    for index, output in enumerate(expected):
        got = np.fromfile(tmp_path / f"output{index}.bin", np.float32).reshape(output.shape)
        np.testing.assert_allclose(got, output, rtol=1e-4, atol=1e-5)

    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-4])
    short = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert short.returncode == 1 and f"{WEIGHTS} cannot be read, or is too short" in short.stderr


@pytest.mark.parametrize("harm", ["removed", "cut off"])
def test_a_harmed_file_is_a_sentence(harm, again, tmp_path):
    folder = shutil.copytree(again[0], tmp_path / "bundle")
    if harm == "removed":
        (folder / WEIGHTS).unlink()
    else:
        (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-4])
    done = subprocess.run(
        [sys.executable, str(folder / "run.py")], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert WEIGHTS in done.stderr and "is not a bundle that can be loaded" in done.stderr


def test_halves_keep_their_type(tmp_path):
    values = [np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(5).astype(ml_dtypes.bfloat16), np.ones(3, bool)]
    told = write_weights(values, tmp_path)
    assert [spec["dtype"] for spec in told["tensors"]] == ["float32", "bfloat16", "bool"]
    data = (tmp_path / told["file"]).read_bytes()
    for spec, value in zip(told["tensors"], values, strict=True):
        assert data[spec["offset"] :].startswith(value.tobytes())


def test_packed_weights_are_constants_of_their_own(work):
    tuned = work.tuned()
    program = compile_model(tuned.applied(), tuned.target).as_text()
    assert "_prepacked" in program and "tuple_getitem" not in program
