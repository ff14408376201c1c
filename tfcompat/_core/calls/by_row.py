"""Ops that the host computes for each element of a dataset, in functions that are traced once for all elements.

Strings, decoded images and results whose sizes depend on data have no place in a program. In the trace of a function of
elements (`tf.data.Dataset.map`) such an op is a step of its own, whose results are leaves of the trace; open sizes of
the results are symbols. Everywhere else the op computes immediately.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Protocol

import jax
import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import DType
from tfcompat._jaxpr.size import has_symbols

# The sizes of a result, None for open ones; None if the rank is open.
Dims = Sequence[Any] | None
# A function of the values of symbols, and of the values of the inputs.
Compute = Callable[..., Sequence[np.ndarray]]
# A function of the arguments of an op, with arrays for tensors, that returns its result, or None to leave it to the op.
Host = Callable[..., np.ndarray | None]
# A function of the number of elements and of the inputs, each a column or the same for all elements, that returns
# columns: arrays with a row for each element, or lists of arrays. If it raises an error, the elements are computed one
# by one.
Block = Callable[..., Sequence[Any]]

NO_ARGUMENTS: Mapping[str, Any] = MappingProxyType({})


class HostingTrace(Protocol):
    """A trace that holds ops that the host computes, or only the shapes of their results."""

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
        op: Callable[..., Any] | None = None,
    ) -> list[Tensor]:
        """The results of `compute` of `tensors`, which have the shapes and dtypes `outputs`.

        `compute` reads the values of the symbols in `sizes`. `block` computes several elements at once. A computation
        that `is_long` mostly runs without Python's lock. `arguments` are those of the op, from which a SavedModel has
        TensorFlow's kernel for it. `op` is the same as a function of tensors, whose gradient the host can compute.
        """
        ...

    def sizes_in(self, tensor: Tensor) -> np.ndarray:
        """The integers of `tensor` as sizes: an array of objects, symbols.

        Raises: UntraceableError if their number is open.
        """
        ...


class ElementTrace(HostingTrace, Protocol):
    """The trace of a function of elements, in which ops can be computed by the host.

    Attributes:
      may_share: whether the function is traced again, with equal sizes, if it fails.
      cuts_on_host: whether the host computes all slices of axes of open sizes.
    """

    may_share: bool
    cuts_on_host: bool

    def notice_equal(self, names: Collection[str]) -> None:
        """Notes that an op takes only equal values of the symbols `names`: those of a further trace are equal."""
        ...

    def choose(self, op: str, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """The result of branch number `index`, or of the last one, which the host runs."""
        ...

    def loop(self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum: Tensor | None) -> Any:
        """The state after the loop `tf.while_loop(cond, body, loop_vars)`, which the host runs."""
        ...

    def map_rows(
        self, function: Callable[..., Any], rows: Sequence[Tensor], joined: Sequence[bool] | None = None
    ) -> list[Tensor]:
        """`function` of each row of the tensors `rows`, stacked or `joined`, which the host computes."""
        ...

    def attempt(self, function: Callable[[], Any]) -> Any:
        """The result of `function`; if it fails, the trace is as before."""
        ...

    def scratch(self) -> Any:
        """A trace in this one, which is discarded."""
        ...


def element_trace() -> ElementTrace | None:
    """The trace of a function of elements that is in progress, else None."""
    graph = here.graph
    return graph if getattr(graph, "has_rows", False) else None


def hosting_trace() -> HostingTrace | None:
    """The trace that is in progress, if it is of a function of elements or only infers shapes; else None."""
    graph = here.graph
    return graph if getattr(graph, "has_rows", False) or getattr(graph, "infers_only", False) else None


def is_within_elements() -> bool:
    """Whether the trace that is in progress, or one around it, is of a function of elements."""
    graph: Any = here.graph
    while graph is not None and not getattr(graph, "has_rows", False):
        graph = getattr(graph, "outer", None)
    return graph is not None


def infers_only() -> bool:
    """Whether the trace that is in progress, or one around it, only infers shapes."""
    graph: Any = here.graph
    while graph is not None:
        if getattr(graph, "infers_only", False):
            return True
        graph = getattr(graph, "outer", None)
    return False


@contextmanager
def apart(*, by_host: bool = False) -> Generator[None]:
    """A context for ops on values that are neither recorded with those of the thread nor watched by its tapes.

    With `by_host` no program is compiled for them: the next element has other sizes.
    """
    before = here.trace, here.graph, here.tapes, here.untraced, here.answers
    try:
        here.trace, here.graph, here.tapes, here.untraced, here.answers = Trace(), None, [], None, None
        here.trace.runs_once = by_host
        yield
    finally:
        here.trace, here.graph, here.tapes, here.untraced, here.answers = before


def by_row(
    *parameters: str,
    specs: Callable[..., Any],
    if_refused: bool = False,
    block: Callable[..., Block | None] | None = None,
    host: Host | None = None,
    is_long: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares that an op is computed by the host for each element if a tensor among `parameters` has no value yet.

    `specs` takes the arguments of the op, and returns the structure of specs of its result. With `if_refused`, the
    host computes only what no trace can hold. `block` takes the arguments, too, and returns the function for several
    elements or None. `host` computes an element by NumPy, which is faster than the op where sizes are new. An op that
    `is_long` mostly runs without Python's lock, so parallel maps use threads.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            trace = hosting_trace()
            if trace is None:
                return function(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            given = [bound.arguments.get(name) for name in parameters]
            if not any(map(_has_no_value, nest.flatten(given, expand_composites=True))):
                return function(*args, **kwargs)
            bound.apply_defaults()
            if if_refused:
                try:
                    return function(*args, **kwargs)
                except (UntraceableError, jax.errors.InconclusiveDimensionOperation):
                    pass  # the host computes it
                except TypeError:
                    if not any(map(_has_open_size, nest.flatten(given, expand_composites=True))):
                        raise  # otherwise a size with symbols is not a number
            several = None if block is None else block(**bound.arguments)
            return _hosted(
                trace, function, bound.arguments, parameters, specs(**bound.arguments), several, host, is_long
            )

        return call

    return declare


class Arguments:
    """Arguments of an op, whose tensors can be replaced by arrays.

    Attributes:
      leaves: the arguments without their structure, components of composites included.
      tensors: the tensors among the leaves.
    """

    def __init__(self, structure: list[Any]) -> None:
        self._structure = structure
        self.leaves = nest.flatten(structure, expand_composites=True)
        self._places = [place for place, leaf in enumerate(self.leaves) if isinstance(leaf, Tensor)]
        self.tensors: list[Any] = [self.leaves[place] for place in self._places]

    def with_arrays(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """The arguments with `arrays` in place of the tensors."""
        return self.with_tensors(list(map(Tensor, arrays)))

    def with_tensors(self, tensors: Sequence[Tensor]) -> list[Any]:
        """The arguments with `tensors` in place of their own."""
        leaves = list(self.leaves)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        return nest.pack_sequence_as(self._structure, leaves, expand_composites=True)


def _has_open_size(value: Any) -> bool:
    return _has_no_value(value) and has_symbols(value._aval.shape)


def with_tensors(structure: Any) -> Any:
    """`structure` with tensors for what stands for them, such as ranges whose limits are tensors."""
    if not any(map(_stands_for_tensor, nest.flatten(structure))):
        return structure
    return nest.map_structure(lambda leaf: leaf._as_tensor() if _stands_for_tensor(leaf) else leaf, structure)


def _stands_for_tensor(value: Any) -> bool:
    return getattr(type(value), "stands_for_tensor", False)


def _has_no_value(value: Any) -> bool:
    return isinstance(value, Tensor) and value._is_symbolic()


def _hosted(
    trace: HostingTrace,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    parameters: Sequence[str],
    specs: Any,
    block: Block | None,
    host: Host | None,
    is_long: bool,
) -> Any:
    given = Arguments([arguments[name] for name in parameters])

    def of_tensors(*tensors: Tensor) -> Any:
        return function(**{**arguments, **dict(zip(parameters, given.with_tensors(tensors), strict=True))})

    def compute(values: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
        del values
        packed = given.with_arrays(arrays)
        if host is not None:
            plain = [each._array if isinstance(each, Tensor) else each for each in packed]
            found = host(**{**arguments, **dict(zip(parameters, plain, strict=True))})
            if found is not None:
                return [found]
        with apart(by_host=True):
            result = function(**{**arguments, **dict(zip(parameters, packed, strict=True))})
            flat = nest.flatten(result, expand_composites=True)
            return [np.asarray(leaf) for leaf in flat]

    kinds = nest.flatten(specs)
    parts = [kind._tensor_kinds() for kind in kinds]
    outputs = [part for each in parts for part in each]
    tensors = trace.hosted(
        function.__name__,
        compute,
        given.tensors,
        outputs,
        block=block,
        is_long=is_long,
        arguments=arguments,
        op=of_tensors,
    )
    made: list[Any] = []
    start = 0
    for kind, each in zip(kinds, parts, strict=True):
        made.append(kind._of_tensors(tensors[start : start + len(each)]))
        start += len(each)
    return nest.pack_sequence_as(specs, made)


def elementwise(compute: Callable[..., Sequence[Any]]) -> Block:
    """The `Block` made of `compute`, which computes each item of its inputs separately.

    In an element all inputs must have the same rank. Inputs that are the same for all elements must be scalars.
    """

    def block(count: int, *columns: Any) -> Sequence[Any]:
        del count
        return compute(*columns)

    block.is_elementwise = True  # pyright: ignore[reportFunctionMemberAccess]
    return block
