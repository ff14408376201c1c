"""Rounding, and conversions between dtypes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Dtype, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import (
    BOOL,
    COMPLEX,
    DENSE,
    FLOAT8,
    FLOATING,
    INT4,
    INTEGER,
    NARROW,
    NUMERIC,
    TRAINABLE,
    DType,
    as_dtype,
    string,
)
from tfcompat._ops.derivative import larger, smaller
from tfcompat._ops.elementwise.row import unary

_CONVERTED = DENSE | FLOAT8 | INT4
_STEP: dict[str, Any] = {"gradient": "None", "differentiable": False}

floor = unary("floor", jnp.floor, FLOATING, "The largest whole number not greater than `x`.", **_STEP)
ceil = unary("math.ceil", jnp.ceil, FLOATING, "The smallest whole number not less than `x`.", **_STEP)
rint = unary("math.rint", jnp.round, FLOATING, "The whole number nearest to `x`; ties go to the even one.", **_STEP)
round = unary("round", jnp.round, FLOATING | INTEGER, "The whole number nearest to `x`, the even one of two.", **_STEP)


@dispatched
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` with the elements converted to `dtype`; `x` itself if it has that dtype. Converts `IndexedSlices`, too.

    Fractions are truncated. Values outside the range of 32 or 64 bits become the lowest integer; 8- and 16-bit results
    are the low bits of the 32-bit one.

    Shapes: any -> the same.
    Dtypes: numbers and bool -> `dtype`. A complex number converted to a real dtype keeps its real part. float8_e4m3fn
      and float8_e5m2 accept floating dtypes only; int4 and uint4 accept integers only, and each other.
    Gradient: None to and from integers and bool.
    Raises: TypeError if `dtype` is not a dtype; UnimplementedError for strings and other dtypes of less than a byte.
    Source: TF 2.21 `tf.cast`.
    """
    wanted = as_dtype(dtype)
    if type(x) is not Tensor:
        # TensorFlow returns the variable itself, not its value: a later assignment shows through.
        if hasattr(type(x), "_snapshot") and x.dtype is wanted:
            return x
        if hasattr(type(x), "_mapped"):
            return x._mapped(lambda values: cast(values, wanted, name))
        x = convert_to_tensor(x)
    if x.dtype is wanted:
        return x
    _require_conversion(x.dtype, wanted)
    if _is_smooth(x, wanted):
        return _cast(x, wanted, name)
    if wanted in INTEGER and type(x._array) is np.ndarray and x._aval.is_small_integer:
        # As `_cast_whole` folds it, in less time: Keras converts many such constants.
        return Tensor(x._array.astype(wanted.as_numpy_dtype))
    return (_cast_whole if wanted in INTEGER and x.dtype in INTEGER else _cast_discrete)(x, wanted, name)


