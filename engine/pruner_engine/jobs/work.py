"""The functions that carry out commands, each loaded with the libraries it needs when the first command asks for it."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable

from pruner_engine import protocol as msg
from pruner_engine.processes.loading import loading
from pruner_engine.tvm_import import import_tvm

# Module and function of each command: one that only looks at a schedule does not wait for the libraries that learn
_WORK = {
    msg.Tune: ("tune", "start"),
    msg.Resume: ("tune", "resume"),
    msg.Export: ("bundle", "export"),
    msg.ExportRecords: ("records", "export_records"),
    msg.ImportRecords: ("records", "import_records"),
    msg.ListBoards: ("fleet", "list_boards"),
    msg.Profile: ("profiles", "profile"),
    msg.CheckModel: ("questions", "check_model"),
    msg.Inspect: ("questions", "inspect"),
    msg.WhatIf: ("questions", "what_if"),
    msg.Verify: ("verdict", "verify"),
    msg.Try: ("trial", "try_row"),
    msg.Pin: ("trial", "pin_row"),
}


def work_of(command: msg.Command) -> Callable[..., None]:
    """The function that is given the command and its `JobContext`; TVM is loaded by the first that needs it."""
    module, function = _WORK[type(command)]
    name = f"pruner_engine.jobs.commands.{module}"
    if name not in sys.modules:
        with loading():
            import_tvm()
            importlib.import_module(name)
            gc.freeze()
    work: Callable[..., None] = getattr(sys.modules[name], function)
    return work
