"""Recordings that continue behind a read, compiled once for all places of a loop.

A loop over an episode reads an action at each step, while a tape records. So the trace continues, and each step of the
episode has a structure of its own, though all compute the same. Equal continuations share one compiled function,
whatever precedes them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.programs.compile_option import compiler_options
from tfcompat._core.programs.replay import Plan
from tfcompat._core.programs.segment import Part
from tfcompat._core.structure.interruption import store_arrays
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.value_check import messages_and_derivations
from tfcompat._core.system.counter import counts
from tfcompat._core.system.heap import heap
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed

# Longer continuations are not looked for.
_MOST_STEPS = 256
# As many different ones are remembered.
_MOST_KNOWN = 128


class Continuation:
    """Continuations of equal structure.

    Attributes:
      visits: how often one ran.
      recurs: whether they ended at more than one node.
      is_compiled: whether their function is compiled.
    """

    def __init__(self, part: Part, node: Node) -> None:
        self._part = part
        self._node: Node | None = node
        self._run: Callable[..., tuple[Any, ...]] | None = None
        # The classes of arguments with which the function was called.
        self._known_kinds: set[tuple[type, ...]] = set()
        # Reentrant: the handler of a signal may need the function that it has interrupted.
        self._starting = threading.RLock()
        self.visits = 0
        self.recurs = False

    @property
    def is_compiled(self) -> bool:
        """See the class."""
        return self._run is not None

    def met(self, node: Node) -> None:
        """Counts a visit that ends at `node`."""
        self.visits += 1
        if self._node is not node and not self.recurs:
            self.recurs, self._node = True, None

    def results(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs for the numbers and the arrays that the steps read. 64-bit types must be enabled."""
        run, kinds = self._run, tuple(map(type, args))
        if run is not None and kinds in self._known_kinds:
            counts.cache_hits += 1
            return run(*args)
        # For new kinds of arguments JAX runs Python code, during which a handler must not call the function.
        with self._starting, postponed(), heap.reduced():
            began = time.perf_counter()
            run = self._run or jitted(self._part.function(), compiler_options=compiler_options(self._part.steps))
            found = run(*args)
            if self._run is None:
                counts.compiles += 1
                counts.compile_seconds += time.perf_counter() - began
            self._run = run
            self._known_kinds.add(kinds)
        return found


class _Continuations:
    """The continuations used most recently, by their structure."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, Continuation] = OrderedDict()

    def clear(self) -> None:
        """Forgets all of them."""
        self._known.clear()

    def of(self, part: Part, node: Node) -> Continuation:
        """That of `part`, which ends at `node`: a visit."""
        found = self._known.get(part.key)
        if found is None:
            found = self._known[part.key] = Continuation(part, node)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(part.key)
        found.met(node)
        return found


continuations = _Continuations()


class Continuing:
    """An executor (see `executor.py`) that calls the function of a continuation."""

    donated: frozenset[int] = frozenset()
    guards: tuple[tuple[int, int], ...] = ()
    calls_python = False

    def __init__(
        self, continuation: Continuation, part: Part, plan: Plan, given: tuple[int, ...], outputs: tuple[int, ...]
    ) -> None:
        """Runs `part`, the steps of `plan`, for the slots `outputs`; values of the slots `given` are passed in."""
        self.messages, self.derivations = messages_and_derivations(plan.steps, outputs)
        self.outputs = outputs
        self.leaves = tuple(step.leaves - 1 for step in plan.leaves)
        self._continuation = continuation
        self._part = part
        self._slots = (*(step.first for step in plan.leaves), *given)

    def __call__(
        self,
        floats: Sequence[float],
        ints: Sequence[int],
        arrays: Sequence[Any],
        given: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
    ) -> None:
        """See `executor.py`."""
        del on_python
        part = self._part
        known = dict(zip(self._slots, [*arrays, *given], strict=True))
        numbers = (
            np.array([floats[k] for k in part.floats], np.float64),
            np.array([ints[k] for k in part.ints], np.int64),
        )
        with jax.enable_x64(True):
            results = self._continuation.results([*numbers, *[known[slot] for slot in part.reads]])
        values = dict(zip(part.outputs, results, strict=False))
        store_arrays(targets, [*[values[slot] for slot in self.outputs], *results[len(part.outputs) :]])


def part_of(plan: Plan, start: int, outputs: tuple[int, ...]) -> Part | None:
    """The steps of `plan` that compute `outputs` of a continuation from slot `start` on.

    None if they depend on what precedes them by more than the values that they read, or can't be shared.
    """
    steps = [step for step in plan.steps if step.op is not None or step.inputs]
    if not 0 < len(steps) <= _MOST_STEPS or steps[0].first < start:
        return None
    for step in steps:
        op = step.op
        if op is not None and (op.calls_python or op.mark is not None):
            return None
        # Its forward step need not be among these.
        if step.origin is not None and step.origin.forward.first >= start:
            return None
    part = Part(steps, outputs)
    return part if len(part.outputs) == len(outputs) else None
