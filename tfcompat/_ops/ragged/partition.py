"""The partition of the values of a ragged tensor into rows."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Dtype, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import found_early
from tfcompat._core.tracing.constancy import settled
from tfcompat._core.types.dtype import INDEX, DType, as_dtype, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import has_symbols
from tfcompat._ops.array.known import known


class Partition:
    """A partition of a sequence of values into rows: row i holds the values from `splits[i]` up to `splits[i + 1]`.

    Attributes:
      splits: the starts and ends of rows, one more than there are rows.
      uniform: the length of every row, if the partition was made with one length.
    """

    __slots__ = ("_host", "_lengths", "_rowids", "splits", "uniform")

    def __init__(self, splits: Tensor, uniform: int | None = None) -> None:
        self.splits = splits
        self.uniform = uniform
        self._host: np.ndarray | None = None
        self._lengths: Tensor | None = None
        self._rowids: Tensor | None = None

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return self.splits._aval.size - 1

    @property
    def dtype(self) -> DType:
        """The element type of the splits."""
        return self.splits.dtype

    def host(self, subject: str = "tf.RaggedTensor") -> np.ndarray:
        """The splits on the host, for `subject`. Raises UntraceableError if they have no values yet."""
        if self._host is None:
            self._host = known(self.splits, subject)
        return self._host

    def lengths(self) -> Tensor:
        """The length of each row."""
        found = self._lengths
        if found is None:
            is_open = self.splits._is_symbolic()
            found = self._lengths = _lengths(self.splits) if is_open else Tensor(np.diff(self.host()))
        return found

    def rowids(self, nvals: int) -> Tensor:
        """For each of `nvals` values, the index of its row."""
        found = self._rowids
        if found is None and self.splits._is_symbolic():
            found = self._rowids = _rowids(self.splits, nvals)
        elif found is None:
            rows = np.arange(self.nrows, dtype=self.host().dtype)
            found = self._rowids = Tensor(np.repeat(rows, np.diff(self.host())))
        return found

    def longest(self, subject: str = "tf.RaggedTensor.bounding_shape") -> int:
        """The length of the longest row; 0 without rows."""
        return self.uniform if self.uniform is not None else int(np.diff(self.host(subject)).max(initial=0))

    def validated(self, nvals: int) -> Partition:
        """This partition of `nvals` values, whose splits are only known when a function runs, checked then."""
        return Partition(_validated(self.splits, nvals), self.uniform)

    def cast(self, dtype: DType) -> Partition:
        """This partition with splits of `dtype`."""
        if dtype is self.dtype:
            return self
        if self.splits._is_symbolic():
            return Partition(_cast(self.splits, dtype), self.uniform)
        return Partition(Tensor(self.host().astype(dtype.as_numpy_dtype)), self.uniform)


@op("RaggedTensor.row_lengths", dtypes=INDEX)
def _lengths(splits: Array) -> Array:
    return jnp.diff(splits)


@op("RaggedTensor.value_rowids", dtypes=INDEX)
def _rowids(splits: Array, nvals: int) -> Array:
    if has_symbols((nvals, *splits.shape)):
        # JAX searches only arrays of known size.
        starts = jnp.zeros(nvals + 1, splits.dtype).at[splits[1:-1]].add(1)
        return jnp.cumsum(starts, dtype=splits.dtype)[:nvals]
    return (jnp.searchsorted(splits, jnp.arange(nvals, dtype=splits.dtype), side="right") - 1).astype(splits.dtype)


@op("RaggedTensor.row_splits", dtypes=INDEX)
def _appended(row_starts: Array, nvals: int) -> Array:
    return jnp.concatenate([row_starts, jnp.full(1, nvals, row_starts.dtype)])


@op("RaggedTensor.row_splits", dtypes=INDEX)
def _prepended(row_limits: Array) -> Array:
    return jnp.concatenate([jnp.zeros(1, row_limits.dtype), row_limits])


@op("RaggedTensor.row_splits", dtypes=INDEX)
def _running(row_lengths: Array) -> Array:
    zero = jnp.zeros(1, row_lengths.dtype)
    return jnp.concatenate([zero, jnp.cumsum(row_lengths, dtype=row_lengths.dtype)])


def _is_invalid(splits: Array, nvals: int) -> Array:
    """Whether rows with these `splits` do not start at 0, have negative lengths, or are not made of all values."""
    return (splits[:1] != 0).any() | (splits[1:] < splits[:-1]).any() | (splits[-1:] != nvals).any()


@op(
    "RaggedTensor.row_splits",
    dtypes=INDEX,
    check=Check(("splits",), _is_invalid, "rows must start at 0, not end before they start, and hold all values"),
)
def _validated(splits: Array, nvals: int) -> Array:
    del nvals
    return splits + 0


def _are_disordered(rowids: Array, nrows: int) -> Array:
    return (rowids[1:] < rowids[:-1]).any() | (rowids < 0).any() | (rowids >= nrows).any()


@op(
    "RaggedTensor.value_rowids",
    dtypes=INDEX,
    check=Check(("rowids",), _are_disordered, "value_rowids must lie in [0, nrows) and not decrease"),
)
def _ordered(rowids: Array, nrows: int) -> Array:
    del nrows
    return rowids + 0


@op("RaggedTensor.row_splits", dtypes=INDEX)
def _splits_of(rowids: Array, nrows: int) -> Array:
    lengths = jnp.zeros(nrows + 1, rowids.dtype).at[rowids + 1].add(1)
    return jnp.cumsum(lengths, dtype=rowids.dtype)


@op("cast", dtypes=INDEX, gradient_reads=False)
def _cast(splits: Array, dtype: Dtype) -> Array:
    return splits.astype(dtype.as_numpy_dtype)


def positions(name: str, value: Any, dtype: DType | None = None) -> Tensor:
    """`value` as a vector of integers for the argument `name`: int64 unless it is int32.

    Lists, and arrays of other dtypes, become `dtype`, or int64 if that is None.

    Raises: ValueError for a tensor of another dtype, or another rank.
    """
    held = getattr(value, "dtype", None)
    is_other = isinstance(value, np.ndarray) and held not in (np.int32, np.int64) and value.dtype.kind in "iuf"
    wanted = dtype or int64
    array = value.astype(wanted.as_numpy_dtype) if is_other else value
    tensor = convert_to_tensor(array, dtype_hint=None if held is not None else wanted)
    if tensor.dtype not in (int32, int64):
        raise ValueError(f"tf.RaggedTensor: {name} must have dtype int32 or int64, got {tensor.dtype.name}.")
    tensor.shape.with_rank(1)
    return tensor


def index_dtype(method: str, dtype: Any) -> DType:
    """`dtype`, a dtype of row splits for `method`. Raises ValueError for others than int32 and int64."""
    found = as_dtype(dtype)
    if found not in (int32, int64):
        raise ValueError(f"tf.RaggedTensor.{method}: row splits must be int32 or int64, got {found.name}.")
    return found


def require(holds: Any, method: str, rule: str, got: Any) -> None:
    """Raises InvalidArgumentError unless `holds`, the value of the `rule` for the arguments of `method`, is true."""
    if not holds:
        raise found_early(
            f"tf.RaggedTensor.{method}: the arguments do not form a valid RaggedTensor: {rule}, got {got}."
        )


def from_row_splits(row_splits: Any, validate: bool, dtype: DType | None = None) -> Partition:
    """The partition with `row_splits`, checked if `validate`.

    Raises: ValueError if they are not a vector of integers, or empty; InvalidArgumentError if they don't rise from 0.
    """
    splits = positions("row_splits", row_splits, dtype)
    if splits._aval.size == 0:
        raise ValueError("tf.RaggedTensor: row_splits must not be empty.")
    if validate and not splits._is_symbolic():
        host = np.asarray(splits)
        is_valid = host[0] == 0 and (np.diff(host) >= 0).all()
        require(is_valid, "from_row_splits", "row_splits must start at 0 and not decrease", host.tolist())
    return Partition(splits)


def from_row_lengths(row_lengths: Any, validate: bool, dtype: DType | None = None) -> Partition:
    """The partition into rows of `row_lengths`. Raises as `from_row_splits`."""
    lengths = positions("row_lengths", row_lengths, dtype)
    if lengths._is_symbolic():
        partition = Partition(_running(lengths))
        partition._lengths = lengths
        return partition
    host = np.asarray(lengths)
    require(not validate or (host >= 0).all(), "from_row_lengths", "lengths must not be negative", host.tolist())
    return of_lengths(host)


def from_row_starts(row_starts: Any, nvals: int, validate: bool, dtype: DType | None = None) -> Partition:
    """The partition of `nvals` values into rows that begin at `row_starts`. Raises as `from_row_splits`."""
    tensor = settled(positions("row_starts", row_starts, dtype))
    if tensor._is_symbolic():
        return Partition(_appended(tensor, nvals))
    starts = np.asarray(tensor)
    require(not validate or not (starts[:1] != 0).any(), "from_row_starts", "rows must start at 0", starts.tolist())
    return from_row_splits(np.append(starts, starts.dtype.type(nvals)), validate)


def from_row_limits(row_limits: Any, validate: bool, dtype: DType | None = None) -> Partition:
    """The partition into rows that end before `row_limits`. Raises as `from_row_splits`."""
    tensor = settled(positions("row_limits", row_limits, dtype))
    if tensor._is_symbolic():
        return Partition(_prepended(tensor))
    limits = np.asarray(tensor)
    return from_row_splits(np.concatenate([np.zeros(1, limits.dtype), limits]), validate)


def from_value_rowids(rowids: Tensor, nrows: Any, validate: bool) -> Partition:
    """The partition into `nrows` rows (as many as needed if None) of values in the rows `rowids`.

    Raises: ValueError if there are too few rows; InvalidArgumentError if the row ids decrease.
    """
    if nrows is not None and settled(rowids)._is_symbolic():
        count = integer(nrows)
        checked = _ordered(rowids, count) if validate else rowids
        partition = Partition(_splits_of(checked, count))
        partition._rowids = checked
        return partition
    host = known(rowids, "tf.RaggedTensor.from_value_rowids")
    needed = int(host[-1]) + 1 if host.size else 0
    count = needed if nrows is None else _number("from_value_rowids", "nrows", nrows)
    if count < 0:
        raise ValueError(f"tf.RaggedTensor.from_value_rowids: nrows must not be negative, got {count}.")
    if validate:
        if count < needed:
            raise ValueError(
                f"tf.RaggedTensor.from_value_rowids: nrows must be above value_rowids[-1] = {needed - 1}, got {count}."
            )
        is_valid = (np.diff(host) >= 0).all() and (host[:1] >= 0).all()
        require(is_valid, "from_value_rowids", "value_rowids must be non-negative and not decrease", host.tolist())
    partition = of_lengths(np.bincount(host, minlength=count).astype(host.dtype))
    partition._rowids = rowids
    return partition


def _number(method: str, name: str, value: Any) -> int:
    """The integer `value` of the argument `name`. Raises ValueError unless it is a scalar and an integer."""
    tensor = convert_to_tensor(value)
    tensor.shape.assert_has_rank(0)
    if not tensor.dtype.is_integer:
        raise ValueError(f"tf.RaggedTensor.{method}: {name} must be an integer, got {value!r}.")
    return int(known(tensor, f"tf.RaggedTensor.{method}"))


def from_uniform_row_length(
    uniform_row_length: Any, nvals: int, nrows: Any, validate: bool, dtype: DType | None = None
) -> Partition:
    """The partition of `nvals` values into `nrows` rows (as needed if None) of `uniform_row_length`.

    Raises: ValueError if the numbers do not match, or are not integers.
    """
    held = getattr(uniform_row_length, "dtype", None)
    splits_dtype = (dtype or int64) if held not in (int32, int64) else as_dtype(held)
    length = _number("from_uniform_row_length", "uniform_row_length", uniform_row_length)
    if length < 0:
        raise ValueError(f"tf.RaggedTensor.from_uniform_row_length: uniform_row_length must be >= 0, got {length}.")
    count = (nvals // length if length else 0) if nrows is None else _number("from_uniform_row_length", "nrows", nrows)
    if validate and count * length != nvals:
        raise ValueError(
            f"tf.RaggedTensor.from_uniform_row_length: uniform_row_length={length} times nrows={count} must equal "
            f"nvals={nvals}."
        )
    return of_uniform(length, count, splits_dtype)


def of_lengths(lengths: np.ndarray) -> Partition:
    """The partition into rows of `lengths`, which are not validated."""
    splits = np.zeros(lengths.size + 1, lengths.dtype)
    np.cumsum(lengths, out=splits[1:])
    partition = Partition(Tensor(splits))
    partition._host = splits
    return partition


def of_uniform(length: int, nrows: int, dtype: DType = int64) -> Partition:
    """The partition into `nrows` rows of `length`."""
    return Partition(Tensor(np.arange(nrows + 1, dtype=as_dtype(dtype).as_numpy_dtype) * length), length)


def static_dims(partition: Partition) -> TensorShape:
    """The two dimensions that replace one when it is split by `partition`."""
    rows = partition.nrows
    return TensorShape([rows if type(rows) is int else None, partition.uniform])


def spans(starts: np.ndarray, lengths: np.ndarray, steps: Any = 1) -> np.ndarray:
    """Concatenated ranges: `lengths[k]` numbers from `starts[k]` on, `steps[k]` apart."""
    before = np.cumsum(lengths) - lengths
    count = int(lengths.sum())
    within = np.arange(count, dtype=starts.dtype) - np.repeat(before, lengths)
    spread = steps if np.ndim(steps) == 0 else np.repeat(steps, lengths)
    return np.repeat(starts, lengths) + within * spread
