"""The page about tuned models against the libraries that people use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pruner_engine.reports.page import render, write_page


def write_libraries(found: dict[str, Any], path: Path) -> None:
    """Write the page of what `summed_up` returned.

    Raises:
        UserError: `path` cannot be written.
    """
    names = list(dict.fromkeys(name for model in found["models"] for name in model["contenders"]))
    write_page(path, render("libraries.html", found=found, names=names))
