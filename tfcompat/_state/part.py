"""Parts of a variable: reading and assigning slices, and the scatter family."""

from __future__ import annotations

from typing import Any

from tfcompat._core.tensor import Tensor
from tfcompat._ops.gathering import gather as gather
from tfcompat._ops.gathering import gather_nd as gather_nd
from tfcompat._ops.indexing import getitem
from tfcompat._state.cell import Cell


def sliced(variable: Cell, key: Any) -> Tensor:
    """`variable[key]`: a tensor whose `assign` assigns to that part of the variable."""
    return getitem(variable, key)
