"""Run a model file in ONNX Runtime, PyTorch or LiteRT, as run.py runs a bundle: same inputs, same clock.

    reference.py --inputs INPUTS.npz --outputs OUTPUTS.npz

The first line of standard input is a JSON request: {"library", "kind" (of the model), "name", "model" (path),
"input_specs", "output_specs", "threads", "repeats", "device", "dtype"}. Loads library and model, writes an empty line
to standard output, and waits for a second line before anything is run: until then others may work. Then writes
{"repeats", "version"} there, and nothing else: what libraries print goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from run import measure, read_arrays, write_arrays  # type: ignore[import-not-found]  # lies beside this script

# what runs once, what fetches the outputs of the last run, the library's version
Prepared = tuple[Callable[[], None], Callable[[], list[np.ndarray]], str]


def onnx_file(request: dict[str, Any]) -> str:
    """Path of the model as an ONNX file: an exported program goes the way that PyTorch offers its users, once."""
    _provider(request)  # before a conversion that would be for nothing
    path: str = request["model"]
    if request["kind"] == "onnx":
        return path
    converted = Path(f"{path}.onnx")
    if not converted.exists():
        import torch

        torch.onnx.export(_exported(path), dynamo=True).save(str(converted), external_data=True)
    return str(converted)


def _provider(request: dict[str, Any]) -> str:
    """ONNX Runtime's name for what runs kernels on the device."""
    import onnxruntime

    provider = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}[request["device"]]
    if provider not in onnxruntime.get_available_providers():
        raise SystemExit(f"this installation of ONNX Runtime does not run on {request['device']}")
    return provider


