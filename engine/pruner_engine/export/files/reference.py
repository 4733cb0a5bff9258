"""Run a model file in ONNX Runtime or PyTorch, as run.py runs a bundle: same inputs, same clock.

Reads a JSON request from standard input: {"library", "model", "inputs", "outputs" (.npz paths), "input_specs",
"output_specs", "threads", "repeats"}. Writes {"repeats", "version"} to standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from run import measure, read_arrays, write_arrays  # type: ignore[import-not-found]  # lies beside this script


def onnxruntime_call(request: dict[str, Any], arrays: list[np.ndarray]) -> tuple[Callable[[], list[np.ndarray]], str]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = request["threads"]
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(request["model"], options, providers=["CPUExecutionProvider"])
    feed = {node.name: value for node, value in zip(session.get_inputs(), arrays, strict=True)}
    return lambda: session.run(None, feed), onnxruntime.__version__


def torch_call(request: dict[str, Any], arrays: list[np.ndarray]) -> tuple[Callable[[], list[np.ndarray]], str]:
    import torch

    torch.set_num_threads(request["threads"])
    module = torch.export.load(request["model"]).module()
    if request["library"] == "torch.compile":
        import torch._inductor.config

        torch._inductor.config.freezing = True  # weights are constants, as in the other libraries
        module = torch.compile(module)
    tensors = [torch.from_numpy(value) for value in arrays]

    def call() -> list[np.ndarray]:
        with torch.inference_mode():
            result = module(*tensors)
        return [out.numpy() for out in (result if isinstance(result, tuple | list) else [result])]

    return call, torch.__version__


def main() -> None:
    request = json.load(sys.stdin)
    prepare = {"onnxruntime": onnxruntime_call, "torch": torch_call, "torch.compile": torch_call}[request["library"]]
    call, version = prepare(request, read_arrays(request["inputs"], request["input_specs"]))
    write_arrays(request["outputs"], request["output_specs"], call())
    json.dump({"repeats": measure(call, request["repeats"]), "version": version}, sys.stdout)


if __name__ == "__main__":
    main()
