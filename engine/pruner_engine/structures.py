"""Types of arguments and results that an exported PyTorch program names and that nothing has registered here.

A model of the Transformers library gives its outputs as a class of that library. PyTorch loads such a program only
where the library has been imported, whose code would run; a container that holds the same parts does as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any


class _Structure:
    """What a value of an unknown type holds.

    Attributes:
        parts: its children, tensors or other structures.
        context: what the archive tells of it besides; of most classes the names of the parts.
    """

    def __init__(self, parts: Iterable[Any], context: Any) -> None:
        self.parts, self.context = list(parts), context


def know_structures(archive: str | IO[bytes]) -> None:
    """Register the types that the program in a .pt2 archive takes or gives and that PyTorch does not know yet.

    Raises:
        Exception: whatever PyTorch's reader and Python raise for what is no such archive.
    """
    from torch.export.pt2_archive import constants
    from torch.export.pt2_archive._package import PT2ArchiveReader
    from torch.utils import _pytree

    with PT2ArchiveReader(archive) as reader:
        program = json.loads(reader.read_string(constants.MODELS_FILENAME_FORMAT.format("model")))
    signatures = [call["signature"] or {} for call in program["graph_module"]["module_call_graph"]]
    texts = [told[key] for told in signatures for key in ("in_spec", "out_spec") if told.get(key)]
    named = {name for text in texts for name in _types(json.loads(text)[1])}
    for name in named - _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.keys():
        made = type("Structure", (_Structure,), {})  # PyTorch tells the types by their classes
        _pytree.register_pytree_node(
            made,
            _flattened,
            made,
            serialized_type_name=name,
            to_dumpable_context=json.dumps,
            from_dumpable_context=_context,
            flatten_with_keys_fn=_flattened_with_places,
        )


def _types(structure: dict[str, Any]) -> Iterator[str]:
    """Names of the types of a structure of arguments or results and all its parts; a tensor's is none."""
    if structure["type"] is not None:
        yield structure["type"]
    for part in structure["children_spec"]:
        yield from _types(part)


def _context(told: Any) -> Any:
    """As the archive tells it, where PyTorch would import what is named in it."""
    try:
        return json.loads(told)
    except (TypeError, ValueError):  # written by the type's own library
        return told


def _flattened(value: _Structure) -> tuple[list[Any], Any]:
    return value.parts, value.context


def _flattened_with_places(value: _Structure) -> tuple[list[tuple[Any, Any]], Any]:
    from torch.utils._pytree import SequenceKey

    return [(SequenceKey(place), part) for place, part in enumerate(value.parts)], value.context
