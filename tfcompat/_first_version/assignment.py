"""TensorFlow 1's functions that assign to variables: `assign(ref, value)` is `ref.assign(value)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.indexed_slices.rows import IndexedSlices


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref.assign(value)`. The shape is checked whatever `validate_shape` is, as in TensorFlow's eager mode.

    Source: TF 2.21 `tf.compat.v1.assign`.
    """
    del validate_shape
    return ref.assign(value, bool(use_locking), name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_add(value)`.

    Source: TF 2.21 `tf.compat.v1.assign_add`.
    """
    return ref.assign_add(value, bool(use_locking), name)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_sub(value)`.

    Source: TF 2.21 `tf.compat.v1.assign_sub`.
    """
    return ref.assign_sub(value, bool(use_locking), name)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """`ref.count_up_to(limit)`.

    Source: TF 2.21 `tf.compat.v1.count_up_to`.
    """
    del name
    return ref.count_up_to(limit)


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds `updates` to the rows `indices` of the variable `ref`.

    Source: TF 2.21 `tf.compat.v1.scatter_add`.
    """
    return ref.scatter_add(_rows(ref, indices, updates), use_locking, name)


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Subtracts `updates` from the rows `indices` of the variable `ref`.

    Source: TF 2.21 `tf.compat.v1.scatter_sub`.
    """
    return ref.scatter_sub(_rows(ref, indices, updates), use_locking, name)


def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Multiplies the rows `indices` of the variable `ref` by `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_mul`.
    """
    return ref.scatter_mul(_rows(ref, indices, updates), use_locking, name)


def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Divides the rows `indices` of the variable `ref` by `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_div`.
    """
    return ref.scatter_div(_rows(ref, indices, updates), use_locking, name)


def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Replaces the rows `indices` of the variable `ref` by the larger of them and `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_max`.
    """
    return ref.scatter_max(_rows(ref, indices, updates), use_locking, name)


def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Replaces the rows `indices` of the variable `ref` by the smaller of them and `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_min`.
    """
    return ref.scatter_min(_rows(ref, indices, updates), use_locking, name)


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replaces the rows `indices` of the variable `ref` by `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_update`.
    """
    return ref.scatter_update(_rows(ref, indices, updates), use_locking, name)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces the rows `indices` in each batch of the variable `ref` by `updates`.

    Source: TF 2.21 `tf.compat.v1.batch_scatter_update`.
    """
    return ref.batch_scatter_update(_rows(ref, indices, updates), use_locking, name)


def scatter_nd_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds `updates` to the parts of the variable `ref` at the coordinates `indices`.

    Source: TF 2.21 `tf.compat.v1.scatter_nd_add`.
    """
    del use_locking
    return ref.scatter_nd_add(indices, updates, name)


def scatter_nd_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Subtracts `updates` from the parts of the variable `ref` at the coordinates `indices`.

    Source: TF 2.21 `tf.compat.v1.scatter_nd_sub`.
    """
    del use_locking
    return ref.scatter_nd_sub(indices, updates, name)


def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Replaces the parts of the variable `ref` at the coordinates `indices` by `updates`.

    Source: TF 2.21 `tf.compat.v1.scatter_nd_update`.
    """
    del use_locking
    return ref.scatter_nd_update(indices, updates, name)


def is_variable_initialized(variable: Any) -> Tensor:
    """A True tensor: `variable` always has a value.

    Source: TF 2.21 `tf.compat.v1.is_variable_initialized`.
    """
    return variable.is_initialized()


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """An empty tensor of strings: all of `var_list` have a value.

    Source: TF 2.21 `tf.compat.v1.report_uninitialized_variables`.
    """
    del var_list, name
    return Tensor(np.zeros(0, object))


def variables_initializer(var_list: Any, name: str = "init") -> None:
    """Returns None: all of `var_list` have a value.

    Source: TF 2.21 `tf.compat.v1.variables_initializer`.
    """
    del var_list, name


def global_variables_initializer() -> None:
    """Returns None: all variables have a value.

    Source: TF 2.21 `tf.compat.v1.global_variables_initializer`.
    """


def local_variables_initializer() -> None:
    """Returns None: all variables have a value.

    Source: TF 2.21 `tf.compat.v1.local_variables_initializer`.
    """


def tables_initializer(name: str = "init_all_tables") -> None:
    """Returns None: tables are filled when they are made.

    Source: TF 2.21 `tf.compat.v1.tables_initializer`.
    """
    del name


def _rows(ref: Any, indices: Any, updates: Any) -> IndexedSlices:
    return IndexedSlices(convert_to_tensor(updates, ref.dtype), convert_to_tensor(indices))
