"""From a model file, or the name of a built-in workload, to a Relax module with concrete shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tvm

from pruner_engine.errors import UserError
from pruner_engine.frontends import tvmscript_file
from pruner_engine.frontends.importing import refuse_beyond_memory
from pruner_engine.frontends.model import LoadedModel, ModelFacts, bind, bind_dims, declared_inputs, signature
from pruner_engine.frontends.model_file import ModelFile
from pruner_engine.frontends.shares import shares_of
from pruner_engine.frontends.workloads import WORKLOADS, build_workload, is_workload
from pruner_engine.model_names import KINDS, kind_of_file
from pruner_engine.protocol import ModelChecked, ModelInput
from pruner_engine.tasks.rewrites.halves import coarsest_float
from pruner_engine.tasks.rewrites.quantised import rounds_to_bytes
from pruner_engine.whole_files import read_whole

__all__ = ["WORKLOADS", "LoadedModel", "ModelFacts", "check_model", "load_model"]

_SAVED_BY_TORCH = (".pt", ".pth", ".ckpt", ".safetensors")


def load_model(
    source: str,
    inputs: Mapping[str, Sequence[int]] | None = None,
    *,
    fixed: Sequence[str] = (),
    allow_code: bool = False,
    content: bytes | Callable[[], bytes] | None = None,
) -> LoadedModel:
    """Load a model.

    Args:
        source: path of an .onnx, .pt2, .tflite or TVMScript (.py) file, or a workload such as "matmul:512,512,512".
        inputs: shapes by input name; needed for inputs with dynamic dimensions.
        fixed: "name=value" of inputs of an ONNX model that become constants of it, and of its `file`.
        allow_code: agree to run the Python code of a TVMScript file.
        content: load from these bytes, or from what gives them again and again; `source` then only names the model.

    Raises:
        UserError: the file is broken, foreign, too large, or a shape is missing.
    """
    kind, read = _kind(source), _opened(source, content, allow_code, inputs or {}, fixed)
    mod = read.with_shapes(bind_dims(read.declared, inputs or {}))
    specs = signature(mod, read.outputs, read.inputs)
    return LoadedModel(
        name=source if kind == "workload" else Path(source).stem,
        kind=kind,
        source=source,
        file=read.file,
        mod=mod,
        inputs=specs[0],
        outputs=specs[1],
        coarsest=coarsest_float(mod),
        rounds=rounds_to_bytes(mod),
        shares=shares_of(mod),
    )


def check_model(source: str, *, allow_code: bool = False) -> ModelChecked:
    """Look at a model without preparing it: its inputs, with names for the dimensions that must be given.

    Raises:
        UserError: as `load_model`.
    """
    read = _opened(source, None, allow_code, {})
    return ModelChecked(model=source, kind=_kind(source), inputs=read.declared, bytes=read.file.size)


@dataclass(frozen=True)
class _Opened:
    """A model as it was read, of open shapes perhaps.

    Attributes:
        file: the file itself.
        declared: its inputs.
        with_shapes: the Relax module of concrete shapes by input name.
        inputs, outputs: what the file calls them ("input.1" is no name to TVM); empty where the module knows.
    """

    file: ModelFile
    declared: list[ModelInput]
    with_shapes: Callable[[dict[str, tuple[int, ...]]], tvm.IRModule]
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()


def _opened(
    source: str,
    content: bytes | Callable[[], bytes] | None,
    allow_code: bool,
    given: Mapping[str, Sequence[int]],
    fixed: Sequence[str] = (),
) -> _Opened:
    """Arguments and errors are those of `load_model`."""
    kind, name = _kind(source), Path(source).stem
    if fixed and kind != "onnx":
        raise UserError("Only inputs of ONNX models can be given a value.", "Give it where the model is exported.")
    if kind == "workload":
        mod = build_workload(source)
        return _Opened(ModelFile.of(source.encode()), declared_inputs(mod), partial(bind, mod))
    place = Path(source).absolute() if content is None else None
    again: Callable[[], bytes] | None = None
    if not isinstance(content, bytes):
        again = content or partial(_read, source)
        content = again()
    if kind == "onnx":
        return _onnx(content, name, place, again, fixed)
    file = ModelFile.of(content, again)
    if kind == "pt2":
        from pruner_engine.frontends.torch import file as pt2_file

        program = pt2_file.to_relax(content, name, given)
        return _Opened(file, program.declared, program.with_shapes, outputs=program.outputs)
    if kind == "tflite":
        return _tflite(content, name, file)
    mod = tvmscript_file.parse(content, name, allow_code=allow_code)
    return _Opened(file, declared_inputs(mod), partial(bind, mod))


def _onnx(
    content: bytes, name: str, place: Path | None, again: Callable[[], bytes] | None, fixed: Sequence[str]
) -> _Opened:
    from pruner_engine.frontends.onnx import file as onnx_file
    from pruner_engine.frontends.onnx import importer as onnx_importer

    folder = None if place is None else place.parent
    parsed = onnx_file.parse(content, name, folder, fixed)
    if parsed.parts and place is not None:
        file = ModelFile.in_place(place, parsed.size, parsed.sha256)
    else:
        file = ModelFile.of(parsed.content, None if again is None else partial(_whole_onnx, again, name, folder, fixed))
    declared = onnx_file.declared_inputs(parsed.model)
    return _Opened(
        file,
        declared,
        partial(onnx_importer.to_relax, parsed.model, name, weights=parsed.weights),
        inputs=[one.name for one in declared],
        outputs=onnx_file.output_names(parsed.model),
    )


def _whole_onnx(read: Callable[[], bytes], name: str, folder: Path | None, fixed: Sequence[str]) -> bytes:
    from pruner_engine.frontends.onnx import file as onnx_file

    return onnx_file.parse(read(), name, folder, fixed).content


def _tflite(content: bytes, name: str, file: ModelFile) -> _Opened:
    from pruner_engine.frontends.tflite import file as tflite_file
    from pruner_engine.frontends.tflite import importer as tflite_importer

    model = tflite_file.parse(content, name)
    return _Opened(
        file,
        model.declared,
        partial(tflite_importer.to_relax, model, name),
        inputs=[one.name for one in model.declared],
        outputs=model.outputs,
    )


def _kind(source: str) -> str:
    if is_workload(source):
        return "workload"
    if kind := kind_of_file(source):
        return kind
    if source.endswith(".pruner"):
        raise UserError(f'"{source}" is a project, no model.', "`pruner resume` goes on with its run.")
    if Path(source).suffix.lower() in _SAVED_BY_TORCH:
        raise UserError(
            f"{Path(source).name} holds what PyTorch saves of a model: its weights, and no program.",
            'Export the model: `torch.export.save(torch.export.export(model.eval(), (x,)), "model.pt2")`.',
        )
    if Path(source).is_file():
        raise UserError(
            f"{Path(source).name} is of no kind of model that can be read.",
            f"Files end in {', '.join(KINDS)}; other frameworks write .onnx, too.",
        )
    raise UserError(
        f'"{source}" is neither a model file nor a built-in workload.',
        f"Files end in {', '.join(KINDS)}; workloads are {', '.join(WORKLOADS)}, such as matmul:512,512,512.",
    )


def _read(source: str) -> bytes:
    path = Path(source)
    try:
        refuse_beyond_memory(path.name, path.stat().st_size)
        content = read_whole(path)
    except OSError as error:
        raise UserError(
            f"{source} cannot be read: {error.strerror}.", "Check its permissions, or choose another file."
        ) from error
    if not content:
        raise UserError(f"{path.name} is empty.", "Export the model again.")
    return content
