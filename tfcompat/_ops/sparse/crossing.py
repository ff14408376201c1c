"""Feature crosses: every combination of one value from each feature, row by row, as text or as hashes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, int64, string
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.partition import of_lengths
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.coordinate import dims_of, shaped
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec
from tfcompat._ops.text.hashing import fingerprint, hashes

Rows = list[list[Any]]
# TensorFlow's default key.
_KEY = 0xDECAFCAFFE
_FACTOR = 0xC6A4A7935BD1E995
_WORD = (1 << 64) - 1
_LARGEST = (1 << 63) - 1


def _crossed(dtype: DType) -> Any:
    """A declaration that the host computes the matrix of combinations in a function of elements."""
    return by_row("inputs", specs=lambda **_: SparseTensorSpec([None, None], dtype))


@_crossed(string)
def cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Every combination of a value of each of `inputs`, row by row, as strings joined by `separator` ("_X_" if None).

    Shapes: matrices of the same number of rows -> [rows, most].
    Dtypes: string or numbers, which are cast to int64 -> string.
    Raises: TypeError if one of inputs is neither a tensor nor a sparse tensor, or separator is not a string;
      InvalidArgumentError if one is not a matrix, or the numbers of rows differ.
    Source: TF 2.21 `tf.sparse.cross`.
    """
    del name
    text = convert_to_tensor("_X_" if separator is None else separator, string)
    if text.ndim:
        raise InvalidArgumentError.of(f"tf.sparse.cross: separator must be a scalar, got shape {text.shape}.")
    between: Any = known(text, "tf.sparse.cross")[()]
    return _sparse(_combined("sparse.cross", _parted("sparse.cross", inputs), lambda values: _joined(values, between)))


@_crossed(int64)
def cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None) -> SparseTensor:
    """Every combination of a value of each of `inputs`, row by row, as a hash under `hash_key`.

    With `num_buckets`, the hash is reduced to the index of a bucket.

    Shapes: matrices of the same number of rows -> [rows, most].
    Dtypes: string or numbers, which are cast to int64 -> int64.
    Raises: TypeError if one of inputs is neither a tensor nor a sparse tensor; InvalidArgumentError if one is not a
      matrix, the numbers of rows differ, or num_buckets is negative.
    Source: TF 2.21 `tf.sparse.cross_hashed`.
    """
    del name
    hasher = _hasher("sparse.cross_hashed", num_buckets, hash_key)
    return _sparse(_combined("sparse.cross_hashed", _parted("sparse.cross_hashed", inputs), hasher), np.int64)


def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Every combination of a value of each of `inputs`, row by row, as strings joined by "_X_".

    Shapes: matrices of the same number of rows -> [rows, (ragged)].
    Dtypes: string or integers -> string.
    Raises: TypeError if inputs are not a list; ValueError for another dtype, or more than one ragged axis;
      InvalidArgumentError if one of inputs is not a matrix, or the numbers of rows differ.
    Source: TF 2.21 `tf.ragged.cross`.
    """
    del name
    features = _converted("ragged.cross", inputs)
    return _ragged(_combined("ragged.cross", features, lambda values: _joined(values, b"_X_")))


def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None
) -> RaggedTensor:
    """Every combination of a value of each of `inputs`, row by row, as a hash under `hash_key`.

    With `num_buckets`, the hash is reduced to the index of a bucket.

    Shapes: matrices of the same number of rows -> [rows, (ragged)].
    Dtypes: string or integers -> int64.
    Raises: as `tf.ragged.cross`; InvalidArgumentError if num_buckets is negative.
    Source: TF 2.21 `tf.ragged.cross_hashed`.
    """
    del name
    hasher = _hasher("ragged.cross_hashed", num_buckets, hash_key)
    return _ragged(_combined("ragged.cross_hashed", _converted("ragged.cross_hashed", inputs), hasher), np.int64)


def _parted(name: str, inputs: Any) -> list[Any]:
    """The inputs, the sparse ones first, as TensorFlow orders them."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"tf.{name}: inputs must be a list, got {type(inputs).__name__}.")
    for one in inputs:
        if not isinstance(one, (SparseTensor, Tensor)):
            raise TypeError(f"tf.{name}: All inputs must be Tensor or SparseTensor, got {type(one).__name__}.")
    return sorted(inputs, key=lambda one: isinstance(one, Tensor))


