"""Contractions: matmul, einsum, tensordot and related products.

Precision is JAX's default for the device: on a CPU float32 is float32; on a GPU the matrix units may round to TF32, as
in TensorFlow.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.calls.declare import Array, Arrays, Dtype, Ints, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FailedPreconditionError, InvalidArgumentError, NotFoundError, wrong_dtype
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import (
    INEXACT,
    NUMERIC,
    REAL,
    DType,
    as_dtype,
    bfloat16,
    bool_,
    float16,
    float32,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from tfcompat._ops.elementwise.rounding import cast

MULTIPLIED = INEXACT | frozenset((int32, int64))
NARROW = frozenset((int8, uint8))
_OUTPUT = MULTIPLIED | {int16}
_MIXED = {bfloat16, float32}


def _mentions_twice(transpose: bool, adjoint: bool, which: str) -> None:
    if transpose and adjoint:
        raise ValueError(
            f"tf.matmul: only one of transpose_{which} and adjoint_{which} can be True, "
            f"got transpose_{which}={transpose}, adjoint_{which}={adjoint}."
        )


def _require_product(name: str, a: Any, b: Any, left: int, right: int) -> None:
    """Requires that `a` and `b` are matrices or batches of them, whose axes `left` and `right` have equal sizes."""
    for which, operand in (("a", a), ("b", b)):
        if operand.ndim < 2:
            raise InvalidArgumentError.of(
                f"tf.{name}: {which} must have rank 2 or more, got shape {operand.shape}; "
                f"use tf.linalg.matvec or tf.tensordot for a vector."
            )
    if a.shape[left] != b.shape[right]:
        raise InvalidArgumentError.of(
            f"tf.{name}: the inner dimensions must be equal, got shapes {a.shape} and {b.shape}."
        )
    for m, n in zip(reversed(a.shape[:-2]), reversed(b.shape[:-2]), strict=False):
        if m != n and 1 not in (m, n):
            raise InvalidArgumentError.of(
                f"tf.{name}: the batch dimensions must broadcast, got shapes {a.shape} and {b.shape}."
            )


def _require_output_type(dtype: DType, output_type: DType | None, is_batched: bool) -> None:
    if output_type is None or output_type is dtype:
        if dtype in NARROW or (dtype is int16 and not is_batched):
            refusal = NotFoundError if dtype is uint8 else InvalidArgumentError
            raise refusal.of(
                f"tf.matmul: {dtype.name} is supported with output_type=tf.int32 only; convert with tf.cast."
            )
    elif output_type not in _OUTPUT:
        names = ", ".join(sorted(d.name for d in _OUTPUT))
        raise InvalidArgumentError.of(f"tf.matmul: output_type must be one of {names}; got {output_type.name}.")
    elif output_type is not {int8: int32, uint8: int32, float16: float32, bfloat16: float32}.get(dtype):
        raise NotFoundError.of(
            f"tf.matmul: {dtype.name} with output_type {output_type.name} is not supported; convert with tf.cast."
        )


def _validate_matmul(
    a: Any,
    b: Any,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    a_is_sparse: bool,
    b_is_sparse: bool,
    output_type: DType | None,
    **_: Any,
) -> None:
    _mentions_twice(transpose_a, adjoint_a, "a")
    _mentions_twice(transpose_b, adjoint_b, "b")
    if a.dtype is bool_:
        # TensorFlow conjugates before it multiplies, and rejects booleans with another error class there.
        refusal = TypeError if adjoint_a or adjoint_b else wrong_dtype
        raise refusal("tf.matmul: a must be a number, got bool; convert with tf.cast.")
    _require_product("matmul", a, b, -2 if transpose_a or adjoint_a else -1, -1 if transpose_b or adjoint_b else -2)
    _require_output_type(a.dtype, output_type, a.ndim > 2 or b.ndim > 2)
    if (a_is_sparse or b_is_sparse) and (a.ndim != 2 or b.ndim != 2):
        raise InvalidArgumentError.of(
            f"tf.matmul: a_is_sparse and b_is_sparse are for matrices, got shapes {a.shape} and {b.shape}."
        )


def _infer_matmul(
    a: Aval,
    b: Aval,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    output_type: DType | None,
    **_: Any,
) -> Aval | None:
    """The product's type; None if JAX has to say it."""
    if output_type is not None or a.dtype is not b.dtype or a.dtype not in MULTIPLIED:
        return None
    batch = a.shape[:-2] or b.shape[:-2]
    if batch != (b.shape[:-2] or batch):
        return None
    rows, inner = a.shape[-2:][:: -1 if transpose_a or adjoint_a else 1]
    summed, columns = b.shape[-2:][:: -1 if transpose_b or adjoint_b else 1]
    if isinstance(inner, int) and isinstance(summed, int) and inner != summed:
        return None
    return aval_of((*batch, rows, columns), a.dtype)


