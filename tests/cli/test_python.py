"""The engine as a library: what docs/python.md shows works in a program that does nothing else before."""

import re
import subprocess
import sys
from pathlib import Path

PROGRAMS = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / "docs" / "python.md").read_text(), re.DOTALL)


def ran(number, folder, *args):
    (folder / "program.py").write_text(PROGRAMS[number])
    command = [sys.executable, "program.py", *args]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_parts_draft_and_measure(tmp_path):
    told = [line.split("\t") for line in ran(0, tmp_path, "matmul:64,64,64")]
    assert len({key for key, _ in told}) == 8
    assert all(re.fullmatch(r"\d+\.\d µs", text) for _, text in told)


def test_a_job_tunes_and_tells(tmp_path):
    assert ran(1, tmp_path)[-1].startswith("16 ")
    assert (tmp_path / "matmul.pruner").is_file()
