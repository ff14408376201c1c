"""Tensors made from shapes and numbers."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row, hosting_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.calls.static import cut_shape, integer
from tfcompat._core.structure.sharding import placed, sharding_of
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError, found_early
from tfcompat._core.tracing.constancy import settled, size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import (
    COMPLEX,
    DENSE,
    FLOATING,
    INEXACT,
    INT4,
    INTEGER,
    MOVABLE,
    NARROW,
    REAL,
    DType,
    as_dtype,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    string,
    uint8,
)
from tfcompat._jaxpr.size import are_below, has_symbols, is_at_most, is_open
from tfcompat._ops.axis import require_axis
from tfcompat._ops.elementwise.rounding import cast, ceil, indicator
from tfcompat._ops.sharding import shard_tensor

_LONGEST_ON_HOST = 4096
_INT32 = 2**31
_RANGE_DTYPES = (int32, int64, float16, bfloat16, float32, float64)


@dispatched
def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of `shape` and `dtype` filled with zeros: False for bool, empty strings for string.

    Shapes: -> shape.
    Dtypes: -> dtype.
    Raises: TypeError if `shape` is not made of integers; InvalidArgumentError if a size is negative.
    Source: TF 2.21 `tf.zeros`.
    """
    del name
    if layout is None and (found := _of_open_rank("zeros", shape, as_dtype(dtype), 0)) is not None:
        return found
    return _placed(_uniform("zeros", _dimensions("zeros", shape), as_dtype(dtype), 0), layout)


@dispatched
def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of `shape` and `dtype` filled with ones (True for bool).

    Shapes: -> shape.
    Dtypes: -> dtype.
    Raises: TypeError if a size is not an integer, or dtype is string; InvalidArgumentError if a size is negative.
    Source: TF 2.21 `tf.ones`.
    """
    del name
    if as_dtype(dtype) is string:
        raise TypeError("tf.ones: dtype must be a numeric or boolean type, got string.")
    if layout is None and (found := _of_open_rank("ones", shape, as_dtype(dtype), 1)) is not None:
        return found
    return _placed(_uniform("ones", _dimensions("ones", shape), as_dtype(dtype), 1), layout)


@dispatched
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros in the shape of `input`, of its dtype or of `dtype`.

    Shapes: [*dims] -> same.
    Dtypes: any -> dtype, or same.
    Gradient: None.
    Source: TF 2.21 `tf.zeros_like`.
    """
    del name
    input = convert_to_tensor(input)
    wanted = input.dtype if dtype is None else as_dtype(dtype)
    return _like(_uniform("zeros_like", input._aval.shape, wanted, 0), input, layout)


