"""Fills the templates of HTML pages; everything that comes from files is escaped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pruner_engine import __version__
from pruner_engine.errors import UserError
from pruner_engine.library_names import called
from pruner_engine.replacing import PAGE, refuse_other, write_whole
from pruner_engine.resources import resource_dir
from pruner_engine.units import duration, latency, percent, ratio


def render(template: str, **values: Any) -> str:
    """The page as HTML text that refers to nothing outside itself."""
    # autoescape is on whatever the template's name: names of files, tasks and devices are other people's text
    environment = Environment(
        loader=PackageLoader("pruner_engine.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(called=called, latency=latency, duration=duration, ratio=ratio, percent=percent)
    themes = {
        name: json.loads((resource_dir() / "themes" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("light", "dark")
    }
    return environment.get_template(template).render(themes=themes, version=__version__, **values)


def write_page(path: Path, html: str) -> None:
    """Raises UserError where it cannot be written, or would replace what is no page."""
    refuse_other(path, PAGE)
    try:
        write_whole(path, html.encode(errors="backslashreplace"))  # names of files need not be UTF-8
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Choose another place.") from error
