"""The terminal: everything that the window does, by the same engine."""

import sys

from pruner_engine.errors import STOPPED

try:
    from pruner_engine.cli.main import main
except KeyboardInterrupt:  # what is imported takes the better part of a command's first second
    print(f"pruner: {STOPPED}", file=sys.stderr)  # noqa: T201  whatever prints in colours is still to be imported
    sys.exit(3)

__all__ = ["main"]
