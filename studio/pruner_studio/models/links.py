"""Which instructions of a replayed trace belong to which loops and blocks of a nest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

Node = dict[str, Any]
_Identity = tuple[str, frozenset[str]]  # type and name; names of the blocks inside


class Links:
    """Between a nest and the steps up to it.

    A loop is the same in two nests when it has the same name and a block inside in common: names alone repeat, and
    blocks move. The blocks that a reduction is split into count as the block that they come from.
    """

    def __init__(self, replay: dict[str, Any]) -> None:
        self._steps = replay["steps"]
        self._known = [_identities(roots) for roots in replay["trees"]]
        self._below = _below(replay["trees"][self._steps[-1]["tree"]])
        self._in_the_end = self.at(len(self._steps) - 1)[1]

    def became(self, step: int) -> list[int]:
        """Nodes of the finished nest that a step worked on."""
        return self._in_the_end[step]

    def inside(self, numbers: Collection[int]) -> set[int]:
        """Nodes of the finished nest, with all that lies in them."""
        found = set(numbers)
        for number, below in self._below.items():
            if number in found:
                found |= below
        return found

    def remains(self, shown: int, number: int) -> list[int]:
        """What a node of the nest after step `shown` is in the finished nest: none where it was split or fused away."""
        tree, last = self._steps[shown]["tree"], self._steps[-1]["tree"]
        if tree == last:
            return [number]
        (name, inside), finished = self._known[tree][number], self._known[last]
        return [at for at, (same, within) in finished.items() if same == name and inside & within]

    def at(self, shown: int) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Links of the nest after step `shown`.

        Returns:
            The steps that worked on each node, ascending, and the nodes that each step worked on.
        """
        nodes = self._known[self._steps[shown]["tree"]]
        by_name = defaultdict(list)
        for number, (name, inside) in nodes.items():
            by_name[name].append((number, inside))
        steps_of: dict[int, list[int]] = {number: [] for number in nodes}
        nodes_of: dict[int, list[int]] = {}
        for at, step in enumerate(self._steps[: shown + 1]):
            then = self._known[step["tree"]]
            touched = [then[number] for number in step["touched"]]
            nodes_of[at] = sorted(
                {number for name, inside in touched for number, within in by_name[name] if inside & within}
            )
            for number in nodes_of[at]:
                steps_of[number].append(at)
        return steps_of, nodes_of


def _below(roots: list[Node]) -> dict[int, set[int]]:
    """Of each node the ones inside it."""
    found: dict[int, set[int]] = {}

    def visit(node: Node) -> set[int]:
        found[node["id"]] = set[int]().union(*({child["id"]} | visit(child) for child in node["children"]))
        return found[node["id"]]

    for root in roots:
        visit(root)
    return found


def _identities(roots: list[Node]) -> dict[int, _Identity]:
    found: dict[int, _Identity] = {}

    def visit(node: Node) -> frozenset[str]:
        inside = frozenset[str]().union(*(visit(child) for child in node["children"]))
        name = node.get("name") or node["condition"]
        if node["type"] == "block":
            name = name.removesuffix("_init").removesuffix("_update")
            inside |= {name}
        found[node["id"]] = (f"{node['type']} {name}", inside)
        return inside

    for root in roots:
        visit(root)
    return found
