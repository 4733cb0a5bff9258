"""Who may import whom."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# each may import from those before it, and from modules beside the packages
LAYERS = (
    "protocol", "processes", "lowering", "targets", "tasks", "frontends", "space", "draft", "verify", "adapt",
    "measure", "diagnostics", "store", "search", "inspect", "export", "jobs", "benchmarks", "reports", "cli",
)  # fmt: skip
HEAVY = ("tvm", "tvm_ffi", "torch", "xgboost", "onnx", "onnxruntime")


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "pruner_engine":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(folder, forbidden):
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in imports_of(path)
        if name.partition(".")[0] in forbidden
    ]


def test_the_engine_never_imports_qt():
    assert offenders("engine", ("PySide6", "pyqtgraph", "pruner_studio")) == []


def test_the_studio_never_imports_tvm_or_torch():
    assert offenders("studio", HEAVY) == []


STARTS = ["pruner_studio.main_window"]
STARTS += [
    f"pruner_engine.{name}"
    for name in (
        *("cli.main", "jobs.engine", "measure.workers.zygote", "measure.workers.spawn", "measure.boards.serving"),
        "targets.measuring",
    )
]


@pytest.mark.parametrize("module", STARTS)
def test_processes_start_without_the_heavy_libraries(module):
    """Also through what they import in turn: TVM comes by `import_tvm` and by nothing before it."""
    code = f"import sys, {module}; print(sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_strategies_that_learn_without_torch_are_loaded_without_it():
    code = "from pruner_engine.tvm_import import import_tvm; import_tvm(); import sys; "
    code += "from pruner_engine.jobs.commands.tune import SearchSettings, check_settings; "
    code += "[check_settings(name, SearchSettings()) for name in ('pruner', 'ansor', 'random', 'metaschedule')]; "
    code += "from pruner_engine.verify import create_model; create_model('xgb'); "
    code += "print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def test_the_packages_of_the_engine_are_layers():
    packages = [path.parent for path in (ROOT / "engine" / "pruner_engine").glob("*/__init__.py")]
    assert sorted(LAYERS) == sorted(package.name for package in packages)
    assert [
        f"{path.relative_to(ROOT)} imports {name}"
        for level, layer in enumerate(LAYERS)
        for path in sorted((ROOT / "engine" / "pruner_engine" / layer).rglob("*.py"))
        for name in imports_of(path)
        if name.startswith("pruner_engine.") and name.split(".")[1] in LAYERS[level + 1 :]
    ] == []


def test_the_documentation_names_every_package():
    readme, architecture = ((ROOT / name).read_text() for name in ("README.md", "docs/architecture.md"))
    folders = readme.partition("## Folders")[2]
    assert [layer for layer in LAYERS if f"{layer}/" not in folders or f"| `{layer}/` |" not in architecture] == []
    resources = folders.partition("resources/")[2].partition("\n")[0]
    assert [one.name for one in (ROOT / "resources").iterdir() if one.name not in resources] == []


def test_nothing_reads_pickles():
    """Model files, checkpoints and projects are hostile until checked: a pickle runs code when it is read."""
    modules = ("pickle", "cloudpickle", "dill", "shelve", "marshal")
    assert offenders("engine", modules) + offenders("studio", modules) == []


def test_the_window_starts_without_reading_the_source_of_what_it_imports():
    """PySide6 would, for a feature that nothing here uses; the reading took a tenth of the start."""
    code = "import linecache, pruner_studio.app, pyqtgraph; print([key for key in linecache.cache if 'graph' in key])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"
