"""Our scripts that run a model, each in a process of its own: native code that crashes there does no harm here."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.export.contents import FILES
from pruner_engine.export.files import run as runner
from pruner_engine.processes.child import environment
from pruner_engine.processes.lifetime import die_with_parent
from pruner_engine.processes.waiting import is_readable

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts

TIMEOUT_S = 900.0
_POLL_S = 0.1

Look = Callable[[], None]
"""Called again and again while something is waited for; what it raises ends that."""


def unseen() -> None:
    """Nobody looks."""


class Script:
    """A script at work on a model's inputs; a context manager that ends it.

    Args:
        script: one of `FILES` and its arguments, to which files of inputs and outputs are added.
        request: one line of text for its standard input.
        limit_s: seconds after which it is waited for no more; a quarter of an hour if not given.
    """

    def __init__(
        self,
        script: Sequence[str],
        request: str,
        model: ModelFacts,
        inputs: Sequence[np.ndarray],
        threads: int,
        limit_s: float | None = None,
    ) -> None:
        self._limit_s = limit_s or TIMEOUT_S
        name, *arguments = script
        # unbound, as measurements and bundles run
        env = {
            "TVM_BIND_THREADS": "0",
            **environment(),
            "TVM_NUM_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
        }
        self._outputs = [spec.as_json() for spec in model.outputs]
        with contextlib.ExitStack() as ends:
            self._scratch = Path(ends.enter_context(tempfile.TemporaryDirectory()))
            given, made = str(self._scratch / "inputs.npz"), str(self._scratch / "outputs.npz")
            runner.write_arrays(given, [spec.as_json() for spec in model.inputs], inputs)
            # a pipe that nobody empties meanwhile would stop it
            log = ends.enter_context((self._scratch / "log").open("wb"))
            self._process = subprocess.Popen(
                [sys.executable, str(FILES / name), *arguments, "--inputs", given, "--outputs", made],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                env=env,
                # an engine that is killed must not leave a library behind that keeps the device busy
                preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509  which locks nothing
            )
            ends.enter_context(self._process)
            ends.callback(self._process.kill)
            self._tell(f"{request}\n")
            self._ends = ends.pop_all()

    def settle(self, look: Look = unseen) -> None:
        """Wait until it waits to be told to go on, or has ended.

        Raises:
            UserError: it takes too long.
        """
        told = self._process.stdout
        assert told is not None
        self._wait(lambda: is_readable(told, _POLL_S), look)

    def outcome(self, look: Look = unseen) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Have it go on to its end: what it printed, and the outputs.

        Raises:
            UserError: it fails, crashes or takes too long.
        """
        self.settle(look)
        self._tell("\n")
        told = b""

        def has_ended() -> bool:
            nonlocal told
            try:
                told, _ = self._process.communicate(timeout=_POLL_S)
            except subprocess.TimeoutExpired:
                return False
            return True

        self._wait(has_ended, look)
        code = self._process.returncode
        if code < 0:
            raise UserError(f"It crashed with signal {-code}.")
        if code:
            log = (self._scratch / "log").read_text(errors="replace")
            raise UserError(f"It failed: {reason_in(log)}")
        try:
            report = json.loads(told)
        except ValueError as error:
            said = told.decode(errors="replace").strip()
            raise UserError(f"It printed what is no result: {said[:200]}") from error
        return report, runner.read_arrays(str(self._scratch / "outputs.npz"), self._outputs)

    def close(self) -> None:
        """End the process."""
        self._ends.close()

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended; how it did is its outcome
            self._process.stdin.write(text.encode())

    def _wait(self, is_over: Callable[[], bool], look: Look) -> None:
        deadline = time.monotonic() + self._limit_s
        while not is_over():
            look()
            if time.monotonic() > deadline:
                raise UserError(f"It did not finish within {self._limit_s:g} s.")


def reason_in(log: str) -> str:
    """What a program says went wrong: the exception of its last traceback, without the rest of it, or its last line."""
    lines = log.strip().splitlines()
    behind = list(dropwhile(lambda line: not line.startswith("Traceback "), reversed(lines)))
    raised = lines[len(behind) :] if behind else []
    return next((line for line in raised if line and not line[0].isspace()), " ".join(lines[-1:]))
