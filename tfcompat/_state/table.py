"""Tables: values by key, on the host."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.by_row import by_row
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import INDEX, DType, as_dtype, string
from tfcompat._core.error import InvalidArgumentError, NotFoundError
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here


class Table:
    """The base of all tables of `tf.lookup`.

    A key is a number or bytes, or a tuple of these if keys are not scalars.

    Raises: NotFoundError for keys of another dtype than string, int32 and int64.
    """

    # The class supports subscripts but is not a sequence.
    __iter__ = None

    def __init__(self, title: str, key_dtype: Any, value_dtype: Any, key_shape: tuple[int, ...] = ()) -> None:
        self._title = title
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)
        self._key_shape = key_shape
        self._entries: dict[Any, Any] = {}
        if self._key_dtype is not string and self._key_dtype not in INDEX:
            raise NotFoundError.of(
                f"tf.lookup.{title}: keys must be string, int32 or int64, got {self._key_dtype.name}."
            )

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """None: tables have no names in eager execution."""
        return None

    @property
    def resource_handle(self) -> NoReturn:
        """Raises NotImplementedError: the table is a Python object."""
        raise NotImplementedError(f"tf.lookup.{self._title}.resource_handle: tables are Python objects; use the table.")

    def size(self, name: str | None = None) -> Tensor:
        """The number of keys.

        Shapes: [].
        Dtypes: int64.
        Source: TF 2.21 `tf.lookup.StaticHashTable.size`.
        """
        del name
        self._require_eager("size")
        return Tensor(np.array(len(self._entries), np.int64))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values, in the order of insertion.

        Shapes: [n, *key], [n, *value].
        Dtypes: key_dtype, value_dtype.
        Source: TF 2.21 `tf.lookup.StaticHashTable.export`.
        """
        del name
        self._require_eager("export")
        keys = np.empty((len(self._entries), *self._key_shape), self._key_dtype.as_numpy_dtype)
        for place, key in enumerate(self._entries):
            keys[place] = key
        return Tensor(keys), Tensor(self._rows(list(self._entries.values())))

    def _rows(self, values: list[Any]) -> np.ndarray:
        """The values as one array."""
        rows = np.empty((len(values), *self._value_shape()), self._value_dtype.as_numpy_dtype)
        for place, value in enumerate(values):
            rows[place] = value
        return rows

    def _value_shape(self) -> tuple[int, ...]:
        return ()

    def _require_eager(self, use: str) -> None:
        """Raises NotImplementedError while a function is traced, if the table is mutable."""

    def _keys(self, keys: Any, what: str = "keys") -> Tensor:
        """`keys` as a tensor. Raises InvalidArgumentError if their shape does not fit this table."""
        tensor = convert_to_tensor(keys, self._key_dtype, name=what)
        rank = len(self._key_shape)
        if rank and tensor._aval.shape[-rank:] != self._key_shape:
            raise InvalidArgumentError.of(
                f"tf.lookup.{self._title}: shapes of keys must end in {self._key_shape}, got {tensor.shape}."
            )
        return tensor

    def _places(self, keys: Tensor) -> tuple[int, ...]:
        """The shape of `keys` without the shape of a key."""
        return keys._aval.shape[: keys.ndim - len(self._key_shape)]

    def _listed(self, array: np.ndarray) -> Iterator[Any]:
        """The keys in `array`."""
        if not self._key_shape:
            return iter(array.ravel().tolist())
        return map(tuple, array.reshape(-1, math.prod(self._key_shape)).tolist())


