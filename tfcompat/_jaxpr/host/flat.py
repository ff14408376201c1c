"""A jaxpr with known sizes as a flat list of kernels."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._jaxpr.host import cost
from tfcompat._jaxpr.host.draft import Draft, Entry, Shapes, step_of
from tfcompat._jaxpr.host.kernels import KERNELS
from tfcompat._jaxpr.host.step import Array, Kernel

# From this number of elements on, a function of NumPy writes over an input without other references: two functions of
# 16 x 100 x 64 floats took 10 us instead of 41, since they stay in the cache.
_LARGE = 4096
# The reference count of an object that only a list holds.
_LISTED = [object()]
_ALONE = sys.getrefcount(_LISTED[0])


class _Spare(NamedTuple):
    """An input that is not used any more: its place, and its shape, which is that of the output."""

    place: int
    shape: tuple[int, ...]

    def is_alone_in(self, values: Sequence[Array]) -> bool:
        """Whether nothing but `values` holds the memory of the input."""
        if sys.getrefcount(values[self.place]) != _ALONE:
            return False
        array = values[self.place]
        return array.base is None and array.shape == self.shape and array.flags.writeable


class _Run(NamedTuple):
    """A kernel, the places of its inputs, of its output or of several, and the places that are free after it.

    The output may take the memory of `spare` unless that is None.
    """

    kernel: Kernel
    inputs: tuple[int, ...]
    output: int
    outputs: tuple[int, ...] | None
    freed: tuple[int, ...]
    spare: _Spare | None


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
            spare = self._spare(entry) if isinstance(kernel, np.ufunc) else None
            self._runs.append(_Run(kernel, entry.sources, targets[0] if targets else 0, several, entry.freed, spare))
        self._rest = [*[None] * (draft.count - draft.given), *reversed(draft.constants)]

    @functools.cached_property
    def work(self) -> float:
        """An estimate of a call's nanoseconds."""
        steps = (step_of(entry, self._shapes, self._prepare) for entry in self._draft.entries)
        return cost.CALL + sum(map(cost.of, steps))

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs; they may share memory with inputs and constants."""
        values = [*inputs, *self._rest]
        for kernel, places, output, outputs, freed, spare in self._runs:
            if spare is not None and spare.is_alone_in(values):
                values[output] = kernel(*[values[place] for place in places], out=values[spare.place])
            elif outputs is None:
                values[output] = kernel(*[values[place] for place in places])
            else:
                for place, value in zip(outputs, kernel(*[values[place] for place in places]), strict=True):
                    values[place] = value
            for place in freed:
                values[place] = None
        return [values[place] for place in self._draft.results]

    def _spare(self, entry: Entry) -> _Spare | None:
        """The input of `entry` whose memory its output may take."""
        output = self._shapes.of(entry.outputs[0])
        if output.size < _LARGE:
            return None
        for place, form in zip(entry.sources, entry.inputs, strict=True):
            if place in entry.freed and self._shapes.of(form) == output:
                return _Spare(place, output.shape)
        return None

    def _prepare(self, jaxpr: Any) -> Flat:
        if id(jaxpr) not in self._bodies:
            self._bodies[id(jaxpr)] = Flat(self._draft.body(jaxpr), self._sizes)
        return self._bodies[id(jaxpr)]