@dispatched
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones in the shape of `input`, of its dtype or of `dtype`.

    Shapes: [*dims] -> same.
    Dtypes: any -> dtype, or same.
    Gradient: None.
    Raises: InvalidArgumentError if the dtype is string.
    Source: TF 2.21 `tf.ones_like`.
    """
    del name
    input = convert_to_tensor(input)
    wanted = input.dtype if dtype is None else as_dtype(dtype)
    if wanted is string:
        raise InvalidArgumentError.of("tf.ones_like: dtype must be a numeric or boolean type, got string.")
    return _like(_uniform("ones_like", input._aval.shape, wanted, 1), input, layout)


def _of_open_rank(name: str, shape: Any, dtype: DType, value: int) -> Tensor | None:
    """A tensor filled with `value`, whose rank is open in a trace in which the host computes; None elsewhere."""
    trace = hosting_trace()
    if trace is None or type(shape) is not Tensor or not has_symbols(shape._aval.shape) or dtype is string:
        return None

    def compute(values: Any, sizes: np.ndarray) -> list[np.ndarray]:
        del values
        return [np.full(sizes, value, dtype.as_numpy_dtype)]

    return trace.hosted(name, compute, [shape], [(None, dtype)])[0]


def _placed(tensor: Tensor, layout: Any) -> Tensor:
    """`tensor` with `layout`, unless that is None."""
    return tensor if layout is None else layout._placed(tensor)


def _like(tensor: Tensor, other: Tensor, layout: Any) -> Tensor:
    """`tensor` with `layout`; if that is None, on the devices of `other`, if that was placed."""
    where = sharding_of(other._array) if placed.is_used and layout is None else None
    return _placed(tensor, layout) if where is None else shard_tensor(tensor, where)


def _dimensions(name: str, shape: Any) -> Shape:
    """The static `shape` given to the function `name`; floating-point sizes are truncated to integers."""
    if shape is None or (isinstance(shape, (list, tuple)) and None in shape):
        raise ValueError(f"tf.{name}: every size of the shape must be known, got {shape}.")
    try:
        dims: Any = cut_shape(shape)
    except TypeError as refused:
        raise TypeError(f"tf.{name}: shape must be a list of integers, got {shape!r}.") from refused
    assert dims is not None
    if is_open(dims):
        return (dims,)  # a scalar is the size of a vector
    if any(not is_open(size) and (not isinstance(size, int) or size < 0) for size in dims):
        raise InvalidArgumentError.of(f"tf.{name}: shape must be a list of non-negative sizes, got {dims}.")
    return tuple(map(_size, dims))


def _size(size: Any) -> Any:
    """`size`; in functions of elements a symbol for it if it may be negative, as in a branch that does not run."""
    trace = hosting_trace()
    if trace is None or not is_open(size) or is_at_most(0, size):
        return size
    return trace.sizes_in(sizes_tensor(size, int64)).item()


def _uniform(name: str, dims: Shape, dtype: DType, value: int) -> Tensor:
    """A tensor filled with `value`. Small integers are known on the host, so they may become shapes."""
    if dtype is string:
        return Tensor(np.full(dims, b"", object))
    if dtype in NARROW - INT4:
        # TensorFlow does not convert integers to these dtypes.
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}")
    if not has_symbols(dims) and aval_of(dims, dtype).is_small_integer:
        return Tensor(np.full(dims, value, dtype.as_numpy_dtype))
    return (_zeros if value == 0 else _ones)(dims, dtype, name=name)


def _infer_uniform(shape: Shape, dtype: DType) -> Aval:
    return aval_of(shape, dtype)


@op("zeros", infers=_infer_uniform, gradient_reads=False)
def _zeros(shape: Shape, dtype: Dtype) -> Array:
    return jnp.zeros(shape, dtype.as_numpy_dtype)


@op("ones", infers=_infer_uniform, gradient_reads=False)
def _ones(shape: Shape, dtype: Dtype) -> Array:
    return jnp.ones(shape, dtype.as_numpy_dtype)


@dispatched
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `dims` in which every element is `value`.

    Shapes: value [] -> dims.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if dims is not a list of sizes, or value has more than one element.
    Source: TF 2.21 `tf.fill`.
    """
    del name
    try:
        shape = _dimensions("fill", dims)
    except TypeError as refused:
        raise InvalidArgumentError.of(str(refused)) from refused
    value = convert_to_tensor(value)
    if value._aval.size != 1:
        raise InvalidArgumentError.of(f"tf.fill: value must be a scalar, got shape {value.shape}.")
    return _placed(_fill(shape, value), layout)


def _infer_fill(dims: Shape, value: Aval) -> Aval:
    return aval_of(dims, value.dtype)


@op("fill", dtypes=MOVABLE, infers=_infer_fill, strings=lambda value, dims: np.full(dims, value))
def _fill(dims: Shape, value: Array) -> Array:
    return jnp.broadcast_to(jnp.reshape(value, ()), dims)


