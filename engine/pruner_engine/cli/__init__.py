"""The terminal: everything that the window does, by the same engine."""

from pruner_engine.cli.main import main

__all__ = ["main"]
