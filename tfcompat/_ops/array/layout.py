"""The same elements in another shape or order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import ElementTrace, by_row, element_trace, infers_only
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, AttributeAxes, Axes, Check, Ints, Shape, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.calls.static import cut_shape
from tfcompat._core.operation.sized import Sized
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early, wrong_dtype
from tfcompat._core.tracing.constancy import settled
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import Aval, OpenAval, aval_of
from tfcompat._core.types.dtype import COPIED, HELD, INDEX, INTEGER, MOVABLE, int32
from tfcompat._jaxpr.size import has_symbols, is_open
from tfcompat._ops.array.known import known
from tfcompat._ops.axis import require_axes, require_axis, require_rank_above


@dispatched
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in row-major order, in the given `shape`; one size may be -1 and is inferred.

    A floating-point tensor as a size, and a floating-point array of sizes, are truncated to integers.

    Shapes: [*dims] -> shape.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if shape is not a list of integers or does not hold all elements; ValueError if a size
      is None; TypeError if a size is a float.
    Source: TF 2.21 `tf.reshape`.
    """
    del name
    rule = "tf.reshape: shape must be a list of integers, or an int32 or int64 tensor, got"
    if type(shape) is float:
        raise TypeError(f"{rule} {shape!r}.")
    if type(shape) is Tensor and shape.dtype not in INDEX:
        raise wrong_dtype(f"{rule} a {shape.dtype.name} tensor.")
    try:
        dims = cut_shape(shape)
    except TypeError as refused:
        if here.graph is None and _has_some_strings(shape):
            raise ValueError(f"{rule} {shape!r}.") from refused
        raise wrong_dtype(f"{rule} {shape!r}.") from refused
    if dims is None or None in dims:
        raise ValueError(f"tf.reshape: every size must be a number (one may be -1), got {shape}.")
    aval: Any = tensor._aval if type(tensor) is Tensor else None
    if type(aval) is OpenAval and -1 not in dims:
        return tensor._trace.reshaped(tensor, dims)
    trace = element_trace()
    is_open = type(aval) is not OpenAval and aval is not None and has_symbols((aval.shape, dims))
    if trace is None or not is_open:
        return _reshape(tensor, dims)
    try:
        return _reshape(tensor, dims)
    except (InvalidArgumentError, jax.errors.InconclusiveDimensionOperation):
        return _reshape_by_row(trace, tensor, dims)


def _has_some_strings(shape: Any) -> bool:
    """Whether the list `shape` holds strings beside other values, so that no tensor can be made of it."""
    are_strings = [isinstance(size, str | bytes) for size in shape] if isinstance(shape, list | tuple) else []
    return any(are_strings) and not all(are_strings)


def _reshape_by_row(trace: ElementTrace, tensor: Tensor, dims: Sequence[Any]) -> Tensor:
    """The elements of `tensor` in a shape that may or may not fit the sizes of an element of a dataset."""

    def compute(values: Mapping[str, int], array: np.ndarray) -> list[np.ndarray]:
        shape = Sized(values).argument(tuple(dims))
        try:
            return [array.reshape(_completed(array.shape, shape))]
        except ValueError as refused:
            raise _no_reshape(array, shape) from refused

    sizes = [None if type(size) is int and size == -1 else size for size in dims]
    return trace.hosted("reshape", compute, [tensor], [(sizes, tensor.dtype)], sizes=dims)[0]


