"""The trace of a function of elements, with the values that the host computes for each element.

A program computes the numbers. Strings, images to decode, calls of Python and whatever else no program holds are steps
of their own: their inputs are values of the trace or results of other steps; numeric results are leaves of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from tfcompat._core.calls.by_row import NO_ARGUMENTS, Block, Compute, Dims
from tfcompat._core.calls.host_call import is_open
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.system.location import user_path
from tfcompat._core.types.aval import OpenAval, aval_of
from tfcompat._core.types.dtype import DType, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.function.host_gradient import TensorOp, follows, with_gradient
from tfcompat._data.function.size import ElementSizes, Shape, Sharing
from tfcompat._function.graphs.called import Site
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.refusal import refuse
from tfcompat._function.graphs.source import Changing, Drawn, Hosted, Part
from tfcompat._function.running.body import traced
from tfcompat._jaxpr.size import symbols_of, value_of

# The source of an input of a step: a slot of the trace, a value of the host, an array, or a value of the host in an
# enclosing function, which is bound when a dataset is made for an element of that.
Input = int | Part | Hosted | Changing | np.ndarray | Tensor
# A value of the host, by its source.
HostSource = Part | Hosted | Changing


class HostStep(NamedTuple):
    """A computation of the host.

    Attributes:
      name: that of the op.
      compute: a function of the values of the symbols, and of the inputs.
      inputs: the sources of its inputs.
      symbols: the symbols whose values are the elements of its only output.
      reads: the symbols whose values `compute` reads.
      has_effects: whether it must be computed even if no result is used.
      outputs: the number of its outputs.
      block: computes several elements at once, if there is such a function.
      is_long: whether it mostly runs without Python's lock.
      draws: whether `compute` also takes the places in random streams.
      arguments: the arguments of the op, by name; `dtypes`: those of its outputs.
      path: the user's instructions that led to it.
    """

    name: str
    compute: Compute
    inputs: tuple[Input, ...]
    symbols: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    has_effects: bool = False
    draws: bool = False
    outputs: int = 0
    block: Block | None = None
    is_long: bool = False
    arguments: Mapping[str, Any] = NO_ARGUMENTS
    dtypes: tuple[DType, ...] = ()
    path: tuple[tuple[str, int, int], ...] = ()


class ElementGraph(Graph):
    """The trace of a function of elements.

    Attributes:
      steps: the steps of the host, in order.
      shapes: the shapes of values of the host; None for those of unknown rank.
      opened: the values whose sizes, or whose elements as sizes, are open, in the order of the trace.
      is_branch: whether it is a part of an enclosing trace, whose values are its arguments.
      captured: the values of the enclosing trace that a branch reads.
      cuts_on_host: whether the host computes all slices of axes of open sizes.
      open_sizes: the symbols for open sizes; None if `given` has the sizes of all values, by their keys.
    """

    __slots__ = ("captured", "cuts_on_host", "given", "is_branch", "open_sizes", "opened", "shapes", "steps")

    has_rows = True

    def __init__(
        self, label: str, sizes: ElementSizes | None, given: Mapping[Any, Sequence[int]] = MappingProxyType({})
    ) -> None:
        super().__init__(label, creates=False)
        self.steps: list[HostStep] = []
        self.shapes: dict[HostSource, Shape | None] = {}
        self.opened: list[HostSource] = []
        self.open_sizes = sizes
        self.is_branch = False
        self.cuts_on_host = False
        self.captured: list[Tensor] = []
        self.given = given

    @property
    def may_share(self) -> bool:
        """Whether the function is traced again, with symbols that more sizes share, if this trace cannot hold it."""
        return self.open_sizes is not None and self.open_sizes.sharing is not Sharing.AXES

    def notice_equal(self, names: Collection[str]) -> None:
        """Notes that an op takes only equal values of the symbols `names`."""
        assert self.open_sizes is not None
        self.open_sizes.notice_equal(names)

    def part(self, source: Part, dims: Dims, dtype: DType) -> Tensor:
        """A tensor for a part of a component of the elements."""
        return self._value(source, dims, dtype, is_argument=True)

    def hosted(
        self,
        name: str,
        compute: Compute,
        tensors: Sequence[Tensor],
        outputs: Sequence[tuple[Dims, DType]],
        *,
        has_effects: bool = False,
        block: Block | None = None,
        is_long: bool = False,
        arguments: Mapping[str, Any] = NO_ARGUMENTS,
        sizes: Iterable[Any] = (),
        op: TensorOp | None = None,
    ) -> list[Tensor]:
        """The results of `compute` of `tensors`, which have the shapes and dtypes `outputs`: see `HostingTrace`.

        Raises: UntraceableError for numbers that a tape follows, without `op`.
        """
        is_followed = any(dtype.is_floating or dtype.is_complex for _, dtype in outputs) and follows(tensors)
        if is_followed and op is None:
            raise UntraceableError(
                f"{name} of an open size has no gradient in a function of elements; compute the gradient outside of it"
            )
        inputs = self.inputs(tensors)
        step = HostStep(name, compute, inputs, has_effects=has_effects, block=block, is_long=is_long)
        results = self.stepped(step._replace(arguments=arguments, reads=symbols_of(sizes)), outputs)
        return with_gradient(op, tensors, results) if is_followed and op is not None else results

    def stepped(self, step: HostStep, outputs: Sequence[tuple[Dims, DType]]) -> list[Tensor]:
        """The results of `step`, which have the shapes and dtypes `outputs`."""
        dtypes = tuple([dtype for _, dtype in outputs])
        self.steps.append(step._replace(outputs=len(outputs), dtypes=dtypes, path=self._path()))
        number = len(self.steps) - 1
        return [self._value(Hosted(number, place), *output) for place, output in enumerate(outputs)]

    def _path(self) -> tuple[tuple[str, int, int], ...]:
        """The user's instructions that have led to a step; a part of a function is traced again by other code."""
        return () if self.is_branch else user_path(traced.__code__)

    def inputs(self, tensors: Sequence[Tensor]) -> tuple[Input, ...]:
        """The sources of the inputs of a step."""
        return tuple(map(self._input, tensors))

    def drawn(self, source: Drawn) -> Tensor:
        """The vector that each call draws. Raises UntraceableError for the number of a call of Python."""
        if isinstance(source.stream, Site):
            raise UntraceableError("a program that calls Python has no place in a function of elements")
        return super().drawn(source)

    def attempt(self, function: Callable[[], Any]) -> Any:
        """The result of `function`; if it fails, its steps are discarded."""
        steps, opened, shapes = len(self.steps), len(self.opened), dict(self.shapes)
        try:
            return function()
        except Exception:
            del self.steps[steps:], self.opened[opened:]
            self.shapes = shapes
            raise

    def scratch(self) -> Self:
        """A trace in this one, which is discarded."""
        return self.branch("scratch")

    def branch(self, label: str) -> Self:
        """A trace of a part of the function. It has symbols of its own if all sizes outside of it are known."""
        found = type(self)(label, self.open_sizes or ElementSizes((), Sharing.NONE))
        found.is_branch = True
        found.cuts_on_host = self.cuts_on_host
        return found

    def placeholder(self, dims: Dims, dtype: DType) -> Tensor:
        """A tensor for a value that changes in each iteration of a loop; only parts of this trace can use it."""
        if dims is None:
            raise UntraceableError("the rank of a value in a loop is unknown")
        shape = tuple(dims) if self.open_sizes is None else self.open_sizes.shape(dims)
        aval = aval_of(shape, dtype)
        source = Changing(len(self.sources))
        return pending(HostText(self, source), -1, aval) if dtype is string else self._new_leaf(source, aval)

    def capture(self, tensor: Tensor) -> Part:
        """The source of `tensor`, a value of the enclosing function of elements."""
        for place, known in enumerate(self.captured):
            if known is tensor:
                return Part(place)
        self.captured.append(tensor)
        source = Part(len(self.captured) - 1)
        self.shapes[source] = None if tensor.shape.rank is None else tensor._aval.shape
        return source

    def sizes_in(self, tensor: Tensor) -> np.ndarray:
        """The integers of `tensor` as sizes: an array of objects, symbols."""
        count, shape = tensor._aval.size, tensor._aval.shape
        if not isinstance(count, int):
            raise UntraceableError("a shape has an open number of dimensions")
        found = np.empty(count, object)
        source = Hosted(len(self.steps), 0)
        path = self._path()
        self.steps.append(HostStep("size", _integers, (self._input(tensor),), outputs=1, path=path))
        known = self.given.get(key_of(self.steps, source)) if self.is_branch else None
        if self.open_sizes is None or known is not None:
            found[:] = self._given_for(source) if known is None else known
        else:
            found[:] = [self.open_sizes.number() for _ in range(count)]
            self.steps[-1] = self.steps[-1]._replace(symbols=tuple(map(str, found)))
        self.shapes[source] = (count,)
        self.opened.append(source)
        return found.reshape(shape)

    def _value(self, source: HostSource, dims: Dims, dtype: DType, *, is_argument: bool = False) -> Tensor:
        if dims is None:
            self.shapes[source] = None
            refusal = UntraceableError(
                "the rank of a value that the host computes is unknown while the function is traced; set its shape by "
                "set_shape or tf.ensure_shape"
            )
            return pending(HostUnknown(self, source), -1, OpenAval(TensorShape(None), dtype, refusal))
        if None in dims:
            self.opened.append(source)
            known = self.given.get(key_of(self.steps, source)) if self.is_branch else None
            if self.open_sizes is not None and known is None:
                shape = self.open_sizes.shape(dims, is_argument=is_argument)
            else:
                shape = tuple(self._given_for(source) if known is None else known)
                if not TensorShape(dims).is_compatible_with(shape):
                    raise InvalidArgumentError.of(
                        f"{self.label}: expected a value of shape {TensorShape(dims)}, got {TensorShape(shape)}."
                    )
        else:
            shape = tuple(dims)
        self.shapes[source] = shape
        aval = aval_of(shape, dtype)
        if dtype is string:
            return pending(HostText(self, source), -1, aval)
        return self._new_leaf(source, aval)

    def _given_for(self, source: HostSource) -> Sequence[int]:
        found = self.given.get(key_of(self.steps, source))
        if found is None:
            raise UntraceableError("the function takes another way for other sizes")
        return found

    def _input(self, tensor: Tensor) -> Input:
        if not is_open(tensor):
            return np.asarray(tensor)
        owner = tensor._trace
        if isinstance(owner, HostValue):
            if owner.graph is self:
                return owner.source
            return self.capture(tensor) if self.is_branch else tensor
        return self.slot_of(tensor)


