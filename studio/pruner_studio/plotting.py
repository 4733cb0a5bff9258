"""pyqtgraph, imported without a copy of all of Qt; modules that draw with it take `pg` from here.

Its module Qt copies whatever QtCore, QtGui and QtWidgets hold into modules of its own. PySide6 makes a class or an enum
when it is first asked for, so that copy makes hundreds that nobody uses: most of the time that the import takes. Here
the copies get one attribute only, the function that Python asks for what a module lacks (PEP 562).

What nobody here uses of its items and widgets, half of the rest with what it brings along, stays away.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets


@contextlib.contextmanager
def _copied_when_asked_for() -> Iterator[None]:
    held = [vars(module) for module in (QtCore, QtGui, QtWidgets)]
    listings = [names.get("__dir__") for names in held]
    for module, names in zip((QtCore, QtGui, QtWidgets), held, strict=True):
        names["__getattr__"] = partial(_held, module, frozenset(dir(module)))
        names["__dir__"] = lambda: ["__getattr__"]
    try:
        yield
    finally:
        for names, listing in zip(held, listings, strict=True):
            del names["__getattr__"], names["__dir__"]
            if listing:
                names["__dir__"] = listing


def _held(module: ModuleType, names: frozenset[str], name: str) -> Any:
    if name not in names:
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
    return getattr(module, name)


class _Away(ModuleType):
    """A module in whose place nothing is."""

    __all__ = ()

    def __getattr__(self, name: str) -> None:
        return None


@contextlib.contextmanager
def _without(*modules: str) -> Iterator[None]:
    away = {name: _Away(name) for name in modules if name not in sys.modules}
    sys.modules.update(away)
    try:
        yield
    finally:
        for name in away:
            del sys.modules[name]


_UNUSED = {
    "": ("imageview",),
    "graphicsItems.": (
        "ArrowItem", "BarGraphItem", "BoxplotItem", "ColorBarItem", "CurvePoint", "DateAxisItem", "ErrorBarItem",
        "FillBetweenItem", "GradientEditorItem", "GradientLegend", "GraphItem", "GridItem", "HistogramLUTItem",
        "IsocurveItem", "PColorMeshItem", "ROI", "ScaleBar", "TargetItem", "VTickGroup",
    ),
    "widgets.": (
        "BusyCursor", "CheckTable", "ColorButton", "ColorMapMenu", "ColorMapWidget", "ComboBox", "DataFilterWidget",
        "DataTreeWidget", "DiffTreeWidget", "FeedbackButton", "GradientWidget", "GroupBox", "HistogramLUTWidget",
        "JoystickButton", "LayoutWidget", "PathButton", "ProgressDialog", "RawImageWidget", "RemoteGraphicsView",
        "ScatterPlotWidget", "SpinBox", "TableWidget", "TreeWidget", "ValueLabel", "VerticalLabel",
    ),
}  # fmt: skip

with (
    _copied_when_asked_for(),
    _without(*(f"pyqtgraph.{place}{name}" for place, names in _UNUSED.items() for name in names)),
):
    import pyqtgraph as pg

__all__ = ["pg"]