class MutableTable(Table):
    """A mutable table; the default value has the shape of every value.

    Raises: NotFoundError for keys of another dtype than string, int32 and int64; TypeError if default_value is not a
      valid value.
    """

    def __init__(
        self, title: str, key_dtype: Any, value_dtype: Any, default_value: Any, key_shape: tuple[int, ...] = ()
    ) -> None:
        super().__init__(title, key_dtype, value_dtype, key_shape)
        self._default = convert_to_tensor(default_value, self._value_dtype).__array__()
        if self._value_dtype is string and self._key_dtype is string:
            raise NotFoundError.of(
                f"tf.lookup.{title}: tables from string to string are not supported; use StaticHashTable."
            )

    def _value_shape(self) -> tuple[int, ...]:
        return self._default.shape

    def _found_spec(self, keys: Any) -> TensorSpec:
        """The type of the values of `keys`."""
        rank, shape = len(self._key_shape), self._keys(keys).shape.as_list()
        return TensorSpec([*shape[: len(shape) - rank], *self._value_shape()], self._value_dtype)

    def _require_eager(self, use: str) -> None:
        if here.graph is not None:
            raise NotImplementedError(
                f"tf.lookup.{self._title}.{use}: a table that changes is on the host, and no part of a tf.function; "
                "call it outside of the function, in a tf.py_function, or use tf.lookup.StaticHashTable."
            )

    def __getitem__(self, keys: Any) -> Tensor:
        return self._found(keys, self._default)

    def _found(self, keys: Any, default: np.ndarray) -> Tensor:
        """The values of `keys`; of other keys `default`, which is broadcast."""
        self._require_eager("lookup")
        tensor = self._keys(keys)
        shape = (*self._places(tensor), *self._value_shape())
        others = np.broadcast_to(default, shape).reshape(-1, *self._value_shape())
        listed = self._listed(np.asarray(tensor))
        return Tensor(self._rows([self._entries.get(key, others[k]) for k, key in enumerate(listed)]).reshape(shape))

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Sets the values of `keys`, replacing values of existing keys.

        Shapes: [*dims, *key], [*dims, *value].
        Dtypes: key_dtype, value_dtype.
        Raises: InvalidArgumentError if the shapes do not fit; TypeError or ValueError for another dtype;
          NotImplementedError inside a tf.function.
        Source: TF 2.21 `tf.lookup.experimental.DenseHashTable.insert`.
        """
        del name
        self._require_eager("insert")
        tensor, rows = self._keys(keys), convert_to_tensor(values, self._value_dtype, name="values")
        wanted = (*self._places(tensor), *self._value_shape())
        if rows._aval.shape != wanted:
            raise InvalidArgumentError.of(
                f"tf.lookup.{self._title}.insert: Expected shape {wanted} for value, got {rows.shape}."
            )
        flat = rows.__array__().reshape(-1, *self._value_shape())
        self._entries.update(zip(self._listed(np.asarray(tensor)), flat, strict=True))

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Removes `keys` from the table; unknown keys are ignored.

        Shapes: [*dims, *key].
        Dtypes: key_dtype.
        Raises: TypeError or ValueError for another dtype; NotImplementedError inside a tf.function.
        Source: TF 2.21 `tf.lookup.experimental.DenseHashTable.remove`.
        """
        del name
        self._require_eager("remove")
        for key in self._listed(np.asarray(self._keys(keys))):
            self._entries.pop(key, None)


class MutableHashTable(MutableTable):
    """A mutable table from strings or integers to values of one shape.

    Args:
      key_dtype, value_dtype: the dtypes of keys and values.
      default_value: the value of other keys; its shape is that of every value.
      checkpoint: accepted as TensorFlow does; checkpoints do not hold tables.

    Raises: NotFoundError for keys of another dtype than string, int32 and int64; TypeError if default_value can't be a
      value.
    Source: TF 2.21 `tf.lookup.experimental.MutableHashTable`.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del name, checkpoint, experimental_is_anonymous
        super().__init__("experimental.MutableHashTable", key_dtype, value_dtype, default_value)

    @by_row("keys", "dynamic_default_values", specs=lambda self, keys, **_: self._found_spec(keys))
    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Tensor:
        """The values of `keys`; of other keys `dynamic_default_values`, one or one for each, or the default value.

        Shapes: [*dims], [*dims, *value] or [*value] -> [*dims, *value].
        Dtypes: key_dtype, value_dtype -> value_dtype.
        Raises: TypeError or ValueError for another dtype; NotImplementedError inside a tf.function.
        Source: TF 2.21 `tf.lookup.experimental.MutableHashTable.lookup`.
        """
        del name
        if dynamic_default_values is None:
            return self._found(keys, self._default)
        return self._found(keys, convert_to_tensor(dynamic_default_values, self._value_dtype).__array__())


class DenseHashTable(MutableTable):
    """A mutable table from strings or integers (or vectors of them) to values of one shape.

    Args:
      key_dtype, value_dtype: the dtypes of keys and values.
      default_value: the value of other keys; its shape is that of every value.
      empty_key, deleted_key: two keys that cannot be used.
      initial_num_buckets: a power of 2, at least 4. It has no effect.
      checkpoint: accepted as TensorFlow does; checkpoints do not hold tables.

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
        self._reserved = [next(self._listed(np.asarray(self._keys(key)))) for key in reserved]
        if self._reserved[0] == self._reserved[1]:
            raise InvalidArgumentError.of(
                f"tf.lookup.{title}: Empty and deleted keys cannot be equal, got {empty_key!r}."
            )
        count = initial_num_buckets
        if count is not None and (count < 4 or count & (count - 1)):
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

    @by_row("keys", specs=lambda self, keys, **_: self._found_spec(keys))
    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of `keys`, or the default value.

        Shapes: [*dims, *key] -> [*dims, *value].
        Dtypes: key_dtype -> value_dtype.
        Raises: TypeError or ValueError for another dtype; NotImplementedError inside a tf.function.
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
