"""A trial trace: it continues another trace, records a backward walk, and is never executed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from tfcompat._autodiff.watcher import watching_alone
from tfcompat._core.structure.node import Node, Number, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types.aval import Aval

_NEVER = 1 << 60


class Trial(Trace):
    """A continuation of a trace: a cotangent without a value, and the steps that derive from it.

    Attributes:
      cotangent: the cotangent's slot.
    """

    __slots__ = ("_alive", "_before", "_floats", "_ints", "cotangent")

    def __init__(self, trace: Trace, cotangent: Aval) -> None:
        super().__init__()
        self._before = trace.node.slot
        self._floats = trace.node.floats
        self._ints = trace.node.ints
        self.limit = _NEVER
        self.floats = trace.floats[: self._floats]
        self.ints = trace.ints[: self._ints]
        self.leaves = [*trace.leaves, Tensor(np.zeros(()))]
        self.constants = [*trace.constants]
        self._alive = [tensor for reference in trace.pending if (tensor := reference()) is not None]
        self.leaf_slots = {id(tensor): tensor._slot for tensor in self._alive} | trace.leaf_slots
        self.node = _open_leaf(trace.node, cotangent)
        self.cotangent = self.node.first

    @contextmanager
    def recording(self) -> Generator[None]:
        """A context in which ops are recorded here, and tapes record nothing.

        Raises: NotImplementedError if a tape would have to record a user-defined gradient.
        """
        trace = here.trace
        with watching_alone() as watcher:
            here.trace = self
            try:
                yield
            finally:
                here.trace = trace
        if watcher.customs and here.tapes:
            raise NotImplementedError(
                "tf.GradientTape.jacobian: inside another tape, a gradient function that itself calls a function with "
                "a custom gradient is not supported; take tape.gradient of each element of the target."
            )
        for variable in watcher.variables.values():
            variable._read()

    def flush(self, cause: str) -> None:
        """Raises NotImplementedError on a read: the cotangent represents many values at once."""
        if cause != "immediate":
            _refuse()

    def materialise(self, tensor: Tensor, cause: str) -> NoReturn:
        """Raises NotImplementedError: the cotangent represents many values at once."""
        del tensor, cause
        _refuse()

    def steps(self) -> list[Node]:
        """The steps recorded here, after the cotangent."""
        return [node for node in self.node.path() if node.first > self.cotangent]

    def reference_in(self, reference: Reference, trace: Trace) -> Reference:
        """The reference in `trace`, the continued trace, for `reference`, which no step of this trace computes."""
        if isinstance(reference, Number):
            kind, index, dtype = reference
            if index < (self._floats if kind == "f" else self._ints):
                return reference
            there: list[Any] = trace.floats if kind == "f" else trace.ints
            there.append(self.floats[index] if kind == "f" else self.ints[index])
            return Number(kind, len(there) - 1, dtype)
        if reference < self._before:
            return reference
        for tensor in (*self.leaves, *self.constants):
            if self.leaf_slots.get(id(tensor)) == reference:
                return trace.slot_of(tensor)
        # The number of a function that was called.
        return trace.slot_of(self.number(next(node for node in self.node.path() if node.first == reference)))


def _open_leaf(node: Node, aval: Aval) -> Node:
    key = ("cotangent", aval)
    return node.next.get(key) or node.extended(key, None, (), (aval,), (aval,), "")


def _refuse() -> NoReturn:
    raise NotImplementedError(
        "tf.GradientTape.jacobian: a gradient function must not read values (numpy(), float(), if): it is called once "
        "for all rows; pass experimental_use_pfor=False, with a persistent tape, which calls it for each row."
    )
