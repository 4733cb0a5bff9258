"""Programs that keep something from one call to the next, such as the keys and values of a sequence so far, or that
change their inputs in place.

A tuned library computes and keeps nothing: buffers that a program changes, and reads in later calls, are inputs here,
behind its own, and what becomes of them, and of inputs, are outputs behind its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from torch.export.graph_signature import InputKind, InputSpec, OutputKind, OutputSpec
from torch.fx import Node

_CHANGES = (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION)


def with_state_outside(program: Any) -> Any:
    """The `torch.export.ExportedProgram` without a state; it is no longer one that PyTorch would call.

    Buffers that no result depends on, such as counters, are left as they are.
    """
    signature, (*_, output) = program.graph_signature, program.graph_module.graph.nodes
    results = list(zip(signature.output_specs, output.args[0], strict=True))
    own = [result for result in results if result[0].kind not in _CHANGES]
    changes = [result for result in results if result[0].kind in _CHANGES]
    if not changes:
        return program
    state = _state([node for _, node in own], changes, signature.inputs_to_buffers)
    kept = [result for result in changes if result[0].target in {*state, *signature.user_inputs}]
    output.args = (tuple(node for _, node in own + kept),)
    signature.output_specs[:] = [spec for spec, _ in own] + [
        OutputSpec(OutputKind.USER_OUTPUT, spec.arg, spec.target) for spec, _ in kept
    ]
    inputs = signature.input_specs
    taken = [spec for spec in inputs if spec.kind is InputKind.BUFFER and spec.target in state]
    inputs[:] = [spec for spec in inputs if spec not in taken] + [
        InputSpec(InputKind.USER_INPUT, spec.arg, None) for spec in taken
    ]
    for target in state:  # buffers that are not saved with the weights are among the constants
        program.constants.pop(target, None)
    return program


def _state(own: list[Any], changes: list[Any], buffers: Mapping[str, str]) -> set[str]:
    """Names of the buffers that are changed and that results, or other such buffers, are computed from.

    Args:
        own: the program's results.
        changes: of buffers and inputs; what is known of each and what computes it.
        buffers: their names by those of their placeholders.
    """
    becomes = {spec.target: node for spec, node in changes}
    own = own + [node for target, node in becomes.items() if target not in buffers.values()]
    state: set[str] = set()
    read = _origins(own)
    while more := {buffers[name] for name in read if buffers.get(name) in becomes} - state:
        state |= more
        read |= _origins([becomes[target] for target in more])
    return state


def _origins(results: Iterable[Any]) -> set[str]:
    """Names of the placeholders that results are computed from."""
    found: set[Node] = set()
    left = [node for node in results if isinstance(node, Node)]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += node.all_input_nodes
    return {node.name for node in found if node.op == "placeholder"}
