"""Compile a tuned model, check and measure it, and write it as a bundle that runs elsewhere."""

from pruner_engine.export.bundle import export_bundle

__all__ = ["export_bundle"]