def key_of(steps: Sequence[HostStep], source: HostSource) -> Any:
    """The key of a value of the host, the same in all traces of a function.

    Some traces have programs in place of steps, or need no step for a size that they know.
    """
    if not isinstance(source, Hosted):
        return source
    name, path = steps[source.step].name, steps[source.step].path
    before = sum(step.name == name and step.path == path for step in steps[: source.step])
    return name, path, before, source.place


class HostValue:
    """In place of a trace: a value that the host computes for each element."""

    is_symbolic = True
    is_open = True

    def __init__(self, graph: ElementGraph, source: HostSource) -> None:
        self.graph = graph
        self.source = source

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises TensorFlow's error for `use`, which needs the value."""
        refuse(tensor, self.name_of(tensor), use)

    read = materialise = refuse

    def name_of(self, tensor: Tensor) -> str:
        """A name for printing."""
        del tensor
        name = self.graph.steps[self.source.step].name if isinstance(self.source, Hosted) else "args"
        number = self.source.step if isinstance(self.source, Hosted) else 0
        return f"{name}_{number}:0"


class HostText(HostValue):
    """A tensor of strings."""

    def narrow(self, tensor: Tensor, shape: Any) -> None:
        """Gives `tensor` the sizes of `shape`."""
        self.graph.narrow(tensor, shape)


class HostUnknown(HostValue):
    """A tensor of unknown rank. It can be returned, and becomes an ordinary one when its shape is set."""

    def settle(self, tensor: Tensor, shape: Any) -> None:
        """Merges `shape` into the shape of `tensor`."""
        aval: Any = tensor._aval
        aval.tensor_shape = aval.tensor_shape.merge_with(shape)
        if aval.tensor_shape.rank is not None:
            found = self.graph._value(self.source, aval.tensor_shape.as_list(), aval.dtype)
            tensor._aval, tensor._trace, tensor._slot = found._aval, found._trace, found._slot

    def reshaped(self, tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
        """The elements of `tensor` in the shape `dims`."""

        def reshape(values: Mapping[str, int], array: np.ndarray) -> list[np.ndarray]:
            return [array.reshape([value_of(size, values) for size in dims])]

        return self.graph.hosted("reshape", reshape, [tensor], [(dims, tensor.dtype)], sizes=dims)[0]


def _integers(values: Mapping[str, int], array: np.ndarray) -> list[np.ndarray]:
    del values
    return [array.reshape(-1).astype(np.int64)]
