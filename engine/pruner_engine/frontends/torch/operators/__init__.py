"""Operators of PyTorch in those of Relax, where TVM's importer errs or has none."""

from collections.abc import Callable
from typing import Any

from torch.fx import Node

from pruner_engine.frontends.torch.operators.complex_numbers import COMPLEX
from pruner_engine.frontends.torch.operators.conversion import Conversion
from pruner_engine.frontends.torch.operators.creation import CREATION
from pruner_engine.frontends.torch.operators.elementwise import ELEMENTWISE
from pruner_engine.frontends.torch.operators.images import IMAGES
from pruner_engine.frontends.torch.operators.indices import INDICES
from pruner_engine.frontends.torch.operators.products import PRODUCTS
from pruner_engine.frontends.torch.operators.quantised import QUANTISED
from pruner_engine.frontends.torch.operators.recurrent import RECURRENT
from pruner_engine.frontends.torch.operators.reductions import REDUCTIONS
from pruner_engine.frontends.torch.operators.regions import REGIONS
from pruner_engine.frontends.torch.operators.scatter import SCATTERS
from pruner_engine.frontends.torch.operators.smoothed import SMOOTHED

CONVERTERS: dict[str, Callable[[Conversion, Node], Any]] = {
    **COMPLEX,
    **CREATION,
    **ELEMENTWISE,
    **IMAGES,
    **INDICES,
    **PRODUCTS,
    **QUANTISED,
    **RECURRENT,
    **REDUCTIONS,
    **REGIONS,
    **SCATTERS,
    **SMOOTHED,
}
