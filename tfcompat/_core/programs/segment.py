"""Long chains of elementwise ops, compiled in parts.

XLA fuses such a chain on a CPU by copying the inputs shared by several steps into each of them, and its compile time
grows much faster than the chain. Parts limit the compile time. If a Python loop made the chain, most parts are alike,
and each kind of part is compiled once, whatever the number of iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.op import Avals, Op
from tfcompat._core.programs.replay import Plan, flags_of
from tfcompat._core.structure.node import Node, Number, Reference
from tfcompat._core.structure.value_check import checked_steps
from tfcompat._core.system.device import computing_device
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.primitive import Name, names
from tfcompat._jaxpr.tracing import traced

# Longer chains are compiled in parts. Seconds to compile whole and in parts, milliseconds of a step whole and in parts
# (two CPU cores; the number of iterations of the loop, and the length of its longest chain):
#   x = x + tf.sin(x) * 0.01       1,000 turns, 6,997: 29.8 and 2.2 s, 57 and 15 ms    100 turns, 699: 1.2 and 1.2 s
#   Runge-Kutta, slices and concat    20 turns, 1,296: 87.7 and 4.4 s, 11 and  7 ms      5 turns, 321: 4.7 and 4.9 s
#   Runge-Kutta, a matrix product     20 turns, 839:   31.0 and 3.0 s,  3 and  2 ms      5 turns, 209: 1.8 and 2.8 s
#   LSTM                              60 turns, 309:   27.3 and 3.4 s,  7 and  9 ms     20 turns, 109: 3.5 and 3.1 s
# A step of the loops on the right takes 1.2 to 1.9 times as long in parts, so short chains are not divided.
# `optimization_barrier` doesn't help: XLA removes it before fusion. Without any fusion the first takes 8 s.
_DEEP = 300
# The least number of steps of a part; the most is twice as many. (The first three loops, on a busy machine: with 48 in
# 1.3, 4.7 and 4.8 s; with 64 in 1.5, 5.8, 3.1; with 128 in 2.6, 9.3, 5.3; with 256 in 4.2, 11.2, 8.0.)
_STEPS = 64
# Two places of a chain count as equal if this many steps are equal.
_ALIKE = 12
# The primitives that XLA doesn't fuse with the steps that read them.
_ENDS = frozenset(
    (
        *(Name.ARGMAX, Name.ARGMIN, Name.CHOLESKY, Name.COND, Name.CONV_GENERAL_DILATED),
        *(Name.CUMLOGSUMEXP, Name.CUMMAX, Name.CUMMIN, Name.CUMPROD, Name.CUMSUM),
        *(Name.CUSTOM_LINEAR_SOLVE, Name.DOT_GENERAL, Name.EIGH, Name.FFT, Name.LU, Name.QR),
        *(Name.REDUCE_AND, Name.REDUCE_MAX, Name.REDUCE_MIN, Name.REDUCE_OR, Name.REDUCE_PROD, Name.REDUCE_SUM),
        *(Name.REDUCE_WINDOW, Name.REDUCE_WINDOW_MAX, Name.REDUCE_WINDOW_MIN, Name.REDUCE_WINDOW_SUM, Name.SCAN),
        *(Name.SCATTER, Name.SCATTER_ADD, Name.SCATTER_MAX, Name.SCATTER_MIN, Name.SCATTER_MUL, Name.SCATTER_SUB),
        *(Name.SORT, Name.SVD, Name.TRIANGULAR_SOLVE, Name.WHILE),
    )
)


def is_deep(steps: Sequence[Node]) -> bool:
    """Whether `steps` contain a chain that takes too long to be fused. Only this function decides."""
    if len(steps) < _DEEP or computing_device().platform != "cpu":
        return False
    depths: dict[int, int] = {}
    for step in steps:
        if step.op is None or _ends_fusion(step.op, step.signature):
            continue
        depth = 1 + max((depths.get(r, 0) for r in step.inputs if type(r) is int), default=0)
        if depth > _DEEP:
            return True
        depths.update(dict.fromkeys(range(step.first, step.slot), depth))
    return False


def _ends_fusion(op: Op, signature: Avals) -> bool:
    if op.is_elementwise:
        return False
    key = ("ends fusion", signature)
    found = op.derived.get(key)
    if found is None:
        jaxpr = traced(op.outputs, [aval.struct for aval in signature])
        found = op.derived[key] = not _ENDS.isdisjoint(names(jaxpr))
    return found


class Kind:
    """The compiled function that equal parts share."""

    __slots__ = ("__weakref__", "run")

    def __init__(self, run: Callable[..., tuple[Any, ...]]) -> None:
        self.run = run


_kinds: WeakValueDictionary[Any, Kind] = WeakValueDictionary()


class Part:
    """Some consecutive steps of a plan.

    Attributes:
      reads: the slots of other parts that it reads.
      outputs: the slots that other parts read.
      floats, ints: the numbers of the program that it uses.
      key: equal for parts of equal structure, wherever they are.
    """

    def __init__(self, steps: Sequence[Node], needed: Iterable[int]) -> None:
        """A part of `steps`; its outputs are those of its slots that are `needed`."""
        inside = {slot for step in steps for slot in range(step.first, step.slot)}
        self.outputs = sorted(inside.intersection(needed))
        self._plan = Plan(steps, (), self.outputs, steps[0].first)
        names = _Names()
        key = [(step.op, step.signature, names.of(step)) for step in self._plan.steps]
        self.key = (*key, *(names.places[slot] for slot in self.outputs))
        self._numbers = names.numbers
        self.reads = list(names.reads)
        self.floats, self.ints = ([n.index for n in names.numbers if n.kind == kind] for kind in "fi")

    def kind(self) -> Kind:
        """The kind of this part, shared by all equal parts."""
        found = _kinds.get(self.key)
        if found is None:
            found = _kinds[self.key] = Kind(jitted(self.function()))
        return found

    @property
    def steps(self) -> Sequence[Node]:
        """The steps that it evaluates."""
        return self._plan.steps

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """The function of its floats, its integers and the values that it reads; JAX can trace it.

        It returns the outputs, followed by a vector of flags, true for the value checks that fail, if there are checks.
        """
        plan, reads, outputs = self._plan, self.reads, self.outputs
        places = {number: k for kind in "fi" for k, number in enumerate(n for n in self._numbers if n.kind == kind)}
        checked = checked_steps(plan.steps)

        def run(floats: Any, ints: Any, *arrays: Any) -> tuple[Any, ...]:
            def read(number: Number) -> Any:
                return number._replace(index=places[number]).traced(floats, ints)

            values = plan.evaluate(dict(zip(reads, arrays, strict=True)), read)
            results = [values[slot] for slot in outputs]
            if checked:
                results.append(jnp.stack([jnp.any(flag) for flag in flags_of(checked, values, read)]))
            return tuple(results)

        return run


class _Names:
    """Names of slots and numbers relative to a part, by order of first use, so that equal parts have equal names."""

    def __init__(self) -> None:
        self.places: dict[int, int] = {}
        self.reads: dict[int, int] = {}
        self.numbers: dict[Number, int] = {}

    def of(self, step: Node) -> tuple[Any, ...]:
        """The inputs and the origin of `step`; names its outputs."""
        inputs = tuple(map(self._input, step.inputs))
        origin = step.origin
        forward = None if origin is None else self.places.get(origin.forward.first)
        for slot in range(step.first, step.slot):
            self.places[slot] = len(self.places)
        if origin is None or forward is None:
            return inputs
        return (*inputs, forward, origin.wanted, origin.given, origin.reads)

    def _input(self, reference: Reference) -> tuple[Any, ...]:
        if type(reference) is Number:
            return reference.kind, self.numbers.setdefault(reference, len(self.numbers)), reference.dtype
        if reference in self.places:
            return (self.places[reference],)
        return "read", self.reads.setdefault(reference, len(self.reads))


def segmented(
    steps: Sequence[Node], slots: Sequence[int], outputs: Sequence[int], has_floats: bool, has_ints: bool
) -> Callable[..., tuple[Any, ...]]:
    """The function of the whole program, in parts: takes the numbers and the values of `slots`, returns `outputs`."""
    parts = _parts([step for step in steps if step.op is not None or step.inputs], outputs)
    last = {slot: part for part, _ in parts for slot in part.reads if slot not in outputs}
    finished: dict[Part, list[int]] = {}
    for slot, part in last.items():
        finished.setdefault(part, []).append(slot)

    def run(*args: Any) -> tuple[Any, ...]:
        floats = np.asarray(args[0] if has_floats else (), np.float64)
        ints = np.asarray(args[has_floats] if has_ints else (), np.int64)
        values = dict(zip(slots, args[has_floats + has_ints :], strict=True))
        for part, kind in parts:
            results = kind.run(floats[part.floats], ints[part.ints], *[values[slot] for slot in part.reads])
            values.update(zip(part.outputs, results, strict=True))
            for slot in finished.get(part, ()):
                del values[slot]
        return tuple([values[slot] for slot in outputs])

    return run


def _parts(steps: Sequence[Node], outputs: Iterable[int]) -> list[tuple[Part, Kind]]:
    needed = set(outputs)
    parts: list[tuple[Part, Kind]] = []
    for chunk in reversed(_cut(steps)):
        part = Part(chunk, needed)
        needed.update(part.reads)
        parts.append((part, part.kind()))
    return parts[::-1]


def _cut(steps: Sequence[Node]) -> list[Sequence[Node]]:
    """`steps` in chunks that begin with equal steps if possible, so that the chunks of a loop are alike."""
    kinds = [(step.op, step.signature) for step in steps]
    chunks: list[Sequence[Node]] = []
    start = 0
    while len(steps) - start > 2 * _STEPS:
        head = kinds[start : start + _ALIKE]
        alike = (k for k in range(start + _STEPS, start + 2 * _STEPS) if kinds[k : k + _ALIKE] == head)
        end = next(alike, start + _STEPS)
        chunks.append(steps[start:end])
        start = end
    chunks.append(steps[start:])
    return chunks
