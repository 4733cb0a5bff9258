"""Refuse .pt2 archives that would run code or fill the memory when PyTorch loads them.

PyTorch unpickles some records without restriction, evaluates the symbolic expressions of a graph as Python (through
`sympy.sympify`), resolves an operator by walking attributes of the torch module, imports modules that the structure of
arguments or results names, and loads compiled libraries. The checks read the archive with PyTorch's own reader, so that
both see the same records, of sizes that only one directory can tell.
"""

from __future__ import annotations

import ast
import io
import json
import math
import re
from typing import Any

import torch
from torch.export.pt2_archive import constants
from torch.export.pt2_archive._package import PT2ArchiveReader

from pruner_engine.errors import UserError
from pruner_engine.frontends.torch.directory import unpacked_sizes

_TARGETS = re.compile(
    r"torch\.ops\.aten\.\w+(\.\w+)?|torch\.sym_\w+|math\.\w+"
    r"|torch\.ops\.quantized_decomposed\.(de)?quantize_per_(tensor|channel)(\.\w+)?"
    r"|torch\.ops\.torchao\.(choose_qparams|(de)?quantize)_affine(\.default)?"
    r"|torch\.ops\.(transformers\.grouped_mm_fallback|torchvision\.(deform_conv2d|roi_align))(\.default)?"
    r"|torch\.ops\.higher_order\.wrap_with_(set_grad_enabled|autocast)"  # of graphs that are checked like this one
    r"|_operator\.(getitem|add|sub|mul|floordiv|truediv|mod|neg|pow|eq|ne|lt|le|gt|ge|and_|or_|not_)"
)
_FUNCTIONS = {"Symbol", "Integer", "Float", "Rational", "Add", "Mul", "Pow", "Mod", "Max", "Min", "FloorDiv"}
_FUNCTIONS |= {"CleanDiv", "CeilDiv", "PythonMod", "Where", "Eq", "Ne", "Equality", "Unequality", "And", "Or", "Not"}
_FUNCTIONS |= {"GreaterThan", "LessThan", "StrictGreaterThan", "StrictLessThan", "Ge", "Le", "Gt", "Lt"}
_FUNCTIONS |= {"ToFloat", "FloatPow", "FloatTrueDiv", "IntTrueDiv", "PowByNatural"}  # of sizes: x.shape[1] ** 0.5
_FUNCTIONS |= {"TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt", "TruncToFloat"}
_NAMES = re.compile(r"[su]\d+|oo|int_oo|true|false")
_WORDS = {"Symbol": re.compile(r"\w{1,32}"), "Float": re.compile(r"-?\d{1,20}(\.\d{0,40})?(e[+-]?\d{1,3})?")}
_NODES = (
    *(ast.Expression, ast.Load, ast.Constant, ast.keyword),
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop),
)
_HINT = "Save it again with torch.export.save from a model of plain tensors."
_HINT_OF_CLASSES = (
    "Save it again with torch.export.save from a model of plain tensors, which torchao's unwrap_tensor_subclass makes "
    "of one that it quantised."
)
_OVERHEAD = 1 << 20
# What PyTorch's reader and the checks raise for what is in a file. An AttributeError or ImportError is not among them:
# that is another PyTorch than we know, about which the file can do nothing.
_OF_THE_FILE = (RuntimeError, AssertionError, ValueError, LookupError, TypeError, ArithmeticError)


def check_archive(content: bytes, name: str) -> None:
    """Raises UserError unless loading the archive builds tensors and a graph of ATen operators, and nothing else."""
    try:
        # torch.save stores without compression: more inside than outside is a decompression bomb
        if sum(unpacked_sizes(content)) > len(content) + _OVERHEAD:
            raise UserError(f"{name} unpacks to more than its own size.", _HINT)
        with PT2ArchiveReader(io.BytesIO(content)) as reader:
            _check(reader, name, len(content))
    except _OF_THE_FILE as error:
        raise UserError(f"{name} is not a torch.export archive, or it is damaged.", _HINT) from error


