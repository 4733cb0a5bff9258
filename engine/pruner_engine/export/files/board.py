"""Run a bundle's library on a board of a tracker, as run.py runs it here: same inputs, same kind of report.

    board.py --bundle FOLDER --inputs INPUTS.npz --outputs OUTPUTS.npz

The first line of standard input is a JSON request: {"host", "port", "key" (of the fleet), "wait_s", "limit_s",
"threads", "repeats"}. Writes {"repeats", "threads"} to standard output.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from run import _numpy_dtype, read_arrays, write_arrays  # type: ignore[import-not-found]  # lies beside this script

from pruner_engine.measure.workers.process import error_of
from pruner_engine.tvm_import import import_tvm

_REPEAT_S = 0.02
_AT_MOST_S = 10.0
_BIG_CORES = 1  # all, on most machines


def run_on_board(
    folder: Path, metadata: dict[str, Any], inputs: list[np.ndarray], request: dict[str, Any]
) -> tuple[dict[str, Any], list[Any]]:
    """The report and the outputs of the first inference, by a session that is closed at the end."""
    from tvm.relax import VirtualMachine

    from pruner_engine.measure.boards.rpc import board_session
    from pruner_engine.measure.workers.wire import Fleet

    fleet = Fleet(request["host"], request["port"], request["key"], request["wait_s"])
    session = board_session(fleet, request["limit_s"])
    session.get_function("runtime.config_threadpool")(_BIG_CORES, request["threads"])
    session.upload(str(folder / "model.so"))
    device = session.device(metadata["device"]["kind"], 0)
    machine = VirtualMachine(session.load_module("model.so"), device)
    machine.set_input("main", *_sent([*inputs, *_weights(folder, metadata)], device))
    machine.invoke_stateful("main")
    outputs = [tensor.numpy() for tensor in _leaves(machine.get_outputs("main"))]
    report = {
        "repeats": _timed(machine, device, request["repeats"]),
        "threads": int(session.get_function("runtime.NumThreads")()),
    }
    return report, outputs


def _sent(arrays: Iterable[np.ndarray], device: Any) -> list[Any]:
    import tvm

    return [tvm.runtime.tensor(np.ascontiguousarray(array), device) for array in arrays]


def _weights(folder: Path, metadata: dict[str, Any]) -> Iterable[np.ndarray]:
    """Those that stand beside the library, in the order in which it takes them."""
    beside = metadata.get("weights", {"tensors": []})
    for spec in beside["tensors"]:
        dtype = _numpy_dtype(spec["dtype"])
        count = math.prod(spec["shape"])
        data = np.fromfile(folder / beside["file"], dtype, count, offset=spec["offset"])
        yield data.reshape(spec["shape"])


def _leaves(result: Any) -> Iterable[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from _leaves(part)
    else:
        yield result


def _timed(machine: Any, device: Any, repeats: int) -> list[float]:
    """Seconds of one inference, by the board's own clock, so that the network is not in them."""
    once = float(machine.time_evaluator("invoke_stateful", device, number=1)("main").mean)
    number = max(1, round(_REPEAT_S / max(once, 1e-9)))
    most = max(1, min(repeats, math.floor(_AT_MOST_S / max(once * number, 1e-9))))
    timed = machine.time_evaluator("invoke_stateful", device, number=number, repeat=most)("main")
    return [float(second) for second in timed.results]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--bundle", "--inputs", "--outputs"):
        parser.add_argument(name, type=Path)
    options, request = parser.parse_args(), json.loads(sys.stdin.readline())
    metadata = json.loads((options.bundle / "metadata.json").read_text("utf-8"))
    import_tvm()
    try:
        inputs = read_arrays(options.inputs, metadata["inputs"])
        report, outputs = run_on_board(options.bundle, metadata, inputs, request)
    except Exception as failure:  # whatever a board or the network between may do to a session
        message = error_of(failure)[1]
    else:
        write_arrays(options.outputs, metadata["outputs"], outputs)
        json.dump(report, sys.stdout)
        message = ""
    # TVM's server takes a connection that just breaks off for its own failure: what holds the session goes first
    gc.collect()
    if message:
        raise SystemExit(" ".join(message.splitlines()))


if __name__ == "__main__":
    main()
