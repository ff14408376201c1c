"""Concrete functions with open dimensions.

They are traced with symbols for open sizes, and each call gets a copy of the trace for its sizes. A function that can't
be traced with symbols is traced for each size, and the shapes of its result are found by tracing for two sizes: a
dimension that differs between them is open.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import jax

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import OpError, UntraceableError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types import nest
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.arguments.argument_placeholder import placeholders_of, values_to_trace
from tfcompat._function.arguments.equal_sizes import Classes, finest
from tfcompat._function.arguments.open_size import axes_of_specs
from tfcompat._function.arguments.signature import Call, entered
from tfcompat._function.functions.concrete import ConcreteFunction, Decorated, result_spec
from tfcompat._function.functions.copies import Copies
from tfcompat._function.functions.open_traces import OpenTraces
from tfcompat._function.functions.pure import PureFunction
from tfcompat._function.functions.symbolic import (
    fits_one,
    fixes_size,
    require_free_of_sizes,
    require_free_of_symbols,
    symbolic,
)
from tfcompat._function.functions.symbolic_trace import SymbolicTrace, axes_of_open_sizes, traced_for_any_size
from tfcompat._function.graphs.refusal import refused_by_call
from tfcompat._function.graphs.untraced import kind_of, values_of
from tfcompat._function.running.body import Body
from tfcompat._function.running.draws import go_on, streams_of
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.tracing import traced

# The first that can be traced is used: small for tables of positions, large for images that shrink, 1 to broadcast.
_SIZES = (48, 3360, 1)
# The first of these that can be traced is compared with it. A dimension of size 1 affects the rest the least.
_OTHER_SIZES = (1, 96, 6720)
# The first of these, too, since the sizes of results may be limited from below.
_LARGE_SIZES = (6720, 960)
# The first of these that can be traced stands for open ranks.
_RANKS = (2, 1, 3, 4, 0)
# The errors of a function that can't be traced for a size.
_REFUSALS = (ValueError, OpError)


class OpenFunction(ConcreteFunction):
    """A decorated function for tensors of several sizes.

    `body` is its trace for one of them, or, if that refuses the sizes of samples, the one with symbols.

    Raises: as `ConcreteFunction`.
    """

    def __init__(self, function: Decorated, call: Call, body: Body, specs: Any, traces: OpenTraces) -> None:
        """`traces` are those with symbols."""
        super().__init__(function, call, body, specs)
        self._traces = traces
        self._bodies: dict[Any, Body] = {} if body is self._symbols else {call.key: body}
        self._copies = Copies()
        self._streams = streams_of(body.stored)

    @functools.cached_property
    def _avals(self) -> list[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]  # found once
        return [None] if self.body is self._symbols else super()._avals

    def _run(self, call: Call) -> Any:
        """The result, of a copy of the trace with symbols if that serves `call`.

        If it doesn't, that of a trace for the sizes of `call`, which continues the random streams of those before.
        """
        body = self._bodies.get(call.key)
        if body is None or not body.fits:
            body = self._traces.body((kind_of(call), values_of(call)), call.flat)
            if body is None:
                try:
                    body = self._function.body_for(call)
                except UntraceableError:
                    return super()._run(call)
                except (TypeError, ValueError) as refused:
                    raise refused_by_call(refused) from None
                self._streams = go_on(streams_of(body.stored), self._streams)
            self._bodies[call.key] = body
            for key in self._copies.add(call.key, body):
                self._bodies.pop(key, None)
        return body(call.flat)

    @functools.cached_property
    def _other(self) -> Body:
        """The trace for another size; `body` if no other size can be traced."""
        return self._traced_otherwise(_OTHER_SIZES)

    def _traced_otherwise(self, sizes: Sequence[int]) -> Body:
        """The trace for the first of `sizes` that can be traced; `body` if none can."""
        try:
            return _traced(self._function, self._specs, sizes)[1]
        except _REFUSALS:
            return self.body

    @property
    def _symbols(self) -> Body | None:
        """The trace with symbols; None if it can't be traced so."""
        return self._traces.shown((kind_of(self.call), values_of(self.call)))

    @functools.cached_property
    def structured_outputs(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]  # found once
        """The result, with a `tf.TensorSpec` in place of each tensor."""
        if any(map(_has_open_rank, nest.flatten(self._specs, expand_composites=True))):
            return nest.map_structure(_merged, *self._outputs_of_ranks(), expand_composites=True)
        traced = self._symbols
        if traced is not None:
            return nest.map_structure(result_spec, traced.result)
        results = [body.result for body in (self.body, self._other, self._traced_otherwise(_LARGE_SIZES))]
        return nest.map_structure(_merged, *results, expand_composites=True)

    def _outputs_of_ranks(self) -> list[Any]:
        """The structured outputs for the first two ranks that can be traced, in place of open ranks."""
        found: list[Any] = []
        for rank in _RANKS:
            ranked = _of_rank(self._specs, rank)
            try:
                found.append(_opened(self._function, ranked, ranked).structured_outputs)
            except _REFUSALS:
                continue
            if len(found) == 2:
                break
        return found

    def to_jax(self, vjp_order: int = 1) -> PureFunction:
        """As `ConcreteFunction.to_jax`, for arguments of any size.

        Raises: NotImplementedError, as there, and if the trace depends on the size of an open dimension.
        """
        return self._deterministic(self._symbolic(vjp_order, are_shared=False))

    def jaxpr(self) -> Any:
        """As `ConcreteFunction.jaxpr`, with symbols for open dimensions. Raises NotImplementedError, as `to_jax`."""

        def make(are_shared: bool) -> Any:
            pure = self._symbolic(0, are_shared=are_shared)
            return traced(pure.evaluate, pure.structs)

        return self._with_symbols(make)

    def lowered(self) -> NoReturn:
        """Raises NotImplementedError: JAX lowers for fixed shapes."""
        raise NotImplementedError(
            f"{self.name}: JAX lowers for fixed shapes, but {self._accepted} leaves dimensions open; use "
            "get_concrete_function with the sizes, or export()."
        )

    def stablehlo(self) -> str:
        """As `ConcreteFunction.stablehlo`, with dynamic dimensions. Raises NotImplementedError, as `to_jax`."""

        def make(are_shared: bool) -> str:
            pure = self._symbolic(0, are_shared=are_shared)
            with postponed():
                return jax.export.export(jitted(pure.evaluate))(*pure.structs).mlir_module()

        return self._with_symbols(make)

    def export(self, platforms: Sequence[str] | None = None, vjp_order: int = 0) -> jax.export.Exported:
        """As `ConcreteFunction.export`, for arguments of any size. Raises NotImplementedError, as `to_jax`."""

        def make(are_shared: bool) -> jax.export.Exported:
            pure = self._deterministic(self._symbolic(vjp_order, are_shared=are_shared))
            values, args, kwargs, _ = pure.structs
            with postponed():
                return jax.export.export(jitted(pure), platforms=platforms)(values, *args, **kwargs)

        return self._with_symbols(make)

    def with_pure(self, use: Callable[[PureFunction], Any], vjp_order: int = 0) -> Any:
        """As `ConcreteFunction.with_pure`, with symbols for open sizes. `use` may be called several times.

        A trace with symbols is used, or, without one, a trace for a size whose steps are the same for all sizes.
        """
        for classes in self._partitions():
            found = traced_for_any_size(self._function, self._specs, classes)
            if found is not None:
                try:
                    with jax.enable_x64(True):
                        return use(self._pure_of(found, vjp_order))
                except (jax.errors.InconclusiveDimensionOperation, NotImplementedError):
                    continue  # more dimensions may have to be equal
        return self._with_symbols(lambda are_shared: use(self._symbolic(vjp_order, are_shared=are_shared)))

    def _partitions(self) -> Iterator[Classes]:
        """The partitions of open dimensions to try: all apart, the finest that can be traced, and that of axes."""
        axes = axes_of_open_sizes(self._specs)
        apart = tuple(range(len(axes)))
        yield apart
        found = finest(axes, self._is_traceable)
        yield from {classes: None for classes in (found, axes) if classes not in (None, apart)}

    def _is_traceable(self, classes: Classes) -> bool:
        """Whether JAX traces the function with a symbol for each of the `classes` of open dimensions."""
        found = traced_for_any_size(self._function, self._specs, classes)
        if found is None:
            return False
        pure = self._pure_of(found, 0)
        try:
            traced(pure.evaluate, pure.structs)
        except (TypeError, ValueError, NotImplementedError):
            return False  # such as a product whose inner sizes have two symbols
        return True

    def _pure_of(self, found: SymbolicTrace, vjp_order: int) -> PureFunction:
        return PureFunction(self.name, found.body, found.call, vjp_order, found.structs, are_symbols=True)

    def _symbolic(self, vjp_order: int, *, are_shared: bool) -> PureFunction:
        traced = self._symbols
        if traced is not None and (fixes_size(traced) or fits_one(traced)):
            require_free_of_symbols(self.name, traced)
        else:
            require_free_of_sizes(self.name, self.body, self._other)
        specs = nest.flatten(self._specs, expand_composites=True)
        args, kwargs = values_to_trace((self.call.args, self.call.kwargs))
        structs = symbolic(specs, are_shared=are_shared)
        return PureFunction(self.name, self.body, entered(args, kwargs), vjp_order, structs)

    def _with_symbols(self, make: Callable[[bool], Any]) -> Any:
        """`make(False)` with a symbol for each open dimension; if that fails, `make(True)` with shared symbols."""
        try:
            with jax.enable_x64(True):
                return make(False)
        except NotImplementedError:
            raise
        except Exception as refusal:
            if is_raised_by_handler(refusal):
                raise
            with jax.enable_x64(True):
                return make(True)