@dispatched
def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Identity matrices of `num_rows` rows and `num_columns` columns (`num_rows` if None), repeated over `batch_shape`.

    Shapes: -> [*batch_shape, num_rows, num_columns].
    Dtypes: -> dtype.
    Raises: TypeError for a non-integer number or a non-numeric dtype; InvalidArgumentError for a negative number.
    Source: TF 2.21 `tf.eye`.
    """
    del name
    wanted = as_dtype(dtype)
    if wanted is string or wanted in NARROW - INT4:
        raise TypeError(f"tf.eye: dtype must be a numeric or boolean type, got {wanted.name}.")
    matrix = (num_rows, num_rows if num_columns is None else num_columns)
    batch = () if batch_shape is None else _dimensions("eye", batch_shape)
    return _eye((*batch, *_dimensions("eye", matrix)), wanted)


@op("eye")
def _eye(shape: Shape, dtype: Dtype) -> Array:
    is_on = jnp.eye(*shape[-2:], dtype=bool)
    return jnp.broadcast_to(indicator(is_on, dtype.as_numpy_dtype), shape)


@dispatched
@by_row("start", "limit", "delta", specs=lambda **given: _numbers(**given), if_refused=True)
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """The numbers `start`, `start + delta`, ... before `limit`; from 0 up to `start` if `limit` is None.

    Shapes: [], [], [] -> [ceil((limit - start) / delta)].
    Dtypes: dtype, else the widest of the three.
    Gradient: None.
    Raises: InvalidArgumentError if delta is 0 or has the wrong sign, or an argument is not a scalar. Outside of
      functions, it may be a vector with one element.
    Source: TF 2.21 `tf.range`.
    """
    del name
    if limit is None:
        start, limit = 0, start
    if (
        dtype is None
        and type(start) is type(limit) is type(delta) is int
        and max(map(abs, (start, limit, delta))) < _INT32
    ):
        return _whole(start, limit, delta)
    wanted = None if dtype is None else as_dtype(dtype)
    ends = [_bound(value, wanted) for value in (start, limit, delta)]
    if wanted is None:
        wanted = max((end.dtype for end in ends), key=_RANGE_DTYPES.index)
    if wanted in (uint8, bool_) or wanted in COMPLEX:
        raise InvalidArgumentError.of(f"tf.range: dtype must be a real type other than uint8, got {wanted.name}.")
    if any(end._is_symbolic() and size_value(end) is not None for end in ends):
        return _open_range(ends, wanted)
    first, last, step = (np.asarray(end).astype(wanted.as_numpy_dtype) for end in ends)
    size = _count(first, last, step)
    if size > _LONGEST_ON_HOST and wanted in INTEGER and first == 0 and step == 1:
        return _iota(size, wanted)
    with np.errstate(over="ignore"):
        return Tensor(np.asarray(first + np.arange(size).astype(first.dtype) * step, first.dtype))


def _numbers(start: Any, limit: Any, delta: Any, dtype: Any, **_: Any) -> TensorSpec:
    """The type of a range whose length is not known."""
    kinds = [_bound(value, None).dtype for value in (start, limit, delta) if value is not None]
    return TensorSpec([None], max(kinds, key=_RANGE_DTYPES.index) if dtype is None else dtype)


def _open_range(ends: Sequence[Tensor], dtype: DType) -> Tensor:
    """The range with the start, the limit and the distance `ends`. Some of these are sizes with symbols."""
    first, last, step = map(_whole_number, ends)
    if are_below([last - first if step > 0 else first - last], 0):
        raise _wrong_direction(first, last, step)
    size = -((first - last) // step)
    if first == 0 and step == 1:
        return _iota(size, dtype)
    return _range_from(ends[0], ends[2], size, dtype)


@op("range", same=())
def _range_from(start: Array, delta: Array, count: int, dtype: Dtype) -> Array:
    kind = dtype.as_numpy_dtype
    return start.astype(kind) + jnp.arange(count, dtype=kind) * delta.astype(kind)


def _whole_number(end: Tensor) -> Any:
    """The value of `end`, a size or a number; floating-point numbers must be whole, as those of sizes are."""
    if end.dtype in INTEGER:
        return integer(end)
    found = size_value(end)
    if found is not None and found.dtype == object:
        return found.item()
    value = float(np.asarray(end))
    if not value.is_integer():
        raise UntraceableError("tf.range: the length depends on a size and on a fraction.")
    return int(value)


def _wrong_direction(start: Any, limit: Any, delta: Any) -> InvalidArgumentError:
    """TensorFlow's error for a range that does not lead from `start` to `limit`."""
    if not is_open(delta) and delta == 0:
        return InvalidArgumentError.of("tf.range: Requires delta != 0: 0")
    rule = "start <= limit when delta > 0" if delta > 0 else "start >= limit when delta < 0"
    return InvalidArgumentError.of(f"tf.range: Requires {rule}: {start}/{limit}")


