"""Control flow: ops that call Python functions, once, or as often as values say."""

from __future__ import annotations

from tfcompat._function.control.branch import cond as cond
from tfcompat._function.control.branch import switch_case as switch_case
from tfcompat._function.control.case import case as case
from tfcompat._function.control.folding import foldl as foldl
from tfcompat._function.control.folding import foldr as foldr
from tfcompat._function.control.folding import scan as scan
from tfcompat._function.control.loop import while_loop as while_loop
from tfcompat._function.control.mapping import map_fn as map_fn
from tfcompat._function.control.tensor_array import TensorArray as TensorArray
from tfcompat._function.control.unrolling import map_rows as map_rows
from tfcompat._function.control.vectorization import vectorized_map as vectorized_map
