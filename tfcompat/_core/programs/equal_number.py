"""Numbers of a long program that are equal: the program reads one of them for all.

The numbers of a program are arguments, so that it serves other numbers too. But XLA takes equal arguments for different
values: of Keras' Adam it computes the corrections once for each variable, and it compiles a kernel for the update of
each, where one kernel would do for all variables of a shape. (ResNet50 with Adam: 1,155 kernels, and 276 with equal
numbers read once.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import numpy as np

# A program reads one of equal numbers for all if at least this many of its numbers repeat others.
_MANY = 64
# After this many runs whose numbers differ where they were equal, it reads each number.
_MOST_REFINED = 2


class EqualNumbers:
    """Which of a program's numbers are equal.

    Attributes:
      refined: how often numbers were found to differ that had been equal.
    """

    def __init__(self, places: Sequence[np.ndarray], refined: int = 0) -> None:
        """`places` has, for each vector of numbers, the place of the first equal number for each number."""
        self._places = places
        self.refined = refined
        self._latest: tuple[Any, ...] = ()

    def are_in(self, args: Sequence[Any]) -> bool:
        """Whether the vectors at the start of the arguments `args` are equal in the same places."""
        vectors = args[: len(self._places)]
        # Numbers that don't change are always the same objects.
        latest = self._latest
        if len(latest) == len(vectors) and all(map(is_, latest, vectors)):
            return True
        for vector, places in zip(vectors, self._places, strict=True):
            bits = _bits(vector)
            if not np.array_equal(bits[places], bits):
                return False
        self._latest = tuple(vectors)
        return True

    def merged(self, replay: Callable[..., Any]) -> Callable[..., Any]:
        """`replay`, the function of vectors of numbers and of arrays, where equal numbers are one value."""

        def merged_replay(*args: Any) -> Any:
            count = len(self._places)
            return replay(*map(_Merged, args[:count], self._places), *args[count:])

        return merged_replay


class _Merged:
    """A vector that JAX traces, of which each number is read once for all that are equal."""

    def __init__(self, vector: Any, places: np.ndarray) -> None:
        self._vector = vector
        self._places = places.tolist()
        self._read: dict[int, Any] = {}

    def __getitem__(self, index: int) -> Any:
        place = self._places[index]
        if place not in self._read:
            self._read[place] = self._vector[place]
        return self._read[place]


def equal_numbers(vectors: Sequence[Any], known: EqualNumbers | None) -> EqualNumbers | None:
    """The equal numbers in `vectors`, of those that were equal in `known`; None if each number is to be read."""
    refined = 0 if known is None else known.refined + 1
    if refined > _MOST_REFINED:
        return None
    before = [None] * len(vectors) if known is None else known._places
    places = list(map(_places, vectors, before))
    repeated = sum(int(np.count_nonzero(found != np.arange(len(found)))) for found in places)
    return EqualNumbers(places, refined) if repeated >= _MANY else None


def _places(vector: Any, before: np.ndarray | None) -> np.ndarray:
    """The place of the first number that is, and was `before`, equal to each number of `vector`."""
    # Not of pairs: NumPy compares these in Python code, and hides exceptions of signal handlers that come there.
    _, first, inverse = np.unique(_bits(vector), return_index=True, return_inverse=True)
    if before is not None:
        _, first, inverse = np.unique(inverse * len(inverse) + before, return_index=True, return_inverse=True)
    return first[inverse]


def _bits(vector: Any) -> np.ndarray:
    """The numbers as integers, which are equal if the numbers are the same, -0.0 and nan included."""
    return np.asarray(vector).view(np.int64)
