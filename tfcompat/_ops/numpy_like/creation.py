"""Arrays created from a shape or from a few numbers. Python's `float` is float64."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Dtype, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, as_dtype
from tfcompat._ops.array import creation
from tfcompat._ops.array.gathering import where as choose
from tfcompat._ops.array.layout import broadcast_to as spread
from tfcompat._ops.array.layout import expand_dims, reshape
from tfcompat._ops.elementwise import algebraic, transcendental
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.identity import identity as same
from tfcompat._ops.numpy_like.promotion import asarray, chosen, default_float, natural_dtype, result_type

_MOST_DIMENSIONS = 32


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """The tensor of `val` with the elements converted to `dtype`; leading axes of size 1 are added up to rank `ndmin`.

    Tensors are immutable, so `copy` only makes a new tensor of the same value.

    Shapes: any -> the same, after ones.
    Dtypes: any -> `dtype`; of Python's numbers int64, float64 (or float32, if that is preferred) and complex128.
    Raises: ValueError if `ndmin` is above 32.
    Source: TF 2.21 `tf.experimental.numpy.array`.
    """
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"tf.experimental.numpy.array: ndmin must be at most {_MOST_DIMENSIONS}, got {ndmin}.")
    tensor = asarray(val, dtype)
    if tensor.ndim < ndmin:
        return reshape(tensor, [1] * (ndmin - tensor.ndim) + list(tensor._aval.shape))
    return same(tensor) if copy else tensor


def asanyarray(a: Any, dtype: Any = None) -> Tensor:
    """The tensor of `a`, unchanged if it is a tensor, with the elements converted to `dtype` if that is given.

    Shapes: any -> the same.
    Dtypes: any -> `dtype`, as `tf.experimental.numpy.asarray`.
    Source: TF 2.21 `tf.experimental.numpy.asanyarray`.
    """
    return asarray(a, dtype)


def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """The tensor of `a`, with at least rank 1, with the elements converted to `dtype` if that is given.

    Shapes: [] -> [1]; any other -> the same.
    Dtypes: any -> `dtype`, as `tf.experimental.numpy.asarray`.
    Source: TF 2.21 `tf.experimental.numpy.ascontiguousarray`.
    """
    return array(a, dtype, ndmin=1)


def copy(a: Any) -> Tensor:
    """A new tensor with the value of `a`.

    Shapes: any -> the same.
    Dtypes: any -> the same, as `tf.experimental.numpy.asarray`.
    Source: TF 2.21 `tf.experimental.numpy.copy`.
    """
    return array(a)


def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """A tensor of `shape` and `dtype` filled with zeros.

    Shapes: -> shape.
    Dtypes: -> dtype; float64 for None.
    Source: TF 2.21 `tf.experimental.numpy.zeros`.
    """
    return creation.zeros(shape, chosen(dtype) or natural_dtype(0.0))


def ones(shape: Any, dtype: Any = float) -> Tensor:
    """A tensor of `shape` and `dtype` filled with ones.

    Shapes: -> shape.
    Dtypes: -> dtype.
    Raises: TypeError if `dtype` is None.
    Source: TF 2.21 `tf.experimental.numpy.ones`.
    """
    return creation.ones(shape, as_dtype(chosen(dtype)))


def empty(shape: Any, dtype: Any = float) -> Tensor:
    """A tensor of `shape` and `dtype` with arbitrary elements (in fact zeros).

    Shapes: -> shape.
    Dtypes: -> dtype; float64 for None.
    Source: TF 2.21 `tf.experimental.numpy.empty`.
    """
    return zeros(shape, dtype)


def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros in the shape of `a`, of its dtype or of `dtype`.

    Shapes: any -> the same.
    Dtypes: any -> dtype, or the same.
    Gradient: None.
    Source: TF 2.21 `tf.experimental.numpy.zeros_like`.
    """
    return creation.zeros_like(asarray(a), chosen(dtype))


