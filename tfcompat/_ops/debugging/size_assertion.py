"""The assertion that the sizes of several tensors agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int64
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.debugging.value_assertion import assert_equal
from tfcompat._ops.sparse.tensor import SparseTensor

_ANY_SIZE = (None, ".")
_ANY_AXES = (Ellipsis, "*")


class _Demand(NamedTuple):
    """A tensor with the sizes that it must have.

    Attributes:
      tensor: a dense or sparse tensor.
      is_innermost: whether the sizes are those of the last axes, with any number of axes before them.
      sizes: a number, a symbol or None for each axis.
    """

    tensor: Tensor | SparseTensor
    is_innermost: bool
    sizes: tuple[Any, ...]

    def named(self) -> str:
        """The description of the tensor for messages."""
        return f"shape={self.tensor.shape} dtype={self.tensor.dtype.name}"

    def found(self) -> list[Any]:
        """The size of each axis, as a tensor where it is not known; a scalar counts as one axis of size 1."""
        if not isinstance(self.tensor, SparseTensor):
            return list(self.tensor._aval.shape) or [1]
        dims = self.tensor.dense_shape
        return [getitem(dims, k) if dim is None else dim for k, dim in enumerate(self.tensor.shape)] or [1]

    def axes(self) -> Iterator[tuple[int, Any]]:
        """Each axis, negative if counted from the end, with the size that it must have."""
        return enumerate(self.sizes, -len(self.sizes) if self.is_innermost else 0)


def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: Any = None, name: str | None = None
) -> None:
    """Raises unless tensors have the given shapes: `shapes` is a list of (tensor, shape) pairs, or a dictionary.

    A shape lists for each axis its size, a symbol for a size that must be the same wherever it occurs, or None for any
    size; a leading `...` covers any number of axes. The tensors may be sparse. A scalar counts as one axis of size 1.

    Raises: ValueError with `message`, or for an invalid shape; InvalidArgumentError for sizes of a sparse tensor that a
      traced function computes.
    Source: TF 2.21 `tf.debugging.assert_shapes`. `data` and `summarize` have no effect: no values are read.
    """
    del data, summarize, name
    prefix = f"tf.debugging.assert_shapes: {message}.  " if message else "tf.debugging.assert_shapes: "
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    demands = [_demand(tensor, wanted, prefix) for tensor, wanted in pairs if wanted is not None]
    for demand in demands:
        _require_rank(demand, prefix)
    known: dict[Any, tuple[Any, str]] = {}
    for demand in demands:
        _require_sizes(demand, known, prefix)


def _demand(tensor: Any, wanted: Any, prefix: str) -> _Demand:
    """The requirement that `tensor` has the shape `wanted`. Raises ValueError if that is not a valid shape."""
    demand = _Demand(tensor if isinstance(tensor, SparseTensor) else convert_to_tensor(tensor), False, ())
    if not hasattr(wanted, "__iter__") and not hasattr(wanted, "__getitem__"):
        raise ValueError(
            f"{prefix}Tensor {demand.named()}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {wanted}"
        )
    sizes = tuple(wanted)
    late = [k for k, size in enumerate(sizes) if k > 0 and size in _ANY_AXES]
    if late:
        raise ValueError(
            f"{prefix}Tensor {demand.named()} specified shape index {late[0]}.  Symbol `...` or `*` for a variable "
            "number of unspecified dimensions is only allowed as the first entry"
        )
    is_innermost = sizes[:1] != () and sizes[0] in _ANY_AXES
    # For one axis of size 1, also after `...`, TensorFlow accepts an empty shape.
    return _Demand(demand.tensor, is_innermost, (sizes[1:] if is_innermost else sizes) or (1,))


def _require_rank(demand: _Demand, prefix: str) -> None:
    """Raises ValueError unless the tensor has the required number of axes; a scalar counts as one axis."""
    rank, wanted = demand.tensor.shape.rank, len(demand.sizes)
    found = f"Received rank {rank}, shape {demand.tensor.shape}"
    if demand.is_innermost:
        if wanted > 1 and (rank or 0) < wanted:
            raise ValueError(f"{prefix}Tensor {demand.named()} must have rank at least {wanted}.  {found}")
    elif wanted <= 1:
        if rank not in (0, 1):
            raise ValueError(f"{prefix}Tensor {demand.named()} must have rank in (0, 1).  {found}")
    elif rank != wanted:
        raise ValueError(f"{prefix}Tensor {demand.named()} must have rank {wanted}.  {found}")


def _require_sizes(demand: _Demand, known: dict[Any, tuple[Any, str]], prefix: str) -> None:
    """Raises unless each axis has the required size, or the size of its symbol in `known`; adds new symbols to it."""
    sizes = demand.found()
    for axis, symbol in demand.axes():
        if symbol in _ANY_SIZE:
            continue
        number = _number(symbol)
        if number is None and symbol not in known:
            known[symbol] = sizes[axis], f"Specified by tensor {demand.named()} dimension {axis}"
            continue
        wanted, source = known[symbol] if number is None else (number, "Specified explicitly")
        rule = f"{source}.  Tensor {demand.named()} dimension {axis} must have"
        if isinstance(wanted, Tensor) or isinstance(sizes[axis], Tensor):
            size = "that size" if isinstance(wanted, Tensor) else f"size {wanted}"
            found = convert_to_tensor(sizes[axis], int64)
            assert_equal(found, convert_to_tensor(wanted, int64), f"{prefix}{rule} {size}.")
        elif sizes[axis] != wanted:
            raise ValueError(f"{prefix}{rule} size {wanted}.  Received size {sizes[axis]}, shape {demand.tensor.shape}")


def _number(symbol: Any) -> int | None:
    """The size given by `symbol`, or None if it is a name or a wildcard."""
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None