def _whole(start: int, limit: int, delta: int) -> Tensor:
    """A range of Python integers."""
    if delta == 0 or (limit - start) * delta < 0:
        raise _wrong_direction(start, limit, delta)
    size = -((start - limit) // delta)
    if size > _LONGEST_ON_HOST and start == 0 and delta == 1:
        return _iota(size, int32)
    return Tensor(np.arange(start, limit, delta, dtype=np.int32))


def _bound(value: Any, dtype: DType | None) -> Tensor:
    """A bound or the step of a range, as a tensor. Raises TensorFlow's error for values that are not numbers."""
    tensor = as_tensor(value)
    if tensor is None:
        tensor = convert_to_tensor(value, dtype)
    if dtype is None and tensor.dtype not in _RANGE_DTYPES:
        raise AssertionError(f"tf.range: start, limit and delta must be numbers, got {value!r}.")
    if tensor.shape == (1,) and here.graph is None:
        return Tensor(np.asarray(tensor)[0])
    if tensor.ndim:
        raise InvalidArgumentError.of(f"tf.range: start, limit and delta must be scalars, got shape {tensor.shape}.")
    return settled(tensor)


def _count(first: np.ndarray, last: np.ndarray, step: np.ndarray) -> int:
    """The number of elements of a range."""
    distance, stride = (float(last) - float(first), float(step))
    if stride == 0 or distance / stride < 0:
        raise _wrong_direction(first, last, step)
    if not math.isfinite(distance / stride):
        raise InvalidArgumentError.of(f"tf.range: start, limit and delta must be finite, got {first}, {last}, {step}.")
    if first.dtype.kind in "iu":
        return -((int(first) - int(last)) // int(step))
    return math.ceil((last - first) / step)


@op("range")
def _iota(limit: int, dtype: Dtype) -> Array:
    return jnp.arange(limit, dtype=dtype.as_numpy_dtype)


@dispatched
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """The `num` numbers at equal distances from `start` to `stop`, both included, along a new axis at `axis`.

    Shapes: [*dims], [*dims] (broadcast) -> dims with num at position axis.
    Dtypes: FLOATING or COMPLEX -> same; INTEGER -> float32 below 32 bits, else float64.
    Raises: InvalidArgumentError if num is negative or axis out of range; TypeError if num is not an integer; ValueError
      if the dtypes differ.
    Source: TF 2.21 `tf.linspace`.
    """
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop, first.dtype)
    return _linspace(first, last, _linspace_count(num), axis, name=name)


def _linspace_count(num: Any) -> Any:
    """The static scalar `num` of `linspace`, which may have symbols."""
    found = convert_to_tensor(num)
    if found._is_symbolic() and found.dtype in INTEGER and not found.ndim:
        return integer(found)
    count = np.asarray(settled(found))
    if count.dtype.kind not in "iu":
        raise TypeError(f"tf.linspace: num must be an integer, got {num!r}.")
    if count < 0:
        raise InvalidArgumentError.of(f"tf.linspace: num must not be negative, got {num}.")
    return int(count)


def _validate_linspace(start: Any, stop: Any, num: int, axis: int) -> None:
    del num
    require_axis("linspace", axis, max(start.ndim, stop.ndim) + 1)


@op("linspace", dtypes=INEXACT | INTEGER, validate=_validate_linspace)
def _linspace(start: Array, stop: Array, num: int, axis: int) -> Array:
    if jnp.issubdtype(start.dtype, jnp.integer):
        wide = jnp.float32 if start.dtype.itemsize < 4 else jnp.float64
        start, stop = start.astype(wide), stop.astype(wide)
    start, stop = jnp.broadcast_arrays(start, stop)
    ends = jnp.expand_dims(start, axis), jnp.expand_dims(stop, axis)
    if num < 2:
        return ends[0] if num else jnp.concatenate(ends, axis)[(slice(None),) * (axis % ends[0].ndim) + (slice(0),)]
    shape = [1] * ends[0].ndim
    shape[axis] = num - 2
    places = jnp.arange(1, num - 1).astype(start.dtype).reshape(shape)
    step = (ends[1] - ends[0]) / jnp.asarray(num - 1, start.dtype)
    return jnp.concatenate([ends[0], ends[0] + step * places, ends[1]], axis)


@dispatched
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """For each index, a row of `depth` elements: `on_value` (1) at the index and `off_value` (0) elsewhere.

    An index outside of [0, depth) gives a row without `on_value`.

    Shapes: [*dims] -> dims with depth at position axis (at the end if None or -1).
    Dtypes: uint8, int8, int32, int64 -> dtype, else that of on_value or off_value, else float32.
    Gradient: None.
    Raises: InvalidArgumentError if axis is out of range, depth is negative or not a scalar, or indices are not
      integers; TypeError if indices are a Python float, or on_value, off_value and dtype disagree.
    Source: TF 2.21 `tf.one_hot`.
    """
    count = _depth(depth)
    if as_tensor(indices) is None:
        indices = convert_to_tensor(indices, int64 if isinstance(indices, float) else None, dtype_hint=int64)
    place = -1 if axis is None else axis
    if on_value is None and off_value is None:
        wanted = float32 if dtype is None else as_dtype(dtype)
        if wanted not in DENSE or wanted is bool_:
            raise TypeError(f"tf.one_hot: on_value and off_value must be given for dtype {wanted.name}.")
        return _one_hot(indices, count, place, wanted, name=name)
    on, off = _switch(on_value, off_value, None if dtype is None else as_dtype(dtype))
    return _one_hot_between(indices, on, off, count, place, name=name)


def _depth(depth: Any) -> int:
    """The static scalar `depth` of a one-hot tensor."""
    if type(depth) is Tensor and depth._is_symbolic() and depth.dtype in INTEGER and not depth.ndim:
        return integer(depth)
    if type(depth) is not int:
        depth = settled(convert_to_tensor(depth, None if as_tensor(depth) is not None else int32))._value()
    if np.ndim(depth) or int(depth) < 0:
        raise InvalidArgumentError.of(f"tf.one_hot: depth must be a non-negative scalar, got {depth}.")
    return int(depth)


def _switch(on_value: Any, off_value: Any, dtype: DType | None) -> tuple[Tensor, Tensor]:
    """`on_value` and `off_value` as scalars of one dtype."""
    given = [
        convert_to_tensor(v, None if as_tensor(v) is not None else dtype)
        for v in (on_value, off_value)
        if v is not None
    ]
    wanted = dtype or given[0].dtype
    for tensor in given:
        if tensor.dtype is not wanted:
            raise TypeError(f"tf.one_hot: on_value, off_value and dtype must agree, got {tensor.dtype} and {wanted}.")
        if tensor.ndim:
            raise InvalidArgumentError.of(f"tf.one_hot: on_value and off_value must be scalars, got {tensor.shape}.")
    rest = iter(given)
    on = convert_to_tensor(1, wanted) if on_value is None else next(rest)
    return on, convert_to_tensor(0, wanted) if off_value is None else next(rest)


def _validate_one_hot(indices: Any, axis: int, **_: Any) -> None:
    if not -1 <= axis <= indices.ndim:
        refuse = InvalidArgumentError.of if axis < 0 else found_early
        raise refuse(f"tf.one_hot: axis must be -1 or in [0, {indices.ndim}], got {axis}.")


_INDICES = frozenset((uint8, int8, int32, int64))


def _is_on(indices: Array, depth: int, axis: int) -> Array:
    """The mask of the elements of a one-hot tensor that equal `on_value`."""
    wide = indices if indices.dtype == jnp.int64 else indices.astype(jnp.int32)
    place = indices.ndim if axis == -1 else axis
    rows = jnp.arange(depth, dtype=wide.dtype).reshape(
        [depth if k == place else 1 for k in builtins.range(wide.ndim + 1)]
    )
    return jnp.expand_dims(wide, place) == rows


@op("one_hot", dtypes=_INDICES, differentiable=False, validate=_validate_one_hot)
def _one_hot(indices: Array, depth: int, axis: int, dtype: Dtype) -> Array:
    return indicator(_is_on(indices, depth, axis), dtype.as_numpy_dtype)


@op(
    "one_hot",
    dtypes={"indices": _INDICES, "on_value": MOVABLE, "off_value": MOVABLE},
    same=("on_value", "off_value"),
    differentiable=False,
    validate=_validate_one_hot,
)
def _one_hot_between(indices: Array, on_value: Array, off_value: Array, depth: int, axis: int = -1) -> Array:
    return jnp.where(_is_on(indices, depth, axis), on_value, off_value)


@dispatched
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid with axes `args`: one tensor per axis, all of the grid's shape.

    `indexing` is "xy" (the first two axes of the results are swapped, as in images) or "ij".

    Shapes: n times [n_k] -> n times [n_2, n_1, n_3, ...], or [n_1, n_2, n_3, ...] for "ij".
    Dtypes: any, all the same -> same.
    Raises: ValueError for another indexing; TypeError for another keyword or for strings; InvalidArgumentError if the
      dtypes differ.
    Source: TF 2.21 `tf.meshgrid`.
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"tf.meshgrid: {next(iter(kwargs))!r} is an invalid keyword argument for this function.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"tf.meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}.")
    axes = [convert_to_tensor(axis) for axis in args]
    if any(axis.dtype is string for axis in axes):
        raise TypeError("tf.meshgrid: axes must be numbers or booleans, got strings.")
    return _meshgrid(axes, indexing, name=name) if axes else []


