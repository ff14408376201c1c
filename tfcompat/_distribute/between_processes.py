"""Collectives between processes: sums, concatenations and broadcasts of tensors.

Outside of functions that are being traced, a collective is computed when it is called, so that all processes have made
the same collectives whatever they read. In a traced function it is a call of Python at its place in the program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import Op
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.structure.check_outcome import python_errors
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._core.system.processes.group import Group
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import bool_, float16, float32, float64, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._distribute.collective import require_collective
from tfcompat._function.graphs.awaited import staged
from tfcompat._function.graphs.called import Answer, Site
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.indexed_slices.rows import IndexedSlices

# The dtypes of which TensorFlow's processes gather tensors.
_GATHERED = frozenset((float16, float32, float64, int32, int64))


@made_once
def _packed(*avals: Aval) -> Op:
    """The op that joins the elements of tensors of one dtype in a vector."""
    del avals
    return Op("pack_for_processes", lambda *arrays: jnp.concatenate([array.reshape(-1) for array in arrays]))


@made_once
def _unpacked(*avals: Aval) -> Op:
    """The op that makes tensors like `avals` of the vector of their elements."""

    def parts(vector: Any) -> tuple[Any, ...]:
        ends = np.cumsum([aval.size for aval in avals])
        return tuple(
            [vector[end - aval.size : end].reshape(aval.shape) for aval, end in zip(avals, ends.tolist(), strict=True)]
        )

    return Op("unpack_from_processes", parts, many=True)


def summed(group: Group, values: Sequence[Any], timeout: float | None = None) -> list[Any]:
    """The sum over the processes of each of `values`, tensors or `tf.IndexedSlices`.

    The rows of `tf.IndexedSlices` are concatenated; in a traced function, where the numbers of rows in other processes
    are not known, they are summed.

    Raises: InvalidArgumentError for dtypes that processes do not reduce.
    """
    dense: dict[int, Tensor] = {}
    found: list[Any] = [None] * len(values)
    for place, value in enumerate(values):
        require_collective(value)
        if isinstance(value, IndexedSlices) and here.graph is None:
            found[place] = _joined_rows(group, value)
        else:
            dense[place] = convert_to_tensor(value)
    for place, total in zip(dense, _summed(group, list(dense.values()), timeout), strict=True):
        is_rows = isinstance(values[place], IndexedSlices)
        found[place] = IndexedSlices(total, _all_rows(total), values[place].dense_shape) if is_rows else total
    return found


def _summed(group: Group, tensors: Sequence[Tensor], timeout: float | None) -> list[Tensor]:
    """The sums of `tensors`, in one exchange for each dtype."""
    found: list[Any] = [None] * len(tensors)
    for kind in dict.fromkeys(tensor.dtype for tensor in tensors):
        places = [place for place, tensor in enumerate(tensors) if tensor.dtype is kind]
        given = [tensors[place] for place in places]
        avals = [tensor._aval for tensor in given]
        vector = record(_packed(*avals), tuple(given))
        what = f"all_reduce of {', '.join(str(list(aval.shape)) for aval in avals)}"
        sum_up = functools.partial(group.summed, what=what, timeout=timeout)
        total = _exchanged("all_reduce", sum_up, vector, vector.shape)
        for place, part in zip(places, record(_unpacked(*avals), (total,)), strict=True):
            found[place] = part
    return found


def _all_rows(total: Tensor) -> Tensor:
    return convert_to_tensor(np.arange(total._aval.shape[0]))


def _joined_rows(group: Group, value: IndexedSlices) -> IndexedSlices:
    rows, indices = gathered(group, value.values, 0), gathered(group, value.indices, 0)
    return IndexedSlices(rows, indices, value.dense_shape)


def gathered(group: Group, value: Any, axis: int, timeout: float | None = None) -> Tensor:
    """The tensors of all processes, joined along `axis`, along which their sizes may differ.

    Raises: TypeError for dtypes that TensorFlow does not gather; ValueError for scalars; InvalidArgumentError if the
      other sizes differ.
    """
    tensor = convert_to_tensor(value)
    if tensor.dtype not in _GATHERED:
        raise TypeError(
            f"Value passed to parameter 'input' has DataType {tensor.dtype.name} not in list of allowed values: "
            "float32, float16, float64, int32, int64"
        )
    if tensor.shape.rank == 0:
        raise ValueError("Cannot concatenate scalars along an axis; replicas gather tensors of at least rank 1.")
    axis = axis % len(tensor.shape)
    if here.graph is None:
        parts = _parts(group, np.asarray(tensor._value("collective")), axis, timeout)
        return concat([convert_to_tensor(part) for part in parts], axis=axis)
    shape = TensorShape([None if place == axis else size for place, size in enumerate(tensor.shape)])
    join: Callable[[Any], Any] = lambda array: np.concatenate(_parts(group, array, axis, timeout), axis)  # noqa: E731
    return _call("all_gather", join, tensor, shape)


def _parts(group: Group, array: Any, axis: int, timeout: float | None) -> list[Any]:
    """The arrays of all processes."""
    shapes = np.asarray(group.collected(np.array(array.shape, np.int32), timeout=timeout))
    rest = np.delete(shapes, axis, 1)
    if (rest != rest[0]).any():
        raise InvalidArgumentError.of(
            f"Shapes of the processes' tensors do not fit along axis {axis}: {shapes.tolist()}"
        )
    sizes = shapes.prod(1)
    padded = np.zeros(int(sizes.max()), array.dtype)
    padded[: array.size] = np.asarray(array).reshape(-1)
    rows = np.asarray(group.collected(padded, timeout=timeout))
    return [row[:size].reshape(shape) for row, size, shape in zip(rows, sizes.tolist(), shapes.tolist(), strict=True)]


def of_first(group: Group, value: Any) -> Tensor:
    """The tensor of the first process."""
    tensor = convert_to_tensor(value)
    kind = tensor.dtype
    numbers = cast(tensor, "uint8") if kind is bool_ else tensor
    found = _exchanged("broadcast", group.of_first, reshape(numbers, [-1]), TensorShape([numbers._aval.size]))
    return cast(reshape(found, numbers.shape), kind)


class _Exchange(Site):
    """A call of Python that raises errors of `tf.errors` as they are."""

    def fail(self, error: Exception, thread: int) -> None:
        """Stores `error` as the one to raise when the program reports a failed call."""
        if isinstance(error, OpError):
            python_errors[self.message, thread] = error
        else:
            super().fail(error, thread)


def _exchanged(name: str, exchange: Callable[[Any], Any], vector: Tensor, shape: TensorShape) -> Tensor:
    """The result of `exchange` of the value of `vector`, a tensor of `shape`."""
    if here.graph is None:
        return Tensor(exchange(vector._value("collective")))
    return _call(name, exchange, vector, shape)


def _call(name: str, compute: Callable[[Any], Any], tensor: Tensor, shape: TensorShape) -> Tensor:
    """The result of a call of Python in the function that is being traced."""

    def call(arrays: Sequence[np.ndarray]) -> Answer:
        return Answer([np.asarray(compute(arrays[0]))])

    return staged(_Exchange(name, call), [tensor], [shape], [tensor.dtype], has_gradient=False)[0]


def equal_everywhere(group: Group, number: int) -> bool:
    """Whether `number` is the same in all processes."""
    found = np.asarray(group.collected(np.array([number], np.int64)))
    return bool((found == number).all())


def any_of(group: Group, is_true: bool) -> bool:
    """Whether `is_true` holds in one of the processes."""
    return bool(np.asarray(group.summed(np.array([is_true], np.int32)))[0])
