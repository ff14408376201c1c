"""Immutable tables: from keys to values, and from words to numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.host_call import computed, is_open
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FailedPreconditionError
from tfcompat._core.types.dtype import INDEX, DType, as_dtype, int64, string
from tfcompat._ops.array.search import value_of_key
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._ops.text.hashing import fingerprint, hashes
from tfcompat._state.table import Table
from tfcompat._state.tracking.trackable import Trackable


class StaticHashTable(Table):
    """A table from strings or integers to scalars, filled by an `initializer`; other keys have `default_value`.

    Inside a `tf.function`, the program looks up integer keys with numeric values; strings must be known while tracing.

    Raises: NotFoundError for keys of another dtype than string, int32 and int64; TypeError or ValueError if
      default_value is not a valid value; the initializer's errors.
    Source: TF 2.21 `tf.lookup.StaticHashTable`.
    """

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        del name, experimental_is_anonymous
        super().__init__("StaticHashTable", initializer.key_dtype, initializer.value_dtype)
        self._default = convert_to_tensor(default_value, self._value_dtype)
        if self._default.ndim:
            raise ValueError(f"tf.lookup.StaticHashTable: default_value must be a scalar, got {self._default.shape}.")
        initializer.initialize(self)
        self._sorted: tuple[Tensor, Tensor] | None = None
        if self._key_dtype in INDEX and self._value_dtype is not string:
            keys, values = self.export()
            order = np.argsort(keys)
            self._sorted = Tensor(np.asarray(keys)[order]), Tensor(np.asarray(values)[order])

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table."""
        return self._default

    def _fill(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Adds keys with their values; called by an initializer."""
        for key, value in zip(self._listed(keys), values.ravel().tolist(), strict=True):
            if self._entries.setdefault(key, value) != value:
                raise FailedPreconditionError.of(
                    f"tf.lookup.StaticHashTable: HashTable has different value for same key. Key {key!r} has "
                    f"{self._entries[key]!r} and trying to add value {value!r}."
                )

    def _copy(self, other: StaticHashTable) -> None:
        """Takes the keys and values of `other`, a table of the same dtypes."""
        self._entries, self._sorted = dict(other._entries), other._sorted

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`, which may be ragged or sparse, or the default value.

        Shapes: [*dims] -> same.
        Dtypes: key_dtype -> value_dtype.
        Gradient: None.
        Raises: TypeError for another dtype.
        Source: TF 2.21 `tf.lookup.StaticHashTable.lookup`.
        """
        del name
        return over_values(self._found, keys, self._key_dtype, self._title)

    __getitem__ = lookup

    def _found(self, keys: Tensor) -> Tensor:
        if self._sorted is not None and (keys._array is None or is_open(keys)):
            return value_of_key(keys, *self._sorted, self._default)
        default = self._default.numpy()
        shape = keys._aval.shape

        def compute(array: np.ndarray) -> np.ndarray:
            return self._rows([self._entries.get(key, default) for key in self._listed(array)]).reshape(array.shape)

        name, given = f"lookup.{self._title}.lookup", {"self": self}
        return computed(name, compute, (keys,), shape, self._value_dtype, is_elementwise=True, arguments=given)


def over_values(find: Any, keys: Any, dtype: DType, title: str) -> Any:
    """`find` of `keys`, or of the values of ragged or sparse `keys`. Raises TypeError if their dtype is not `dtype`."""
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(over_values(find, keys.flat_values, dtype, title))
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, over_values(find, keys.values, dtype, title), keys.dense_shape)
    tensor = as_tensor(keys)
    if tensor is None:
        tensor = convert_to_tensor(keys, dtype)
    if tensor.dtype is not dtype:
        raise TypeError(f"tf.lookup.{title}: Dtype of argument `keys` must be {dtype}, received: {tensor.dtype}")
    return find(tensor)


