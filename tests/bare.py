"""The environment of processes that find no PyTorch: TVM's own import it, which takes seconds, and do not use it."""

from __future__ import annotations

import os
from pathlib import Path

from pruner_engine.processes import child

_FOLDER = Path(__file__).parent / "no_torch"


def environment() -> dict[str, str]:
    paths = [str(_FOLDER), child.environment()["PYTHONPATH"]]
    return child.environment(PYTHONPATH=os.pathsep.join(paths))
