"""Functions that return their input unchanged, but affect gradients or checks."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row, element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Ints, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.calls.host_call import computed, is_later
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import Aval, OpenAval, aval_of, fits
from tfcompat._core.types.dtype import DENSE, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import has_symbols, is_open

Dims = tuple[int | None, ...]


@dispatched
def identity(input: Any, name: str | None = None) -> Any:
    """A new tensor with the value of `input`; for a composite (`IndexedSlices`, ...) a new composite.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Source: TF 2.21 `tf.identity`.
    """
    del name
    return _passed(_identity, input)


@dispatched
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """A tensor with the value of `input`, through which no gradient flows.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Gradient: None.
    Source: TF 2.21 `tf.stop_gradient`.
    """
    del name
    return _passed(_stop_gradient, input)


@dispatched
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`; declaring it constant has no further effect here.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Gradient: None.
    Source: TF 2.21 `tf.guarantee_const`.
    """
    del name
    return _passed(_stop_gradient, convert_to_tensor(input))


def _passed(op: Any, input: Any) -> Any:
    """`op` of a tensor, or of each component of a composite. Strings never enter a program: they are copied."""
    if hasattr(type(input), "_flatten_composite"):
        return input._unflatten_composite(input, [_passed(op, part) for part in input._flatten_composite()])
    tensor = convert_to_tensor(input)
    aval: Any = tensor._aval
    again = getattr(tensor._trace, "again", None) if op is _identity and type(aval) is OpenAval else None
    if again is not None:
        return again(tensor)
    return op(tensor) if tensor.dtype in DENSE else _copied(tensor)


def _ensured_by_host(x: Any, shape: Any) -> np.ndarray | None:
    """As `ensure_shape`. None if it raises an error, or takes strings."""
    is_number = isinstance(x, np.ndarray) and x.dtype != object
    return x if is_number and TensorShape(shape).is_compatible_with(x.shape) else None


@by_row("x", specs=lambda x, shape: TensorSpec(x.shape.merge_with(shape), x.dtype), host=_ensured_by_host)
def _ensured(x: Tensor, shape: Any) -> Tensor:
    return ensure_shape(x, shape)


@by_row("tensor", specs=lambda tensor: TensorSpec(tensor.shape, tensor.dtype))
def _copied(tensor: Tensor) -> Tensor:
    if is_later(tensor):
        return computed("identity", np.copy, (tensor,), tensor._aval.shape, string)
    return Tensor(tensor._value())


@op("identity", fold=np.array, gradient_reads=False, passes=True)
def _identity(input: Array) -> Array:
    return input


@op("stop_gradient", differentiable=False, cuts=True, fold=np.array)
def _stop_gradient(input: Array) -> Array:
    return input


@dispatched
def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """New tensors with the values of the tensors in the list `input`.

    Shapes: n times [*dims] -> same.
    Dtypes: any -> same.
    Source: TF 2.21 `tf.identity_n`.
    """
    tensors = [convert_to_tensor(value) for value in input]
    if any(tensor.dtype is string for tensor in tensors):
        return [identity(tensor) for tensor in tensors]
    return _identity_n(tensors, name=name)


@op("identity_n", same=(), structure=list, gradient_reads=False)
def _identity_n(input: Arrays) -> tuple[Array, ...]:
    return tuple(input)


def _validate_narrowed(x: Aval, dims: Dims) -> None:
    if any(size != known for size, known in _known(x, dims) if not is_open(size)):
        raise InvalidArgumentError.of(
            f"tf.ensure_shape: shape {x.tensor_shape} is not compatible with the expected {TensorShape(dims)}."
        )


def _infer_narrowed(x: Aval, dims: Dims) -> Aval:
    return aval_of(
        tuple([size if known is None else known for size, known in zip(x.shape, dims, strict=True)]), x.dtype
    )


def _known(x: Any, dims: Dims) -> list[tuple[Any, int]]:
    """The sizes of `x` that `dims` gives, each with that in `dims`."""
    return [(size, known) for size, known in zip(x.shape, dims, strict=True) if known is not None]


@op("ensure_shape", validate=_validate_narrowed, infers=_infer_narrowed, gradient_reads=False, passes=True)
def _narrowed(x: Array, dims: Ints) -> Array:
    """`x`, whose open sizes are those of `dims` in each call that does not fail."""
    for axis, known in enumerate(dims):
        if known is not None and is_open(x.shape[axis]):
            x = jnp.take(x, np.arange(known), axis, mode="clip")
    return x


@dispatched
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns `x` after checking that its shape is compatible with `shape`.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the shapes are not compatible.
    Source: TF 2.21 `tf.ensure_shape`.
    """
    del name
    x = convert_to_tensor(x)
    if not fits(x._aval, shape):
        if element_trace() is not None and x.shape.is_compatible_with(shape):
            return _ensured(x, shape)
        if has_symbols(x._aval.shape) and x.shape.is_compatible_with(shape):
            return _narrowed(x, TensorShape(shape).as_list())
        raise InvalidArgumentError.of(
            f"tf.ensure_shape: shape {x.shape} is not compatible with the expected {TensorShape(shape)}."
        )
    x.set_shape(shape)
    return identity(x)