def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones in the shape of `a`, of its dtype or of `dtype`.

    Shapes: any -> the same.
    Dtypes: any -> dtype, or the same.
    Gradient: None.
    Source: TF 2.21 `tf.experimental.numpy.ones_like`.
    """
    return creation.ones_like(asarray(a), chosen(dtype))


def empty_like(a: Any, dtype: Any = None) -> Tensor:
    """A tensor in the shape of `a`, of its dtype or of `dtype`, with arbitrary elements (in fact zeros).

    Shapes: any -> the same.
    Dtypes: any -> dtype, or the same.
    Gradient: None.
    Source: TF 2.21 `tf.experimental.numpy.empty_like`.
    """
    return zeros_like(a, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """The elements of `fill_value`, converted to `dtype` if that is given, broadcast to `shape`.

    Shapes: -> shape, a number or a list of them.
    Dtypes: any -> dtype, or the same.
    Source: TF 2.21 `tf.experimental.numpy.full`.
    """
    dims = np.atleast_1d(np.asarray(shape, np.int64) if np.size(shape) else np.zeros(0, np.int64))
    return spread(asarray(fill_value, dtype), tuple(dims.tolist()))


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Tensor:
    """The elements of `fill_value` broadcast to the shape of `a`, of its dtype or of `dtype`.

    Shapes: any -> the same.
    Dtypes: any -> dtype, or the same.
    Raises: ValueError if `order`, `subok` or `shape` is given.
    Source: TF 2.21 `tf.experimental.numpy.full_like`.
    """
    if order != "K" or not subok or shape:
        raise ValueError("tf.experimental.numpy.full_like: order, subok and shape must have their default values.")
    like = asarray(a)
    return spread(asarray(fill_value, dtype or like.dtype), like._aval.shape)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """A matrix of `N` rows and `M` columns (default `N`) with ones on the `k`-th diagonal, zeros elsewhere.

    Shapes: -> [N, M].
    Dtypes: -> dtype.
    Source: TF 2.21 `tf.experimental.numpy.eye`.
    """
    return _eye(int(N), int(M or N), int(k), as_dtype(chosen(dtype)))


@op("experimental.numpy.eye")
def _eye(rows: int, columns: int, k: int, dtype: Dtype) -> Array:
    return jnp.eye(rows, columns, k, dtype.as_numpy_dtype)


def identity(n: int, dtype: Any = float) -> Tensor:
    """The identity matrix of `n` rows and columns.

    Shapes: -> [n, n].
    Dtypes: -> dtype.
    Source: TF 2.21 `tf.experimental.numpy.identity`.
    """
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """A matrix of `N` rows and `M` columns (default `N`) with ones up to the `k`-th diagonal, zeros above.

    Shapes: -> [N, M].
    Dtypes: -> dtype; float64 without it.
    Source: TF 2.21 `tf.experimental.numpy.tri`.
    """
    return _tri(N, N if M is None else M, k, chosen(dtype) or default_float())


@op("experimental.numpy.tri")
def _tri(rows: int, columns: int, k: int, dtype: Dtype) -> Array:
    return jnp.tri(rows, columns, k, dtype.as_numpy_dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """The numbers from `start` up to `stop`, excluded, in steps of `step`; without `stop`, from 0 up to `start`.

    Shapes: -> [n].
    Dtypes: -> dtype, else the promoted dtype of the numbers; as in TensorFlow, fractions are computed in float32 first.
    Raises: ValueError if `step` is 0.
    Source: TF 2.21 `tf.experimental.numpy.arange`.
    """
    if not step:
        raise ValueError("tf.experimental.numpy.arange: step must be non-zero.")
    first, last = (0, start) if stop is None else (start, stop)
    wanted = chosen(dtype) or result_type(start, step, *([] if stop is None else [stop]))
    if (step > 0 and first > last) or (step < 0 and first < last):
        return asarray([], wanted)
    return cast(creation.range(start, stop, step), wanted)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """`num` equidistant numbers from `start` to `stop`, which is included if `endpoint`, along a new axis at `axis`.

    With `retstep`, the distance between them is returned, too.

    Shapes: two shapes that broadcast -> with num at position axis.
    Dtypes: numbers -> their promoted dtype, float64 for integers, converted to `dtype` if that is given.
    Raises: ValueError if `num` is negative.
    Source: TF 2.21 `tf.experimental.numpy.linspace`.
    """
    if num < 0:
        raise ValueError(f"tf.experimental.numpy.linspace: num must not be negative, got {num}.")
    wanted = _fractional(start, stop) if dtype else None
    first, last = asarray(start, wanted), asarray(stop, wanted)
    parts = num - 1 if endpoint else num
    step: Any = (last - first) / parts if parts > 0 else convert_to_tensor(np.nan)
    if not endpoint and num > 1:
        last = cast(last, step.dtype) - step
        first = cast(first, step.dtype)
    numbers = creation.linspace(first, last, num, axis=axis)
    numbers = numbers if wanted is None else cast(numbers, wanted)
    return (numbers, step) if retstep else numbers


def _fractional(start: Any, stop: Any) -> DType:
    return result_type(start * 1.0, stop * 1.0)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """The powers of `base` with `num` equidistant exponents from `start` to `stop`, which is included if `endpoint`.

    Shapes: two shapes that broadcast -> with num at position `axis`.
    Dtypes: numbers -> their promoted dtype, float64 for integers; `dtype` has no effect, as in TensorFlow.
    Source: TF 2.21 `tf.experimental.numpy.logspace`.
    """
    del dtype
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    return algebraic.pow(asarray(base, exponents.dtype), exponents)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `start` to `stop`, which is included if `endpoint`, with a constant ratio between neighbours.

    Shapes: two shapes that broadcast -> with num at position `axis`.
    Dtypes: real numbers -> `dtype`, float64 without it.
    Raises: ValueError if `num` is negative; InvalidArgumentError for complex numbers.
    Source: TF 2.21 `tf.experimental.numpy.geomspace`.
    """
    ends = [asarray(end) for end in (start, stop)]
    if any(end.dtype.is_complex for end in ends):
        raise InvalidArgumentError.of(
            "tf.experimental.numpy.geomspace: start and stop must be real, got complex numbers."
        )
    first, last = (asarray(end, default_float()) for end in ends)
    sign = choose((first < 0) & (last < 0), asarray(-1.0, first.dtype), asarray(1.0, first.dtype))
    first, last = (transcendental.log(end * sign) / np.log(10) for end in (first, last))
    numbers = logspace(first, last, num, endpoint, axis=axis)
    return asarray(numbers * (expand_dims(sign, axis) if sign.ndim else sign), dtype)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of the points of a grid with axes `xi`; `kwargs` may contain indexing, "xy" or "ij".

    Shapes: [n1], [n2], ... -> [n2, n1, ...], or [n1, n2, ...] for "ij", for each of `xi`.
    Dtypes: any -> the same.
    Raises: ValueError if `sparse` is True or `copy` False.
    Source: TF 2.21 `tf.experimental.numpy.meshgrid`.
    """
    if kwargs.get("sparse", False) or not kwargs.get("copy", True):
        raise ValueError("tf.experimental.numpy.meshgrid: sparse must be False and copy True.")
    unknown = kwargs.keys() - {"sparse", "copy", "indexing"}
    if unknown:
        raise TypeError(f"tf.experimental.numpy.meshgrid: got unexpected arguments {sorted(unknown)}.")
    return creation.meshgrid(*map(asarray, xi), indexing=kwargs.get("indexing", "xy"))
