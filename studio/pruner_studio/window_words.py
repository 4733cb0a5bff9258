"""Options and commands of a terminal, as the window has them: what its engines advise is done in the window, too."""

from __future__ import annotations

import re

from pruner_engine.measure.advice import advice
from pruner_studio.help import help_of
from pruner_studio.translation import tr

OF_TERMINALS = re.compile(
    r"`(?P<command>[^`]+)`"
    r"|--set (?P<setting>\w+)=(?P<value>[\w.]*\w)"
    r"|--(?:fix|input) (?P<given>\S+=\S*[^\s.,])"
    r"|--(?P<option>[a-z-]+)"
)
_SETTINGS = {
    "dtype": "dtype",
    "start-from": "start_from",
    "checkpoint": "checkpoint",
    "rpc": "rpc",
    "key": "rpc_key",
    "without": "without_rules",
}
_FIELDS = {
    "target": tr("Target"),
    "trials": tr("Trials"),
    "minutes": tr("Minutes"),
    "plugin": tr("Plugins"),
    "allow-code": tr("Run this file"),
    "same-device": tr("On this device"),
}
_PLACES = {
    "doctor": tr("“Check again” on Start"),
    "boards": tr("“Boards” on Devices"),
    "targets": tr("“Devices”"),
    "profile": tr("“Devices”"),
    "tasks": tr("“Tasks”"),
    "status": tr("“Compare”"),
    "resume": tr("“Resume” or “Go on…”"),
    "steer PROJECT stop": tr("“Stop”"),
}


def in_the_window(sentence: str) -> str:
    """A sentence with the fields, buttons and pages of the window in place of what a terminal has for them.

    What only a terminal does stays.
    """
    return OF_TERMINALS.sub(_here, sentence)


def advice_of(stage: str, error: str) -> str:
    """What to do about a failed trial, in the user's language: what the terminal tells too, in words of the window."""
    return in_the_window(tr(advice(stage, error)))


def _here(found: re.Match[str]) -> str:
    if command := found["command"]:
        program, _, rest = command.partition(" ")
        if program.startswith("--"):
            return _field(program[2:]) or found[0]
        return _PLACES.get(rest.removesuffix(" --run"), found[0]) if program == "pruner" else found[0]
    if setting := found["setting"]:
        told = tr("{value} for “{title}” in the settings on Start")
        return told.format(value=found["value"], title=_title(setting))
    if given := found["given"]:
        return tr("{value} beside the model").replace("{value}", given)  # which may have holes of its own
    return _field(found["option"]) or found[0]


def _field(option: str) -> str:
    """What an option is called in the window; empty where it has none of it."""
    title = _title(_SETTINGS[option]) if option in _SETTINGS else _FIELDS.get(option, "")
    return tr("“{title}”").format(title=title) if title else ""


def _title(setting: str) -> str:
    term = help_of(f"setting.{setting}")
    return term.title if term else setting
