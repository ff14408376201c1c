"""`FuncGraph` and placeholders: Keras infers the shapes of layers with them, and keeps nothing but the shapes.

A dimension of None is a symbol. All of them are the same symbol: dimensions of None may be equal, and an op that needs
two of them to be equal should find them so. A size that depends on the symbol is None to users.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import jax
import numpy as np

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.operation.inference import LEAST
from tfcompat._core.operation.sampling import sampled
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.error import OpError, UntraceableError
from tfcompat._core.system.location import is_raised_here
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import OpenAval, aval_of
from tfcompat._core.types.dtype import DType, as_dtype, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.refusal import refused_while_traced
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._state.creator import creators_within

_NAME = "n"
# One scope for all graphs, so that JAX infers the outputs of an op for the same shapes once.
_SCOPE = jax.export.SymbolicScope([f"{_NAME} >= {LEAST}"])
# The value of the symbol where an op's code needs to know it. It has many divisors, for layers that divide sizes.
_SAMPLE = 48
# TensorFlow's shapes have no more dimensions.
_MOST_DIMENSIONS = 254


class FuncGraph:
    """A graph for the inference of shapes: ops that are called in it are not computed.

    Source: TF 2.21 `tf.__internal__.FuncGraph`.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The given name."""
        return self._name

    @contextmanager
    def as_default(self) -> Generator[FuncGraph]:
        """A context in which tensors have shapes, and no values.

        Raises: ValueError, or TypeError for dtypes, in place of an error of an op. Keras adds to its message, for which
          the class needs a constructor with one parameter.
        """
        graph = ShapeGraph(self._name)
        symbols = sampled(graph.symbols, graph.values, graph.invented)
        try:
            with graph.recording(), symbols, creators_within(_created_outside):
                yield self
        except OpError as error:
            if not is_raised_here(error):
                raise
            refused = refused_while_traced(error) or ValueError(error.message)
            raise refused.with_traceback(error.__traceback__) from error


class ShapeGraph(Graph):
    """The trace behind a `FuncGraph`.

    Attributes:
      symbols: the symbols by name; `values`: their values where an op's code needs to know them.
    """

    __slots__ = ("_numbers", "symbols", "values")

    infers_only = True

    def __init__(self, name: str) -> None:
        super().__init__(name, creates=True)
        self._numbers = itertools.count(1)
        self.symbols: dict[str, Any] = {_NAME: _symbol(_NAME)}
        self.values = {_NAME: _SAMPLE}

    def invented(self, value: int) -> Any:
        """A new symbol for a size that is `value` in the sample, and about which nothing else is known."""
        name = f"m{next(self._numbers)}"
        self.symbols[name] = _symbol(name)
        self.values[name] = value
        return self.symbols[name]

    def placeholder(self, dtype: Any, shape: Any) -> Tensor:
        """A tensor of `shape`, whose dimensions of None are symbols."""
        dims = TensorShape(shape)
        if dims.rank is None:
            raise NotImplementedError(
                "tf.compat.v1.placeholder: a shape of unknown rank is not supported; give the rank: [None, None]."
            )
        kind = as_dtype(dtype)
        if kind is string:
            # The values of strings are part of a trace.
            return Tensor(np.full([_SAMPLE if size is None else size for size in dims], b"", object))
        return self.argument(aval_of(self.sizes_of(dims), kind), len(self.sources))

    def hosted(
        self,
        name: str,
        compute: Any,
        tensors: Any,
        outputs: Sequence[tuple[Any, DType]],
        **options: Any,
    ) -> list[Tensor]:
        """Tensors without values, of the shapes and dtypes `outputs`, for an op whose result depends on data."""
        del name, compute, tensors, options
        return [self.placeholder(dtype, dims) if dims is not None else self._unranked(dtype) for dims, dtype in outputs]

    def sizes_in(self, tensor: Tensor) -> np.ndarray:
        """New symbols for the integers of `tensor`, sizes that depend on data. UntraceableError if it is too long."""
        count = tensor._aval.size
        if not isinstance(count, int) or count > _MOST_DIMENSIONS:
            raise UntraceableError("a shape has an open number of dimensions, or too many")
        found = np.empty(count, object)
        found[:] = [self.invented(_SAMPLE) for _ in range(count)]
        return found.reshape(tensor._aval.shape)

    def _unranked(self, dtype: DType) -> Tensor:
        """A tensor of unknown rank without a value."""
        refusal = UntraceableError(
            "the rank of a tensor depends on data; set its shape by set_shape or tf.ensure_shape"
        )
        return pending(_Unranked(self), -1, OpenAval(TensorShape(None), dtype, refusal))

    def sizes_of(self, dims: TensorShape) -> tuple[Any, ...]:
        """The sizes, with the symbol for None."""
        return tuple([self.symbols[_NAME] if size is None else size for size in dims])


class _Unranked:
    """In place of a trace: a tensor of unknown rank, which becomes an ordinary one when its shape is set."""

    is_symbolic = True
    is_open = True

    def __init__(self, graph: ShapeGraph) -> None:
        self._graph = graph

    def settle(self, tensor: Tensor, shape: Any) -> None:
        """Merges `shape` into the shape of `tensor`."""
        aval: Any = tensor._aval
        aval.tensor_shape = aval.tensor_shape.merge_with(shape)
        if aval.tensor_shape.rank is not None:
            found = self._graph.placeholder(aval.dtype, aval.tensor_shape)
            tensor._aval, tensor._trace, tensor._slot = found._aval, found._trace, found._slot

    def reshaped(self, tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
        """The elements of `tensor` in the shape `dims`."""
        return self._graph.argument(aval_of(dims, tensor.dtype), len(self._graph.sources))

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises UntraceableError: there is no value."""
        del use
        aval: Any = tensor._aval
        raise aval.refused()

    read = materialise = refuse

    def name_of(self, tensor: Tensor) -> str:
        """A name for printing."""
        del tensor
        return f"{self._graph.label}:0"


