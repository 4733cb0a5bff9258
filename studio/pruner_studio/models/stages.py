"""Which blocks of a nest fill or empty a cache, and in which memory it lies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pruner_studio.translation import tr

Node = dict[str, Any]


def walk(nodes: Iterable[Node]) -> Iterable[Node]:
    """All nodes of a tree, each before its children."""
    for node in nodes:
        yield node
        yield from walk(node["children"])


def stages(roots: Iterable[Node]) -> dict[int, str]:
    """What is to be told of a block beside its name, by its id.

    A cache is known by its buffer's name, which TVM makes of the buffer that it copies and the scope (`A_shared`,
    on CPUs `C_global`). The block that copies has the name of the cache.
    """
    nodes = list(walk(roots))
    scopes = {buffer["name"]: buffer["scope"] for node in nodes for buffer in node.get("allocs", ())}
    caches = {name for name, scope in scopes.items() if _is_cache(name, scope)}
    told: dict[int, str] = {}
    for node in nodes:
        written = [text.partition("[")[0] for text in node.get("writes", ())]
        name = node.get("name", "")
        if name in caches and written:
            told[node["id"]] = _copy(scopes[name], into=name in written)
            continue
        targets = [_place(target, scopes[target]) for target in written if _is_told(target, scopes, caches)]
        if targets:
            told[node["id"]] = "→ " + ", ".join(targets)
    return told


def _is_cache(name: str, scope: str) -> bool:
    return re.search(rf"_{re.escape(scope.replace('.', '_'))}(_\d+)?$", name.replace(".", "_")) is not None


def _is_told(target: str, scopes: dict[str, str], caches: set[str]) -> bool:
    """An intermediate result in global memory is a buffer like any other."""
    return target in caches or scopes.get(target, "global") != "global"


def _copy(scope: str, *, into: bool) -> str:
    stage = tr("cache read") if into else tr("cache write")
    return stage if scope == "global" else f"{stage} ({scope})"


def _place(target: str, scope: str) -> str:
    memory = tr("cache") if scope == "global" else scope
    return f"{target} ({memory})"
