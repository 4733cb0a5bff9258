"""The window of Pruner Studio. It never imports TVM or torch: those live in the engine's processes."""

import sys
from typing import Any

import PySide6.QtCore  # noqa: F401  brings its `support`

# PySide6 reads the source of whatever is imported after it, and keeps it in memory, to see whether the module could ask
# for its `__feature__` switches. Nothing here does, and a tenth of the start went into that reading.
_feature: Any = sys.modules["PySide6.support.feature"]
_feature._mod_uses_pyside = lambda module: False