def _created_outside(create: Callable[..., Any], **given: Any) -> Any:
    """The variable that `create(**given)` creates, outside of the graph: the graph is not kept.

    Raises: ValueError if the first value belongs to the graph.
    """
    if not isinstance(here.graph, ShapeGraph):
        return create(**given)
    first = given["initial_value"]
    if isinstance(first, Tensor) and first._is_symbolic():
        raise ValueError(
            f"Argument `initial_value` ({first}) could not be lifted out of a `tf.function`. (Tried to create variable "
            f"with name='{given['name']}'). Pass a function that returns it, or create the variable in `__init__`."
        )
    with init_scope():
        return create(**given)


def _symbol(name: str) -> Any:
    return jax.export.symbolic_shape(name, scope=_SCOPE)[0]


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of `shape` without a value, in a `FuncGraph`.

    Raises: RuntimeError outside of a `FuncGraph`.
    Source: TF 2.21 `tf.compat.v1.placeholder`.
    """
    del name
    return _graph("tf.compat.v1.placeholder").placeholder(dtype, shape)


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor of `shape` without values, in a `FuncGraph`.

    Raises: RuntimeError outside of a `FuncGraph`.
    Source: TF 2.21 `tf.compat.v1.sparse_placeholder`.
    """
    del name
    graph = _graph("tf.compat.v1.sparse_placeholder")
    dims = TensorShape(shape)
    indices = graph.placeholder(int64, [None, dims.rank])
    return SparseTensor(indices, graph.placeholder(dtype, [None]), sizes_tensor(graph.sizes_of(dims), int64))


def _graph(function: str) -> ShapeGraph:
    if not isinstance(here.graph, ShapeGraph):
        raise RuntimeError(f"{function} is not compatible with eager execution.")
    return here.graph
