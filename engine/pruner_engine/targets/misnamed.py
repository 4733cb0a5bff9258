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
OF_THIS_CPU = ("auto", "cpu", "llvm")  # names of its target
OF_A_GPU = ("cuda", "gpu")
_KINDS = ("llvm", "cuda")  # that can be tuned for
_JSON = 'Such as {"kind":"llvm","mcpu":"znver4","num-cores":8}, or {"kind":"cuda","arch":"sm_90"}.'


def no_target(text: str, why: str, devices: Collection[str], tags: Collection[str] = ()) -> UserError:
    """What to tell of a text that names no target, and what was perhaps meant.

    Args:
        text: as it was given.
        why: what it lacks; ends the sentence.
        devices: names of devices.
        tags: names that TVM has for targets.
    """
    return UserError(f'"{text}" is not a target: {why}', _hint(text.strip(), devices, tags))


def why_not(text: str, devices: Collection[str]) -> str:
    """Why a text is no target, whatever TVM knows; empty for what may be one."""
    name = text.strip()
    return _why_not_by_its_kind(name) if name.startswith("{") else _why_not_by_its_name(name, devices)


def why_not_for_tvm(name: str, error: Exception) -> str:
    """Why a text that may be a target is none, from what TVM, or whoever read it, said."""
    said = str(error)
    if found := _KIND.search(said):
        return "nothing has this name." if found[1] == name else f'its kind "{found[1]}" is neither llvm nor cuda.'
    return _why_not_its_options(said) or f"{first_words(error).partition(' Target creation from')[0].rstrip('.')}."


def _hint(name: str, devices: Collection[str], tags: Collection[str]) -> str:
    if name.startswith("{") or (" " in name and name.partition(" ")[0] in _KINDS):
        return _JSON
    if near := get_close_matches(name.lower(), [*devices, *OF_THIS_CPU, "cuda", *tags], 1):
        return f'Perhaps "{near[0]}" is meant; `pruner targets` lists the names of devices.'
    return f'Use "auto" for this CPU, "cuda" for a GPU, a TVM target as JSON, or a device: {", ".join(devices)}.'


def _why_not_by_its_kind(name: str) -> str:
    """Of JSON; a tag tells its kind, too."""
    try:
        given = json.loads(name)
    except json.JSONDecodeError as error:
        return f"it is no JSON from its character {error.pos + 1} on."
    except RecursionError:
        return "it is nested too deeply."
    kind = given.get("kind")
    if "tag" in given or kind in _KINDS:
        return ""
    if not isinstance(kind, str):
        return "it does not tell its kind, llvm or cuda."
    return f'its kind "{kind}" is neither llvm nor cuda.'


def _why_not_by_its_name(name: str, devices: Collection[str]) -> str:
    """Tags of TVM have a slash: only TVM knows which there are."""
    known = name in OF_THIS_CPU or name.partition(":")[0] in OF_A_GPU or name.lower() in devices
    if known or "/" in name:
        return ""
    if name.partition(" ")[0] in _KINDS:
        return "options are given as JSON."
    return "no device has this name, and it is neither llvm nor cuda."


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
