"""The backward walk over a part of a trace, which `GradientTape.gradient` records.

The walk appends one step for each op on its way: the op's pullback, an ordinary step, which outer tapes differentiate
in turn. The appended steps depend on structure alone, so they are cached at the node where the trace ended before. The
next time, the trace continues directly from the last of them. For other sizes they are appended again, by a script.
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
    added,
    densified,
    fitted,
    flat_indices,
    joined_indices,
    joined_rows,
    ones,
    rows_of,
    scattered_like,
)
from tfcompat._autodiff.script import Pull, Script, Writer
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.recording import Recording
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import Trace
from tfcompat._jaxpr.postponement import postponed

# The tape's span, the targets, and the slots of the sources.
_Key = tuple[Span, tuple[Target, ...], tuple[tuple[int, ...], ...]]


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
        memo = start.memos.get(key) or _by_script(trace, start, key)
        if memo is None:
            # The steps of a signal handler must not be stored with them.
            with postponed():
                start = trace.node
                walk = Walk(trace, span, customs)
                answer = list(walk.run(targets, sources))
                start.memos[key] = (trace.node, answer)
                if not trace.is_symbolic:
                    script = Script.of(walk.writer, answer, sources)
                    start.skeleton().note(key, script)
            return answer
        if trace.node is start:  # else a signal handler has recorded steps meanwhile
            trace.node = memo[0]
            return memo[1]


def _by_script(trace: Trace, start: Node, key: _Key) -> tuple[Node, list[Gradient | None]] | None:
    """The memo for `key` at `start`, the last step of `trace`, if the script of another walk serves it."""
    if trace.is_symbolic:
        return None
    script = start.skeleton().scripts.get(key)
    if script is None:
        return None
    # Beside the trace: a signal handler may record steps into it meanwhile.
    beside = Recording()
    beside.node = start
    span, targets, _ = key
    writer = Writer(beside, dict(span.twins))
    writer.give(targets)
    script.append(writer)
    memo = start.memos[key] = (beside.node, script.answers_in(writer.avals))
    return memo


class Walk:
    """One backward walk over the steps of `trace` that a tape recorded.

    Attributes:
      writer: appends the steps.
      following: the steps that the tape has recorded.
    """

    def __init__(self, trace: Trace, span: Span, customs: Mapping[int, CustomCall]) -> None:
        self.trace = trace
        self.customs = customs
        self.path = trace.node.path()
        self.writer = Writer(trace, dict(span.twins))
        self._copies = {leaf: slot for slot, leaf in span.twins}
        self.connections = Connections(customs)
        self.following = Following(self.path, span, self.connections)
        self.terms: dict[int, list[Gradient]] = {}
        self.dense: dict[int, Dense] = {}

    def run(self, targets: Sequence[Target], sources: Sequence[tuple[int, ...]]) -> Iterator[Gradient | None]:
        """Walks from `targets` and yields each source's gradient."""
        self.writer.give(targets)
        for target, cotangent in targets:
            if cotangent is None:
                self._add(target, self.writer.made(ones, (target,)))
            else:
                self._add(target, Dense(cotangent, self.writer.avals[cotangent]))
        for number in range(len(self.path) - 1, -1, -1):
            node = self.path[number]
            if node.first in self.following.positions:
                given = tuple([k for k in range(len(node.avals)) if node.first + k in self.terms])
                if given:
                    self._pass(number, node, given)
        for slots in sources:
            parts = [part for slot in slots if (part := self._total(slot)) is not None]
            yield self._summed(parts, slots[0]) if parts else None

    def _pass(self, number: int, node: Node, given: tuple[int, ...]) -> None:
        """Propagates the cotangents of the outputs `given` of `node`, the step `number`, to its inputs."""
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
        if isinstance(total, Rows) and rule.passes:
            passed = [i for i in wanted if node.signature[i] == node.avals[0]]
            for i in passed:
                self._add(node.inputs[i], total)
            wanted = tuple(i for i in wanted if i not in passed)
        if rule.rows is not None and rule.rows[0] in wanted:
            self._pass_gather(node, rule.rows)
            wanted = tuple(i for i in wanted if i != rule.rows[0])
        if wanted:
            cotangents = tuple([self._dense(node.first + k).slot for k in given])
            step = self.writer.append(Pull(number, wanted, given, cotangents))
            for k, position in enumerate(wanted):
                self._add(node.inputs[position], Dense(step.first + k, step.avals[k]))

    def _pass_custom(self, node: Node, custom: CustomCall, given: tuple[int, ...]) -> None:
        cotangents = [self._dense(node.first + k) if k in given else None for k in range(len(node.avals))]
        gradients = custom.pull(self.trace, cotangents)
        for position in self.following.positions[node.first]:
            slot, gradient = custom.inputs[position], gradients[position]
            if gradient is not None:
                avals = self.writer.avals
                if gradient.aval.dtype is not avals[slot].dtype:
                    raise InvalidArgumentError.of(
                        "tf.custom_gradient: a gradient must have the dtype of its argument, "
                        f"{avals[slot].dtype.name}, got {gradient.aval.dtype.name}."
                    )
                parts = [gradient] if isinstance(gradient, Dense) else [gradient.values, gradient.indices]
                avals.update((part.slot, part.aval) for part in parts)
                self._add(slot, gradient)

    def _pass_gather(self, node: Node, rows: tuple[int, int]) -> None:
        params, indices = (node.inputs[i] for i in rows)
        aval, indices_aval = (node.signature[i] for i in rows)
        assert type(params) is int
        assert type(indices) is int
        values, at = self._dense(node.first), Dense(indices, indices_aval)
        if indices_aval.ndim != 1:
            values = self.writer.made(rows_of, (params, indices), values.slot)
            at = self.writer.made(flat_indices, (indices,), indices)
        self._add(params, Rows(values, at, aval))

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
            self.terms[slot] = terms = [self._summed(terms[::-1] if are_rows else terms, slot)]
        return terms[0]

    def _summed(self, terms: Sequence[Gradient], slot: int) -> Gradient:
        """The sum of gradients of `slot`: the concatenated rows if all are rows, else a dense gradient."""
        if len(terms) == 1:
            return terms[0]
        rows = [term for term in terms if isinstance(term, Rows)]
        if len(rows) == len(terms):
            values = self.writer.made(joined_rows, (), *[row.values.slot for row in rows])
            at = self.writer.made(joined_indices, (), *[row.indices.slot for row in rows])
            return Rows(values, at, rows[0].aval)
        total = self._densified(terms[0], slot)
        for term in terms[1:]:
            total = self.writer.made(added, (), total.slot, self._densified(term, slot).slot)
        return total

    def _densified(self, gradient: Gradient, slot: int) -> Dense:
        """The gradient of `slot` as one array."""
        if isinstance(gradient, Dense):
            return gradient
        if gradient.aval != self.writer.avals[slot]:  # the user's, of another shape
            found = densified(self.trace, gradient)
            self.writer.avals[found.slot] = found.aval
            return found
        return self.writer.made(scattered_like, (slot,), gradient.values.slot, gradient.indices.slot)

    def _dense(self, slot: int) -> Dense:
        found = self.dense.get(slot)
        if found is None:
            total = self._total(slot)
            assert total is not None
            found = self._densified(total, slot)
            if found.aval != self.writer.avals[slot]:  # a user-defined gradient may be smaller
                found = fitted(self.trace, found, self.writer.avals[slot])
            self.dense[slot] = found
        return found
