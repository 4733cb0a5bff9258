"""ONNX models into Relax: what TVM's importer lacks or gets wrong is written in other operators first."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Mapping, Sequence

import onnx
import tvm
from onnx import TensorProto, helper
from tvm.relax.frontend.onnx import from_onnx

from pruner_engine.errors import UserError, of_surroundings
from pruner_engine.frontends.importing import importing, reason_of, with_reason
from pruner_engine.frontends.onnx.aside import Weight, with_weights
from pruner_engine.frontends.onnx.converters import known_operators, own_converters
from pruner_engine.frontends.onnx.fused.quantised_products import with_real_layers
from pruner_engine.frontends.onnx.graph.nodes import Nodes, attributes_of, nodes_within, replaced
from pruner_engine.frontends.onnx.graph.simplified import inlined, simplified, with_shapes_behind
from pruner_engine.frontends.onnx.graph.values import called
from pruner_engine.frontends.onnx.operators.corrections import corrected
from pruner_engine.frontends.onnx.operators.quantised import dequantised
from pruner_engine.frontends.onnx.unrolled.branches import choosers, chosen
from pruner_engine.frontends.onnx.unrolled.loops import has_loops, unrolled
from pruner_engine.frontends.onnx.unrolled.recurrent import has_recurrent, write_out
from pruner_engine.tasks.graph import extents_of, fields_of

_LOOPS = 16  # one within another, or one behind another whose steps follow from its outcome


def to_relax(
    model: onnx.ModelProto, name: str, shapes: Mapping[str, tuple[int, ...]], weights: Sequence[Weight] = ()
) -> tvm.IRModule:
    """The model as a Relax module with weights as constants.

    Args:
        weights: what is kept aside of it.

    Raises:
        UserError: it uses what TVM's importer cannot do.
    """
    for output in model.graph.output:
        kind = output.type.WhichOneof("value")
        if kind not in (None, "tensor_type") or output.type.tensor_type.elem_type == TensorProto.STRING:
            raise UserError(f'Output "{output.name}" is not a tensor of numbers.', "Export it with outputs that are.")
    with importing(name):
        fixed = _with_shapes(model, shapes, weights)
        with _asking_for_choices(fixed):
            mod = _imported(_in_known_operators(fixed), name, shapes)
    mod = with_weights(mod, weights)
    _check_outputs(mod, model, name, fixed)
    return mod


@contextlib.contextmanager
def _asking_for_choices(model: onnx.ModelProto) -> Iterator[None]:
    """A refusal of a model that chooses by its inputs hints at tuning it for one choice."""
    try:
        yield
    except UserError as error:
        if not (names := choosers(model)):
            raise
        raise UserError(
            error.message,
            f"The model chooses by {', '.join(names)}: tune it for one value, such as --fix {names[0]}=1.",
        ) from error


def _imported(model: onnx.ModelProto, name: str, shapes: Mapping[str, tuple[int, ...]]) -> tvm.IRModule:
    """What TVM's importer makes of it."""
    _refuse_unknown(model)
    try:
        with own_converters():
            return from_onnx(model, shape_dict={k: list(v) for k, v in shapes.items()}, keep_params_in_input=False)
    except Exception as error:  # a converter raises what its Python code happens to
        if of_surroundings(error) is not None or not (node := _node_in(error)):
            raise
        raise UserError(
            with_reason(f"{name} has a {node} in a form that cannot be imported", reason_of(error)),
            "Export it with another version of the operators, or without that operator.",
        ) from error


def _refuse_unknown(model: onnx.ModelProto) -> None:
    """Raises UserError where the model has nodes that are not converted."""
    known = known_operators()
    nodes = [node for node in nodes_within(model.graph) if node.op_type not in known]
    if nodes:
        raise UserError(
            f"The model computes {', '.join(dict.fromkeys(map(called, nodes)))}, which cannot be imported.",
            "Export it with another version of the operators, or without that operator.",
        )


