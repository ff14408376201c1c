"""Products of a sparse and a dense matrix, and products of dense matrices at given coordinates."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Number, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import COMPLEX, INDEX, NUMERIC, float32, int32
from tfcompat._ops.array import layout
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise.complex_number import conj
from tfcompat._ops.sparse.coordinate import columns, dims_of, is_bad, require_sparse, structural
from tfcompat._ops.sparse.tensor import SparseTensor


def _is_outside(indices: Array, values: Array, b: Array, shape: Shape) -> Array:
    del values, b
    return is_bad(indices, shape)


@op(
    "sparse.sparse_dense_matmul",
    dtypes={"indices": INDEX, "values": NUMERIC, "b": NUMERIC},
    same=("values", "b"),
    check=Check(("indices",), _is_outside, "indices must be in bounds"),
)
def _product(indices: Array, values: Array, b: Array, shape: Shape) -> Array:
    rows = values[:, None] * b[indices[:, 1]]
    return jnp.zeros((shape[0], b.shape[1]), b.dtype).at[indices[:, 0]].add(rows)


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of the matrices `sp_a` and `b`, one of them sparse, or of their adjoints (`adjoint_a`, `adjoint_b`).

    Shapes: [m, k], [k, n] -> [m, n].
    Dtypes: numbers, both the same -> same.
    Raises: InvalidArgumentError if shapes do not fit, dtypes differ, or indices are out of bounds; TypeError if neither
      is sparse.
    Source: TF 2.21 `tf.sparse.sparse_dense_matmul`.
    """
    if isinstance(b, SparseTensor):
        product = sparse_dense_matmul(_adjoint(b), _adjoint(convert_to_tensor(sp_a)), adjoint_b, adjoint_a, name)
        return _adjoint(product)
    sparse = require_sparse("sparse.sparse_dense_matmul", sp_a, "sp_a")
    dense = convert_to_tensor(b, dtype_hint=sparse.dtype)
    first = _adjoint(sparse) if adjoint_a else sparse
    second = _adjoint(dense) if adjoint_b else dense
    dims = dims_of(first, "tf.sparse.sparse_dense_matmul")
    if len(dims) != 2 or second.ndim != 2 or dims[1] != second._aval.shape[0]:
        raise InvalidArgumentError.of(
            f"tf.sparse.sparse_dense_matmul: sp_a and b must be matrices whose inner dimensions agree, got shapes "
            f"{dims} and {second.shape}."
        )
    return _product(first.indices, first.values, second, dims, name=name)


def _adjoint(matrix: Any) -> Any:
    """The conjugate transpose of a matrix; the coordinates of a sparse one keep their order."""
    if not isinstance(matrix, SparseTensor):
        return layout.adjoint(matrix)
    values = conj(matrix.values) if matrix.dtype in COMPLEX else matrix.values
    dims = structural(_reversed, matrix.dense_shape)
    return SparseTensor._of(columns(matrix.indices, (1, 0)), values, dims)


def _reversed(xp: Any, dims: Any) -> Any:
    return xp.flip(dims)


def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: float = 1.0,
    alpha: float = 1.0,
    output_type: Any = float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """The product of `mat1` and `mat2` times `alpha` at `indices`, plus `values` times `beta`.

    Returns `indices`, the values there, and `dense_shape`. All arguments but dense_shape may have batch axes.

    Shapes: [*batch, k, 2], [*batch, k], [2], [*batch, m, n], [*batch, n, p] -> [*batch, k, 2], [*batch, k], [2].
    Dtypes: numbers -> output_type.
    Raises: ValueError if dense_shape is not that of the product; InvalidArgumentError if shapes do not fit.
    Source: TF 2.21 `tf.sparse.sampled_addmm`.
    """
    places = convert_to_tensor(indices)
    held, left, right = (convert_to_tensor(part, output_type) for part in (values, mat1, mat2))
    dims = convert_to_tensor(dense_shape, int32)
    if places._aval.shape[-1:] != (2,) or left.ndim < 2 or right.ndim < 2:
        raise InvalidArgumentError.of(
            f"tf.sparse.sampled_addmm: indices must be pairs, mat1 and mat2 matrices; got shapes {places.shape}, "
            f"{left.shape} and {right.shape}."
        )
    product = [left._aval.shape[-2], right._aval.shape[-1]]
    if known(dims, "tf.sparse.sampled_addmm").tolist() != product:
        raise ValueError(f"tf.sparse.sampled_addmm: Dense shape: {dims} does not match output shape: {product}")
    if left.ndim == 2:
        # TensorFlow's gradient for matrices is one of rows.
        rows = gather(left, columns(places, (0,)))
        across = gather(layout.transpose(right), columns(places, (1,)))
        rows, across = (layout.squeeze(part, [1]) for part in (rows, across))
        return places, _summed(held, rows, across, beta, alpha), dims
    return places, _sampled(places, held, left, right, beta, alpha), dims


@op("sparse.sampled_addmm", dtypes=NUMERIC)
def _summed(values: Array, rows: Array, across: Array, beta: Number, alpha: Number) -> Array:
    return jnp.sum(rows * across, -1, dtype=values.dtype) * alpha + values * beta


@op(
    "sparse.sampled_addmm",
    dtypes={"indices": INDEX, "values": NUMERIC, "mat1": NUMERIC, "mat2": NUMERIC},
    same=("values", "mat1", "mat2"),
)
def _sampled(indices: Array, values: Array, mat1: Array, mat2: Array, beta: Number, alpha: Number) -> Array:
    rows = jnp.take_along_axis(mat1, indices[..., :1], -2)
    across = jnp.take_along_axis(jnp.swapaxes(mat2, -1, -2), indices[..., 1:], -2)
    return jnp.sum(rows * across, -1, dtype=values.dtype) * alpha + values * beta