def _converted(name: str, inputs: Any) -> list[Any]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"tf.{name}: inputs must be a list, got {type(inputs).__name__}.")
    features = [one if isinstance(one, (RaggedTensor, SparseTensor)) else convert_to_tensor(one) for one in inputs]
    for one in features:
        if not (one.dtype.is_integer or one.dtype is string):
            raise ValueError(f"tf.{name}: inputs must be strings or integers, got {one.dtype.name}.")
        if isinstance(one, RaggedTensor) and one.ragged_rank > 1:
            raise ValueError(f"tf.{name}: inputs must have rank 2, got {one.shape}.")
    return features


def _rows(value: Any, name: str) -> Rows:
    """The values of each row, as bytes or Python integers."""
    if value.shape.rank not in (2, None):
        raise InvalidArgumentError.of(f"tf.{name}: inputs must have rank 2, got {value.shape}.")
    if isinstance(value, RaggedTensor):
        ends = value._row_partition.host(f"tf.{name}").tolist()
        flat = _host(value.flat_values, name)
        return [flat[start:end] for start, end in itertools.pairwise(ends)]
    if isinstance(value, Tensor):
        return _host(value, name)
    rows: Rows = [[] for _ in range(dims_of(value, f"tf.{name}")[0])]
    indices = known(value.indices, f"tf.{name}")[:, 0].tolist()
    for row, item in zip(indices, _host(value.values, name), strict=True):
        rows[row].append(item)
    return rows


def _host(tensor: Tensor, name: str) -> list[Any]:
    """The strings of `tensor`, or its numbers as int64."""
    array = known(tensor, f"tf.{name}")
    return array.tolist() if tensor.dtype is string else array.astype(np.int64).tolist()


def _combined(name: str, inputs: Sequence[Any], combine: Callable[[tuple[Any, ...]], Any]) -> Rows:
    features = [_rows(one, name) for one in inputs]
    if len({len(rows) for rows in features}) > 1:
        raise InvalidArgumentError.of(
            f"tf.{name}: inputs must have the same number of rows, got {[len(rows) for rows in features]}."
        )
    return [[combine(values) for values in itertools.product(*row)] for row in zip(*features, strict=True)]


def _joined(values: tuple[Any, ...], between: bytes) -> bytes:
    return between.join(value if isinstance(value, bytes) else str(value).encode() for value in values)


def _hasher(name: str, num_buckets: int, hash_key: Any) -> Callable[[tuple[Any, ...]], int]:
    key = _KEY if hash_key is None else int(hash_key)
    buckets = integer(num_buckets)
    if buckets < 0:
        raise InvalidArgumentError.of(f"tf.{name}: num_buckets must not be negative, got {buckets}.")

    def hashed(values: tuple[Any, ...]) -> int:
        state = key & _WORD
        for value in values:
            word = int(hashes(fingerprint, [value])[0]) if isinstance(value, bytes) else int(value) & _WORD
            state = _concatenated(state, word)
        return state % (buckets or _LARGEST)

    return hashed


def _shifted(word: int) -> int:
    return word ^ (word >> 47)


def _concatenated(first: int, second: int) -> int:
    """The fingerprint of two fingerprints, mixed as in MurmurHash."""
    state = (first ^ _FACTOR) ^ (_shifted(second * _FACTOR & _WORD) * _FACTOR & _WORD)
    state = state * _FACTOR & _WORD
    state = _shifted(state) * _FACTOR & _WORD
    return _shifted(state)


def _array(rows: Rows, dtype: Any) -> np.ndarray:
    flat = [value for row in rows for value in row]
    array = np.empty(len(flat), dtype)
    array[:] = flat
    return array


def _sparse(rows: Rows, dtype: Any = object) -> SparseTensor:
    indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    dims = (len(rows), max(map(len, rows), default=0))
    return shaped(Tensor(np.array(indices, np.int64).reshape(-1, 2)), Tensor(_array(rows, dtype)), dims)


def _ragged(rows: Rows, dtype: Any = object) -> RaggedTensor:
    lengths = np.array([len(row) for row in rows], np.int64)
    return RaggedTensor(Tensor(_array(rows, dtype)), of_lengths(lengths), internal=True)
