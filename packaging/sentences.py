"""The sentences that engines say to a reader, collected from their source: the window knows them by these.

Prints resources/translations/engine.json; with `--literals`, what `make translations` collects.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pruner_engine

_SAYING = {"UserError", "StoppedError", "Agreement", "Check", "Notice", "notice", "on_notice", "Timing", "quarantine"}
_SAYING |= {"Phase", "on_phase", "remind"}
_SAID = {"reason", "message", "hint", "done", "learned_from"}  # whatever is called with it
_ALL = "draft/reasons.py"  # where every text is said
_TERMINAL = {"benchmarks", "cli", "inspect", "reports"}  # what is said in there is seldom said to a window
_FEWEST = 4  # letters by which a sentence is known

Values = Mapping[str, Sequence[ast.expr]]


def collected() -> list[str]:
    """Each with {0}, {1} for what varies, in the order of the engine's files."""
    root, found = Path(pruner_engine.__file__).parent, dict[str, None]()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in _TERMINAL:
            module = ast.parse(path.read_text(encoding="utf-8"))
            found |= dict.fromkeys(_every(module) if name.as_posix() == _ALL else _said(module))
    return [text for text in found if sum(map(str.isalpha, text)) >= _FEWEST and (" " in text or text[0].isupper())]


def _said(module: ast.Module) -> Iterator[str]:
    """What calls are given to be said, and what tells why."""
    values = _assigned(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            says = getattr(node.func, "id", getattr(node.func, "attr", "")) in _SAYING
            words = [word.value for word in node.keywords if says or word.arg in _SAID]
            for argument in (*(node.args if says else ()), *words):
                yield from _texts(argument, values)
        elif isinstance(node, ast.FunctionDef) and node.name.lstrip("_").startswith(("why", "hint")):
            for returned in (part.value for part in ast.walk(node) if isinstance(part, ast.Return)):
                yield from _texts(returned, values) if returned is not None else ()


def _every(module: ast.Module) -> Iterator[str]:
    """Each text with a word that stands in one: names have none, and docstrings are for others."""
    inside = {id(part) for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    docs = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and id(node) not in inside | docs):
            yield from (text for text in _texts(node, {}) if " " in text.strip())


def _assigned(module: ast.Module) -> Values:
    """What each name of a module is given anywhere in it."""
    values = defaultdict[str, list[ast.expr]](list)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        values[name.id].append(value)
    return values


def _texts(said: ast.expr, values: Values) -> Iterator[str]:
    """What an expression may become."""
    match said:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            holes = iter(range(len(parts)))
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else f"{{{next(holes)}}}" for part in parts)
            for part in parts:
                if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name | ast.IfExp):
                    yield from _texts(part.value, values)
        case ast.IfExp(body=one, orelse=other):
            yield from (*_texts(one, values), *_texts(other, values))
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _texts(part, values)
        case ast.Call(func=ast.Attribute(value=text, attr="strip")):
            yield from _texts(text, values)
        case ast.Name(id=name):
            others = {other: given for other, given in values.items() if other != name}  # it may be made of itself
            for value in values.get(name, ()):
                yield from _texts(value, others)


def literals() -> str:
    """Python code that gives each to `tr`: Qt collects texts from code only."""
    return "".join(f"tr({text!r})\n" for text in collected())


if __name__ == "__main__":
    told = literals() if "--literals" in sys.argv else json.dumps(collected(), indent=0, ensure_ascii=False) + "\n"
    sys.stdout.write(told)
