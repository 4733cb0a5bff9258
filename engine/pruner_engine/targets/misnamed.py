"""What is said of a text that names no target: in what it differs from one, and what was perhaps meant."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from difflib import get_close_matches

from pruner_engine.errors import UserError, first_words

_KIND = re.compile(r'Target kind "(.*?)" is not defined', re.DOTALL)
_OPTION = re.compile(r"Unknown config option '(.*?)'\. Known options: (.*)")
_TYPE = re.compile(r"Option '(.*?)': expected type ")
_TAG = re.compile(r"Unknown target tag: (.*?)\. ")
_JSON = 'Such as {"kind":"llvm","mcpu":"znver4","num-cores":8}, or {"kind":"cuda","arch":"sm_90"}.'


def no_target(text: str, error: Exception, devices: Collection[str], others: Collection[str]) -> UserError:
    """What to tell of a target that could not be made.

    Args:
        text: as it was given.
        error: what TVM, or whoever read the text, said of it.
        devices: names of devices.
        others: further names that would do.
    """
    name = text.strip()
    hint = f'Use "auto" for this CPU, "cuda" for a GPU, a TVM target as JSON, or a device: {", ".join(devices)}.'
    if name.startswith(("{", "llvm ", "cuda ")):
        hint = _JSON
    elif near := get_close_matches(name.lower(), [*devices, *others], 1):
        hint = f'Perhaps "{near[0]}" is meant; `pruner targets` lists the names of devices.'
    return UserError(f'"{text}" is not a target: {_why(name, error)}', hint)


def _why(name: str, error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON from its character {error.pos + 1} on."
    said = str(error)
    if 'field "kind" is' in said.lower():  # missing, or no text
        return "it does not tell its kind, llvm or cuda."
    if found := _KIND.search(said):
        given = found[1] == name
        return "nothing has this name." if given else f'its kind "{found[1]}" is neither llvm nor cuda.'
    if name.partition(" ")[0] in ("llvm", "cuda"):
        return "options are given as JSON."
    return _why_not_its_options(said) or f"{first_words(error).partition(' Target creation from')[0].rstrip('.')}."


def _why_not_its_options(said: str) -> str:
    if found := _OPTION.search(said):
        if near := get_close_matches(found[1], re.findall(r"'(.*?)'", found[2]), 1):
            return f'no option is called "{found[1]}"; perhaps "{near[0]}" is meant.'
        return f'no option of this kind is called "{found[1]}".'
    if found := _TYPE.search(said):
        return f'the value of its option "{found[1]}" is of the wrong kind.'
    if found := _TAG.search(said):
        return f'there is no tag "{found[1]}".'
    return 'its option "arch" has to be such as sm_90.' if "invalid CUDA arch" in said else ""
