"""The pre-flight tells whether a tuning would work, and what to do if not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pruner_engine.diagnostics import doctor
from pruner_engine.diagnostics.doctor import run_checks
from pruner_engine.processes.child import environment
from pruner_engine.requirements import OLDEST, TVM
from pruner_engine.targets import detect_gpus

NAMES = {"Python", "TVM", "TVM ffi", "PyTorch", "Linker", "Temporary files", "CPU", "Vector unit", "LLVM", "One kernel"}
NAMES |= {"Linker for boards", "NVIDIA driver", "CUDA compiler", "ONNX", "NumPy"}


@pytest.fixture(scope="module")
def report():
    """Of this machine."""
    return run_checks()


def test_a_machine_that_runs_these_tests_is_fit(report):
    assert report.ok
    assert {c.name for c in report.checks} >= NAMES
    assert "outputs right" in next(c for c in report.checks if c.name == "One kernel").value


PARTS = ("_software", "_plugins", "_machine", "_trial")


def diagnose(*parts, before="", **changes):
    """What the pre-flight says that has some of its parts only; all take seconds."""
    left_out = "".join(f"doctor.{part} = tuple; " for part in PARTS if part not in parts)
    code = f"import os, msgspec; from pruner_engine.diagnostics import doctor; {before}{left_out}"
    code += "print(msgspec.json.encode(doctor.run_checks()).decode())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(**changes), capture_output=True, text=True, check=True
    )
    report = json.loads(done.stdout)
    return report["ok"], {c["name"]: c for c in report["checks"]}


@pytest.fixture
def broken_torch(tmp_path) -> str:
    """A path on which a PyTorch lies whose libraries do not fit together."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text('raise ImportError("libtorch.so: undefined symbol: it")\n')
    return f"{tmp_path}:{environment()['PYTHONPATH']}"


def test_a_broken_tvm_is_told_with_what_to_do(tmp_path):
    (tmp_path / "tvm").mkdir()
    (tmp_path / "tvm" / "__init__.py").write_text("import os\nos.abort()\n")
    path = f"{tmp_path}:{environment()['PYTHONPATH']}"
    broken = f"doctor.environment = lambda: {{**os.environ, 'PYTHONPATH': {path!r}}}; "
    ok, checks = diagnose("_trial", before=broken)
    assert not ok and not checks["One kernel"]["ok"] and "could not import TVM" in checks["One kernel"]["value"]
    assert checks["One kernel"]["hint"] and checks["LLVM"]["hint"]


def test_a_gpu_that_is_not_here_is_no_failure_and_comes_with_a_sentence(report):
    checks = {c.name: c for c in report.checks}
    if not detect_gpus():
        assert not checks["NVIDIA driver"].ok and "GPU" in checks["NVIDIA driver"].hint
        assert "One kernel on the GPU" not in checks
    assert report.ok and not any(checks[name].needed for name in ("NVIDIA driver", "CUDA compiler"))


def test_libraries_of_another_version_than_needed_are_told(tmp_path):
    """Of a library that is found first, as one that another environment brings along."""
    for name, version in (("torch", "2.8.0+cpu"), ("onnx", "1.9.0"), ("numpy", "1.26.0"), ("apache_tvm", "0.26.0")):
        (tmp_path / f"{name}-{version}.dist-info").mkdir()
        (tmp_path / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    ok, checks = diagnose("_software", PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}")
    assert not ok
    assert checks["PyTorch"]["value"] == "2.8.0+cpu" and '"torch>=2.11"' in checks["PyTorch"]["hint"]
    assert not checks["ONNX"]["ok"] and "older" in checks["ONNX"]["hint"]
    assert checks["NumPy"]["ok"]
    assert not checks["TVM"]["ok"] and f'"apache-tvm=={TVM}"' in checks["TVM"]["hint"]


def test_a_library_that_cannot_be_loaded_is_told(broken_torch):
    ok, checks = diagnose("_software", PYTHONPATH=broken_torch)
    assert not ok and not checks["PyTorch"]["ok"]
    assert "undefined symbol" in checks["PyTorch"]["value"] and "anew" in checks["PyTorch"]["hint"]


def test_what_does_not_answer_is_told_with_what_it_was_doing(tmp_path, monkeypatch):
    """A library on a share that is gone, and a kernel that runs for ever."""
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "__init__.py").write_text("import time\ntime.sleep(600)\n")
    hanging = 'import time; print(\'{"stage": "build and run a kernel"}\', flush=True); time.sleep(600)'
    monkeypatch.setattr(
        doctor, "environment", lambda: environment(PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}")
    )
    monkeypatch.setattr(doctor, "module_command", lambda *_: [sys.executable, "-c", hanging])
    monkeypatch.setattr(doctor, "_TRIAL_LIMIT_S", 3)
    assert doctor._library("ONNX", "onnx").value.endswith("cannot be loaded: no answer within 3 s")
    assert doctor._selftest("auto")[1] == "could not build and run a kernel: no answer within 3 s"


def test_a_run_that_needs_it_says_so_in_a_sentence(broken_torch, tmp_path):
    command = ["tune", "matmul:16,16,16", "--trials", "2", "--project", str(tmp_path / "p.pruner")]
    done = subprocess.run(
        [sys.executable, "-m", "pruner_engine.cli", *command],
        env=environment(PYTHONPATH=broken_torch), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be loaded: libtorch.so: undefined symbol: it." in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_what_is_asked_for_is_what_pyproject_asks_for():
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for name, version in OLDEST.items():
        assert f'"{name}>={version}"' in project
    assert f'"apache-tvm=={TVM}"' in project


def test_a_missing_linker_and_compiler_are_told(tmp_path):
    # in every process: the one that tries a kernel would have zig compile its C library first
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['ziglang'] = None\n")
    ok, checks = diagnose(
        "_machine", "_trial", PATH=str(tmp_path), PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}"
    )
    compiler = checks["CUDA compiler"]
    # NVRTC is no program
    assert "NVRTC" in compiler["value"] if compiler["ok"] else "Install" in compiler["hint"]
    assert not ok and not checks["Linker"]["ok"] and "Install" in checks["Linker"]["hint"]
    kernel = checks["One kernel"]
    assert not kernel["ok"] and kernel["value"].endswith("No linker was found on this machine.")
    assert kernel["hint"] == checks["Linker"]["hint"]
    boards = checks["Linker for boards"]
    assert not boards["ok"] and not boards["needed"] and "lld" in boards["hint"]


def test_an_installed_plugin_that_fails_is_told(tmp_path):
    """Every question to an engine would end with it."""
    (tmp_path / "mine_2.py").write_text("import nothing_of_that_name")
    (about := tmp_path / "my_plugin-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pruner_studio.plugins]\nmine = mine_2\n")
    ok, checks = diagnose("_plugins", PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}")
    assert not ok
    assert checks["Plugin"]["value"].startswith("mine (mine_2): ModuleNotFoundError")
    assert checks["Plugin"]["hint"] == "Mend it, or take it away: pip uninstall my-plugin."