def onnxruntime_call(request: dict[str, Any], file: str, arrays: list[np.ndarray]) -> Prepared:
    """The model in ONNX Runtime, on these inputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = request["threads"]
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # TensorFloat32 keeps ten bits of the products' operands, which would be called float32 and compared with float32
    choices = {"use_tf32": str(int(request["dtype"] != "float32"))} if request["device"] == "cuda" else {}
    session = onnxruntime.InferenceSession(file, options, providers=[(_provider(request), choices)])
    # inputs and outputs stay on the device, as those of the other libraries do
    binding = session.io_binding()
    for node, value in zip(session.get_inputs(), arrays, strict=True):
        binding.bind_ortvalue_input(node.name, onnxruntime.OrtValue.ortvalue_from_numpy(value, request["device"]))
    for node in session.get_outputs():
        binding.bind_output(node.name, request["device"])

    call = functools.partial(_run_in_onnxruntime, session, binding, arrays)
    return call, binding.copy_outputs_to_cpu, onnxruntime.__version__


def _run_in_onnxruntime(session: Any, binding: Any, _read: list[np.ndarray]) -> None:
    """Run a session; what it reads is read where it is, and has to be kept, which no binding does."""
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()


def tflite_file(request: dict[str, Any]) -> str:
    """Path of the model."""
    if request["device"] != "cpu":
        raise SystemExit(f"LiteRT does not run here on {request['device']}")
    importlib.import_module("ai_edge_litert.interpreter")
    path: str = request["model"]
    return path


def litert_call(request: dict[str, Any], file: str, arrays: list[np.ndarray]) -> Prepared:
    """The model in LiteRT, on these inputs."""
    from importlib.metadata import version

    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(file, num_threads=request["threads"])
    inputs = [detail["index"] for detail in interpreter.get_input_details()]
    for index, value in zip(inputs, arrays, strict=True):
        interpreter.resize_tensor_input(index, value.shape)
    interpreter.allocate_tensors()
    for index, value in zip(inputs, arrays, strict=True):
        interpreter.set_tensor(index, value)
    outputs = [detail["index"] for detail in interpreter.get_output_details()]

    def fetch() -> list[np.ndarray]:
        return [interpreter.get_tensor(index) for index in outputs]

    return interpreter.invoke, fetch, version("ai-edge-litert")


def _exported(path: str) -> Any:
    """An exported program, also one of quantised tensors, whose operators PyTorch has in a module of their own or
    torchao has, or one with torchvision's operators or with that of experts and the types of outputs in the
    Transformers library."""
    import torch.export

    from pruner_engine.affine_quantisation import OPERATORS
    from pruner_engine.structures import know_structures

    for library in ("torch.ao.quantization.fx._decomposed", "torchvision"):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    for name, (schema, function) in OPERATORS.items():
        torch.library.define(f"torchao::{name}", schema)
        torch.library.impl(f"torchao::{name}", "CompositeImplicitAutograd", function)
    torch.library.define("transformers::grouped_mm_fallback", "(Tensor input, Tensor weight, Tensor offs) -> Tensor")
    torch.library.impl("transformers::grouped_mm_fallback", "default", _product_of_groups)
    know_structures(path)
    return torch.export.load(path)


def _product_of_groups(x: Any, weights: Any, ends: Any) -> Any:
    """Group by group, as that library does it."""
    made, first = x.new_zeros(x.shape[0], weights.shape[2]), 0
    for weight, end in zip(weights, ends.tolist(), strict=True):
        made[first:end] = x[first:end] @ weight
        first = end
    return made


def torch_program(request: dict[str, Any]) -> Any:
    """The model as PyTorch has it: an exported program, or the module of a workload."""
    if request["kind"] != "workload":
        return _exported(request["model"])
    from operators import operator  # type: ignore[import-not-found]  # lies beside this script

    return operator(request["name"])


def torch_call(request: dict[str, Any], program: Any, arrays: list[np.ndarray]) -> Prepared:
    """The model in PyTorch, on these inputs."""
    import torch
    from torch.utils._pytree import tree_leaves, tree_map

    torch.set_num_threads(request["threads"])
    # as in ONNX Runtime; for convolutions PyTorch has it switched on
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = request["dtype"] != "float32"
    gpu = request["device"] == "cuda"
    if gpu and not torch.cuda.is_available():
        raise SystemExit("this installation of PyTorch does not run on cuda")
    if request["kind"] == "workload":
        module, arguments, signature = program, _workload_arguments(request, arrays), None
    else:
        if gpu:
            from torch.export.passes import move_to_device_pass

            program = move_to_device_pass(program, "cuda")  # also where the program itself names the CPU
        module, arguments = program.module(), _arguments(program, arrays)
        signature = _signature_of_state(program, request)
    state = _state(signature, module, request["input_specs"], arrays) if signature else []
    if request["library"] == "torch.compile":
        module = _compiled(module, "max-autotune" if gpu else None)
    # products in a smaller type, as in the tuned model
    mixed = torch.autocast(request["device"], getattr(torch, request["dtype"]), enabled=request["dtype"] != "float32")
    given, named = tree_map(lambda value: _tensor(value, request["device"]), arguments)
    changed = _changed(signature, tree_leaves((given, named)), state) if signature else []
    results: list[Any] = []

    def call() -> None:
        with torch.inference_mode(), mixed:
            for _, buffer, value in state:
                buffer.copy_(value)
            results[:] = [module(*given, **named)]
        if gpu:
            torch.cuda.synchronize()

    def fetch() -> list[np.ndarray]:
        return [_array(out) for out in tree_leaves([results, changed]) if isinstance(out, torch.Tensor)]

    return call, fetch, torch.__version__


def _compiled(module: Any, mode: str | None) -> Any:
    import torch._inductor.config

    torch._inductor.config.freezing = True  # weights are constants, as in the other libraries
    return torch.compile(module, mode=mode)


def _workload_arguments(request: dict[str, Any], arrays: list[np.ndarray]) -> tuple[Any, Any]:
    """The arrays as tensors on the device, as a model keeps them."""
    from operators import arranged  # lies beside this script

    return arranged(request["name"], [_tensor(array, request["device"]) for array in arrays]), {}


def _arguments(program: Any, arrays: list[np.ndarray]) -> tuple[Any, Any]:
    """The arrays in the order and under the names that an exported program was called with: it takes no other call.

    What was no tensor is there again as it was then.
    """
    from torch.export.graph_signature import ConstantArgument, InputKind
    from torch.utils._pytree import tree_unflatten

    specs = [spec.arg for spec in program.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    left = iter(arrays)
    leaves = [spec.value if isinstance(spec, ConstantArgument) else next(left) for spec in specs]
    called = program.call_spec.in_spec
    if called is None:
        return leaves, {}
    given, named = tree_unflatten(leaves, called)
    return given, named


def _signature_of_state(program: Any, request: dict[str, Any]) -> Any:
    """What tells buffers and inputs that the program changes in place; None where a library has none of them."""
    from torch.export.graph_signature import InputKind, OutputKind, TensorArgument

    own, kinds = program.graph_signature, (InputKind.USER_INPUT, OutputKind.USER_OUTPUT)
    tensors = [spec.kind for spec in (*own.input_specs, *own.output_specs) if isinstance(spec.arg, TensorArgument)]
    if [len(request["input_specs"]), len(request["output_specs"])] == [tensors.count(kind) for kind in kinds]:
        return None
    return program.run_decompositions({}).graph_signature  # as exported, a program does not say


def _state(signature: Any, module: Any, specs: list[Any], arrays: list[np.ndarray]) -> list[tuple[str, Any, Any]]:
    """Buffers that a library of the program takes as inputs: each with its name, and what it holds before a call."""
    names = signature.inputs_to_buffers
    given = [(names[spec["name"]], array) for spec, array in zip(specs, arrays, strict=True) if spec["name"] in names]
    held = [(name, module.get_buffer(name), array) for name, array in given]
    return [(name, buffer, _tensor(array, buffer.device)) for name, buffer, array in held]


def _changed(signature: Any, leaves: list[Any], state: list[tuple[str, Any, Any]]) -> list[Any]:
    """Inputs and buffers that the program changes in place, in its order: a library has outputs for them."""
    from torch.export.graph_signature import InputKind

    own = [spec.arg.name for spec in signature.input_specs if spec.kind is InputKind.USER_INPUT]
    held = {**dict(zip(own, leaves, strict=True)), **{name: buffer for name, buffer, _ in state}}
    return [held[spec.target] for spec in signature.output_specs if spec.target in held]


def _tensor(value: Any, device: Any) -> Any:
    """An input; what is no array stays as it is."""
    import torch

    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.name == "bfloat16":  # which PyTorch takes from no array
        return torch.from_numpy(value.view(np.int16)).view(torch.bfloat16).to(device)
    return torch.from_numpy(value).to(device)


def _array(tensor: Any) -> np.ndarray:
    """An output; small floats, of which numpy lacks some, as float32: the reader knows the type that it should have."""
    small = tensor.is_floating_point() and tensor.element_size() < 4
    array: np.ndarray = (tensor.float() if small else tensor).cpu().numpy()
    return array


def _own_stdout() -> Any:
    """Standard output as a file of our own; what else is written there, by native code too, goes to stderr."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


# how each loads a model, and what calls it then
_LIBRARIES: dict[str, tuple[Callable[..., Any], Callable[..., Prepared]]] = {
    "onnxruntime": (onnx_file, onnxruntime_call),
    "litert": (tflite_file, litert_call),
}


def main() -> None:
    told = _own_stdout()
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs")
    parser.add_argument("--outputs")
    files, request = parser.parse_args(), json.loads(sys.stdin.readline())
    gc.disable()  # what libraries bring along stays: to look for garbage among it only costs
    load, prepare = _LIBRARIES.get(request["library"], (torch_program, torch_call))
    model = load(request)
    print(file=told, flush=True)
    if not sys.stdin.readline():
        return  # who asked is gone
    call, fetch, version = prepare(request, model, read_arrays(files.inputs, request["input_specs"]))
    gc.freeze()
    gc.enable()
    call()
    write_arrays(files.outputs, request["output_specs"], fetch())
    json.dump({"repeats": measure(call, request["repeats"]), "version": version}, told)
    told.flush()


if __name__ == "__main__":
    main()
