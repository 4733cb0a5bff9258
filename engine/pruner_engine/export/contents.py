"""The parts of a bundle that come with the product: runner, C++ example, runtime libraries, licences."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pruner_engine.export import files
from pruner_engine.export.files.run import DLPACK, NOT_IN_NUMPY
from pruner_engine.targets.cpu import detect_host

FILES = Path(files.__file__).parent
# the extra one has what kernels call of TVM, such as sorts
_CPU = (("tvm_ffi", "libtvm_ffi.so"), ("tvm", "libtvm_runtime.so"), ("tvm", "libtvm_runtime_extra.so"))
_RUNTIME = {
    "cpu": _CPU,
    "cuda": (*_CPU, ("tvm", "libtvm_runtime_cuda.so")),
}


def add_contents(folder: Path, metadata: Mapping[str, Any]) -> None:
    """Fill a bundle's folder with all that does not depend on the schedules."""
    shutil.copy(FILES / "run.py", folder / "run.py")
    (folder / "README.txt").write_text(_read_me(metadata), "utf-8")
    for package, name in _RUNTIME[metadata["device"]["kind"]] if has_runtime(metadata) else ():
        (folder / "runtime").mkdir(exist_ok=True)
        shutil.copy(_package_dir(package) / "lib" / name, folder / "runtime" / name)
    _add_cpp(folder / "cpp", metadata)
    _add_licences(folder / "LICENSES")


def has_runtime(metadata: Mapping[str, Any]) -> bool:
    """Whether TVM's runtime libraries come with it: here are those of this architecture only."""
    return bool(metadata["device"]["arch"] == detect_host().arch)


def needs_of(metadata: Mapping[str, Any]) -> list[str]:
    """What pip has to install where the bundle is to run."""
    versions, specs = metadata["versions"], (*metadata["inputs"], *metadata["outputs"])
    packages = ["apache-tvm-ffi"] if has_runtime(metadata) else ["apache-tvm", "apache-tvm-ffi"]
    small = any(spec["dtype"] in NOT_IN_NUMPY for spec in specs)
    return ["numpy", *(f"{name}=={versions[name]}" for name in packages), *(["ml_dtypes"] if small else [])]


def _read_me(metadata: Mapping[str, Any]) -> str:
    """README.txt, as far as it is true of this bundle."""
    told, arch = (FILES / "README.txt").read_text("utf-8"), metadata["device"]["arch"]
    if not has_runtime(metadata):
        told = "".join(line for line in told.splitlines(keepends=True) if not line.startswith("  runtime/"))
        told += (
            f"\nIt was compiled on another kind of machine, without the TVM runtime libraries for {arch}. There:\n\n"
            f"  pip install {' '.join(needs_of(metadata))}\n\n"
            "The C++ program needs libtvm_ffi.so, libtvm_runtime.so and libtvm_runtime_extra.so of these packages in\n"
            "a folder runtime/ beside this file.\n"
        )
    if metadata.get("place", {}).get("why_not"):
        told += "\nIt has not been run yet: what it computes was not checked, how long it takes was not measured.\n"
    return told


def _add_cpp(folder: Path, metadata: Mapping[str, Any]) -> None:
    shutil.copytree(FILES / "cpp", folder)
    headers = _package_dir("tvm_ffi") / "include"
    for name in ("tvm", "dlpack"):
        shutil.copytree(headers / name, folder / "include" / name)
    (folder / "model.h").write_text(model_header(metadata), "utf-8")


def model_header(metadata: Mapping[str, Any]) -> str:
    """What the C++ example must know about the model, as a header."""
    weights = metadata.get("weights", {"file": "", "tensors": []})
    return "\n".join(
        [
            "// Inputs in the order of metadata.json, weights beside the library with their place in the file,",
            "// DLPack's number of the device, whether a GPU's work is recorded as graphs, default number of threads.",
            "#pragma once",
            "#include <cstdint>",
            "#include <vector>",
            "",
            "namespace model {",
            "struct Spec {",
            "  std::vector<int64_t> shape;",
            "  const char* dtype;",
            "  int64_t offset;",
            "};",
            *_specs("inputs", [{**spec, "offset": 0} for spec in metadata["inputs"]]),
            *_specs("weights", weights["tensors"]),
            f'inline constexpr const char* weights_file = "{weights["file"]}";',
            f"inline constexpr int device_type = {DLPACK[metadata['device']['kind']]};",
            f"inline constexpr bool graphs = {str(metadata.get('graphs', True)).lower()};",
            f"inline constexpr int threads = {metadata['threads']};",
            "}  // namespace model",
            "",
        ]
    )


def _specs(name: str, specs: list[dict[str, Any]]) -> list[str]:
    """Lines of C++ that hold shapes and types."""
    rows = [f'    {{{{{", ".join(map(str, spec["shape"]))}}}, "{spec["dtype"]}", {spec["offset"]}}},' for spec in specs]
    return [f"inline const std::vector<Spec> {name} = {{", *rows, "};"]


def _add_licences(folder: Path) -> None:
    folder.mkdir()
    for package in ("apache-tvm", "apache-tvm-ffi"):
        for file in distribution(package).files or []:
            if file.name in {"LICENSE", "NOTICE"} and ".dist-info" in file.parts[0]:
                shutil.copy(str(file.locate()), folder / f"{package}-{file.name}")


def _package_dir(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None and spec.submodule_search_locations, f"{name} is not installed"
    return Path(spec.submodule_search_locations[0])