@op("meshgrid", structure=list)
def _meshgrid(args: Arrays, indexing: str) -> tuple[Array, ...]:
    return tuple(jnp.meshgrid(*[jnp.ravel(axis) for axis in args], indexing=indexing))


@dispatched
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None) -> Tensor:
    """For each length n of `lengths`, a row of `maxlen` elements of which the first n are True, or 1 in `dtype`.

    If `maxlen` is None, the greatest length is used, which is read on the host.

    Shapes: [*dims] -> [*dims, maxlen].
    Dtypes: REAL -> dtype.
    Gradient: None.
    Raises: ValueError if maxlen is not a scalar; InvalidArgumentError if it is negative.
    Source: TF 2.21 `tf.sequence_mask`.
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None and lengths.dtype not in REAL:
        raise InvalidArgumentError.of(f"tf.sequence_mask: lengths must be real numbers, got {lengths.dtype.name}.")
    if maxlen is None:
        maxlen = _longest(lengths) if settled(lengths)._is_symbolic() else np.max(np.asarray(lengths), initial=0)
    limit = settled(convert_to_tensor(maxlen))
    if limit.ndim:
        raise ValueError(f"tf.sequence_mask: maxlen must be a scalar, got shape {limit.shape}.")
    if limit._is_symbolic():
        size = integer(limit if limit.dtype in INTEGER else cast(ceil(limit), int64))
    else:
        size = math.ceil(np.asarray(limit))
    if are_below([size], 0):
        raise InvalidArgumentError.of(f"tf.sequence_mask: maxlen must not be negative, got {size}.")
    return _sequence_mask(lengths, size, limit.dtype in FLOATING, as_dtype(dtype), name=name)


@op("longest", differentiable=False)
def _longest(lengths: Array) -> Array:
    return jnp.max(lengths, initial=0)


@op("sequence_mask", differentiable=False)
def _sequence_mask(lengths: Array, maxlen: int, has_fractions: bool, dtype: Dtype) -> Array:
    whole = lengths if has_fractions else lengths.astype(jnp.int64)
    return indicator(jnp.arange(maxlen, dtype=whole.dtype) < whole[..., None], dtype.as_numpy_dtype)
