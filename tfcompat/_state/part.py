"""Parts of a variable: reading and assigning slices, and the scatter family."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import BOOL, NUMERIC, REAL, DType, as_dtype, bool_, string
from tfcompat._ops.array.gathering import gather, gather_nd
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.joining import stack
from tfcompat._ops.array.scatter import assign_part, scatter_elements, scatter_rows
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.cell import Cell

_ALLOWED: dict[str, frozenset[DType]] = {
    **dict.fromkeys(("add", "sub", "mul", "div"), NUMERIC),
    **dict.fromkeys(("max", "min"), REAL),
    "update": NUMERIC | BOOL | {string},
}


class PartedCell(Cell):
    """A cell of which parts can be read and assigned."""

    def __getitem__(self, key: Any) -> Tensor:
        picked = getitem(self._read(), key)
        if not _is_mask(key):
            picked.__dict__["assign"] = partial(_assign_slice, self, key, picked._aval.ndim)
        return picked

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows at `indices`.

        Shapes: indices [*n] -> [*n, *row].
        Dtypes: indices int32 or int64.
        Gradient: `tf.IndexedSlices`.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.sparse_read`.
        """
        return gather(self, indices, name=name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices at `indices`, as `tf.gather_nd`.

        Shapes: indices [*n, k] -> [*n, *rest].
        Dtypes: indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.gather_nd`.
        """
        return gather_nd(self, indices, name=name)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Adds the rows of `sparse_delta`; rows at the same index add up.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: numbers, that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_add`.
        """
        del use_locking, name
        return self._scatter_rows("add", sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Subtracts the rows of `sparse_delta`, each of those at the same index.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: numbers, that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_sub`.
        """
        del use_locking, name
        return self._scatter_rows("sub", sparse_delta)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Multiplies by the rows of `sparse_delta`, by each of those at the same index.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: numbers, that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_mul`.
        """
        del use_locking, name
        return self._scatter_rows("mul", sparse_delta)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Divides by the rows of `sparse_delta`, by each of those at the same index. Reads them: they must not be 0.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: numbers, that of the variable; integers are divided towards zero.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range
          or a divisor 0.
        Source: TF 2.21 `tf.Variable.scatter_div`.
        """
        del use_locking, name
        return self._scatter_rows("div", sparse_delta)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Keeps the maximum of the value and the rows of `sparse_delta`, of all that are at the same index.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: real numbers, that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_max`.
        """
        del use_locking, name
        return self._scatter_rows("max", sparse_delta)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Keeps the minimum of the value and the rows of `sparse_delta`, of all that are at the same index.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: real numbers, that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_min`.
        """
        del use_locking, name
        return self._scatter_rows("min", sparse_delta)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Replaces rows by those of `sparse_delta`; of those at the same index the last one stays.

        Shapes: `sparse_delta.values` [*indices, *row], or a scalar.
        Dtypes: that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_update`.
        """
        del use_locking, name
        return self._scatter_rows("update", sparse_delta)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Self:
        """Replaces rows in each element of a batch: the last axis of the indices counts rows, the others the batch.

        Shapes: a variable [*batch, n, *row], indices [*batch, k], values [*batch, k, *row].
        Dtypes: that of the variable.
        Raises: TypeError if `sparse_delta` is not a `tf.IndexedSlices`; InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.batch_scatter_update`.
        """
        del use_locking, name
        values, indices = _rows_of(sparse_delta, self._dtype)
        batch = np.indices(indices._aval.shape)[:-1].astype(indices.dtype.as_numpy_dtype)
        return self._scatter_elements("update", stack([*batch, indices], axis=-1), values)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Adds `updates` to the elements or slices at `indices`; those at the same place add up.

        Shapes: indices [*n, k], updates [*n, *rest].
        Dtypes: updates numbers, that of the variable; indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_nd_add`.
        """
        del name
        return self._scatter_elements("add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Subtracts `updates` from the elements or slices at `indices`, each of those at the same place.

        Shapes: indices [*n, k], updates [*n, *rest].
        Dtypes: updates numbers, that of the variable; indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_nd_sub`.
        """
        del name
        return self._scatter_elements("sub", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Keeps the maximum of the value and `updates` at `indices`, of all that are at the same place.

        Shapes: indices [*n, k], updates [*n, *rest].
        Dtypes: updates real numbers, that of the variable; indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_nd_max`.
        """
        del name
        return self._scatter_elements("max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Keeps the minimum of the value and `updates` at `indices`, of all that are at the same place.

        Shapes: indices [*n, k], updates [*n, *rest].
        Dtypes: updates real numbers, that of the variable; indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_nd_min`.
        """
        del name
        return self._scatter_elements("min", indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Self:
        """Replaces the elements or slices at `indices` by `updates`; of those at the same place the last one stays.

        Shapes: indices [*n, k], updates [*n, *rest].
        Dtypes: updates that of the variable; indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.scatter_nd_update`.
        """
        del name
        return self._scatter_elements("update", indices, updates)

    def _scatter_rows(self, mode: str, sparse_delta: Any) -> Self:
        values, indices = _rows_of(sparse_delta, self._dtype)
        self._require_mode(mode)
        if mode == "div" and not np.all(values):
            raise InvalidArgumentError.of("tf.Variable.scatter_div: updates must not contain 0.")
        self._replace_by(lambda held: scatter_rows(held, indices, values, mode))
        return self._view()

    def _scatter_elements(self, mode: str, indices: Any, updates: Any) -> Self:
        self._require_mode(mode)
        updates = convert_to_tensor(updates, self._dtype)
        self._replace_by(lambda held: scatter_elements(held, indices, updates, mode))
        return self._view()

    def _require_mode(self, mode: str) -> None:
        if self._dtype not in _ALLOWED[mode]:
            raise InvalidArgumentError.of(f"tf.Variable.scatter_{mode}: no rule for dtype {self._dtype.name}.")

    def _put_on_host(self, key: Any, value: Tensor) -> Self:
        host = np.array(self._entered()._value())
        try:
            host[key] = value._value()[()]
        except IndexError as outside:
            raise InvalidArgumentError.of(f"tf.Variable: {outside}") from outside
        self._replace(host)
        return self._view()


def _assign_slice(cell: PartedCell, key: Any, ndim: int, val: Any, name: str | None = None) -> PartedCell:
    """Assigns `val`, broadcast, to the part of `cell` that `key` picks, which has `ndim` axes."""
    del name
    value = convert_to_tensor(val, cell._dtype)
    extra = value._aval.ndim - ndim
    if extra > 0 and value._aval.shape[:extra] == (1,) * extra:
        value = getitem(value, (0,) * extra)
    if cell._dtype is string:
        return cell._put_on_host(tuple(key) if isinstance(key, list) else key, value)
    cell._replace_by(lambda held: assign_part(held, key, value))
    return cell._view()


def _is_mask(key: Any) -> bool:
    """Whether `key` picks by truth; TensorFlow doesn't assign to that."""
    return isinstance(key, (Tensor, np.ndarray)) and as_dtype(key.dtype) is bool_


def _rows_of(sparse_delta: Any, dtype: DType) -> tuple[Tensor, Tensor]:
    """Values and indices. Raises TypeError if `sparse_delta` is not a `tf.IndexedSlices`."""
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
    return convert_to_tensor(sparse_delta.values, dtype), convert_to_tensor(sparse_delta.indices)