def _oriented(matrix: Array, transpose: bool, adjoint: bool) -> Array:
    if adjoint:
        matrix = jnp.conj(matrix)
    if not (transpose or adjoint):
        return matrix
    *batch, rows, columns = range(matrix.ndim)
    return lax.transpose(matrix, (*batch, columns, rows))


def _shared(x: Tensor, y: Tensor, ranks: tuple[int, int] | None, output_type: DType | None) -> DType | None:
    """The dtype in which `x` and `y`, of different dtypes, are multiplied; None if that is not supported."""
    pair = {x.dtype, y.dtype}
    if pair == _MIXED and ranks in (None, (x.ndim, y.ndim)):
        # TensorFlow ignores the output type here.
        return float32
    if pair <= NARROW and output_type is int32:
        return int32
    return bfloat16 if bfloat16 in pair and pair & NARROW and output_type is bfloat16 else None


def _mixed(public: Callable[..., Any], ranks: tuple[int, int] | None = None) -> Callable[..., Any]:
    """The op `public`, extended to operands of different dtypes: bfloat16 and float32 if they have `ranks`."""
    signature = inspect.signature(public)

    @functools.wraps(public)
    def multiplied(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return public(a, b, *args, **kwargs)
        except InvalidArgumentError:
            bound, x, y = signature.bind(a, b, *args, **kwargs), as_tensor(a), as_tensor(b)
            output_type = bound.arguments.pop("output_type", None)
            dtype = None
            if x is not None and y is not None and x.dtype is not y.dtype:
                dtype = _shared(x, y, ranks, None if output_type is None else as_dtype(output_type))
            if dtype is None:
                raise
            bound.arguments |= {"a": cast(x, dtype), "b": cast(y, dtype)}
        return public(*bound.args, **bound.kwargs)

    return multiplied


@functools.partial(_mixed, ranks=(2, 2))
@op(dtypes=MULTIPLIED | NARROW | {int16, bool_}, validate=_validate_matmul, infers=_infer_matmul)
def matmul(
    a: Array,
    b: Array,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Dtype | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Array:
    """The matrix products of `a` and `b`, for each pair in their batches.

    `transpose_*` and `adjoint_*` transpose an operand first. `a_is_sparse`, `b_is_sparse`, `grad_a` and `grad_b` are
    hints that do not affect the result.

    Shapes: [*batch_a, m, k], [*batch_b, k, n] -> [*batch, m, n]; batches broadcast.
    Dtypes: bfloat16, float16, float32, float64, int32, int64, complex -> same. With `output_type` int32: int8 and
      uint8,
      also mixed; bfloat16: bfloat16 with either of these; float32: bfloat16, float16. For matrices without batches,
      bfloat16 with float32 -> float32.
    Raises: InvalidArgumentError if a rank is below 2 or shapes don't fit; ValueError if an operand is both transposed
      and adjoint.
    Source: TF 2.21 `tf.linalg.matmul`.
    """
    del a_is_sparse, b_is_sparse, grad_a, grad_b
    wanted = a.dtype if output_type is None else output_type.as_numpy_dtype
    left, right = _oriented(a, transpose_a, adjoint_a), _oriented(b, transpose_b, adjoint_b)
    if a.ndim == b.ndim == 2 and a.dtype == b.dtype:
        return lax.dot_general(left, right, (((1,), (0,)), ((), ())), preferred_element_type=wanted)
    return jnp.matmul(left, right, preferred_element_type=wanted)


def _validate_matvec(a: Any, b: Any, transpose_a: bool, adjoint_a: bool, **_: Any) -> None:
    _mentions_twice(transpose_a, adjoint_a, "a")
    if a.ndim < 2 or b.ndim < 1:
        raise InvalidArgumentError.of(
            f"tf.linalg.matvec: a must have rank 2 or more and b rank 1 or more, got shapes {a.shape} and {b.shape}."
        )
    column = b.struct.update(shape=(*b.shape, 1))
    _require_product("linalg.matvec", a, column, -2 if transpose_a or adjoint_a else -1, -2)


@functools.partial(_mixed, ranks=(2, 1))
@op("linalg.matvec", dtypes=MULTIPLIED, validate=_validate_matvec)
def matvec(
    a: Array,
    b: Array,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Array:
    """The products of the matrices `a` with the vectors `b`.

    `a_is_sparse` and `b_is_sparse` are hints that do not affect the result.

    Shapes: [*batch_a, m, n], [*batch_b, n] -> [*batch, m]; batches broadcast.
    Dtypes: bfloat16, float16, float32, float64, int32, int64, complex -> same; for one matrix and one vector, bfloat16
      with float32 -> float32.
    Raises: InvalidArgumentError if a rank is too small or shapes don't fit.
    Source: TF 2.21 `tf.linalg.matvec`.
    """
    del a_is_sparse, b_is_sparse
    return jnp.matmul(_oriented(a, transpose_a, adjoint_a), b[..., None], preferred_element_type=a.dtype)[..., 0]


_SUBSCRIPTS = re.compile(r"(?:[a-zA-Z]|\.\.\.)*")


@dispatched
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """The products of elements of `inputs`, summed over the labels that are missing after the arrow of `equation`.

    Without an arrow, the labels that occur once are kept, in alphabetical order, after an `...` that occurs once.
    `...` covers dimensions that broadcast.

    Args:
      equation: a label for each dimension of each input, inputs separated by commas; labels are case-sensitive.
      inputs: tensors.
      kwargs: `optimize`, the search strategy for the order of three or more factors ("greedy", "optimal", "branch-2",
        "branch-all", "auto"); `name`.

    Shapes: as `equation` describes.
    Dtypes: bfloat16, float16, float32, float64, int32, int64, complex -> same.
    Raises: ValueError if `equation` is malformed or has another number of inputs; InvalidArgumentError if a shape
      doesn't fit it.
    Source: TF 2.21 `tf.einsum`.
    """
    optimize = kwargs.pop("optimize", "greedy")
    unknown = set(kwargs) - {"name", "greedy"}
    if unknown:
        raise TypeError(f"tf.einsum: unknown keyword arguments {sorted(unknown)}; supported are name and optimize.")
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = tuple(inputs[0])
    terms, output = _parsed(equation)
    if len(terms) != len(inputs):
        raise ValueError(f'tf.einsum: got {len(inputs)} inputs for equation "{equation}", expecting {len(terms)}.')
    return _einsum(inputs, f"{','.join(terms)}->{output}", optimize)


def _parsed(equation: str) -> tuple[list[str], str]:
    """The labels of each input and those of the output."""
    left, arrow, output = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if not all(_SUBSCRIPTS.fullmatch(part) and part.count("...") < 2 for part in (*terms, output)):
        raise ValueError(f"tf.einsum: the subscripts of {equation!r} must be letters and at most one ellipsis each.")
    if not arrow:
        labels = left.replace("...", "").replace(",", "")
        single = "".join(sorted(label for label in set(labels) if labels.count(label) == 1))
        output = f"...{single}" if left.count("...") == 1 else single
    kept = output.replace("...", "")
    if len(set(kept)) < len(kept):
        raise ValueError(f"tf.einsum: the output of {equation!r} contains a label more than once.")
    missing = set(kept) - set(left)
    if missing:
        raise ValueError(f"tf.einsum: the output of {equation!r} contains {sorted(missing)}, which no input has.")
    if "..." not in left:
        output = kept
    return terms, output


def _validate_einsum(inputs: Any, equation: str, optimize: str) -> None:
    del optimize
    left, _, output = equation.partition("->")
    sizes: dict[str, int] = {}
    for k, (term, operand) in enumerate(zip(left.split(","), inputs, strict=True)):
        before, ellipsis, after = term.partition("...")
        labelled = len(before) + len(after)
        if operand.ndim != labelled and not (ellipsis and operand.ndim > labelled):
            least = " or more" if ellipsis else ""
            raise InvalidArgumentError.of(
                f'tf.einsum: input {k} must have rank {labelled}{least} for "{term}", got shape {operand.shape}.'
            )
        if operand.ndim > labelled and "..." not in output:
            raise InvalidArgumentError.of(
                f'tf.einsum: the output of "{equation}" must contain "...", because the inputs do.'
            )
        dims = (*operand.shape[: len(before)], *operand.shape[operand.ndim - len(after) :])
        for label, size in zip(before + after, dims, strict=True):
            if sizes.setdefault(label, size) != size:
                raise InvalidArgumentError.of(
                    f'tf.einsum: label "{label}" of "{equation}" must have one size, got {sizes[label]} and then '
                    f"{size} in input {k} of shape {operand.shape}."
                )


@op("einsum", dtypes=MULTIPLIED, validate=_validate_einsum)
def _einsum(inputs: Arrays, equation: str, optimize: str) -> Array:
    """`einsum` of a list of inputs, with the output labels written out."""
    return jnp.einsum(equation, *inputs, optimize=optimize, preferred_element_type=inputs[0].dtype)


def _paired_axes(a: Any, b: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of `a` and of `b` that are summed over. Raises ValueError as TensorFlow does."""
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"tf.tensordot: axes must be at least 0, got {axes}.")
        if axes > min(a.ndim, b.ndim):
            raise ValueError(
                f"tf.tensordot: axes must not be larger than a rank, got {axes} for shapes {a.shape} and {b.shape}."
            )
        return tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    if len(axes) != 2:
        raise ValueError(f"tf.tensordot: axes must be an integer or have length 2, got {axes}.")
    left, right = ((part,) if isinstance(part, int) else tuple(part) for part in axes)
    if len(left) != len(right):
        raise ValueError(f"tf.tensordot: axes must list as many axes of a as of b, got {len(left)} and {len(right)}.")
    return left, right


def _validate_tensordot(a: Any, b: Any, axes: Any) -> None:
    for i, j in zip(*_paired_axes(a, b, axes), strict=True):
        for axis, operand in ((i, a), (j, b)):
            if not -operand.ndim <= axis < operand.ndim:
                raise (ValueError if -2 * operand.ndim <= axis < 0 else IndexError)(
                    f"tf.tensordot: axis must be in [{-operand.ndim}, {operand.ndim}), got {axis} for shape "
                    f"{operand.shape}."
                )
        if a.shape[i] != b.shape[j]:
            raise InvalidArgumentError.of(
                f"tf.tensordot: the summed dimensions must be equal, got axes {i} and {j} of shapes {a.shape} and "
                f"{b.shape}."
            )


@_mixed
@op(dtypes=MULTIPLIED, validate=_validate_tensordot)
def tensordot(a: Array, b: Array, axes: Ints) -> Array:
    """The products of `a` and `b` summed over `axes`.

    `axes` is a pair of lists of axes, or a number n for the last n axes of `a` and the first n axes of `b`.

    Shapes: the remaining axes of `a`, then those of `b`.
    Dtypes: bfloat16, float16, float32, float64, int32, int64, complex -> same; bfloat16 with float32 -> float32.
    Raises: ValueError or IndexError if `axes` are invalid; InvalidArgumentError if paired dimensions differ.
    Source: TF 2.21 `tf.tensordot`.
    """
    return jnp.tensordot(a, b, _paired_axes(a, b, axes), preferred_element_type=a.dtype)


def _validate_cross(a: Any, b: Any) -> None:
    if a.ndim < 1 or a.shape != b.shape:
        raise InvalidArgumentError.of(
            f"tf.linalg.cross: a and b must have the same shape of rank 1 or more, got {a.shape} and {b.shape}."
        )
    if a.shape[-1] != 3:
        raise FailedPreconditionError.of(f"tf.linalg.cross: the last dimension must be 3, got shape {a.shape}.")


@op("linalg.cross", dtypes=REAL, validate=_validate_cross)
def cross(a: Array, b: Array) -> Array:
    """The cross products of the vectors along the last axis of `a` and `b`.

    Shapes: [*dims, 3] twice -> same; nothing broadcasts.
    Dtypes: REAL -> same dtype.
    Raises: InvalidArgumentError if shapes differ; FailedPreconditionError if the vectors don't have three elements.
    Source: TF 2.21 `tf.linalg.cross`.
    """
    return jnp.roll(a, -1, -1) * jnp.roll(b, 1, -1) - jnp.roll(a, 1, -1) * jnp.roll(b, -1, -1)


def _validate_trace(x: Any) -> None:
    if x.ndim < 2:
        raise InvalidArgumentError.of(f"tf.linalg.trace: x must have rank 2 or more, got shape {x.shape}.")


@op("linalg.trace", dtypes=NUMERIC, validate=_validate_trace)
def trace(x: Array) -> Array:
    """The sums of the diagonals of the matrices `x`.

    Shapes: [*batch, m, n] -> [*batch].
    Dtypes: REAL and COMPLEX -> same dtype (an int8 sum stays int8).
    Raises: InvalidArgumentError if the rank is below 2.
    Source: TF 2.21 `tf.linalg.trace`.
    """
    return jnp.trace(x, axis1=-2, axis2=-1, dtype=x.dtype)