def _check(reader: PT2ArchiveReader, name: str, size: int) -> None:
    files = reader.get_file_names()
    models = [f for f in files if f.startswith(constants.MODELS_DIR)]
    if models != [constants.MODELS_FILENAME_FORMAT.format("model")]:
        raise UserError(f"{name} holds no single exported model.", _HINT)
    if any(f.startswith((constants.AOTINDUCTOR_DIR, constants.EXECUTORCH_DIR)) for f in files):
        raise UserError(f"{name} holds compiled code, which is not run.", _HINT)
    if any(f"{folder}model.pt" in files for folder in (constants.WEIGHTS_DIR, constants.CONSTANTS_DIR)):
        raise UserError(f"{name} is of an old format whose weights may hold code.", _HINT)
    _check_payload(_json(reader, constants.WEIGHTS_CONFIG_FILENAME_FORMAT.format("model")), name, size)
    _check_payload(_json(reader, constants.CONSTANTS_CONFIG_FILENAME_FORMAT.format("model")), name, size)
    _check_samples(reader.read_bytes(constants.SAMPLE_INPUTS_FILENAME_FORMAT.format("model")), name)
    _check_graph(_json(reader, models[0]), name)


def _json(reader: PT2ArchiveReader, file: str) -> Any:
    return json.loads(reader.read_string(file))


def _check_payload(config: dict[str, Any], name: str, size: int) -> None:
    for key, meta in dict(config["config"]).items():
        if meta["use_pickle"] or not str(meta["path_name"]).startswith(("weight_", "tensor_")):
            raise UserError(f'{name} keeps "{key}" in a form that may hold code.', _HINT_OF_CLASSES)
        sizes = [int(s["as_int"]) for s in meta["tensor_meta"]["sizes"]]
        if min(sizes, default=0) < 0 or math.prod(sizes) > max(size, 1):
            raise UserError(f'{name} is damaged: "{key}" is larger than the file.', _HINT)


def _check_samples(data: bytes, name: str) -> None:
    """PyTorch falls back to unrestricted unpickling when the restricted one fails, so that must not fail."""
    try:
        if data:
            torch.load(io.BytesIO(data), weights_only=True)
    except Exception as error:  # hostile bytes reach every corner of the unpickler
        raise UserError(f"The example inputs in {name} may hold code.", _HINT) from error


def _check_graph(value: Any, name: str) -> None:
    if isinstance(value, list):
        for item in value:
            _check_graph(item, name)
    elif isinstance(value, dict):
        if "expr_str" in value and not _plain_expression(value["expr_str"]):
            raise UserError(f"{name} holds an expression that is more than arithmetic.", _HINT)
        if "target" in value and "inputs" in value and not _TARGETS.fullmatch(str(value["target"])):
            raise UserError(f"{name} uses {value['target']}, which is not a plain ATen operator.", _HINT)
        for item in value.values():
            _check_graph(item, name)
        for structure in ("in_spec", "out_spec"):
            _check_structure(value.get(structure), name)


def _check_structure(value: Any, name: str) -> None:
    """Refuse a structure of arguments or results, JSON within JSON, for which PyTorch would import modules."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:  # a word, such as the name of a type
            return
    if isinstance(value, dict):
        if "__enum__" in value or value.get("default_factory_module", "builtins") not in ("builtins", "collections"):
            raise UserError(f"{name} takes or gives a structure of which code would be a part.", _HINT)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_structure(item, name)


def _plain_expression(text: Any) -> bool:
    """Whether `text` is arithmetic on symbols and numbers; only symbols and digits may be given as strings."""
    try:
        tree = ast.parse(str(text), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    words: dict[int, re.Pattern[str]] = {}
    return all(_plain_node(node, words) for node in ast.walk(tree))


def _plain_node(node: ast.AST, words: dict[int, re.Pattern[str]]) -> bool:
    """Walked parents first, so that `words` knows which constants may be text, and which."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _WORDS:
            words.update((id(arg), _WORDS[node.func.id]) for arg in node.args)
        return isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
    if isinstance(node, ast.Name):
        return node.id in _FUNCTIONS or bool(_NAMES.fullmatch(node.id))
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return id(node) in words and bool(words[id(node)].fullmatch(str(node.value)))
    return isinstance(node, _NODES)
