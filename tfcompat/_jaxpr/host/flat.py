"""A jaxpr with known sizes as a flat list of kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from tfcompat._jaxpr.host import cost
from tfcompat._jaxpr.host.draft import Draft, Shapes, step_of
from tfcompat._jaxpr.host.kernels import KERNELS
from tfcompat._jaxpr.host.step import Array, Kernel


class _Run(NamedTuple):
    """A kernel, the places of its inputs, of its output or of several, and the places that are free after it."""

    kernel: Kernel
    inputs: tuple[int, ...]
    output: int
    outputs: tuple[int, ...] | None
    freed: tuple[int, ...]


class Flat:
    """The kernels of a draft for certain sizes. Values are freed after their last use.

    Attributes:
      constants: the arrays that it holds.
      outputs: the shapes and dtypes of its outputs.
    """

    def __init__(self, draft: Draft, sizes: tuple[int, ...]) -> None:
        """Prepares `draft`, whose symbols have the values `sizes`."""
        self._draft = draft
        self._sizes = sizes
        self._bodies: dict[int, Flat] = {}
        self.constants = draft.constants
        self._shapes = Shapes(draft.evaluate(*sizes))
        self.outputs = list(map(self._shapes.of, draft.outputs))
        self._runs: list[_Run] = []
        for entry in draft.entries:
            kernel = entry.kernel or KERNELS[entry.name](step_of(entry, self._shapes, self._prepare))
            targets = entry.targets
            several = targets if entry.is_multiple else None
            self._runs.append(_Run(kernel, entry.sources, targets[0] if targets else 0, several, entry.freed))
        self._rest = [*[None] * (draft.count - draft.given), *reversed(draft.constants)]

    @functools.cached_property
    def work(self) -> float:
        """An estimate of a call's nanoseconds."""
        steps = (step_of(entry, self._shapes, self._prepare) for entry in self._draft.entries)
        return cost.CALL + sum(map(cost.of, steps))

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs; they may share memory with inputs and constants."""
        values = [*inputs, *self._rest]
        for kernel, places, output, outputs, freed in self._runs:
            if outputs is None:
                values[output] = kernel(*[values[place] for place in places])
            else:
                for place, value in zip(outputs, kernel(*[values[place] for place in places]), strict=True):
                    values[place] = value
            for place in freed:
                values[place] = None
        return [values[place] for place in self._draft.results]

    def _prepare(self, jaxpr: Any) -> Flat:
        if id(jaxpr) not in self._bodies:
            self._bodies[id(jaxpr)] = Flat(self._draft.body(jaxpr), self._sizes)
        return self._bodies[id(jaxpr)]
