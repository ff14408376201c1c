"""A replay: the pure function that a part of a trace computes, on arrays or on JAX's tracers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfcompat._core.aval import aval_like
from tfcompat._core.config import settings
from tfcompat._core.node import Node, Number, Origin
from tfcompat._core.op import linearize

ReadNumber = Callable[[Number], Any]


class Plan:
    """What has to be evaluated to know some slots of a trace, given others.

    Attributes:
      steps: the steps to evaluate, in order, leaves included.
      leaves: the leaf steps among them that are arrays.
      wanted: forward steps to linearise as they are evaluated, by the slot where they start, and for which inputs; the
        gradient steps among `steps` that derive from them then use that pullback, so that no forward value is computed
        twice.
    """

    def __init__(self, path: Sequence[Node], given: Iterable[int], targets: Iterable[int], start: int = 0) -> None:
        """Plans `targets` of `path` from the slots `given`.

        Only forward steps from slot `start` on are shared with their gradients.
        """
        needed = set(targets)
        known = set(given)
        self.wanted: dict[int, tuple[int, ...]] = {}
        chosen: list[Node] = []
        forced: set[int] = set()
        for node in reversed(path):
            slots = range(node.first, node.slot)
            if node.first not in forced and not any(s in needed and s not in known for s in slots):
                continue
            chosen.append(node)
            origin = node.origin
            if origin is not None and origin.forward.first >= start and node.first not in self.wanted:
                forward = origin.forward.first
                forced.add(forward)
                self.wanted[forward] = tuple(sorted({*self.wanted.get(forward, ()), *origin.wanted}))
                needed.update(s for s in node.inputs[origin.reads :] if type(s) is int)
            else:
                needed.update(s for s in node.inputs if type(s) is int)
        self.steps = chosen[::-1]
        self.leaves = [node for node in self.steps if node.op is None and not node.inputs]

    def evaluate(self, known: Mapping[int, Any], number: ReadNumber) -> dict[int, Any]:
        """Every evaluated slot's value.

        `known` has those of the leaf arrays and the given slots, `number` casts the trace's numbers.
        """
        values = dict(known)
        pullbacks: dict[int, Callable[..., tuple[Any, ...]]] = {}
        for node in self.steps:
            if node.op is None:
                if node.inputs:
                    values[node.first] = inputs_of(node, values, number)[0]
                continue
            inputs = inputs_of(node, values, number)
            if node.first in self.wanted:
                outputs, pullbacks[node.first] = linearize(node.op, inputs, self.wanted[node.first])
            elif node.origin is not None and node.origin.forward.first in pullbacks:
                outputs = _pulled(node.origin, inputs, self.wanted, pullbacks)
            else:
                outputs = node.op.outputs(*inputs)
            if settings.is_checking:
                _check(node, outputs)
            values.update(zip(range(node.first, node.slot), outputs, strict=True))
        return values


def inputs_of(node: Node, values: Mapping[int, Any], number: ReadNumber) -> tuple[Any, ...]:
    """The values that `node` reads. A slot that its plan does not need is None."""
    return tuple(number(r) if type(r) is Number else values.get(r) for r in node.inputs)


def _pulled(
    origin: Origin, inputs: tuple[Any, ...], wanted: Mapping[int, Any], pullbacks: Mapping[int, Any]
) -> tuple[Any, ...]:
    forward = origin.forward
    cotangents: list[Any] = [None] * len(forward.avals)
    for output, cotangent in zip(origin.given, inputs[origin.reads :], strict=True):
        cotangents[output] = cotangent
    answered = dict(zip(wanted[forward.first], pullbacks[forward.first](*cotangents), strict=True))
    return tuple(answered[position] for position in origin.wanted)


def _check(node: Node, outputs: Sequence[Any]) -> None:
    got = tuple(map(aval_like, outputs))
    if got != node.avals:
        raise AssertionError(f"{node.op!r}, recorded at {node.line}: inferred {node.avals}, computed {got}")
