"""What a program that failed says of it is told in a line."""

import subprocess
import sys

import pytest

from pruner_engine.export.script import reason_in

RAISED = """
class Refused(Exception): pass
try:
    int("x")
except ValueError as error:
    raise Refused("it cannot be compiled:\\n  because of this\\n\\nSet VERBOSE=1 for more") from error
"""
ENDED = 'import sys; print("loading", file=sys.stderr); sys.exit("there is no such file")'


@pytest.mark.parametrize(
    ("program", "reason"), [(RAISED, "Refused: it cannot be compiled:"), (ENDED, "there is no such file")]
)
def test_the_exception_is_told_that_ended_a_program(program, reason):
    log = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False).stderr
    assert reason_in(log).removeprefix("__main__.") == reason


def test_a_program_that_said_nothing_has_no_reason():
    assert reason_in("\n") == ""
