"""Control flow: ops that call Python functions once, or as often as values determine."""

from __future__ import annotations

from tfcompat._function.control.branch import case as case
from tfcompat._function.control.branch import cond as cond
from tfcompat._function.control.branch import switch_case as switch_case
from tfcompat._function.control.while_loop import while_loop as while_loop
from tfcompat._function.rows.fold import foldl as foldl
from tfcompat._function.rows.fold import foldr as foldr
from tfcompat._function.rows.fold import scan as scan
from tfcompat._function.rows.map import map_fn as map_fn
from tfcompat._function.rows.map import map_rows as map_rows
from tfcompat._function.rows.map import vectorized_map as vectorized_map
from tfcompat._function.tensor_array.array import TensorArray as TensorArray
