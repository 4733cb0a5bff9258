"""The engine's process: `python -m pruner_engine.jobs`."""

from __future__ import annotations

import contextlib
import os

from pruner_engine.jobs.engine import Engine
from pruner_engine.measure.workers.spare import keeping_a_spare


def main() -> None:
    with contextlib.suppress(BrokenPipeError), keeping_a_spare():  # nobody is left to hear the last events
        Engine().serve()
    # Native threads of TVM and torch would delay a normal exit by seconds
    os._exit(0)


if __name__ == "__main__":
    main()
