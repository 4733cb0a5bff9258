"""A bundle runs in a fresh process, from Python and from C++."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bare import environment
from pruner_engine.export.files.run import _numpy_dtype, read_arrays, write_arrays

SOUGHT = ("numpy", "tvm_ffi", "typing_extensions", "ml_dtypes")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A folder of Python packages without tvm: numpy and tvm_ffi only."""
    place = tmp_path_factory.mktemp("packages")
    packages = Path(find_spec("numpy").origin).parents[1]
    for name in (*SOUGHT, "numpy.libs", "typing_extensions.py"):
        if (packages / name).exists():
            (place / name).symlink_to(packages / name)
    return place


def run(bundle, bare, *arguments, cwd, preexec_fn=None, **env):
    command = [sys.executable, "-S", str(bundle / "run.py"), *map(str, arguments)]
    env = {"PYTHONPATH": str(bare), **env}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, preexec_fn=preexec_fn, check=False)


def test_equal_outputs_without_tvm_installed(bundle, bare, image, expected, tmp_path):
    np.savez(tmp_path / "in.npz", image=image)
    done = run(bundle[0], bare, "--inputs", "in.npz", "--outputs", "out.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as out:
        np.testing.assert_allclose(out["probabilities"], expected[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(out["logits"], expected[1], rtol=1e-4, atol=1e-5)


def test_it_can_be_moved(bundle, bare, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "elsewhere")
    done = run(tmp_path / "elsewhere", bare, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "output probabilities: [1, 10] float32" in done.stdout


def test_benchmark_and_profile(bundle, bare, tmp_path):
    done = run(bundle[0], bare, "--bench", "--repeats", 3, "--profile", "--threads", 1, "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert len(report["repeats"]) == 3 and min(report["repeats"]) <= report["seconds"] <= max(report["repeats"])
    assert report["threads"] == 1
    kernels = {row["name"] for row in bundle[1]["coverage"]["functions"] if row["task"]}
    assert kernels <= {name.removesuffix("_prepacked") for name in report["kernels"]}


def test_threads_come_from_the_option_then_the_environment_then_the_bundle(bundle, bare, tmp_path):
    def threads(*arguments, **env):
        return json.loads(run(bundle[0], bare, "--json", *arguments, cwd=tmp_path, **env).stdout)["threads"]

    assert threads() == min(2, len(os.sched_getaffinity(0)))
    one = {"preexec_fn": lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})}
    assert json.loads(run(bundle[0], bare, "--json", cwd=tmp_path, **one).stdout)["threads"] == 1
    assert threads(TVM_NUM_THREADS="3") == 3
    assert threads(TVM_NUM_THREADS="") == threads()
    assert threads("--threads", 1, TVM_NUM_THREADS="3") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--inputs", "none.npz"], "cannot be used: [Errno 2]"),
        (["--inputs", "other.npz"], "other.npz lacks an input: image. It has picture."),
        (["--inputs", "complex.npz"], "cannot be used: input image has the type complex64, compiled for float32"),
        (["--inputs", "small.npz"], "cannot be used: input image has the shape [2], compiled for [1, 3, 16, 16]"),
        (["--inputs", "broken.npz"], "cannot be used: broken.npz is not an .npz file"),
        (["--inputs", "empty.npz"], "cannot be used: empty.npz is not an .npz file"),
        (["--inputs", "image.png"], "cannot be used: image.png is not an .npz file"),
        (["--inputs", "image.npy"], "cannot be used: image.npy is a single array"),
        (["--bundle", "none"], "none is not a bundle that can be loaded"),
        (["--outputs", "none/out.npz"], "the outputs cannot be written"),
        (["--bench", "--repeats", "0"], "must be a number of 1 or more"),
        (["--threads", "all"], "must be a number of 1 or more"),
    ],
)
def test_misuse_is_a_sentence(bundle, bare, tmp_path, arguments, told):
    np.savez(tmp_path / "other.npz", picture=np.zeros(2))
    np.savez(tmp_path / "small.npz", image=np.zeros(2))
    np.savez(tmp_path / "complex.npz", image=np.zeros((1, 3, 16, 16), "F"))
    (tmp_path / "broken.npz").write_bytes(b"PK")
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    np.save(tmp_path / "image.npy", np.zeros((1, 3, 16, 16), "f"))
    done = run(bundle[0], bare, *arguments, cwd=tmp_path)
    assert done.returncode and told in done.stderr and "Traceback" not in done.stderr


def test_a_type_that_numpy_lacks_asks_for_its_package(bundle, bare, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "bundle")
    path = tmp_path / "bundle" / "metadata.json"
    metadata = json.loads(path.read_text())
    metadata["inputs"][0]["dtype"] = "bfloat16"
    path.write_text(json.dumps(metadata))
    (tmp_path / "packages").mkdir()
    for package in bare.iterdir():
        if package.name != "ml_dtypes":
            (tmp_path / "packages" / package.name).symlink_to(package)
    done = run(tmp_path / "bundle", tmp_path / "packages", cwd=tmp_path)
    assert done.returncode and done.stderr.strip().endswith("is missing: pip install ml_dtypes")
    assert "Traceback" not in done.stderr


def test_arrays_of_any_name_are_kept(tmp_path):
    types = {"file": "float32", "allow_pickle": "bool", "a/b": "bfloat16", "x": "int64"}
    specs = [{"name": name, "dtype": dtype} for name, dtype in types.items()]
    arrays = [np.arange(6).reshape(2, 3).astype(_numpy_dtype(spec["dtype"])) for spec in specs]
    write_arrays(tmp_path / "x.npz", specs, arrays)
    for written, read in zip(arrays, read_arrays(tmp_path / "x.npz", specs), strict=True):
        assert written.dtype == read.dtype and (written == read).all()


def test_from_python_with_arrays_of_any_layout(bundle, bare, image, expected, tmp_path):
    np.save(tmp_path / "image.npy", image)
    script = f"""
import sys; sys.path.insert(0, {str(bundle[0])!r})
import numpy as np
from run import Model
model = Model({str(bundle[0])!r})
image = np.load("image.npy")
shifted = np.frombuffer(b"1" + image.tobytes(), np.uint8)[1:].view(np.float32).reshape(image.shape)
for given in (image, np.asfortranarray(image), image.astype(np.float64), shifted, image.tolist()):
    np.save("out.npy", model.run(given)[0])
    np.testing.assert_array_equal(np.load("out.npy"), model.run(image)[0])
for wrong in (image[:, :2], image.astype(np.complex64)):
    try:
        model.run(wrong)
    except ValueError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(bare)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "input image has the shape [1, 2, 16, 16], compiled for [1, 3, 16, 16]",
        "input image has the type complex64, compiled for float32",
    ]
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("models", ["[Model(sys.argv[1])] * 4", "[Model(sys.argv[1]) for _ in range(4)]"])
def test_threads_share_a_model_or_have_their_own(bundle, bare, tmp_path, models):
    """A machine that is called while it works may crash: each is seen to do one inference at a time."""
    script = f"""
import sys, threading, time; sys.path.insert(0, sys.argv[1])
import numpy as np
from run import Model
models = {models}
images = np.random.default_rng(0).standard_normal((4, 1, 3, 16, 16)).astype(np.float32)
alone = [models[0].run(image)[0] for image in images]
models[0].profile([images[0]])
at_work, wrong = [], []

def watched(machine, main):
    def call(*given):
        at_work.append(machine)
        if at_work.count(machine) > 1:
            wrong.append("called while it works")
        time.sleep(0.001)  # lets others come
        done = main(*given)
        at_work.remove(machine)
        return done
    return call

for model in set(models):
    model._main = watched(model._vm, model._main)

def work(model, image, expected):
    for _ in range(50):
        if not (model.run(image)[0] == expected).all():
            wrong.append("another image's output")

threads = [threading.Thread(target=work, args=given) for given in zip(models, images, alone)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(str(wrong[:3]) if wrong else 0)
"""
    command = [sys.executable, "-S", "-c", script, str(bundle[0])]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(bare)}, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "after"), [("Model(sys.argv[2])", ""), ("import tvm", ""), ("", "import tvm; tvm.cpu().exist")]
)
def test_a_runtime_is_not_loaded_twice(bundle, image, tmp_path, before, after):
    """That of another bundle, or of TVM itself."""
    shutil.copytree(bundle[0], tmp_path / "other")
    np.save(tmp_path / "image.npy", image)
    script = f"""
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from run import Model
{before}
np.save("out.npy", Model(sys.argv[1]).run(np.load("image.npy"))[0])
{after}
"""
    command = [sys.executable, "-c", script, str(bundle[0]), str(tmp_path / "other")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "out.npy").shape == (1, 10)


def test_a_processor_that_lacks_a_feature_is_told(bundle, bare, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "bundle")
    path = tmp_path / "bundle" / "metadata.json"
    metadata = json.loads(path.read_text())
    assert run(tmp_path / "bundle", bare, cwd=tmp_path).stderr.count("lacks") == 0
    metadata["device"]["features"] = ["sse4.2", "avx9000"]
    path.write_text(json.dumps(metadata))
    done = run(tmp_path / "bundle", bare, cwd=tmp_path)
    assert done.returncode == 0
    assert "compiled for avx9000, which this processor lacks" in done.stderr


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_cpp_example(bundle, image, expected, tmp_path):
    shutil.copytree(bundle[0], tmp_path / "bundle")
    cpp = tmp_path / "bundle" / "cpp"
    made = subprocess.run(
        ["make", "-C", str(cpp), "CXXFLAGS=-O0 -Wall -Werror"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    image.tofile(tmp_path / "image.bin")
    program = str(cpp / "run_model")
    done = subprocess.run([program, "image.bin"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    for index, output in enumerate(expected):
        got = np.fromfile(tmp_path / f"output{index}.bin", np.float32).reshape(output.shape)
        np.testing.assert_allclose(got, output, rtol=1e-4, atol=1e-5)

    (tmp_path / "output0.bin").unlink()
    (tmp_path / "output0.bin").mkdir()
    full = subprocess.run([program, "image.bin"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert full.returncode == 1 and "output0.bin cannot be written" in full.stderr

    bench = subprocess.run([program, "--bench", "3"], capture_output=True, text=True, env={}, check=False)
    assert "ms median" in bench.stdout
    for repeats in ("0", "many"):
        none = subprocess.run([program, "--bench", repeats], capture_output=True, text=True, check=False)
        assert none.returncode == 1 and "number of 1 or more" in none.stderr
    (tmp_path / "short.bin").write_bytes(b"1234")
    short = subprocess.run([program, "short.bin"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert short.returncode == 1 and "must be a file of 3072 bytes" in short.stderr
    usage = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    assert usage.returncode == 0 and "--bench 20" in usage.stdout
    unknown = subprocess.run([program, "--benhc"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 1 and "no option --benhc" in unknown.stderr and "--bench 20" in unknown.stderr


def test_a_bare_linker_is_enough(work, tmp_path):
    """No compiler on the path: only ld."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ld").symlink_to(shutil.which("ld"))
    script = f"""
from pathlib import Path
from schedules import CPU, tvm
from pruner_engine.export.build import compile_model
from pruner_engine.export.library import write_library
from pruner_engine.frontends import load_model
from pruner_engine.tasks.prepare import prepare
model = load_model("matmul:16,16,16")
write_library(compile_model(prepare(model.mod, CPU), CPU), model, CPU, 1, Path({str(tmp_path)!r}))
"""
    env = {**os.environ, "PATH": str(tmp_path / "bin"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.so").is_file()
