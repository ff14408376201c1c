"""`tf.lookup.experimental.DenseHashTable`: a mutable table whose keys may be vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.text.hash_bucket import bucket_places
from tfcompat._state.table import KEYS, VALUES, MutableTable

# The least number of places, and the share of them that may be taken.
_LEAST, _LOAD = 4, 0.8


class DenseHashTable(MutableTable):
    """A mutable table from strings or integers (or vectors of them) to values of one shape.

    Args:
      key_dtype, value_dtype: the dtypes of keys and values.
      default_value: the value of other keys; its shape is that of every value.
      empty_key, deleted_key: two keys that cannot be used.
      initial_num_buckets: a power of 2, at least 4: the least number of places in a checkpoint.
      checkpoint: has no effect in TensorFlow 2: checkpoints hold all mutable tables that they reach.

    Raises: InvalidArgumentError if empty_key and deleted_key are the same, or for another number of buckets;
      NotFoundError and TypeError as `MutableHashTable`.
    Source: TF 2.21 `tf.lookup.experimental.DenseHashTable`.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del name, checkpoint, experimental_is_anonymous
        title = "experimental.DenseHashTable"
        reserved = [convert_to_tensor(key, key_dtype) for key in (empty_key, deleted_key)]
        super().__init__(title, key_dtype, value_dtype, default_value, reserved[0]._aval.shape)
        self._least_buckets = _LEAST if initial_num_buckets is None else initial_num_buckets
        self._reserved = [next(self._listed(np.asarray(self._keys(key)))) for key in reserved]
        if self._reserved[0] == self._reserved[1]:
            raise InvalidArgumentError.of(
                f"tf.lookup.{title}: Empty and deleted keys cannot be equal, got {empty_key!r}."
            )
        count = initial_num_buckets
        if count is not None and (count < _LEAST or count & (count - 1)):
            raise InvalidArgumentError.of(
                f"tf.lookup.{title}: Number of buckets must be at least 4 and a power of 2, got: {count}."
            )

    def _keys(self, keys: Any, what: str = "keys") -> Tensor:
        tensor = super()._keys(keys, what)
        reserved = getattr(self, "_reserved", ())
        for key in self._listed(np.asarray(tensor)):
            if key in reserved:
                which = ("empty_key", "deleted_key")[reserved.index(key)]
                raise InvalidArgumentError.of(
                    f"tf.lookup.{self._title}: Using the {which} as a table key is not allowed, got {key!r}."
                )
        return tensor

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        """The tensors that a checkpoint holds for the table: the places of TensorFlow's table, some of them empty."""
        keys, values = [np.asarray(part) for part in self.export()]
        keys = keys.reshape(len(keys), -1) if keys.size else np.empty((0, math.prod(self._key_shape)), keys.dtype)
        count = self._least_buckets
        while len(keys) > count * _LOAD:
            count *= 2
        places = bucket_places(keys, count)
        buckets = np.empty((count, keys.shape[1]), keys.dtype)
        buckets[:] = np.asarray(self._reserved[0], keys.dtype)
        contents = np.empty((count, math.prod(self._value_shape())), values.dtype)
        contents[:] = self._default.reshape(-1)
        buckets[places], contents[places] = keys, values.reshape(len(keys), contents.shape[1])
        return {KEYS: Tensor(buckets), VALUES: Tensor(contents)}

    def _stored_entries(self, keys: np.ndarray, values: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        entries = super()._stored_entries(keys, values)
        return ((key, value) for key, value in entries if key not in self._reserved)

    @by_row("keys", specs=lambda self, keys, **_: self._found_spec(keys))
    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of `keys`, or the default value.

        Shapes: [*dims, *key] -> [*dims, *value].
        Dtypes: key_dtype -> value_dtype.
        Raises: TypeError or ValueError for another dtype; UntraceableError while a tf.function is traced.
        Source: TF 2.21 `tf.lookup.experimental.DenseHashTable.lookup`.
        """
        del name
        return self._found(keys, self._default)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """The same as `insert`.

        Shapes: [*dims, *key], [*dims, *value].
        Dtypes: key_dtype, value_dtype.
        Raises: as `insert`.
        Source: TF 2.21 `tf.lookup.experimental.DenseHashTable.insert_or_assign`.
        """
        self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """The same as `remove`.

        Shapes: [*dims, *key].
        Dtypes: key_dtype.
        Raises: as `remove`.
        Source: TF 2.21 `tf.lookup.experimental.DenseHashTable.erase`.
        """
        self.remove(keys, name)
