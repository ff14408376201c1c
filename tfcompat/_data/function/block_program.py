"""Programs of a user's function on blocks of rows: `jax.vmap` of its trace.

The host evaluates them, with a symbol for the number of rows. One is compiled if the host has no kernel for a
primitive, if compiling costs less than it would have saved so far by estimate, or if a loop takes long. An array that
is the same for all rows is given to a program once.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.sized import Met, Sized
from tfcompat._core.programs.hosting import compilation
from tfcompat._core.programs.replay import Plan, inputs_of
from tfcompat._core.structure.node import Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.value_check import checked_steps, messages_of
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._function.graphs.source import Argument, Drawn, Hosted, Part
from tfcompat._function.graphs.stored_trace import StoredTrace, computed
from tfcompat._jaxpr.description import described
from tfcompat._jaxpr.host.control import TooLong
from tfcompat._jaxpr.host.evaluation import HostProgram, NoKernel
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.primitive import constants
from tfcompat._jaxpr.size import is_open, symbols_of
from tfcompat._jaxpr.tracing import traced
from tfcompat._random.seed import CallStream

Array = np.ndarray[Any, Any]


class Draw(NamedTuple):
    """The source of three integers that each row draws from `stream`, the stream number `place` of the trace."""

    place: int
    stream: CallStream

    def blocks(self, values: Mapping[str, int]) -> int:
        """How many blocks of numbers a row draws, for the values of the symbols."""
        return Sized(values).argument(self.stream.blocks)


_MAPPED = (Argument, Draw, Part, Hosted)
# A program is kept prepared for as many sizes of rows.
_MOST_SIZES = 512
# Jaxprs for any number of rows, by their content, the latest used last. Functions that are made again share
# them, as Keras' for each call of `fit`. Those with constants are left out: these may be large.
_jaxprs: OrderedDict[Any, Any] = OrderedDict()
_MOST_JAXPRS = 128
# Nanoseconds of a call of a compiled program: a constant, and for each byte of its arguments, which JAX copies.
_CALL, _BYTE = 60e3, 0.1


class RowPlan:
    """The steps of a trace, or those that compute some slots, as a function of the arrays of one row.

    Attributes:
      leaves: the source and the aval of each array that it takes after the numbers.
      draws: the streams of random numbers.
      slots: those that it computes, if they are not the outputs.
      messages: the messages of its value checks.
      updates: the variables that it assigns.
      symbols: the names of the symbols on which it depends.
    """

    def __init__(self, stored: StoredTrace, slots: Sequence[int] | None = None) -> None:
        self.stored = stored
        self.slots = slots
        path = stored.node.path()
        self.updates = [cell for cell, _, _ in stored.updates] if slots is None else []
        if slots is None:
            self._outputs = [slot for slot, aval in stored.outputs if aval is not None]
            self._outputs += [slot for _, slot, _ in stored.updates]
            self._plan = Plan(path, (), (*self._outputs, *[slot for slot, _ in stored.effects]))
        else:
            self._outputs = list(slots)
            self._plan = Plan(path, (), slots)
        self.draws = [source.stream for source in stored.sources if type(source) is Drawn]
        places = iter(range(len(self.draws)))
        sources = {
            slot: Draw(next(places), source.stream) if type(source) is Drawn else source
            for slot, source in zip(stored.leaf_slots, stored.sources, strict=True)
        }
        self._slots = [leaf.first for leaf in self._plan.leaves]
        self.leaves = [(sources[leaf.first], leaf.aval) for leaf in self._plan.leaves]
        self._checked = checked_steps(self._plan.steps)
        self.messages = messages_of(self._checked)
        self.steps = len(self._plan.steps)
        self.symbols = frozenset(self._symbols())
        # Equal for plans with equal jaxprs.
        self.key = stored.node, tuple(self._outputs), slots is None and tuple([slot for slot, _ in stored.effects])

    def __call__(self, floats: Any, ints: Any, *arrays: Any) -> tuple[Any, ...]:
        """The outputs, the new values of variables, and, after value checks, a vector of their flags."""

        def read(number: Number) -> Any:
            return number.traced(floats, ints)

        values = self._plan.evaluate(dict(zip(self._slots, arrays, strict=True)), read)
        flags = [
            jnp.any(step.op.check.flag(*inputs_of(step, values, read)))
            for step in self._checked
            if step.op is not None and step.op.check is not None
        ]
        found = [values[slot] for slot in self._outputs]
        return (*found, jnp.stack(flags)) if flags else tuple(found)

    def _symbols(self) -> set[str]:
        met, ints = Met(), self.stored.numbers[1]
        for source, _ in self.leaves:
            if type(source) is Sizes:
                met.array(source.array)
            elif type(source) is Draw:
                met.argument(source.stream.blocks)
        for step in (*self._plan.leaves, *self._plan.steps):
            met.argument(
                tuple([part.of((), ints) for part in step.inputs if type(part) is Number and part.kind == "i"])
            )
            for aval in (*step.signature, *step.avals):
                met.aval(aval)
            if step.op is not None:
                met.op(step.op)
        return met.names

    def axes(self, shared: frozenset[int] = frozenset()) -> list[int | None]:
        """0 for each array that has a row for each element, else None: the numbers, the `shared` leaves and others."""
        leaves = [isinstance(source, _MAPPED) and place not in shared for place, (source, _) in enumerate(self.leaves)]
        return [None, None, *[0 if is_mapped else None for is_mapped in leaves]]


class BlockProgram:
    """A plan for blocks of rows of one shape, or of shapes with symbols."""

    def __init__(self, plan: RowPlan, like: Any = None, shared: frozenset[int] = frozenset()) -> None:
        """The program of `plan`; `like` is one of the symbols in its shapes, if it has any.

        All rows have the same values of the leaves in the places `shared`.
        """
        self.plan = plan
        self._like = like
        self._axes = plan.axes(shared)
        self._sharing: dict[frozenset[int], BlockProgram] = {}
        self._lock = threading.RLock()
        self._spent = 0.0
        self._has_symbols = like is not None
        self._limit = compilation(plan.steps)
        floats, ints = plan.stored.numbers
        self._numbers = [np.array(floats, np.float64), _integers(ints if like is None else (), {})]
        self._fixed: dict[int, Any] = {}
        self._missing = ""
        self._host: HostProgram | None = None
        self._needs_size: Exception | None = None
        self._is_prepared = False
        if like is not None:
            self._prepare()

    @property
    def missing(self) -> str:
        """The primitive for which the host has no kernel; empty if it has all."""
        with self._lock:
            self._prepare()
        return self._missing

    def _prepare(self) -> None:
        """Makes the host's program. Those of known sizes are made at the first call, which may need another one."""
        if self._is_prepared:
            return
        self._is_prepared = True
        like = self._like
        (rows,) = jax.export.symbolic_shape("rows", **({} if like is None else {"scope": like.scope}))
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                self._host = HostProgram(self._shared_jaxpr(rows) if like is None else self._jaxpr(rows), _MOST_SIZES)
            except NoKernel as missing:
                self._missing = str(missing)
            except Exception as refused:  # code that needs to know a size may raise any error
                if like is not None:
                    raise
                self._needs_size = refused

    def _shared_jaxpr(self, rows: Any) -> Any:
        """As `_jaxpr`, but that of an earlier program with the same steps, if there was one."""
        key = self.plan.key, tuple(self._axes), tuple(self._shapes())
        found = _jaxprs.get(key)
        if found is None:
            found = self._jaxpr(rows)
            if not constants(found):
                _jaxprs[key] = found
                if len(_jaxprs) > _MOST_JAXPRS:
                    _jaxprs.popitem(last=False)
        else:
            with suppress(KeyError):  # another thread may have removed it
                _jaxprs.move_to_end(key)
        return found

    def _shapes(self) -> list[tuple[Any, Any]]:
        """The shapes of the arrays of a row, and their dtypes."""
        floats, ints = self.plan.stored.numbers
        shapes: list[tuple[Any, Any]] = [((len(floats),), np.float64), ((len(ints),), np.int64)]
        return shapes + [(aval.struct.shape, aval.struct.dtype) for _, aval in self.plan.leaves]

    def _jaxpr(self, rows: Any) -> Any:
        axes = self._axes
        structs = [
            jax.ShapeDtypeStruct(shape if axis is None else (rows, *shape), dtype)
            for (shape, dtype), axis in zip(self._shapes(), axes, strict=True)
        ]
        return traced(jax.vmap(self.plan, in_axes=axes, axis_size=rows), structs)

    def described(self) -> tuple[str, list[Any]]:
        """The program as text, and its constants."""
        (rows,) = jax.export.symbolic_shape("rows", **({} if self._like is None else {"scope": self._like.scope}))
        with postponed():
            try:
                closed = self._jaxpr(rows)
            except Exception:  # code that needs to know a size may raise any error
                closed = self._jaxpr(2)
        return described(closed)

    def __call__(self, count: int, arrays: Sequence[Array], values: Mapping[str, int]) -> list[Array]:
        """The outputs for `count` rows; `arrays` are those of the leaves, `values` those of the symbols.

        Raises: TooLong if it has symbols and a loop takes long: then programs for known sizes are better.
        """
        axes = self._axes[len(self._numbers) :]
        repeated = [axis == 0 and array.strides[0] == 0 for array, axis in zip(arrays, axes, strict=True)]
        if any(repeated):
            own = [array[0] if is_shared else array for array, is_shared in zip(arrays, repeated, strict=True)]
            return self._for_shared(repeated)(count, own, values)
        numbers = self._numbers
        if self._has_symbols:
            numbers = [numbers[0], _integers(self.plan.stored.numbers[1], values)]
        with self._lock:
            self._prepare()
            if self._host is not None:
                saved = 0.0 if self._has_symbols else self._saved(count, arrays)
                if saved <= 0 or self._spent <= self._limit:
                    self._spent += max(0.0, saved)
                    try:
                        return self._host(*numbers, *arrays, sizes={**values, "rows": count})
                    except TooLong:
                        if self._has_symbols:
                            raise
                        self._host = None
            return self._padded(count, [*numbers, *arrays])

    def _for_shared(self, repeated: Sequence[bool]) -> BlockProgram:
        """The program for leaves that are `repeated` for all rows."""
        shared = frozenset(place for place, is_shared in enumerate(repeated) if is_shared)
        with self._lock:
            if shared not in self._sharing:
                self._sharing[shared] = BlockProgram(self.plan, self._like, shared)
            return self._sharing[shared]

    def _saved(self, count: int, arrays: Sequence[Array]) -> float:
        """The nanoseconds by which a compiled program is faster than the host, if it takes no time to compute."""
        assert self._host is not None
        return self._host.work_for({"rows": count}) - _CALL - _BYTE * sum(array.nbytes for array in arrays)

    def _padded(self, count: int, arrays: Sequence[Array]) -> list[Array]:
        """The outputs of the program for the next power of two; the last row is repeated."""
        rows = 1 << (count - 1).bit_length()
        axes = self._axes
        if rows > count:
            extra = rows - count
            arrays = [
                array if axis is None else np.concatenate((array, np.repeat(array[-1:], extra, 0)))
                for array, axis in zip(arrays, axes, strict=True)
            ]
        run = self._fixed.get(rows)
        if run is None:
            run = self._fixed[rows] = self._program(rows)
        try:
            outputs = run(*arrays)
        except TooLong:
            self._spent = math.inf
            self._fixed[rows] = self._program(rows)
            outputs = self._fixed[rows](*arrays)
        return [array[:count] for array in outputs]

    def _program(self, rows: int) -> Any:
        """The program for that many rows: the host's, or a compiled one if it has no kernel, or was too slow."""
        if self._needs_size is not None and self._spent <= self._limit:
            try:
                return HostProgram(self._jaxpr(rows))
            except NoKernel as missing:
                self._missing = str(missing)
        compiled = jitted(jax.vmap(self.plan, in_axes=self._axes, axis_size=rows))

        def run(*arrays: Array) -> list[Array]:
            with postponed(), jax.enable_x64(True), jax.default_device(jax.local_devices(backend="cpu")[0]):
                return list(map(np.asarray, compiled(*arrays)))

        return run


def _integers(ints: Sequence[Any], values: Mapping[str, int]) -> Array:
    sized = Sized(values)
    return np.array([0 if _is_later(number, values) else sized.argument(number) for number in ints], np.int64)


def _is_later(number: Any, values: Mapping[str, int]) -> bool:
    """Whether `number` depends on symbols without a value: those of steps that come later."""
    return is_open(number) and not symbols_of([number]) <= values.keys()


def captured(source: Any, values: Mapping[str, int]) -> Array:
    """The value of a leaf that is the same for all rows: a tensor, a variable, or sizes."""
    if type(source) is Sizes:
        sized = Sized(values)
        flat = [sized.argument(size) for size in source.array.ravel()]
        return np.array(flat, source.dtype.as_numpy_dtype).reshape(source.array.shape)
    if type(source) is Tensor:
        return np.asarray(computed(source)._array)
    return np.asarray(computed(source._held)._array)
