"""Programs that draw random numbers: TVM's importer would make constants of them, or zeros."""

from __future__ import annotations

from typing import Any

import torch


def refuse_random(program: Any) -> None:
    """Raises ValueError where a `torch.export.ExportedProgram` reads random numbers."""
    for node in program.graph_module.graph.nodes:
        if node.users and torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise ValueError(f"it draws random numbers ({node.target})")
