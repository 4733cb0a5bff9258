"""The bundle's program: which of its names does what, and that as `python` it runs what Python runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pruner_engine.processes.child import environment, module_command

FROZEN = Path(__file__).resolve().parents[2] / "packaging" / "frozen.py"
TELLS = "import sys\nprint(__name__, sys.argv[1:], *sys.stdin)\nsys.exit(7)\n"


@pytest.fixture
def started(tmp_path):
    """Starts the program by one of its names."""

    def start(name, *words, **options):
        (tmp_path / name).symlink_to(FROZEN)
        command = [sys.executable, str(tmp_path / name), *map(str, words)]
        env = environment()
        env["PYTHONPATH"] += f"{os.pathsep}{tmp_path}"
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False, **options)

    return start


def test_modules_are_run_as_the_engine_starts_them(started, tmp_path):
    (tmp_path / "tells.py").write_text(TELLS)
    done = started("python", *module_command("tells", "a", "-b")[1:], input="said")
    assert (done.stdout, done.returncode) == ("__main__ ['a', '-b'] said\n", 7)


def test_modules_are_run_as_tvm_starts_them(started, tmp_path):
    (tmp_path / "tells.py").write_text(TELLS)
    done = started("python", "-m", "tells", "3", "4", input="")
    assert (done.stdout, done.returncode) == ("__main__ ['3', '4']\n", 7)


def test_scripts_are_run_with_their_neighbours(started, tmp_path):
    folder = tmp_path / "exported"
    folder.mkdir()
    (folder / "beside.py").write_text("WORD = 'beside'\n")
    (folder / "run.py").write_text("import beside, sys\nprint(beside.WORD, __name__, sys.argv[1:])\n")
    assert started("python", folder / "run.py", "--bench").stdout == "beside __main__ ['--bench']\n"


def test_processes_of_multiprocessing_are_spawned(started, tmp_path):
    (tmp_path / "spawns.py").write_text(
        "import multiprocessing, os\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.apply(os.path.basename, ['a/b']))\n"
    )
    done = started("python", tmp_path / "spawns.py")
    assert (done.stdout, done.stderr) == ("b\n", "")


@pytest.mark.parametrize("words", [(), ("--wrong",)])
def test_as_python_it_says_what_it_runs(started, words):
    done = started("python", *words)
    assert done.returncode == 2 and "-m MODULE" in done.stderr


@pytest.mark.parametrize("name", ["pruner", "pruner-studio", "pruner-of-mine"])
def test_by_its_other_names_it_is_a_command(started, name):
    done = started(name, "--version")
    assert done.returncode == 0
    assert done.stdout.startswith("pruner-studio, version" if name == "pruner-studio" else "pruner, version")


def test_what_it_starts_is_itself_as_python(started):
    done = started("python", "-c", "import sys; print(sys.executable)")
    assert Path(done.stdout.strip()) == Path(sys.executable).with_name("python")
