"""From a Relax module as imported to fused kernels, ready to be tuned and to be compiled."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import tvm
import tvm_ffi
from tvm import relax
from tvm.ir.transform import Sequential
from tvm.relax import transform as rx
from tvm.target import Target

from pruner_engine.lowering.words.products import bfloat16_products_of, byte_products_of
from pruner_engine.lowering.words.sums import WordProducts
from pruner_engine.rule_names import REWRITES, Layout
from pruner_engine.targets.target import vector_bits_of
from pruner_engine.tasks.graph import fields_of, nodes_of, operator_of, size_of
from pruner_engine.tasks.kernels.alike import made_once
from pruner_engine.tasks.kernels.legalizations import legalizations
from pruner_engine.tasks.layout_free import unmark_unfit
from pruner_engine.tasks.plain_indices import plain_indices
from pruner_engine.tasks.rewrites.batch_norms import fold_batch_norms
from pruner_engine.tasks.rewrites.broadcasts import without_broadcasts
from pruner_engine.tasks.rewrites.concatenations import in_groups
from pruner_engine.tasks.rewrites.constants import fold_constants, fold_the_rest
from pruner_engine.tasks.rewrites.cut_windows import cut_windows
from pruner_engine.tasks.rewrites.follow import follow_layout
from pruner_engine.tasks.rewrites.grouped import widen_groups
from pruner_engine.tasks.rewrites.halves import summed_in_float32
from pruner_engine.tasks.rewrites.padding import fold_padding
from pruner_engine.tasks.rewrites.quantised import in_arithmetic
from pruner_engine.tasks.rewrites.quotients import without_zero_divisors
from pruner_engine.tasks.rewrites.shared_heads import heads_together
from pruner_engine.tasks.rewrites.signals import signals_as_images
from pruner_engine.tasks.rewrites.simplify import simplify
from pruner_engine.tasks.rewrites.slices import parts_first
from pruner_engine.tasks.rewrites.transposed import spread_transposed
from pruner_engine.tasks.rewrites.widen import widen_channels, widen_products
from pruner_engine.tasks.rewrites.winograd import winograd
from pruner_engine.tasks.rewrites.within_bounds import within_bounds
from pruner_engine.tasks.rewrites.written_norms import with_norms
from pruner_engine.tasks.rewrites.written_root_norms import with_root_norms
from pruner_engine.tasks.words.bfloat16s import bfloat16_products
from pruner_engine.tasks.words.few_bits import few_bit_products
from pruner_engine.tasks.words.integers import integer_products
from pruner_engine.tasks.worth_moving import may_move

# fused kernels in NHWC vectorise over channels and let weights be prepacked, which outweighs some more traffic
_NHWC_WORTH = 1.15
_TRANSPOSED = "relax.nn.conv2d_transpose"
_VIEW = "relax.memory.view"  # of bytes as words
_NHWC = {
    "relax.nn.conv2d": ["NHWC", "HWIO"],
    "relax.nn.conv3d": ["NDHWC", "DHWIO"],
    "relax.nn.conv3d_transpose": ["NCDHW", "IODHW"],  # TVM has no kernel of it channels last
    _TRANSPOSED: ["NHWC", "IOHW"],
}


def prepare(
    mod: tvm.IRModule, target: Target, without: Collection[str] = (), layout: Layout | None = None
) -> tvm.IRModule:
    """Legalise, choose the layout and fuse.

    Args:
        mod: Relax module with function "main", weights bound as constants.
        target: what the kernels will be compiled for.
        without: names of rewrites to leave out, of `rule_names.REWRITES`; others are ignored.
        layout: of the convolutions, where they can have it; None: by the rule of `Layouts.likely`.

    Returns:
        A Relax module whose "main" calls fused TIR functions; weights whose layout a kernel may choose are marked.
    """
    there = layouts(mod, target, without)
    return there.prepared(layout or there.likely)


@dataclass(frozen=True)
class Layouts:
    """A model in each layout that its convolutions can have.

    Attributes:
        own: prepared with the layout that it came with.
        channels_last: prepares it in NHWC (volumes: NDHWC); None where it has no convolution, or one that cannot move.
        likely: which one is expected to be faster: NHWC where that does not spoil the fusion (the kernels together
            move at most 15 % more bytes), or spares multiplications.
    """

    own: tvm.IRModule
    channels_last: Callable[[], tvm.IRModule] | None = None
    likely: Layout = "own"

    def prepared(self, layout: Layout) -> tvm.IRModule:
        """The model in a layout, or in its own where it has only that."""
        return self.own if layout == "own" or self.channels_last is None else self.channels_last()


def with_constants(mod: tvm.IRModule) -> tvm.IRModule:
    """The model in which all that follows from constants is constant, such as weights of a weight norm."""
    narrow = without_broadcasts(rx.Normalize()(mod))  # before they make constants large
    return _folded(without_zero_divisors(within_bounds(narrow)))


def layouts(mod: tvm.IRModule, target: Target, without: Collection[str] = ()) -> Layouts:
    """The layouts that a model can be prepared in; arguments as those of `prepare`."""
    rewrites = _Rewrites.for_target(target, without)
    with _passes(target):
        clean = rewrites.cleaned(mod)
        plain = _lower(clean, rewrites.lanes)
        moved = rewrites.moved_channels_last(clean)
        if moved is None:
            return Layouts(plain)
        whole = rewrites.in_words(moved)
        spread = spread_transposed(whole) if "transposed" in rewrites.on else whole
        lowered = _lower(spread, rewrites.lanes)
        if not _operators(lowered) <= {*_operators(plain), _VIEW}:
            return Layouts(plain)  # TVM lowers some operators channels first only
        # channels first, a transposed convolution multiplies zeros, and one of words single numbers: that costs more
        # than any traffic
        saves = _TRANSPOSED in _operators(moved) - _operators(spread) or whole is not moved
        worth = saves or _traffic(lowered) <= _NHWC_WORTH * _traffic(plain)

    @functools.cache
    def channels_last() -> tvm.IRModule:
        with _passes(target):
            best = rewrites.suited_to_channels_last(spread)
            return lowered if tvm_ffi.structural_equal(best, spread) else _lower(best, rewrites.lanes)

    return Layouts(plain, channels_last, "channels-last" if worth else "own")


@dataclass(frozen=True)
class _Rewrites:
    """The graph rewrites of a preparation.

    Attributes:
        on: names of those that are not left out, of `rule_names.REWRITES`.
        lanes: float32 numbers in a CPU's vector; 0 for other targets.
        products, halves: how bytes are multiplied, and bfloat16; None where they are not.
        faster: types of which many rows are multiplied faster than float32.
    """

    on: frozenset[str]
    lanes: int
    products: WordProducts | None
    halves: WordProducts | None
    faster: frozenset[str]

    @classmethod
    def for_target(cls, target: Target, without: Collection[str]) -> _Rewrites:
        cpu = target.kind.name == "llvm"
        on = frozenset(name for name, for_cpus in REWRITES.items() if name not in without and (cpu or not for_cpus))
        lanes = vector_bits_of(target) // 32 if cpu else 0
        halves = bfloat16_products_of(target) if "bfloat16s" in on else None
        products = byte_products_of(target) if "integers" in on else None
        faster = {"bfloat16"} if halves else set() if cpu else {"float16", "bfloat16"}  # of Tensor Cores
        return cls(on, lanes, products, halves, frozenset(faster))

    def cleaned(self, mod: tvm.IRModule) -> tvm.IRModule:
        """The model with all rewrites that do not ask for a layout."""
        mod = with_constants(mod)
        mod = with_root_norms(with_norms(mod)) if "simplify" in self.on else mod
        mod = summed_in_float32(_clean(in_arithmetic(signals_as_images(mod) if "signals" in self.on else mod)))
        if "simplify" in self.on:
            mod = heads_together(mod)
            mod = rx.CanonicalizeBindings()(in_groups(parts_first(simplify(cut_windows(fold_padding(mod))))))
        mod = self.in_words(mod)
        return widen_products(mod, self.lanes) if "wide-products" in self.on else mod

    def in_words(self, mod: tvm.IRModule) -> tvm.IRModule:
        """The model with products of bytes, of weights of few bits and of bfloat16; itself where it has none."""
        lanes = self.lanes if "winograd" in self.on else 0
        mod = integer_products(mod, self.products, lanes) if self.products else mod
        mod = few_bit_products(mod, faster=self.faster, gpu=not self.lanes) if "few-bits" in self.on else mod
        return bfloat16_products(mod, self.halves) if self.halves else mod

    def moved_channels_last(self, clean: tvm.IRModule) -> tvm.IRModule | None:
        """The model with its convolutions in NHWC; None where it has none worth it, or one that cannot move."""
        if "channels-last" not in self.on or not may_move(clean, [*_NHWC]):
            return None
        try:
            wide = widen_channels(clean, self.lanes) if "wide-channels" in self.on else clean
            moved = rx.ConvertLayout(_NHWC)(wide)
        except (RuntimeError, ValueError):  # ConvertLayout does not know every operator
            return None
        return rx.CanonicalizeBindings()(follow_layout(_folded(moved)))

    def suited_to_channels_last(self, mod: tvm.IRModule) -> tvm.IRModule:
        """The model in NHWC with the rewrites that only this layout allows or asks for."""
        mod = widen_groups(mod, self.lanes) if "groups" in self.on else mod
        mod = simplify(mod) if "simplify" in self.on else mod  # what the layout has brought
        return winograd(mod, self.lanes) if "winograd" in self.on else mod


@contextlib.contextmanager
def _passes(target: Target) -> Iterator[None]:
    with target, tvm.transform.PassContext(opt_level=3):
        yield


def _clean(mod: tvm.IRModule) -> tvm.IRModule:
    """Inference form: constants folded, batch norms folded into weights."""
    known = _folded(rx.CanonicalizeBindings()(mod))
    inference = Sequential([rx.DecomposeOpsForInference(), rx.CanonicalizeBindings()])(fold_batch_norms(known))
    return rx.CanonicalizeBindings()(fold_the_rest(_folded(inference)))


def _folded(mod: tvm.IRModule) -> tvm.IRModule:
    return rx.CanonicalizeBindings()(fold_constants(rx.Normalize()(mod)))


def _lower(mod: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Fused kernels.

    Args:
        lanes: float32 numbers in a CPU's vector; 0 for other targets.
    """
    whole = fold_the_rest(rx.Normalize()(_folded(mod)))
    lowered = Sequential(
        [
            rx.LegalizeOps(made_once(legalizations(lanes), _operators(whole))),
            rx.AnnotateTIROpPattern(),
            rx.FoldConstant(),
            rx.DeadCodeElimination(),
            rx.FuseOps(),
            rx.FuseTIR(),
            rx.DeadCodeElimination(),
            rx.AttachAttrLayoutFreeBuffers(),
        ]
    )(whole)
    return unmark_unfit(plain_indices(lowered))


def _operators(mod: tvm.IRModule) -> set[str]:
    """Names of the operators that "main" calls."""
    return {operator_of(node) for node in nodes_of(mod["main"]) if isinstance(node, relax.Call)}


def _traffic(mod: tvm.IRModule) -> int:
    """Bytes that all kernels together read and write once."""
    kernels = (node for node in nodes_of(mod["main"]) if operator_of(node) == "relax.call_tir")
    moved = (tensor for call in kernels for tensor in (call, *call.args[1].fields))
    return sum(size_of(ty) for tensor in moved for ty in fields_of(tensor.ty))
