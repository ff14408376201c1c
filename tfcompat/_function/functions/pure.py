"""A decorated function as a pure JAX function: variables' values are arguments, and new values are results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.operation.reversal import reversible
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval, aval_like, aval_of
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import WIDE, DType, int64
from tfcompat._function.arguments.signature import Call
from tfcompat._function.block.block import Block
from tfcompat._function.graphs.called import Site
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.source import Argument, Drawn
from tfcompat._function.running.body import Body, is_numeric
from tfcompat._jaxpr.platform import portable

_DRAWN = aval_of((3,), int64)
# Used instead of a number for the calls of a Python function: JAX may make these calls any number of times.
_UNNUMBERED = np.array([-1, 0, 0])


class PureFunction:
    """`(values, *arguments) -> (result, new values)` for JAX to trace; `values` are those of the variables.

    The arguments are those of the decorated function that contain tensors, in the same structure. Other leaves in them
    are part of the trace, and may be None. Printing and assertions are left out. JAX can trace a function that computes
    with 64-bit types only where these are enabled.

    Attributes:
      variables: the variables whose values it takes and returns, in this order.
      has_effects: whether it leaves out printing or assertions.
      structs: the arguments of `evaluate`, with a `jax.ShapeDtypeStruct` in place of each array.

    Raises: TypeError for another number of arguments, or another shape or dtype, or where JAX lacks 64-bit types.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        call: Call,
        vjp_order: int,
        structs: Sequence[Any] | None = None,
        *,
        are_symbols: bool = False,
    ) -> None:
        """The pure form of `body`, which was traced for `call`. It can be differentiated backward `vjp_order` times.

        `structs`, one for each leaf of the arguments, are given if dimensions are open: they contain symbols. If
        `are_symbols`, the body was traced with these symbols.
        """
        self.__name__ = name
        self.variables = body.stored.variables()
        self._avals = [variable._tensor._aval for variable in self.variables]
        self._vjp_order = vjp_order
        self._parameters = _parameters(call, structs)
        with init_scope():
            graph = Graph(name, creates=False)
            avals: list[Aval | None] = [x._aval if is_numeric(x) else None for x in call.flat]
            if are_symbols and structs is not None:
                avals = [None if x is None else aval_like(x) for x in structs]

            def given() -> list[Any]:
                pairs = enumerate(zip(call.flat, avals, strict=True))
                return [x if aval is None else graph.argument(aval, i) for i, (x, aval) in pairs]

            block = Block(graph, lambda: body(given()))
        self._sources = block.sources
        self._result = block.result
        self._leaves = block.leaves
        self.has_effects = bool(block.effects)
        self._check()
        self._updated = list(block.updates)
        slots = block.slots([*block.outputs, *(tensor for _, tensor in block.updates.values())])
        self._run = block.function(slots)
        self._drawn = [k for k in block.read(slots) if _is_random(self._sources[k])]
        self._wide = next(
            (step for step in Plan(block.path, (), slots).steps if WIDE.intersection(_dtypes(step))), None
        )

    def __call__(self, values: Sequence[Any], /, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        return self.evaluate(values, args, kwargs)

    def evaluate(
        self, values: Sequence[Any], args: Sequence[Any], kwargs: dict[str, Any], drawn: Sequence[Any] = ()
    ) -> tuple[Any, tuple[Any, ...]]:
        """The result and the new values; `drawn` are the integer vectors that a call draws."""
        self._require_width(values, args, kwargs)
        with jax.enable_x64(True), portable(), reversible(self._vjp_order):
            held = self._held(values)
            given = dict(self._given(args, kwargs))
            draws = dict(zip(self._drawn, drawn, strict=True))

            def value(k: int, source: Any) -> Any:
                if type(source) is Argument:
                    return given[source.index]
                if type(source) is Tensor:
                    return jnp.asarray(source._array)
                if type(source) is Sizes:
                    return _array_of_sizes(source)
                return draws.get(k, _UNNUMBERED) if type(source) is Drawn else held[source._number]

            computed = iter(self._run([value(k, source) for k, source in enumerate(self._sources)])[0])
            flat = [next(computed) if type(leaf) is Tensor else leaf for leaf in self._leaves]
            held.update(zip(self._updated, computed, strict=True))
        return nest.pack_sequence_as(self._result, flat), tuple(held[v._number] for v in self.variables)

    @property
    def assigned(self) -> list[int]:
        """The variables that a call assigns, as indices of `variables`."""
        return [place for place, variable in enumerate(self.variables) if variable._number in self._updated]

    @property
    def is_random(self) -> bool:
        """Whether a call draws from the state of the seeds."""
        return bool(self._drawn)

    @property
    def seeds(self) -> list[Any]:
        """The two seeds of each vector that a call draws; None if they are left to chance."""
        return [self._sources[k].stream.seeds for k in self._drawn]

    @property
    def structs(self) -> tuple[Any, ...]:
        args = tuple(parameter.structs() for parameter in self._parameters if parameter.is_positional)
        kwargs = {parameter.name: parameter.structs() for parameter in self._parameters if not parameter.is_positional}
        return tuple(aval.struct for aval in self._avals), args, kwargs, (_DRAWN.struct,) * len(self._drawn)

    def _check(self) -> None:
        """Raises NotImplementedError if the function can't be expressed in JAX."""
        for leaf in nest.flatten(self._result):
            if is_composite(type(leaf)):
                raise NotImplementedError(
                    f"{self.__name__}: the result contains a {type(leaf).__name__}, which JAX doesn't support; return "
                    "tf.convert_to_tensor of it, or its parts."
                )
            if type(leaf) is Tensor and leaf._aval.struct is None:
                raise NotImplementedError(f"{self.__name__}: JAX has no arrays of {leaf.dtype.name}; don't return it.")
        if any(is_composite(type(leaf)) for parameter in self._parameters for leaf in nest.flatten(parameter.known)):
            raise NotImplementedError(
                f"{self.__name__}: JAX doesn't support composite tensors; pass their parts as arguments."
            )
        if any(type(source) is Tensor and source._array is None for source in self._sources):
            raise NotImplementedError(
                f"{self.__name__}: it reads a tensor of the enclosing function; pass that tensor as an argument."
            )

    def _require_width(self, *arguments: Any) -> None:
        """Raises TypeError if JAX traces the call without the 64-bit types that it needs when it lowers the trace."""
        if self._wide is None or jax.config.read("jax_enable_x64"):
            return
        if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(arguments)):
            what = self._wide.op.name if self._wide.op is not None else "a leaf"
            raise TypeError(
                f"{self.__name__}: it computes with 64-bit types ({what}, recorded at {self._wide.line}, is "
                f"{self._wide.aval!r}); transform and call it in `with jax.enable_x64(True):`."
            )

    def _held(self, values: Sequence[Any]) -> dict[int, Any]:
        if len(values) != len(self.variables):
            names = ", ".join(variable.name for variable in self.variables)
            raise TypeError(
                f"{self.__name__}: expected the values of {len(self.variables)} variables ({names}), got {len(values)}."
            )
        return {
            variable._number: _array(f"{self.__name__}: the variable {variable.name}", value, aval.struct)
            for variable, value, aval in zip(self.variables, values, self._avals, strict=True)
        }

    def _given(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        """The arrays among the arguments, each with its index among all leaves."""
        positional = [parameter for parameter in self._parameters if parameter.is_positional]
        named = {parameter.name: parameter for parameter in self._parameters if not parameter.is_positional}
        if len(args) != len(positional) or kwargs.keys() != named.keys():
            raise TypeError(
                f"{self.__name__}: expected the values of the variables, {len(positional)} arguments and the keywords "
                f"{sorted(named)}, got {len(args)} and {sorted(kwargs)}."
            )
        for parameter, given in zip(positional, args, strict=True):
            yield from parameter.arrays(self.__name__, given)
        for name, given in kwargs.items():
            yield from named[name].arrays(self.__name__, given)


class _Parameter(NamedTuple):
    """A parameter whose argument contains tensors.

    Attributes:
      name: its name, or its position.
      known: its argument in the call that was traced.
      expected: for each leaf the struct of the array that it takes, or None if the leaf is part of the trace.
      first: the index of its first leaf among those of all parameters.
    """

    name: str
    is_positional: bool
    known: Any
    expected: list[Any]
    first: int

    def structs(self) -> Any:
        """The structs of the leaves; None for a leaf that is part of the trace."""
        return nest.pack_sequence_as(self.known, self.expected)

    def arrays(self, function: str, given: Any) -> Iterator[tuple[int, Any]]:
        """The arrays of `given`, each with its index among all leaves. Raises TypeError if they don't fit."""
        nest.assert_same_structure(self.known, given)
        leaves = zip(nest.flatten(self.known), self.expected, nest.flatten(given), strict=True)
        for place, (known, struct, value) in enumerate(leaves, self.first):
            what = f"{function}: the argument {self.name}"
            if struct is not None:
                yield place, _array(what, value, struct)
            elif value is not None and not (type(value) is type(known) and value == known):
                raise TypeError(f"{what} holds {known!r}, which is part of the trace, or None; got {value!r}.")


def _array_of_sizes(source: Sizes) -> Any:
    sizes = [jnp.asarray(size, source.dtype.as_numpy_dtype) for size in source.array.ravel()]
    return jnp.stack(sizes).reshape(source.array.shape) if source.array.ndim else sizes[0]


def _is_random(source: Any) -> bool:
    """Whether a call draws `source` from the state of the seeds."""
    return type(source) is Drawn and not isinstance(source.stream, Site)


def _dtypes(step: Node) -> list[DType]:
    return [aval.dtype for aval in step.avals]


def _parameters(call: Call, structs: Sequence[Any] | None) -> list[_Parameter]:
    """The parameters with tensors. `structs`, for the leaves of all arguments, replace those of `call` if given."""
    if structs is None:
        structs = [x._aval.struct if is_numeric(x) else None for x in call.flat]
    found: list[_Parameter] = []
    first = 0
    every = [(str(k), True, value) for k, value in enumerate(call.args)]
    every += [(name, False, call.kwargs[name]) for name in sorted(call.kwargs)]
    for name, is_positional, value in every:
        leaves = nest.flatten(value, expand_composites=True)
        if any(map(is_numeric, leaves)):
            found.append(_Parameter(name, is_positional, value, list(structs[first : first + len(leaves)]), first))
        first += len(leaves)
    return found


def _array(what: str, value: Any, struct: jax.ShapeDtypeStruct) -> Any:
    """`value` as an array like `struct`. A Python number, or a weakly typed JAX value, takes that dtype.

    Raises: TypeError if it has another shape or dtype. A symbolic dimension matches any size.
    """
    is_number = type(value) in (bool, int, float, complex) or getattr(value, "weak_type", False)
    array = jnp.asarray(value, struct.dtype) if is_number else jnp.asarray(value)
    pairs = zip(struct.shape, array.shape, strict=False)
    is_alike = array.ndim == len(struct.shape) and all(a == b for a, b in pairs if isinstance(a, int))
    if array.dtype != struct.dtype or not is_alike:
        size = struct.dtype.itemsize
        hint = "; JAX makes 64-bit arrays only if jax_enable_x64 is set" if size > array.dtype.itemsize else ""
        raise TypeError(f"{what} must be {_text(struct)}, got {_text(array)}{hint}.")
    return array


def _text(array: Any) -> str:
    return f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
