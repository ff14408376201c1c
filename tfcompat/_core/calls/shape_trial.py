"""Shapes of results that do not follow from symbols: the op is called with arrays of several sizes.

Where only shapes are asked for, all open sizes have one symbol. An op may need one of them to be a certain size, such
as that of the other operand, or need values. The sizes of a result that differ between the calls are open.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import is_open, symbols_of, value_of

# The values of the open sizes, and the integers, in each call.
_TRIALS = ((12, 0), (24, 1), (12, 2), (24, 3))
# The most certain sizes, the most open sizes that get one, and the most choices of these that are tried.
_MOST_FIXED, _MOST_OPEN, _MOST_CHOICES = 6, 2, 120
_MOST_ELEMENTS = 1 << 20

# The sizes that take the place of open ones, by tensor and axis.
_Choice = Mapping[tuple[int, int], int]
_Result = Callable[[Sequence[np.ndarray]], Any]


def specs_by_trial(tensors: Sequence[Tensor], numbers: Sequence[Any], result: _Result) -> tuple[Any, list[Any]] | None:
    """A result of an op, and the specs of its components; None if the op refuses all arrays.

    `result` calls the op with arrays for `tensors`; `numbers` are integers among its other arguments.
    """
    places = [
        (k, axis)
        for k, tensor in enumerate(tensors)
        if tensor._is_symbolic()
        for axis, size in enumerate(tensor._aval.shape)
        if is_open(size)
    ]
    sizes = [size for tensor in tensors for size in tensor._aval.shape]
    fixed = sorted({size for size in [*sizes, *numbers] if type(size) is int and size > 1})[:_MOST_FIXED]
    for choice in itertools.islice(_choices(places, [1, *fixed]), _MOST_CHOICES):
        samples: list[Any] = []
        for least, number in _TRIALS:
            arrays = _arrays(tensors, choice, least, number)
            if arrays is None:
                continue
            with postponed():  # the exception of a signal handler says nothing about arrays
                try:
                    samples.append(result(arrays))
                except Exception:  # an op may refuse arrays with any error
                    if number == 1:
                        break  # it refused two kinds of arrays
        found = _common(samples)
        if found is not None:
            return samples[0], found
    return None


def _choices(places: Sequence[tuple[int, int]], fixed: Sequence[int]) -> Generator[_Choice]:
    """Choices of certain sizes for no open size, for each one, and for several of them."""
    for count in range(min(_MOST_OPEN, len(places)) + 1):
        for chosen in itertools.combinations(places, count):
            for sizes in itertools.product(fixed, repeat=count):
                yield dict(zip(chosen, sizes, strict=True))


def _arrays(tensors: Sequence[Tensor], choice: _Choice, least: int, number: int) -> list[np.ndarray] | None:
    """Arrays for `tensors` whose open sizes are `least` unless there is a `choice`; None if they are too large."""
    names = symbols_of([size for tensor in tensors for size in tensor._aval.shape])
    found: list[np.ndarray] = []
    for k, tensor in enumerate(tensors):
        known: Any = tensor._array
        if isinstance(known, np.ndarray) and known.dtype == object:
            values = dict.fromkeys(symbols_of(known.ravel().tolist()), least)
            numbers = [value_of(size, values) for size in known.ravel()]
            found.append(np.array(numbers, tensor.dtype.as_numpy_dtype).reshape(known.shape))
        elif not tensor._is_symbolic():
            found.append(np.asarray(tensor))
        else:
            values = dict.fromkeys(names, least)
            shape = [choice.get((k, axis), value_of(size, values)) for axis, size in enumerate(tensor._aval.shape)]
            if math.prod(shape) > _MOST_ELEMENTS:
                return None
            found.append(_filled(shape, tensor, number))
    return found


def _filled(shape: Sequence[int], tensor: Tensor, number: int) -> np.ndarray:
    """An array of other values for another `number`: random floats, integers that increase from 0 to `number`."""
    if tensor.dtype.is_floating:
        return np.random.default_rng(number).random(shape).astype(tensor.dtype.as_numpy_dtype)
    count = math.prod(shape)
    return (np.arange(count) * (number + 1) // max(count, 1)).reshape(shape).astype(tensor.dtype.as_numpy_dtype)


def _common(samples: Sequence[Any]) -> list[Any] | None:
    """For each component of the `samples` a spec of all its values; None unless there are two, with values alike."""
    if len(samples) < 2:
        return None
    found: list[Any] = []
    for values in zip(*map(nest.flatten, samples), strict=False):
        if not all(isinstance(value, Tensor) for value in values):
            return None
        first, *others = [TensorSpec(value.shape, value.dtype) for value in values]
        spec = first.most_specific_common_supertype(others)
        if spec is None or spec.shape.rank is None:
            return None
        found.append(spec)
    return found