def _completed(dims: Sequence[Any], shape: Shape) -> Shape:
    """`shape` with a number in place of -1 if one of its sizes is 0: sizes of 0 do not count in the division then."""
    if 0 not in shape or shape.count(-1) != 1:
        return shape
    whole, part = (math.prod(size for size in sizes if size not in (0, -1)) for sizes in (dims, shape))
    return tuple([whole // part if size == -1 else size for size in shape]) if whole % part == 0 else shape


def _validate_reshape(tensor: Any, shape: Shape) -> None:
    shape = _completed(tensor.shape, shape)
    known = math.prod(size for size in shape if size != -1)
    unknown = shape.count(-1)
    fits = known == tensor.size if not unknown else unknown == 1 and known and tensor.size % known == 0
    if not fits or any(size < -1 for size in shape):
        raise _no_reshape(tensor, shape)


def _no_reshape(tensor: Any, shape: Shape) -> InvalidArgumentError:
    """The error for a `shape` that `tensor` cannot have, with TensorFlow's words, which programs look for."""
    rule = f"shape must hold the {tensor.size} elements of a tensor of shape {tensor.shape}, got {shape}"
    sizes = [size for size in shape if isinstance(size, int)]
    negative = next((k for k, size in enumerate(sizes) if size < -1), None)
    if negative is not None:
        problem = f"Size {negative} must be non-negative, not {sizes[negative]}"
    else:
        known = math.prod(size for size in sizes if size != -1)
        wanted = f"requires a multiple of {known}" if -1 in sizes else f"has {known}"
        problem = f"Input to reshape is a tensor with {tensor.size} values, but the requested shape {wanted}"
    return InvalidArgumentError.of(f"tf.reshape: {rule}. {problem}.")


def _fold_reshape(tensor: np.ndarray, shape: Shape) -> np.ndarray:
    _validate_reshape(tensor, shape)
    return tensor.reshape(_completed(tensor.shape, shape))


def _infer_reshape(tensor: Aval, shape: Shape) -> Aval:
    shape = _completed(tensor.shape, shape)
    known = -math.prod(shape)
    return aval_of(tuple([tensor.size // known if size == -1 else size for size in shape]), tensor.dtype)


@op("reshape", dtypes=HELD, validate=_validate_reshape, infers=_infer_reshape, fold=_fold_reshape, gradient_reads=False)
def _reshape(tensor: Array, shape: Shape) -> Array:
    return jnp.reshape(tensor, _completed(tensor.shape, shape))


def _validate_transpose(a: Any, perm: Axes, conjugate: bool) -> None:
    del conjugate
    axes = perm if isinstance(perm, tuple) else (a.ndim,)
    if perm is not None and sorted(axis + a.ndim if axis < 0 else axis for axis in axes) != list(range(a.ndim)):
        repeats = len(axes) == a.ndim and all(-a.ndim <= axis < a.ndim for axis in axes)
        raise (found_early if repeats else InvalidArgumentError.of)(
            f"tf.transpose: perm must be a permutation of the axes of a tensor of shape {a.shape}, got {perm}."
        )


@dispatched
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """The tensor `a` with its axes in the order `perm`, or reversed; complex elements are conjugated if `conjugate`.

    Shapes: [*dims] -> dims in the order of perm.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if perm is not a permutation of the axes.
    Source: TF 2.21 `tf.transpose`.
    """
    return _transpose(a, perm, conjugate, name=name)


def _infer_transpose(a: Aval, perm: Axes, conjugate: bool) -> Aval:
    del conjugate
    axes = perm if isinstance(perm, tuple) else range(a.ndim)[::-1]
    return aval_of(tuple([a.shape[axis] for axis in axes]), a.dtype)


@op("transpose", dtypes=COPIED, validate=_validate_transpose, infers=_infer_transpose, gradient_reads=False)
def _transpose(a: Array, perm: Axes = None, conjugate: bool = False) -> Array:
    turned = jnp.transpose(a, perm if isinstance(perm, tuple) else None)
    return jnp.conj(turned) if conjugate and jnp.iscomplexobj(turned) else turned


@dispatched
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The matrices in the last two axes of `a` transposed, and conjugated if `conjugate`.

    Shapes: [*batch, m, n] -> [*batch, n, m].
    Dtypes: any -> same.
    Raises: ValueError if the rank of a is below 2.
    Source: TF 2.21 `tf.linalg.matrix_transpose`.
    """
    a = convert_to_tensor(a)
    if a.ndim < 2:
        raise ValueError(f"tf.linalg.matrix_transpose: a must have rank 2 or more, got shape {a.shape}.")
    return _transpose(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2), conjugate, name=name)


@dispatched
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The matrices in the last two axes of `matrix` transposed and conjugated.

    Shapes: [*batch, m, n] -> [*batch, n, m].
    Dtypes: any -> same.
    Raises: ValueError if the rank of matrix is below 2.
    Source: TF 2.21 `tf.linalg.adjoint`.
    """
    del name
    return matrix_transpose(matrix, "adjoint", conjugate=True)


def _single_axis(axis: Axes) -> int:
    """The axis in `axis`, which may be a list of one."""
    if isinstance(axis, tuple) and len(axis) == 1:
        return axis[0]
    if not isinstance(axis, int):
        error = ValueError if axis is None else InvalidArgumentError.of
        raise error(f"tf.expand_dims: axis must be one integer, got {axis}.")
    return axis


def _validate_expand_dims(input: Any, axis: Axes) -> None:
    require_axis("expand_dims", _single_axis(axis), input.ndim + 1)


def _fold_expand_dims(input: np.ndarray, axis: Axes) -> np.ndarray:
    return np.expand_dims(input, require_axis("expand_dims", _single_axis(axis), input.ndim + 1))


@op(dtypes=HELD, validate=_validate_expand_dims, fold=_fold_expand_dims, gradient_reads=False)
def expand_dims(input: Array, axis: Axes) -> Array:
    """The tensor `input` with an axis of size 1 inserted at `axis`.

    Shapes: [*dims] -> dims with a 1 at position axis.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if axis is out of range; TypeError if it is not an integer.
    Source: TF 2.21 `tf.expand_dims`.
    """
    return jnp.expand_dims(input, _single_axis(axis))


def _squeezed(input: Any, axis: AttributeAxes) -> tuple[int, ...]:
    """The axes that `tf.squeeze` removes."""
    if axis is None or axis == ():
        return tuple(k for k, size in enumerate(input.shape) if size == 1)
    found = {require_axis("squeeze", one, input.ndim) for one in ((axis,) if isinstance(axis, int) else axis)}
    if any(input.shape[one] != 1 for one in found) and not _may_be_one(input, found):
        raise InvalidArgumentError.of(
            f"tf.squeeze: every axis to remove must have size 1, got axis {axis} for shape {input.shape}."
        )
    return tuple(found)


def _may_be_one(input: Any, axes: set[int]) -> bool:
    """Whether only the shape of the result is asked for, and the sizes along `axes` are 1 or open."""
    sizes = [input.shape[one] for one in axes]
    return infers_only() and all(is_open(size) or size == 1 for size in sizes)


def _validate_squeeze(input: Any, axis: AttributeAxes) -> None:
    _squeezed(input, axis)


def _infer_squeeze(input: Aval, axis: AttributeAxes) -> Aval:
    removed = _squeezed(input, axis)
    return aval_of(tuple([size for k, size in enumerate(input.shape) if k not in removed]), input.dtype)


def _fold_squeeze(input: np.ndarray, axis: AttributeAxes) -> np.ndarray:
    return np.squeeze(input, _squeezed(input, axis))


@op(dtypes=HELD, validate=_validate_squeeze, infers=_infer_squeeze, fold=_fold_squeeze, gradient_reads=False)
def squeeze(input: Array, axis: AttributeAxes = None) -> Array:
    """The tensor `input` without the axes of size 1 listed in `axis`, or without all axes of size 1.

    Shapes: [*dims] -> dims without those.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if an axis is out of range or its size is not 1.
    Source: TF 2.21 `tf.squeeze`.
    """
    return jnp.squeeze(input, _squeezed(input, axis))


def _validate_reverse(tensor: Any, axis: Axes) -> None:
    if not isinstance(axis, tuple):
        raise InvalidArgumentError.of(f"tf.reverse: axis must be a list of integers, got {axis}.")
    if tensor.ndim and 0 not in tensor.shape:
        require_axes("reverse", axis, tensor.ndim)


def _fold_reverse(tensor: np.ndarray, axis: Axes) -> np.ndarray:
    _validate_reverse(tensor, axis)
    return np.flip(tensor, axis) if tensor.ndim and tensor.size else tensor


@op(dtypes=MOVABLE, validate=_validate_reverse, fold=_fold_reverse, gradient_reads=False)
def reverse(tensor: Array, axis: Axes) -> Array:
    """The tensor `tensor` with the order of elements reversed along each axis of the list `axis`.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if axis is not a list, or an entry is out of range or repeated.
    Source: TF 2.21 `tf.reverse`.
    """
    return jnp.flip(tensor, axis) if tensor.ndim and tensor.size else tensor


def _validate_reverse_sequence(input: Any, seq_lengths: Any, seq_axis: int | None, batch_axis: int | None) -> None:
    if seq_axis is None:
        raise TypeError("tf.reverse_sequence: seq_axis must be an integer, got None.")
    batch = batch_axis or 0
    if seq_axis == batch or not 0 <= seq_axis < input.ndim or not 0 <= batch < input.ndim:
        refuse = InvalidArgumentError.of if max(seq_axis, batch) >= input.ndim or batch < 0 else found_early
        raise refuse(
            f"tf.reverse_sequence: seq_axis and batch_axis must be two different axes in [0, {input.ndim}), "
            f"got {seq_axis} and {batch}."
        )
    if seq_lengths.shape != (input.shape[batch],):
        raise InvalidArgumentError.of(
            f"tf.reverse_sequence: seq_lengths must be a vector of {input.shape[batch]}, got shape {seq_lengths.shape}."
        )


def _has_bad_length(input: Array, seq_lengths: Array, seq_axis: int | None, batch_axis: int | None) -> Array:
    _validate_reverse_sequence(input, seq_lengths, seq_axis, batch_axis)
    return (seq_lengths < 0) | (seq_lengths > input.shape[seq_axis or 0])


@op(
    dtypes={"input": MOVABLE, "seq_lengths": INDEX},
    same=("input",),
    validate=_validate_reverse_sequence,
    check=Check(("seq_lengths",), _has_bad_length, "seq_lengths must be in [0, n] for n elements along seq_axis"),
)
def reverse_sequence(
    input: Array, seq_lengths: Array, seq_axis: int | None = None, batch_axis: int | None = None
) -> Array:
    """The tensor `input` with the first `seq_lengths[k]` elements along `seq_axis` reversed in the k-th batch element.

    The batch axis is `batch_axis`, or axis 0.

    Shapes: [*dims], [dims[batch_axis]] -> dims.
    Dtypes: any -> same; seq_lengths int32, int64.
    Raises: InvalidArgumentError if a length or an axis is out of range; TypeError if seq_axis is None.
    Source: TF 2.21 `tf.reverse_sequence`.
    """
    axis, batch = seq_axis or 0, batch_axis or 0
    shape = [1] * input.ndim
    shape[axis] = input.shape[axis]
    places = jnp.arange(input.shape[axis], dtype=seq_lengths.dtype).reshape(shape)
    lengths = jnp.expand_dims(seq_lengths, [k for k in range(input.ndim) if k != batch])
    return jnp.take_along_axis(input, jnp.where(places < lengths, lengths - 1 - places, places), axis, mode="clip")


@dispatched
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensor `input` rotated by `shift` places along `axis`: elements shifted past one end reappear at the other.

    `shift` and `axis` are numbers, or lists of the same length.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if an axis is out of range, or shift and axis differ in length.
    Source: TF 2.21 `tf.roll`.
    """
    del name
    if as_tensor(shift) is not None:
        return _roll_by(input, shift, axis)
    return _roll(input, shift, axis)


def _validate_roll(input: Any, shift: Any, axis: Ints) -> None:
    require_rank_above("roll", input, 1, "input")
    for one in (axis,) if isinstance(axis, int) else axis:
        require_axis("roll", one, input.ndim, found_early)
    if np.shape(shift) != np.shape(axis):
        raise InvalidArgumentError.of(f"tf.roll: shift and axis must have the same length, got {shift} and {axis}.")


def _validate_roll_by(input: Any, shift: Any, axis: Ints) -> None:
    _validate_roll(input, axis if shift.shape == np.shape(axis) else shift.shape, axis)


@op("roll", dtypes=MOVABLE, validate=_validate_roll, gradient_reads=False)
def _roll(input: Array, shift: Ints, axis: Ints) -> Array:
    return jnp.roll(input, shift, axis)


@op("roll", dtypes=MOVABLE, validate=_validate_roll_by, same=("input",), gradient_reads=False)
def _roll_by(input: Array, shift: Array, axis: Ints) -> Array:
    return jnp.roll(input, shift, axis)


def _validate_tile(input: Any, multiples: Ints) -> None:
    message = f"tf.tile: multiples must be {input.ndim} non-negative numbers for shape {input.shape}; got {multiples}."
    if np.shape(multiples) != (input.ndim,):
        raise InvalidArgumentError.of(message)
    if any(count < 0 for count in multiples):
        raise found_early(message)


@op("tile", dtypes=MOVABLE, validate=_validate_tile, gradient_reads=False)
def _tile(input: Array, multiples: Ints) -> Array:
    return jnp.tile(input, multiples)


@dispatched
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor `input` repeated `multiples[k]` times along each axis k.

    Shapes: [*dims] -> dims * multiples.
    Dtypes: any -> same; multiples int32, int64.
    Raises: InvalidArgumentError if multiples is not one integer for each axis, or one is negative.
    Source: TF 2.21 `tf.tile`.
    """
    counts = convert_to_tensor(multiples, dtype_hint=int32)
    if counts.dtype not in INDEX:
        raise InvalidArgumentError.of(f"tf.tile: multiples must be int32 or int64, got {counts.dtype.name}.")
    return _tile(input, counts, name)


def _validate_broadcast_to(input: Any, shape: Shape) -> None:
    aligned = shape[len(shape) - input.ndim :]
    fits = len(shape) >= input.ndim and all(m in (1, n) for m, n in zip(input.shape, aligned, strict=True))
    if not fits or any(size < 0 for size in shape):
        raise InvalidArgumentError.of(f"tf.broadcast_to: cannot broadcast shape {input.shape} to {shape}.")


def _infer_broadcast_to(input: Aval, shape: Shape) -> Aval:
    return aval_of(shape, input.dtype)


@op(dtypes=COPIED, validate=_validate_broadcast_to, infers=_infer_broadcast_to, gradient_reads=False)
def broadcast_to(input: Array, shape: Shape) -> Array:
    """The tensor `input` repeated along new leading axes and along axes of size 1, up to `shape`.

    Shapes: [*dims] -> shape.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if input cannot be broadcast to shape.
    Source: TF 2.21 `tf.broadcast_to`.
    """
    return jnp.broadcast_to(input, shape)


@dispatched
@by_row("input", "repeats", specs=lambda input, axis, **_: _repeated(input, axis), if_refused=True)
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each slice of `input` along `axis`, repeated `repeats` times; `repeats` may have one number per slice.

    Of several numbers, negative ones count as 0.

    Shapes: [*dims] -> dims with sum(repeats) at axis; [sum(repeats)] of the flattened input if axis is None.
    Dtypes: any -> same.
    Raises: ValueError if repeats is neither one number nor one for each slice, or axis is out of range; TypeError if
      repeats does not hold integers; InvalidArgumentError if it is one negative number.
    Source: TF 2.21 `tf.repeat`.
    """
    del name
    input = convert_to_tensor(input)
    if axis is None:
        input, axis = _reshape(input, (-1,) if input._aval.size else (0,)), 0
    elif input.ndim == 0:
        input = _reshape(input, (1,))
    axis = require_axis("repeat", int(axis), input.ndim, ValueError)
    given = settled(convert_to_tensor(repeats))
    if given._is_symbolic() and given.dtype in INTEGER and given._aval.shape == (input._aval.shape[axis],) != (1,):
        total = known(_total(given), "tf.repeat").item()
        return _take(input, _places(given, total), axis)
    counts = np.asarray(given)
    if counts.dtype.kind not in "iu" and counts.size:
        raise TypeError(f"tf.repeat: repeats must be integers, got {repeats!r}.")
    size = input._aval.shape[axis]
    if counts.ndim > 1 or (counts.size != 1 and counts.shape != (size,)):
        raise ValueError(f"tf.repeat: repeats must be one number or {size}, got shape {counts.shape}.")
    if counts.size == 1 and (counts < 0).any():
        raise found_early(f"tf.repeat: repeats must not be negative, got {counts.tolist()}.")
    counts = np.maximum(counts, 0)
    if counts.size == 1:
        return _repeat(input, int(counts.reshape(())), axis)
    return _take(input, Tensor(np.repeat(np.arange(size, dtype=np.int32), counts)), axis)


def _repeated(input: Any, axis: Any) -> TensorSpec:
    """The type of repeated slices whose number is not known."""
    tensor = convert_to_tensor(input)
    dims = [None] if axis is None else tensor.shape.as_list()
    if axis is not None:
        dims[require_axis("repeat", int(axis), tensor.ndim, ValueError)] = None
    return TensorSpec(dims, tensor.dtype)


@op("repeat", dtypes=MOVABLE)
def _repeat(input: Array, repeats: int, axis: int) -> Array:
    before, count, after = input.shape[:axis], input.shape[axis], input.shape[axis + 1 :]
    rows = jnp.broadcast_to(jnp.expand_dims(input, axis + 1), (*before, count, repeats, *after))
    return rows.reshape(*before, count * repeats, *after)


@op("repeat.total", differentiable=False)
def _total(repeats: Array) -> Array:
    return jnp.sum(jnp.maximum(repeats, 0))


@op("repeat.places", differentiable=False)
def _places(repeats: Array, total: int) -> Array:
    """For each of the `total` slices of the result, the place of its slice of the input."""
    return jnp.repeat(jnp.arange(repeats.size, dtype=jnp.int32), jnp.maximum(repeats, 0), total_repeat_length=total)


@op("repeat", dtypes=MOVABLE, same=("input",))
def _take(input: Array, places: Array, axis: int) -> Array:
    return jnp.take(input, places, axis, mode="clip")
