"""Copies of a trace with symbols for sizes: the same steps, with integers in place of symbols.

A copy is run like a trace that was made for these sizes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from tfcompat._core.operation.op import Op, pullback_like
from tfcompat._core.operation.sized import Met, Rescoped, Sized
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node, Number, tree
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.sizes.sized_gradient import sized_custom, sizes_of_call
from tfcompat._jaxpr.size import is_open, symbols_of, value_of

# Some sizes that follow each other, as the remainders of divisions matter.
_SAMPLES = (256, 320)


def sized(stored: StoredTrace, values: Mapping[str, int], slots: Sequence[int] | None = None) -> StoredTrace | None:
    """The copy of `stored` for the `values` of its symbols.

    None if a step has another shape than was inferred, or a branch or a loop's body does not fit the sizes. If `slots`
    are given, only the steps that compute them have to fit: the others may have symbols without values yet.

    Raises: InvalidArgumentError if an op refuses the sizes.
    """
    return _Copy(stored, Sized(values), slots).stored


def fits(stored: StoredTrace, samples: Mapping[str, int], values: Mapping[str, int]) -> bool:
    """Whether the steps of `stored` that depend on `values` of symbols have the shapes that were inferred.

    The other symbols have the values `samples`. False if an op refuses the values.
    """
    given = Sized({**samples, **values})
    path = stored.node.path()
    if any(node.origin is not None for node in path):  # the shapes of a gradient follow from those of other steps
        try:
            return _Copy(stored, given, None).stored is not None
        except InvalidArgumentError:
            return False
    for node in path:
        met = Met()
        for aval in (*node.signature, *node.avals):
            met.aval(aval)
        if node.op is None or not (met.op(node.op) and met.names & values.keys()):
            continue
        try:
            found = given.op(node.op).infer(tuple(map(given.aval, node.signature)))
        except InvalidArgumentError:
            return False
        if found != tuple(map(given.aval, node.avals)):
            return False
    return True


def rescoped(stored: StoredTrace, scope: jax.export.SymbolicScope) -> StoredTrace | None:
    """The copy of `stored` whose symbols have the same names in `scope`, where they are at least 1.

    None if a step has another shape than was inferred with symbols that are at least 2.

    Raises: the error of an op that compares sizes, or refuses a size of 1.
    """
    return _Copy(stored, Rescoped(scope), None).stored


def output_shapes(stored: StoredTrace, values: Mapping[str, int]) -> list[Any] | None:
    """The shapes of the outputs for the `values` of the symbols, inferred step by step; None for constants.

    It serves sizes for which steps have other shapes than the trace has. None if a size differs that has no symbols, so
    that the trace may have constants which follow from it, and for a trace with gradients.
    Raises: the error of an op that refuses the sizes.
    """
    given = Sized(values)
    found: dict[Any, Any] = {}
    for node in stored.node.path():
        if node.origin is not None:
            return None
        avals: Any = tuple(map(given.aval, node.avals))
        if node.op is not None:
            pairs = zip(node.inputs, node.signature, strict=True)
            avals = given.op(node.op).infer(tuple([found.get(slot) or given.aval(aval) for slot, aval in pairs]))
            if any(map(_has_other_number, avals, node.avals)):
                return None
        found.update((node.first + place, aval) for place, aval in enumerate(avals))
    return [None if aval is None else found[slot].shape for slot, aval in stored.outputs]


def _has_other_number(aval: Any, traced: Any) -> bool:
    return any(type(size) is int and size != found for found, size in zip(aval.shape, traced.shape, strict=False))


def _agree(found: Sequence[Any], avals: Sequence[Any]) -> bool:
    """Whether two sequences of types are equal; sizes may be written differently, as `floordiv(n - 2, 2) + 1`."""
    if found == avals:
        return True
    pairs = list(zip(found, avals, strict=False))
    if len(found) != len(avals) or any(x.dtype is not y.dtype or x.ndim != y.ndim for x, y in pairs):
        return False
    return all(_are_equal(*sizes) for x, y in pairs for sizes in zip(x.shape, y.shape, strict=True))


def _are_equal(one: Any, other: Any) -> bool:
    """Whether two sizes are equal for all samples of their symbols."""
    if one == other:
        return True
    if not (is_open(one) and is_open(other)):
        return False
    names = sorted(symbols_of([one, other]))
    samples = [{name: first + 3 * place for place, name in enumerate(names)} for first in range(*_SAMPLES)]
    return all(value_of(one, values) == value_of(other, values) for values in samples)


class _Copy:
    """The copy of a trace for other sizes.

    Attributes:
      stored: see `sized`.
    """

    def __init__(self, stored: StoredTrace, sizes: Sized, slots: Sequence[int] | None) -> None:
        self._sized = sizes
        self._fitting = None if slots is None else {step.first for step in Plan(stored.node.path(), (), slots).steps}
        self._steps: dict[int, Node] = {}
        self.stored: StoredTrace | None = None
        end = tree.root
        for node in stored.node.path():
            step = self._step(node, end)
            if step is None:
                return
            self._steps[node.first] = end = step
        copied = self._trace(stored, end)
        if all(cell._static_shape.is_compatible_with(aval.shape) for cell, _, aval in copied.updates):
            self.stored = copied

    def _step(self, node: Node, end: Node) -> Node | None:
        avals = tuple(map(self._sized.aval, node.avals))
        if node.op is None:
            number = node.inputs[0] if node.inputs else None
            key: Any = (number.kind, avals[0]) if isinstance(number, Number) else avals[0]
            signature = avals if node.inputs else ()
            return end.next.get(key) or end.extended(key, None, node.inputs, signature, avals, node.line)
        op = self._op_of(node)
        key = (op, node.inputs)
        step = end.next.get(key)
        if step is not None:
            return step
        signature = tuple(map(self._sized.aval, node.signature))
        is_fitting = self._fitting is None or node.first in self._fitting
        try:
            if is_fitting and not _agree(op.infer(signature), avals):
                return None
        except InvalidArgumentError:
            if op.recipe is not None and any(op.recipe.ops()):
                return None  # a branch or a body that does not fit may not run: a trace for these sizes knows
            raise
        step = end.extended(key, op, node.inputs, signature, avals, node.line)
        if node.origin is not None:
            step.origin = node.origin.with_forward(self._steps[node.origin.forward.first])
        return step

    def _op_of(self, node: Node) -> Op:
        """The op of `node`. A pullback is that of the forward step."""
        origin, op = node.origin, node.op
        assert op is not None
        if origin is not None and op.recipe is not None and op.recipe.maker is pullback_like:
            forward = self._steps[origin.forward.first]
            assert forward.op is not None
            return forward.op.pullback(forward.signature, origin.wanted, origin.given)[0]
        return self._sized.op(op)

    def _trace(self, stored: StoredTrace, end: Node) -> StoredTrace:
        copied = copy.copy(stored)
        copied.node = end
        copied.has_open_sizes = True
        floats, ints = stored.numbers
        copied.numbers = floats, [self._sized.argument(number) for number in ints]
        copied.sources = [self._source(source) for source in stored.sources]
        copied.leaf_avals = list(map(self._sized.aval, stored.leaf_avals))
        copied.outputs = [(value, aval and self._sized.aval(aval)) for value, aval in stored.outputs]
        copied.updates = [(cell, slot, self._sized.aval(aval)) for cell, slot, aval in stored.updates]
        copied.effects = [(slot, self._sized.aval(aval)) for slot, aval in stored.effects]
        copied.customs = {
            slot: sized_custom(custom, stored.graph, self._sized, self._steps[slot].avals)
            for slot, custom in stored.customs.items()
        }
        return copied

    def _source(self, source: Any) -> Any:
        if type(source) is Sizes:
            is_known = type(self._sized) is Sized
            return (
                sizes_of_call(source, self._sized) if is_known else Sizes(self._sized.array(source.array), source.dtype)
            )
        if type(source) is Drawn:
            return Drawn(source.stream.of_blocks(self._sized.argument(source.stream.blocks)))
        return source
