"""Conversion between sparse and dense tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row, element_trace, hosting_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Shape, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, wrong_dtype
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.types.dtype import INDEX, MOVABLE, as_dtype, bool_, float32, int64, string
from tfcompat._ops.array.gathering import gather_nd
from tfcompat._ops.array.known import known
from tfcompat._ops.array.true_place import may_be_found, true_coordinates
from tfcompat._ops.sparse.coordinate import dims_of, is_bad, is_misplaced, require_sparse, shaped
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """`sp_input` as a dense tensor, with `default_value` (zero) where no value is stored.

    Shapes: [*dims].
    Dtypes: any -> same.
    Raises: TypeError if sp_input is not a sparse tensor; InvalidArgumentError if indices are out of bounds, or, with
      `validate_indices`, out of order or repeated.
    Source: TF 2.21 `tf.sparse.to_dense`.
    """
    sparse = require_sparse("sparse.to_dense", sp_input)
    zero = b"" if sparse.dtype is string else False if sparse.dtype is bool_ else 0
    given = as_tensor(default_value)
    if given is not None and given.dtype is not sparse.dtype:
        raise wrong_dtype(f"tf.sparse.to_dense: default_value must be {sparse.dtype.name}, got {given.dtype.name}.")
    default = convert_to_tensor(zero if default_value is None else default_value, sparse.dtype)
    trace = hosting_trace()
    if trace is not None and _depends_on_data(sparse.dense_shape):
        parts = [sparse.indices, sparse.values, sparse.dense_shape, default]
        compute = _dense_by_row if validate_indices else _unchecked_by_row
        outputs, given = [(sparse.shape.as_list(), sparse.dtype)], {"validate_indices": bool(validate_indices)}
        return trace.hosted("sparse.to_dense", compute, parts, outputs, arguments=given)[0]
    dims = dims_of(sparse, "tf.sparse.to_dense")
    convert = _checked_dense if validate_indices else _dense
    return convert(sparse.indices, sparse.values, default, dims, name=name)


def _depends_on_data(dims: Tensor) -> bool:
    return dims._is_symbolic() and (element_trace() is not None or size_value(dims) is None)


def _out_of_place(indices: Array, values: Array, default_value: Array, shape: Shape) -> Array:
    del values, default_value
    return is_misplaced(indices, shape)


def _out_of_bounds(indices: Array, values: Array, default_value: Array, shape: Shape) -> Array:
    del values, default_value
    return is_bad(indices, shape)


_DENSE: dict[str, Any] = {
    "dtypes": {"indices": INDEX, "values": MOVABLE, "default_value": MOVABLE},
    "same": ("values", "default_value"),
}


def _spread(indices: Array, values: Array, default_value: Array, shape: Shape) -> Array:
    target = jnp.broadcast_to(default_value, shape)
    return target.at[tuple(indices[:, k] for k in range(len(shape)))].set(values)


_checked_dense = op(
    "sparse.to_dense",
    check=Check(
        ("indices",),
        _out_of_place,
        "indices must not be out of bounds, out of order (tf.sparse.reorder sorts them) or repeated",
    ),
    **_DENSE,
)(_spread)
_dense = op("sparse.to_dense", check=Check(("indices",), _out_of_bounds, "indices must be in bounds"), **_DENSE)(
    _spread
)


def _dense_by_row(values: Any, indices: Any, stored: Any, dims: Any, default: Any) -> list[np.ndarray]:
    if indices.size and np.any(is_misplaced(indices, tuple(dims.tolist()))):
        raise InvalidArgumentError.of(
            "tf.sparse.to_dense: indices must not be out of bounds, out of order (tf.sparse.reorder sorts them) or "
            "repeated"
        )
    return _unchecked_by_row(values, indices, stored, dims, default)


def _unchecked_by_row(values: Any, indices: Any, stored: Any, dims: Any, default: Any) -> list[np.ndarray]:
    del values
    if indices.size and np.any(is_bad(indices, tuple(dims.tolist()))):
        raise InvalidArgumentError.of("tf.sparse.to_dense: indices must be in bounds")
    found = np.full(tuple(dims.tolist()), default.item() if stored.dtype == object else default, stored.dtype)
    found[tuple(indices.T)] = stored
    return [found]


def _spec_of(tensor: Tensor) -> SparseTensorSpec:
    return SparseTensorSpec(tensor.shape, tensor.dtype)


@by_row("tensor", specs=lambda tensor, **_: _spec_of(convert_to_tensor(tensor)))
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The non-zero elements (or non-empty strings) of `tensor`.

    Their number is part of a shape: in a function the program finds it, else the host.

    Shapes: [*dims] -> [*dims].
    Dtypes: any -> same.
    Raises: InvalidArgumentError for a scalar.
    Source: TF 2.21 `tf.sparse.from_dense`.
    """
    del name
    dense = convert_to_tensor(tensor)
    if dense.ndim == 0:
        raise InvalidArgumentError.of("tf.sparse.from_dense: tensor must have rank 1 or more, got a scalar.")
    if dense._is_symbolic() and may_be_found(dense):
        indices = true_coordinates(dense)
    else:
        host = known(dense, "tf.sparse.from_dense")
        indices = Tensor(np.argwhere(host != b"" if dense.dtype is string else host).astype(np.int64))
    return shaped(indices, gather_nd(dense, indices), dense._aval.shape)


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """For each of `vocab_size` numbers, whether it is among the values of each row of `sp_input`.

    Shapes: [*dims, n] -> [*dims, vocab_size].
    Dtypes: any (truncated) -> bool.
    Raises: TypeError if sp_input is not a sparse tensor; InvalidArgumentError if a value is not in [0, vocab_size).
    Source: TF 2.21 `tf.sparse.to_indicator`.
    """
    del name
    sparse = require_sparse("sparse.to_indicator", sp_input)
    count = int(convert_to_tensor(vocab_size))
    dims = (*dims_of(sparse, "tf.sparse.to_indicator")[:-1], count)
    indices = known(sparse.indices, "tf.sparse.to_indicator")
    values = np.real(known(sparse.values, "tf.sparse.to_indicator")).astype(np.int64)
    if ((values < 0) | (values >= count)).any():
        raise InvalidArgumentError.of(f"tf.sparse.to_indicator: values must be in [0, {count}), got {values.tolist()}.")
    found = np.zeros(dims, bool)
    found[(*indices[:, :-1].T, values)] = True
    return Tensor(found)


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None) -> SparseTensor:
    """Ones on the diagonal of a matrix of `num_rows` rows and `num_columns` columns (`num_rows` if None).

    Shapes: -> [num_rows, num_columns].
    Dtypes: -> dtype.
    Raises: TypeError if a number is not an integer, or dtype is string; InvalidArgumentError if one is negative.
    Source: TF 2.21 `tf.sparse.eye`.
    """
    del name
    rows = integer(num_rows)
    columns = rows if num_columns is None else integer(num_columns)
    if min(rows, columns) < 0:
        raise InvalidArgumentError.of(f"tf.sparse.eye: sizes must not be negative, got {rows} and {columns}.")
    if as_dtype(dtype) is string:
        raise TypeError("tf.sparse.eye: there are no ones of dtype string.")
    places = np.arange(min(rows, columns), dtype=int64.as_numpy_dtype)
    ones = np.ones(places.shape, as_dtype(dtype).as_numpy_dtype)
    return shaped(Tensor(np.stack([places, places], 1)), Tensor(ones), (rows, columns))