class StaticVocabularyTable(Trackable):
    """A table from strings or integers to numbers; every other key has one of `num_oov_buckets` further numbers.

    The hash function of `tf.strings.to_hash_bucket_fast` selects the further number; integers are hashed as digits.

    Args:
      initializer: the known keys and their int64 numbers; None for a table without known keys.
      num_oov_buckets: the number of further numbers.
      name: the attribute `name`.
      lookup_key_dtype: the dtype of keys in lookups; by default that of the initializer, else string.

    Raises: TypeError for other dtypes; ValueError if num_oov_buckets is not positive.
    Source: TF 2.21 `tf.lookup.StaticVocabularyTable`.
    """

    # The class supports subscripts but is not a sequence.
    __iter__ = None

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        del experimental_is_anonymous
        if num_oov_buckets <= 0:
            raise ValueError("tf.lookup.StaticVocabularyTable: num_oov_buckets must be > 0; use StaticHashTable.")
        self._buckets = num_oov_buckets
        self._name = name
        self._table: StaticHashTable | None = None
        known = string if initializer is None else initializer.key_dtype
        self._key_dtype = known if lookup_key_dtype is None or initializer is None else as_dtype(lookup_key_dtype)
        if initializer is not None:
            _require_dtypes(initializer, self._key_dtype)
            self._table = StaticHashTable(initializer, -1)
            self._track_trackable(self._table, "_table")

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """int64."""
        return int64

    @property
    def name(self) -> str | None:
        """The given name."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """Raises NotImplementedError: the table is a Python object."""
        raise NotImplementedError(
            "tf.lookup.StaticVocabularyTable.resource_handle: tables are Python objects; use the table."
        )

    def size(self, name: str | None = None) -> Tensor:
        """The number of known keys plus `num_oov_buckets`.

        Shapes: [].
        Dtypes: int64.
        Source: TF 2.21 `tf.lookup.StaticVocabularyTable.size`.
        """
        del name
        return Tensor(np.array(self._known() + self._buckets, np.int64))

    def _known(self) -> int:
        return 0 if self._table is None else len(self._table._entries)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of `keys`, which may be ragged or sparse.

        Shapes: [*dims] -> same.
        Dtypes: key_dtype -> int64.
        Gradient: None.
        Raises: TypeError for another dtype.
        Source: TF 2.21 `tf.lookup.StaticVocabularyTable.lookup`.
        """
        del name
        return over_values(self._found, keys, self._key_dtype, "StaticVocabularyTable")

    __getitem__ = lookup

    def _found(self, keys: Tensor) -> Tensor:
        shape = keys._aval.shape
        entries = {} if self._table is None else self._table._entries

        def compute(array: np.ndarray) -> np.ndarray:
            listed = array.ravel().tolist()
            texts = [key if isinstance(key, bytes) else str(key).encode() for key in listed]
            others = hashes(fingerprint, texts) % np.uint64(self._buckets) + np.uint64(self._known())
            found = [entries.get(key, int(other)) for key, other in zip(listed, others, strict=True)]
            return np.array(found, np.int64).reshape(array.shape)

        name, given = "lookup.StaticVocabularyTable.lookup", {"self": self}
        return computed(name, compute, (keys,), shape, int64, is_elementwise=True, arguments=given)


def _require_dtypes(initializer: Any, key_dtype: DType) -> None:
    """Raises TypeError unless the initializer's values are int64 and its keys fit the dtype of lookups."""
    if initializer.value_dtype is not int64:
        raise TypeError(
            f"tf.lookup.StaticVocabularyTable: Invalid `value_dtype`, expected int64 but got {initializer.value_dtype}."
        )
    if initializer.key_dtype not in (int64, string) or (initializer.key_dtype is string) != (key_dtype is string):
        raise TypeError(
            f"tf.lookup.StaticVocabularyTable: Invalid `key_dtype` {initializer.key_dtype} to look up {key_dtype}; "
            "keys are int64 or string."
        )
