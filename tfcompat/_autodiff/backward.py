"""The backward walk over a part of a trace, which `GradientTape.gradient` records.

The walk appends one step for each op on its way: the op's pullback, an ordinary step, which outer tapes differentiate
in turn. The appended steps depend on structure alone, so they are cached at the node where the trace ended before. The
next time, the trace continues directly from the last of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tfcompat._autodiff.connection import Connections, Following
from tfcompat._autodiff.gradient import (
    CustomCall,
    Dense,
    Gradient,
    Rows,
    Span,
    Target,
    densified,
    fitted,
    ones,
    reshaped,
    summed,
)
from tfcompat._core.aval import aval_of
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.node import Node, Number, Origin, Reference
from tfcompat._core.op import Avals, Op
from tfcompat._core.trace import Trace
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.primitive import is_identity
from tfcompat._jaxpr.tracing import traced


def backward(
    trace: Trace,
    span: Span,
    targets: tuple[Target, ...],
    sources: tuple[tuple[int, ...], ...],
    customs: Mapping[int, CustomCall],
) -> list[Gradient | None]:
    """The gradient of `targets` for each source, which is a set of slots.

    Raises: LookupError if an op on the way is one for which TensorFlow has no gradient.
    """
    if customs:
        return list(Walk(trace, span, customs).run(targets, sources))
    key = (span, targets, sources)
    while True:
        start = trace.node
        memo = start.memos.get(key)
        if memo is None:
            # The steps of a signal handler must not be stored with them.
            with postponed():
                start = trace.node
                answer = list(Walk(trace, span, customs).run(targets, sources))
                start.memos[key] = (trace.node, answer)
            return answer
        if trace.node is start:  # else a signal handler has recorded steps meanwhile
            trace.node = memo[0]
            return memo[1]


class Walk:
    """One backward walk over the steps of `trace` that a tape recorded.

    Attributes:
      path: the steps of the trace; `avals`: the avals of its slots.
      following: the steps that the tape has recorded.
    """

    def __init__(self, trace: Trace, span: Span, customs: Mapping[int, CustomCall]) -> None:
        self.trace = trace
        self.customs = customs
        self.path = trace.node.path()
        self.avals = {node.first + k: aval for node in self.path for k, aval in enumerate(node.avals)}
        self._leaves = dict(span.twins)
        self._copies = {leaf: slot for slot, leaf in span.twins}
        self.connections = Connections(customs)
        self.following = Following(self.path, span, self.connections)
        self.terms: dict[int, list[Gradient]] = {}
        self.dense: dict[int, Dense] = {}

    def run(self, targets: Sequence[Target], sources: Sequence[tuple[int, ...]]) -> Iterator[Gradient | None]:
        """Walks from `targets` and yields each source's gradient."""
        for target, cotangent in targets:
            aval = self.avals[target]
            slot = self.trace.step(ones(aval), (), ()).first if cotangent is None else cotangent
            self._add(target, Dense(slot, aval))
        for node in reversed(self.path):
            if node.first in self.following.positions:
                given = tuple(k for k in range(len(node.avals)) if node.first + k in self.terms)
                if given:
                    self._pass(node, given)
        for slots in sources:
            parts = [part for slot in slots if (part := self._total(slot)) is not None]
            yield summed(self.trace, parts) if parts else None

    def _pass(self, node: Node, given: tuple[int, ...]) -> None:
        """Propagates the cotangents of the outputs `given` of `node` to its inputs."""
        custom = self.customs.get(node.first)
        if custom is not None:
            self._pass_custom(node, custom, given)
            return
        op = node.op
        assert op is not None
        rule = op.gradient
        if rule.no_gradient:
            raise LookupError(f"gradient registry has no entry for: {rule.no_gradient}")
        followed = self.following.positions[node.first]
        wanted = tuple(i for i in followed if any(self.connections.links(node, k, i) for k in given))
        total = self._total(node.first) if len(node.avals) == 1 else None
        if isinstance(total, Rows) and _is_identity(op, node.signature):
            self._add(node.inputs[0], total)
            return
        if rule.rows is not None and rule.rows[0] in wanted:
            self._pass_gather(node, rule.rows)
            wanted = tuple(i for i in wanted if i != rule.rows[0])
        if wanted:
            self._pull(node, op, wanted, given)

    def _pass_custom(self, node: Node, custom: CustomCall, given: tuple[int, ...]) -> None:
        cotangents = [self._dense(node.first + k) if k in given else None for k in range(len(node.avals))]
        gradients = custom.pull(self.trace, cotangents)
        for position in self.following.positions[node.first]:
            slot, gradient = custom.inputs[position], gradients[position]
            if gradient is not None:
                if gradient.aval.dtype is not self.avals[slot].dtype:
                    raise InvalidArgumentError.of(
                        "tf.custom_gradient: a gradient must have the dtype of its argument, "
                        f"{self.avals[slot].dtype.name}, got {gradient.aval.dtype.name}."
                    )
                self._add(slot, gradient)

    def _pull(self, node: Node, op: Op, wanted: tuple[int, ...], given: tuple[int, ...]) -> None:
        pullback, read = op.pullback(node.signature, wanted, given)
        cotangents = [self._dense(node.first + k) for k in given]
        inputs = (*(self._value(node.inputs[i]) for i in read), *(ct.slot for ct in cotangents))
        signature = (*(node.signature[i] for i in read), *(ct.aval for ct in cotangents))
        step = self.trace.step(pullback, inputs, signature, Origin(node, wanted, given, len(read)))
        for k, position in enumerate(wanted):
            self._add(node.inputs[position], Dense(step.first + k, step.avals[k]))

    def _value(self, reference: Reference) -> Reference:
        """The slot from which to read a value: tapes entered later follow the leaf."""
        return reference if isinstance(reference, Number) else self._leaves.get(reference, reference)

    def _pass_gather(self, node: Node, rows: tuple[int, int]) -> None:
        params, indices = (node.inputs[i] for i in rows)
        aval, indices_aval = (node.signature[i] for i in rows)
        assert type(indices) is int
        flat = aval_of((indices_aval.size,), indices_aval.dtype)
        values = aval_of((indices_aval.size, *aval.shape[1:]), aval.dtype)
        found = Rows(
            reshaped(self.trace, self._dense(node.first), values),
            reshaped(self.trace, Dense(indices, indices_aval), flat),
            aval,
        )
        self._add(params, found)

    def _add(self, slot: object, term: Gradient) -> None:
        assert type(slot) is int
        self.terms.setdefault(self._copies.get(slot, slot), []).append(term)

    def _total(self, slot: int) -> Gradient | None:
        """The sum of the gradients of `slot`: rows in the order of their lookups, of which the last arrived first."""
        terms = self.terms.get(slot)
        if terms is None:
            return None
        if len(terms) > 1:
            are_rows = all(isinstance(term, Rows) for term in terms)
            self.terms[slot] = terms = [summed(self.trace, terms[::-1] if are_rows else terms)]
        return terms[0]

    def _dense(self, slot: int) -> Dense:
        found = self.dense.get(slot)
        if found is None:
            total = self._total(slot)
            assert total is not None
            found = self.dense[slot] = fitted(self.trace, densified(self.trace, total), self.avals[slot])
        return found


def _is_identity(op: Op, signature: Avals) -> bool:
    """Whether `op` returns its only input unchanged. Gradients of rows then remain rows, as in TensorFlow."""
    key = ("identity", signature)
    if key not in op.derived:
        op.derived[key] = is_identity(traced(op.outputs, [aval.struct for aval in signature]))
    return op.derived[key]
