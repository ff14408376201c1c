"""Tables: values by key, on the host."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError, InvalidArgumentError, NotFoundError, UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import INDEX, DType, as_dtype, string
from tfcompat._state.tracking.trackable import Trackable

# The ends of the names of a table's tensors in a checkpoint.
KEYS, VALUES = "-keys", "-values"


class Table(Trackable):
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
            raise UntraceableError(
                f"tf.lookup.{self._title}.{use}: a table that changes is on the host, and no part of a trace; call the "
                "function instead of asking for its concrete function, or use tf.lookup.StaticHashTable."
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
          UntraceableError while a tf.function is traced.
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

    # The beginning of the names of its tensors in a checkpoint, which have one attribute together.
    _saveable_name = "table"

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        """The tensors that a checkpoint holds for the table: the keys, and their values."""
        keys, values = self.export()
        return {KEYS: keys, VALUES: values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Replaces the entries by those in the tensors of a checkpoint.

        Raises: DataLossError if the shapes of keys and values do not fit the table.
        """
        # Not by `np.asarray`, which ignores an interrupt at the beginning of a read.
        keys, values = restored_tensors[KEYS].__array__(), restored_tensors[VALUES].__array__()
        self._entries = dict(self._stored_entries(keys, values))

    def _stored_entries(self, keys: np.ndarray, values: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        """The entries in tensors of a checkpoint. Raises DataLossError if their shapes do not fit the table."""
        count = len(keys) if keys.ndim else -1
        fits = keys.size == count * math.prod(self._key_shape) and values.shape[:1] == (count,)
        if not fits or values.size != count * math.prod(self._value_shape()):
            raise DataLossError.of(
                f"tf.lookup.{self._title}: keys of the shape {keys.shape} and values of the shape {values.shape} do "
                "not fit the table."
            )
        return zip(self._listed(keys), values.reshape(count, *self._value_shape()), strict=True)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Removes `keys` from the table; unknown keys are ignored.

        Shapes: [*dims, *key].
        Dtypes: key_dtype.
        Raises: TypeError or ValueError for another dtype; UntraceableError while a tf.function is traced.
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
      checkpoint: has no effect in TensorFlow 2: checkpoints hold all mutable tables that they reach.

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
        Raises: TypeError or ValueError for another dtype; UntraceableError while a tf.function is traced.
        Source: TF 2.21 `tf.lookup.experimental.MutableHashTable.lookup`.
        """
        del name
        if dynamic_default_values is None:
            return self._found(keys, self._default)
        return self._found(keys, convert_to_tensor(dynamic_default_values, self._value_dtype).__array__())
