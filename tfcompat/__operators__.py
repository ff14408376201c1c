"""`tf.__operators__`: the functions that Python's operators on tensors call, for libraries."""

from tfcompat._ops.equality import eq, ne
from tfcompat._ops.operator import add, getitem
from tfcompat._ops.ragged.subscript import ragged_getitem

__all__ = ["add", "eq", "getitem", "ne", "ragged_getitem"]