@dispatched
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` with the elements converted to `dtype`; those outside its range become the nearest number inside.

    Shapes: any -> the same.
    Dtypes: numbers -> `dtype`. A complex number converted to a real dtype keeps its real part.
    Gradient: None to and from integers.
    Raises: TypeError if `dtype` is not numeric, or `value` is bool; UnimplementedError where `tf.cast` raises it.
    Source: TF 2.21 `tf.saturate_cast`.
    """
    wanted, tensor = as_dtype(dtype), convert_to_tensor(value)
    if tensor.dtype not in NUMERIC or wanted not in NUMERIC | NARROW:
        raise TypeError(f"tf.saturate_cast: both dtypes must be numeric, got {tensor.dtype.name} and {wanted.name}.")
    _require_conversion(tensor.dtype, wanted)
    return (_saturate_cast if _is_smooth(tensor, wanted) else _saturate_cast_discrete)(tensor, wanted, name)


def _converts(source: DType, target: DType) -> bool:
    """Whether TensorFlow supports the conversion between the two dtypes."""
    if target in FLOAT8:
        return source in FLOAT8 or source in FLOATING
    if target in INT4:
        return source in INT4 or source in INTEGER
    return target in DENSE and (source in DENSE or source in FLOAT8)


def _require_conversion(source: DType, target: DType) -> None:
    if not _converts(source, target):
        remedy = "; use tf.strings" if string in (source, target) else ""
        raise UnimplementedError.of(f"tf.cast: {source.name} to {target.name} is not supported{remedy}.")


def _is_smooth(tensor: Tensor, wanted: DType) -> bool:
    return tensor.dtype in TRAINABLE and wanted in TRAINABLE


def converted(x: Any, dtype: DType) -> Any:
    """The array `x` with its elements as `dtype`, as `cast` converts them."""
    target = np.dtype(dtype.as_numpy_dtype)
    if jnp.iscomplexobj(x) and target.kind != "c":
        x = jnp.real(x)
    if dtype in BOOL:
        return x != 0
    if x.dtype == np.bool_:
        return indicator(x, target)
    if dtype in INTEGER and jnp.issubdtype(x.dtype, jnp.floating):
        return _whole(x, target)
    return x.astype(target)


def indicator(condition: Any, dtype: Any) -> Any:
    """1 where `condition` holds, and 0 elsewhere.

    XLA computes a product with a condition that was converted by a choice, in which 0 times infinity or nan is 0.
    """
    if not jnp.issubdtype(dtype, np.inexact):
        return condition.astype(dtype)
    return jnp.where(condition, jnp.ones((), dtype), jnp.zeros((), dtype))


def _whole(x: Any, target: np.dtype) -> Any:
    """`x` truncated as processors do it: values outside 32 or 64 bits become the lowest integer."""
    wide = np.int64 if target.itemsize == 8 or target == np.uint32 else np.int32
    limit = 2.0 ** (np.iinfo(wide).bits - 1)
    x = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    whole = jnp.where((x >= -limit) & (x < limit), x.astype(wide), np.iinfo(wide).min).astype(target)
    if target != np.uint64:
        return whole
    return jnp.where((x >= limit) & (x < 2 * limit), x.astype(target), whole)


@jax.custom_jvp
def rounded(product: Any) -> Any:
    """A product that XLA does not fuse with the sum it enters into; a fused operation would round only once.

    In the computation of a position in an image, that would move the position across an edge; random numbers would
    differ by an ulp.
    """
    return jnp.where(jnp.isnan(product), jnp.nan, product)


rounded.defjvp(lambda primals, tangents: (rounded(*primals), *tangents))


def saturated(x: Any, dtype: DType) -> Any:
    """`x` clipped to the range of `dtype`, as precisely as its own dtype can represent it."""
    if jnp.iscomplexobj(x):
        real = saturated(jnp.real(x), dtype)
        return lax.complex(real, saturated(jnp.imag(x), dtype)) if dtype in COMPLEX else real
    kind, target = np.dtype(x.dtype), dtype.real_dtype
    own = as_dtype(kind)
    number = int if own in INTEGER and target in INTEGER else float
    (own_low, own_high), (target_low, target_high) = _limits(own), _limits(target)
    low, high = kind.type(max(own_low, target_low)), kind.type(min(own_high, target_high))
    if number(low) < number(target.min):
        low = np.nextafter(low, kind.type(0))
    if number(high) > number(target.max):
        high = np.nextafter(high, kind.type(0))
    return larger(smaller(x, jnp.asarray(high)), jnp.asarray(low))


def _limits(dtype: DType) -> tuple[Any, Any]:
    """The range of `dtype` as Python numbers, which compare exactly."""
    number = int if dtype in INTEGER else float
    return number(dtype.min), number(dtype.max)


def _infer_cast(x: Aval, dtype: DType) -> Aval:
    return aval_of(x.shape, dtype)


@op("cast", dtypes=_CONVERTED, infers=_infer_cast, gradient_reads=False)
def _cast(x: Array, dtype: Dtype) -> Array:
    """`cast` between floating and complex dtypes."""
    return converted(x, dtype)


@op("cast", dtypes=_CONVERTED, infers=_infer_cast, differentiable=False, gradient_reads=False)
def _cast_discrete(x: Array, dtype: Dtype) -> Array:
    """`cast` from or to integers and bool."""
    return converted(x, dtype)


@op(
    "cast",
    dtypes=INTEGER,
    differentiable=False,
    fold=lambda x, dtype: x.astype(dtype.as_numpy_dtype),
    gradient_reads=False,
)
def _cast_whole(x: Array, dtype: Dtype) -> Array:
    """`cast` between integers."""
    return converted(x, dtype)


@op("saturate_cast", dtypes=NUMERIC)
def _saturate_cast(value: Array, dtype: Dtype) -> Array:
    """`saturate_cast` between floating and complex dtypes."""
    return converted(saturated(value, dtype), dtype)


@op("saturate_cast", dtypes=NUMERIC, differentiable=False)
def _saturate_cast_discrete(value: Array, dtype: Dtype) -> Array:
    """`saturate_cast` from or to integers."""
    return converted(saturated(value, dtype), dtype)


def _validate_bitcast(input: Any, type: DType) -> None:
    if type not in NUMERIC:
        raise InvalidArgumentError.of(f"tf.bitcast: type must be a numeric dtype, got {type.name}.")
    ratio, rest = divmod(type.size, input.dtype.size)
    if ratio > 1 and (rest or input.shape[-1:] != (ratio,)):
        raise InvalidArgumentError.of(
            f"tf.bitcast: {type.name} from {input.dtype.name} needs a last axis of {ratio}, got shape {input.shape}."
        )


@op("bitcast", dtypes=NUMERIC, validate=_validate_bitcast, no_gradient="Bitcast", gradient_reads=False)
def bitcast(input: Array, type: Dtype) -> Array:
    """The bits of `input` read as `type`.

    Shapes: [*dims] -> the same between dtypes of one size; a smaller one adds a last dimension, a larger one removes
      it.
    Dtypes: numbers -> `type`.
    Gradient: LookupError.
    Raises: InvalidArgumentError if the last dimension does not hold exactly the bytes of one element.
    Source: TF 2.21 `tf.bitcast`.
    """
    octets = _octets(input)
    target = np.dtype(type.as_numpy_dtype)
    if target.itemsize > input.dtype.itemsize:
        octets = octets.reshape(*input.shape[:-1], target.itemsize)
    count = octets.shape[-1] // target.itemsize
    read = _read(octets.reshape(*octets.shape[:-1], count, target.itemsize), target)
    return read if count > 1 else read[..., 0]


def _octets(x: Any) -> Any:
    """The bytes of each element along a new last axis."""
    if jnp.iscomplexobj(x):
        parts = jnp.stack((jnp.real(x), jnp.imag(x)), -1)
        return _octets(parts).reshape(*x.shape, x.dtype.itemsize)
    octets = lax.bitcast_convert_type(x, jnp.uint8)
    return octets[..., None] if x.dtype.itemsize == 1 else octets


def _read(octets: Any, target: np.dtype) -> Any:
    """The elements whose bytes are along the last axis."""
    if target.kind == "c":
        half = target.itemsize // 2
        parts = _read(octets.reshape(*octets.shape[:-1], 2, half), np.dtype(f"f{half}"))
        return lax.complex(parts[..., 0], parts[..., 1])
    return lax.bitcast_convert_type(octets[..., 0] if target.itemsize == 1 else octets, target)