def opened(function: Decorated, specs: tuple[Any, Any]) -> OpenFunction:
    """The concrete function for arguments that contain specs with open dimensions.

    If ranks are open, it has a trace of each rank that comes.

    Raises: the error of the first trace if no size can be traced.
    """
    first: Exception | None = None
    for rank in _RANKS if any(map(_has_open_rank, nest.flatten(specs, expand_composites=True))) else _RANKS[:1]:
        try:
            return _opened(function, specs, _of_rank(specs, rank))
        except _REFUSALS as refused:
            first = first or refused
    assert first is not None
    raise first


def _opened(function: Decorated, specs: tuple[Any, Any], ranked: tuple[Any, Any]) -> OpenFunction:
    """As `opened`; `ranked` are the specs with known ranks."""
    traces = OpenTraces()
    # Sizes that are equal in a trace have one symbol, those of one tensor only if they have to be equal.
    for step in (1, 0):
        call = entered(*values_to_trace(placeholders_of(ranked), _SIZES[0], step))
        body = function.traced_with_symbols(call, axes_of_specs(ranked, call.flat), traces)
        if body is not None:
            return OpenFunction(function, call, body, specs, traces)
    return OpenFunction(function, *_traced(function, ranked, _SIZES), specs, traces)


def _has_open_rank(spec: Any) -> bool:
    return isinstance(spec, TensorSpec) and spec.shape.rank is None


def _of_rank(specs: Any, rank: int) -> Any:
    """`specs` with `rank` in place of open ranks."""

    def known(spec: Any) -> Any:
        return TensorSpec([None] * rank, spec.dtype, spec.name) if _has_open_rank(spec) else spec

    return nest.map_structure(known, specs, expand_composites=True)


def _traced(function: Decorated, specs: tuple[Any, Any], sizes: Sequence[int]) -> tuple[Call, Body]:
    """The trace for the first of `sizes` that can be traced."""
    first: Exception | None = None
    for size in sizes:
        call = entered(*values_to_trace(placeholders_of(specs), size))
        try:
            return call, function.traced(call).body
        except _REFUSALS as refused:
            refused.add_note(f"Open dimensions were traced with size {size}.")
            first = first or refused
    assert first is not None
    raise first


def _merged(*results: Any) -> TensorSpec | None:
    """The most specific spec of `results` for several sizes; None if one of them is None."""
    if any(result is None for result in results):
        return None
    shape = TensorShape(results[0].shape)
    for result in results[1:]:
        shape = shape.most_specific_compatible_shape(result.shape)
    return TensorSpec(shape, results[0].dtype)