def _with_shapes(
    model: onnx.ModelProto, shapes: Mapping[str, tuple[int, ...]], aside: Sequence[Weight]
) -> onnx.ModelProto:
    """A copy of the model whose inputs have these shapes, and are no weights but, behind all others, those aside."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    # before version 4 weights had to be inputs too, and rewriting would leave those behind as inputs without a weight
    fixed.ir_version = max(model.ir_version, 4)
    weights = {w.name for w in model.graph.initializer}
    del fixed.graph.input[:]
    fixed.graph.input.extend(value for value in model.graph.input if value.name not in weights)
    for value in fixed.graph.input:
        if value.name in shapes:
            del value.type.tensor_type.shape.dim[:]
            for extent in shapes[value.name]:
                value.type.tensor_type.shape.dim.add().dim_value = extent
    fixed.graph.input.extend(weight.declared for weight in aside)
    return fixed


def _in_known_operators(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without what TVM's importer lacks or gets wrong.

    Raises:
        UserError: that can be said in no other operators.
    """
    model = simplified(with_real_layers(chosen(inlined(model))))
    for _ in range(_LOOPS):
        if not has_loops(model):
            break
        model = simplified(inlined(unrolled(model)))
    if has_recurrent(model):
        model = simplified(write_out(model))  # again: their weights are constants in another shape
    return replaced(corrected(with_shapes_behind(dequantised(model), model)), _split_sum)


def _node_in(error: Exception) -> str:
    """What TVM's importer was at when it raised this, which it does not say; "" where it was at none."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    found = (frame.f_locals.get("node") for frame in frames if frame.f_code.co_name == "_construct_nodes")
    return next((called(node) for node in found if isinstance(node, onnx.NodeProto)), "")


def _check_outputs(mod: tvm.IRModule, model: onnx.ModelProto, name: str, fixed: onnx.ModelProto) -> None:
    """Raises UserError where the importer made an output of another shape or type than the file says.

    Of poolings whose windows may begin in the padding behind the image files say more than there are: ONNX has counted
    such windows, which neither PyTorch nor ONNX Runtime makes. Other files say what their operators do not make, as
    exporters of old have traced it: ONNX Runtime warns, and runs them.

    Args:
        fixed: the model of concrete shapes, before anything was written in other operators.
    """
    miscounted = any(map(_may_begin_behind, nodes_within(model.graph)))
    for place, (declared, ty) in enumerate(zip(model.graph.output, fields_of(mod["main"].ret_ty), strict=False)):
        tensor, made = declared.type.tensor_type, extents_of(ty)
        if made is None:
            continue
        said = [dim.dim_value for dim in tensor.shape.dim] if tensor.HasField("shape") else made
        alike = len(said) == len(made) and all(
            s <= 0 or s == m or (miscounted and s > m) for s, m in zip(said, made, strict=True)
        )
        dtype = str(ty.dtype)
        kind = str(helper.tensor_dtype_to_np_dtype(tensor.elem_type)) if tensor.elem_type else dtype
        if kind != dtype or not (alike or _made_shape(fixed, place) == made):
            pair = (f"{dtype} {made}", f"{kind} {said}")
            raise UserError(
                f'{name} cannot be imported rightly: "{declared.name}" would be {pair[0]}, the file says {pair[1]}.',
                "Export it with another version of the operators.",
            )


def _made_shape(fixed: onnx.ModelProto, place: int) -> list[int]:
    """The shape of an output as ONNX infers it from the operators alone; 0 where it is unknown."""
    silent = onnx.ModelProto()
    silent.CopyFrom(fixed)
    for output in silent.graph.output:
        output.type.tensor_type.ClearField("shape")
    del silent.graph.value_info[:]
    known = onnx.shape_inference.infer_shapes(simplified(inlined(silent)), data_prop=True)
    return [dim.dim_value for dim in known.graph.output[place].type.tensor_type.shape.dim]


def _may_begin_behind(node: onnx.NodeProto) -> bool:
    form = attributes_of(node) if node.op_type.endswith("Pool") else {}
    return bool(form.get("ceil_mode")) and any(form.get("pads", ()))


def _split_sum(nodes: Nodes, node: onnx.NodeProto) -> bool:
    """Write a Sum as Adds: ConvertLayout only knows the latter."""
    many = node.op_type == "Sum" and len(node.input) > 1
    if many:
        nodes.named(nodes.sum(*node.input), node.output[0])
    return many
