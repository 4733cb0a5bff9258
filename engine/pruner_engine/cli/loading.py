"""What some commands load once they come to need it: it takes a second."""

from __future__ import annotations

from collections.abc import Sequence


def load_tvm_and_plugins(files: Sequence[str]) -> None:
    """Load TVM, and behind it the installed plugins and those in the files.

    Raises:
        UserError: a plugin cannot be loaded.
    """
    from pruner_engine.tvm_import import import_tvm

    import_tvm()
    from pruner_engine.plugins import load_plugins

    load_plugins(files)
