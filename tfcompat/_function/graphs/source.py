"""The sources from which a call of a function gets the values of the leaves of its trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell


class Argument(NamedTuple):
    """The tensor in the `index`-th place among the arguments of a call."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # `tuple.index` isn't used


class Drawn(NamedTuple):
    """Three integers that each call draws."""

    stream: CallStream


class Reading(NamedTuple):
    """Zeros that only receive gradients: those of reads of a variable that a block has assigned."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Part:
    """In a function of elements: tensor number `part` of component number `place` of the element."""

    place: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Hosted:
    """In a function of elements: output number `place` of step number `step` of the host."""

    step: int
    place: int


@dataclass(frozen=True, slots=True)
class Changing:
    """In a function of elements: a value that changes in each iteration of a loop that the host runs."""

    number: int


# A variable represents its value at the call, a tensor from outside represents itself.
Source = Argument | Drawn | Reading | Part | Hosted | Changing | Sizes | Cell | Tensor
