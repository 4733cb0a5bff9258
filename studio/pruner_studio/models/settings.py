"""Settings of a planned run, of which only those are kept that differ from the engine's defaults."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_studio.models.paths import is_file
from pruner_studio.said import all_said
from pruner_studio.translation import tr

DEFAULTS = structs.asdict(SearchSettings()) | {"without_rules": []}


def whole(settings: dict[str, Any]) -> dict[str, Any]:
    """Every setting, as by default where it is not named.

    Raises:
        UserError: a setting is unknown or out of range.
    """
    given = structs.asdict(settings_from(settings))
    return given | {"without_rules": list(given["without_rules"])}


def changes(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that differ from the defaults, as a new run takes them."""
    if not given["rpc"]:
        given = given | {"rpc_key": ""}  # which boards says nothing without a tracker
    return {name: value for name, value in given.items() if value != DEFAULTS[name]}


def hindrance(settings: dict[str, Any]) -> str:
    """Why no run can be made with them; empty where one can."""
    try:
        _ = settings_from(settings).tracker
    except UserError as error:
        return all_said(error.message, error.hint)
    for name, missing in (
        ("checkpoint", tr("There is no pre-trained model {path}.")),
        ("start_from", tr("There is no project {path}.")),
    ):
        path = settings.get(name, "")
        if path and not is_file(path):
            return missing.format(path=path)
    return ""
