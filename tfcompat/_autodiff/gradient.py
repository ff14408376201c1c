"""Gradients as slots of a trace, and the ops that create and add them during the backward walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.recording import Recording
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import int32
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.indexed_slices.rows import IndexedSlices


class Dense(NamedTuple):
    """A gradient in a slot."""

    slot: int
    aval: Aval


class Rows(NamedTuple):
    """The gradient of a gather along axis 0: a row for each index."""

    values: Dense
    indices: Dense
    aval: Aval


Gradient = Dense | Rows
# A slot and the slot of its cotangent, None for ones.
Target = tuple[int, int | None]


class Span(NamedTuple):
    """The part of a trace that a tape has recorded.

    Attributes:
      intervals: the first and last slots of the intervals in which it was recording.
      watched: (slot, position): the slot is watched by the steps from that position on.
      reads: the same for slots that are values of variables.
      twins: (slot, leaf): the slot is a copy from another trace, and the leaf is the same tensor.
    """

    intervals: tuple[tuple[int, int], ...]
    watched: tuple[tuple[int, int], ...]
    reads: tuple[tuple[int, int], ...] = ()
    twins: tuple[tuple[int, int], ...] = ()

    def covers(self, node: Node) -> bool:
        """Whether `node` was recorded while the tape was recording."""
        return any(start <= node.first < end for start, end in self.intervals)


class CustomCall(NamedTuple):
    """A step whose gradient is a Python function.

    `inputs` are the slots that the gradients belong to; `pull` takes the trace and the outputs' cotangents (None where
    an output has none) and returns a gradient, or None, for each input.
    """

    inputs: tuple[int, ...]
    pull: Callable[[Trace, Sequence[Dense | None]], Sequence[Gradient | None]]


_FEW = 4096


def _added(x: Any, y: Any) -> Any:
    """`x + y`. Small arrays are added with a rounding after each op, as in TensorFlow.

    XLA would fuse a product and a sum into one instruction, which rounds once.
    """
    if jnp.issubdtype(x.dtype, jnp.floating) and not is_open(x.size) and x.size <= _FEW:
        return rounded(x) + rounded(y)
    return x + y


def _index_dtype(parts: Sequence[Any]) -> Any:
    """The dtype of the indices of several lookups together, as in TensorFlow: int64, unless all are int32."""
    return jnp.int32 if all(part.dtype == jnp.int32 for part in parts) else jnp.int64


_ADD = Op("add", _added, gradient=GradientRule(reads=False), is_elementwise=True)
_CONCAT = Op("concat", lambda *parts: jnp.concatenate(parts), gradient=GradientRule(reads=False))
_CONCAT_INDICES = Op(
    "concat", lambda *parts: jnp.concatenate(parts, dtype=_index_dtype(parts)), gradient=GradientRule(reads=False)
)


@made_once
def ones(aval: Aval) -> Op:
    """The op that makes ones of `aval`."""
    return _filled("ones", jnp.ones, aval)


@made_once
def zeros(aval: Aval) -> Op:
    """The op that makes zeros of `aval`."""
    return _filled("zeros", jnp.zeros, aval)


def _filled(name: str, fill: Callable[..., Any], aval: Aval) -> Op:
    made = Op(
        name, lambda: fill(aval.shape, aval.dtype.as_numpy_dtype), label=repr(aval), gradient=GradientRule(reads=False)
    )
    made.inferred[()] = (aval,)
    return made


@made_once
def _reshape(shape: tuple[int, ...]) -> Op:
    return _formed("reshape", lambda x: jnp.reshape(x, shape), shape)


@made_once
def _broadcast(shape: tuple[int, ...]) -> Op:
    return _formed("broadcast_to", lambda x: jnp.broadcast_to(x, shape), shape)


def _formed(name: str, form: Callable[[Any], Any], shape: tuple[int, ...]) -> Op:
    return Op(name, form, label=repr(shape), gradient=GradientRule(reads=False), infers=_of_shape(shape))


def _of_shape(shape: tuple[int, ...]) -> Callable[..., Aval]:
    """The function that infers an output of `shape` with the dtype of the first input."""
    return lambda x, *_: aval_of(shape, x.dtype)


@made_once
def _scatter(shape: tuple[int, ...]) -> Op:
    return Op(
        *("scatter_rows", lambda values, at: jnp.zeros(shape, values.dtype).at[at].add(values)),
        label=repr(shape),
        infers=_of_shape(shape),
    )


def added() -> Op:
    """The op that adds two gradients."""
    return _ADD


def joined_rows() -> Op:
    """The op that joins the values of rows."""
    return _CONCAT


def joined_indices() -> Op:
    """The op that joins the indices of rows."""
    return _CONCAT_INDICES


def scattered_like(whole: Aval) -> Op:
    """The op that adds rows to zeros of `whole`."""
    return _scatter(whole.shape)


def rows_of(params: Aval, indices: Aval) -> Op:
    """The op that makes one row of `params` for each of `indices`."""
    return _reshape((indices.size, *params.shape[1:]))


def flat_indices(indices: Aval) -> Op:
    """The op that makes a vector of `indices`."""
    return _reshape((indices.size,))


def applied(trace: Recording, op: Op, *inputs: Dense) -> Dense:
    """The only output of `op` on slots, recorded."""
    step = trace.step(op, tuple([x.slot for x in inputs]), tuple([x.aval for x in inputs]))
    return Dense(step.first, step.avals[0])


def fitted(trace: Recording, gradient: Dense, wanted: Aval) -> Dense:
    """`gradient` broadcast to the shape of `wanted`: a user-defined gradient may be smaller."""
    return gradient if gradient.aval == wanted else applied(trace, _broadcast(wanted.shape), gradient)


def densified(trace: Recording, gradient: Gradient) -> Dense:
    """`gradient` as one array; rows with equal indices are added."""
    if isinstance(gradient, Dense):
        return gradient
    return applied(trace, _scatter(gradient.aval.shape), gradient.values, gradient.indices)


def tensor_of(trace: Trace, gradient: Gradient) -> Any:
    """`gradient` for the user: a tensor, or `tf.IndexedSlices`."""
    if isinstance(gradient, Dense):
        return trace.tensor(*gradient)
    shape = np.asarray(gradient.aval.shape, int32.as_numpy_dtype)
    return IndexedSlices(trace.tensor(*gradient.values), trace.tensor(*gradient.indices), Tensor(shape))


def zeros_tensor(trace: Trace, aval: Aval) -> Tensor:
    """Zeros of `aval`; for strings, empty strings, which are on the host."""
    if aval.struct is None:
        return Tensor(np.full(aval.shape, b"", object))
    return trace.tensor(trace.step(zeros(aval), (), ()).first, aval)
