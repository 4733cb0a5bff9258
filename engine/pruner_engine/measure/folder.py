"""The folder in which kernels are built and from which they are loaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pruner_engine.errors import UserError


def refuse_noexec(folder: Path) -> None:
    """Say what the loader does not: it fails to map a library, as it does where memory is short.

    Raises:
        UserError: nothing may be loaded from `folder`.
    """
    if sys.platform == "linux" and os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise UserError(
            f"Candidates are built in {folder}, which is mounted noexec: no kernel can be loaded from there.",
            "Set TMPDIR to a folder on another disk.",
        )
