"""One compiled program for all recordings of a family whose sizes do not exceed certain largest sizes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.programs.family.compiler import options
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import to_device
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.padded.evaluation import padded, padded_array
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import is_open, value_of

Sizes = Mapping[str, int]

# Sizes of 8 and more are rounded up to one of these multiples of 4, each about 1.5 times the one before.
_STEPS, _FIRST, _MULTIPLE = 1.5, 8, 4


def rounded_up(size: int) -> int:
    """The smallest size of a class that covers `size`."""
    found = _FIRST
    while found < size:
        found = math.ceil(found * _STEPS / _MULTIPLE) * _MULTIPLE
    return found


class SizeClass:
    """A program on padded arrays, with the true sizes as its first argument.

    Attributes:
      largest: the largest sizes that it can take; `cost`: the estimated nanoseconds of a run.
      wasted: the estimated nanoseconds that smaller classes would have saved so far.
    """

    def __init__(
        self, jaxpr: Any, symbols: Sequence[str], largest: Sizes, donated: Sequence[int], cost: float = 0.0
    ) -> None:
        """The program of the closed `jaxpr` with the `symbols`. The inputs at the places `donated` are donated."""
        self.largest = largest
        self.cost = cost
        self.wasted = 0.0
        self._symbols = symbols
        self._inputs = [_opened(aval.shape, largest) for aval in jaxpr.in_avals]
        self._outputs = [aval.shape if any(map(is_open, aval.shape)) else None for aval in jaxpr.out_avals]
        program = padded(jaxpr, largest)

        def run(true: Any, *arrays: Any) -> list[Any]:
            return program({name: true[k] for k, name in enumerate(symbols)}, *arrays)

        taken = tuple(1 + place for place in donated)
        self._run = jitted(run, donate_argnums=taken, compiler_options=options() or None)
        self._starting = threading.RLock()
        self._is_fresh = True

    def covers(self, sizes: Sizes) -> bool:
        """Whether it can take `sizes`."""
        return all(size <= self.largest[name] for name, size in sizes.items())

    def __call__(self, sizes: Sizes, arrays: Sequence[Any]) -> list[Any]:
        """The outputs, in their true shapes, for arrays in their true shapes.

        The first call compiles the program. Raises NoRule if that is impossible; then no array was donated.
        """
        true = np.array([sizes[name] for name in self._symbols], np.int32)
        inputs = [
            array if shape is None else padded_array(np.asarray(array), shape)
            for array, shape in zip(arrays, self._inputs, strict=True)
        ]
        outputs = self._first_run(true, inputs) if self._is_fresh else self._run(true, *inputs)
        return [
            array if shape is None else _cut(array, [value_of(size, sizes) for size in shape])
            for array, shape in zip(outputs, self._outputs, strict=True)
        ]

    def _first_run(self, true: Any, inputs: Sequence[Any]) -> list[Any]:
        with self._starting:
            began = time.perf_counter()
            self._trace(true, inputs)
            outputs = self._run(true, *inputs)
            if self._is_fresh:
                self._is_fresh = False
                counts.compiles += 1
                counts.compile_seconds += time.perf_counter() - began
            return outputs

    def _trace(self, true: Any, inputs: Sequence[Any]) -> None:
        """Traces the program; JAX keeps the trace for the call. Raises NoRule for any error of the rules."""
        with postponed():  # the exception of a signal handler says nothing about rules
            try:
                self._run.trace(true, *inputs)
            except NoRule:
                raise
            except Exception as failed:  # includes JAX's checks of the arguments of rules
                raise NoRule("program", f"{type(failed).__name__}: {str(failed).partition(chr(10))[0]}") from failed


def _opened(shape: Sequence[Any], largest: Sizes) -> tuple[int, ...] | None:
    """The shape of the padded array for an input of `shape`; None if it has no symbols."""
    return physical_shape(tuple(shape), largest) if any(map(is_open, shape)) else None


def _cut(array: Any, shape: Sequence[int]) -> Any:
    """The meaningful part of a padded `array`, in memory of its own."""
    return to_device(np.asarray(array)[tuple(map(slice, shape))])
