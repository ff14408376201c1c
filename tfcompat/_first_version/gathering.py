"""Functions of TensorFlow 1 that take parts of tensors, with other orders of their arguments."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._first_version.argument import either
from tfcompat._ops.array import gathering
from tfcompat._ops.order import sorting
from tfcompat._ops.sparse import layout
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._ops.text import element


@dispatched
def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Any:
    """`tf.boolean_mask`. Source: TF 2.21 `tf.compat.v1.boolean_mask`."""
    return gathering.boolean_mask(tensor, mask, axis, name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """`tf.gather`. Source: TF 2.21 `tf.compat.v1.gather`."""
    return gathering.gather(params, indices, validate_indices, axis, batch_dims, name)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Any:
    """`tf.gather_nd`. Source: TF 2.21 `tf.compat.v1.gather_nd`."""
    return gathering.gather_nd(params, indices, batch_dims, name, bad_indices_policy)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """`tf.math.in_top_k` of `targets`. Source: TF 2.21 `tf.compat.v1.math.in_top_k`."""
    return sorting.in_top_k(targets, predictions, k, name)


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """`tf.strings.substr`. Source: TF 2.21 `tf.compat.v1.strings.substr`."""
    return element.substr(input, pos, len, unit, name)


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: Any = None,
) -> SparseTensor:
    """`tf.sparse.concat`, whose arguments have older names too.

    Source: TF 2.21 `tf.compat.v1.sparse_concat`.
    """
    place = either("axis", axis, "concat_dim", concat_dim)
    grows = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return layout.concat(place, sp_inputs, grows, name)
