"""The body of a function: its stored trace, the structure of its result, and the two ways to run it."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.host_call import is_later, with_later, without_later
from tfcompat._core.operation.op import Op
from tfcompat._core.operation.sampling import are_open, sampled_values
from tfcompat._core.structure.check_outcome import raise_failed_checks
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FindsSizeError, InvalidArgumentError, UntraceableError
from tfcompat._core.system.location import is_raised_here
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.packing import packer
from tfcompat._function.arguments.element import OtherOrder
from tfcompat._function.arguments.object_type import Described
from tfcompat._function.arguments.open_size import OpenSizes
from tfcompat._function.arguments.signature import Call, Known
from tfcompat._function.graphs.called import Site
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.inlining import inlined
from tfcompat._function.graphs.observation import observed
from tfcompat._function.graphs.refusal import refused_while_traced, returned
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.running.execution import Execution
from tfcompat._function.running.expecting import ExpectingExecution
from tfcompat._function.running.initialisation import initialise
from tfcompat._function.sizes.expected_value import Expected
from tfcompat._function.sizes.padding_waste import Waste
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell
from tfcompat._state.position import Position
from tfcompat._state.variable import is_plain_variable


class Body:
    """A traced function, which is called on the leaves of its arguments.

    Under a tape and in another function, the steps are recorded in the caller's trace, so that tapes record each of
    them. Otherwise a call runs the body's own program.

    Attributes:
      stored: the trace.
      result: the structure of the result.
      calls_python: whether its program calls Python functions of the user.
      draws_again: whether its second call draws the random numbers of the first one. In TensorFlow the call that makes
        variables from arguments runs a trace of its own, with streams of its own.
      waste: judges whether padded arrays pay, if its program finds sizes.
      room: pads the leaves of calls, of which it serves several sizes (see `Room`), or None.
      has_lifted: whether `tf.init_scope` made variables outside of it while it was traced.
    """

    draws_again = False
    has_lifted = False
    room: Any = None

    def __init__(self, graph: Graph, result: Any, parameters: dict[int, int]) -> None:
        """The trace of `graph`, which is still recording. For `parameters` see `StoredTrace`."""
        flat = nest.flatten(result, expand_composites=True)
        self.stored = StoredTrace(graph, without_later(flat), parameters)
        self.result = result
        self._pack = packer(result, expand_composites=True)
        # Strings that are computed on the host at the end of a call.
        self._texts = [(place, value) for place, value in enumerate(flat) if is_later(value)]
        self.waste: Waste | None = None
        self._expecting: ExpectingExecution | None = None
        self._set_trace(self.stored)

    def with_trace(self, stored: StoredTrace) -> Body:
        """This body with the trace `stored`, a copy of its own for other sizes."""
        body = copy.copy(self)
        body._set_trace(stored)
        return body

    def _set_trace(self, stored: StoredTrace) -> None:
        self.stored = stored
        self.calls_python = any(type(source) is Drawn and isinstance(source.stream, Site) for source in stored.sources)
        self._execution: Execution | ExpectingExecution = Execution(stored)

    def __call__(self, flat: Sequence[Any]) -> Any:
        """The result for the leaves `flat` of a call's arguments."""
        if (traces := observed.traces) is not None:
            traces[id(self.stored)] = self.stored
        if self.room is not None:
            flat = self.room.filled(flat)
        is_inlined = here.tapes or here.trace.is_symbolic
        if is_inlined and here.graph is not None and self._has_loop and here.graph.as_expected() is not None:
            # A trace of its own asks in the loop's condition whether values are as expected: else it might never end.
            raise FindsSizeError("a value decides a shape before the call of a function with a loop")
        outputs = inlined(self.stored, flat) if is_inlined else self._execution(flat)
        if self.calls_python and not here.trace.is_symbolic:
            # Python calls and their exceptions happen before this returns.
            if here.tapes:
                here.trace.flush("function")
            raise_failed_checks()
        if self._texts:
            outputs = with_later(outputs, self._texts)
        return self._pack(outputs)

    @functools.cached_property
    def _has_loop(self) -> bool:
        return any(step.op is not None and _is_loop(step.op) for step in self.stored.node.path())

    @property
    def fits(self) -> bool:
        """See `StoredTrace.fits`."""
        return self.stored.fits

    def initialise(self, flat: Sequence[Any] | None) -> bool:
        """Computes the first values of variables that were created while tracing, for a call with the leaves `flat`.

        Returns whether the values depend on arguments.

        Raises: ValueError if they do and `flat` is None.
        """
        return initialise(self.stored, flat)

    def restart(self) -> None:
        """Makes the next call draw random numbers as the first one."""
        for source in self.stored.sources:
            if type(source) is Drawn and isinstance(source.stream, CallStream):
                source.stream.restart()
            elif isinstance(source, Position):
                source.restart()

    @property
    def has_texts(self) -> bool:
        """Whether strings are computed at the end of a call."""
        return bool(self._texts)

    @property
    def finds_sizes(self) -> bool:
        """Whether its program finds sizes itself or expects values: it runs alone, outside of tapes and functions."""
        return bool(self.stored.node.bounds) or self._expecting is not None

    @property
    def is_wasteful(self) -> bool:
        """Whether calls had better run their Python code: the sizes that it finds are small, or values unexpected."""
        if self._expecting is not None and self._expecting.is_given_up:
            return True
        return self.waste is not None and self.waste.is_too_large

    def judge_by(self, waste: Waste) -> None:
        """Makes `waste` judge, by the sizes that the first calls find, whether the body pays."""
        self.waste = waste
        self._execution = Execution(self.stored, waste)

    def expect(self, values: Sequence[Expected], streams: Sequence[Any]) -> None:
        """Makes calls expect `values`. For `streams` and errors see `ExpectingExecution`."""
        self._execution = self._expecting = ExpectingExecution(self.stored, values, self.waste, streams)

    @property
    def created(self) -> list[Cell]:
        """The variables that were created while tracing."""
        return self.stored.created

    @property
    def has_created(self) -> bool:
        """Whether variables were created while tracing, here or outside; another trace then serves the calls."""
        return bool(self.stored.created) or self.has_lifted

    @property
    def loses_variables(self) -> bool:
        """Whether a created variable is no longer referenced, so that the next call would create another."""
        return self.stored.loses_variables

    @property
    def sources(self) -> list[Any]:
        """The source of the value of each leaf of the trace."""
        return self.stored.sources


def traced(
    function: Callable[..., Any],
    label: str,
    call: Call,
    parameters: Sequence[str],
    *,
    creates: bool,
    sizes: OpenSizes | None = None,
    graph: Graph | None = None,
    room: Any = None,
) -> Body:
    """The body of `function` for the arguments of `call`, which belong to `parameters`.

    `creates` is whether it may create variables; `sizes`, if given, are the symbols for open sizes; `graph`, if given,
    is the empty trace to record into; `room`, if given, is the room that the leaves of `call` have.

    Raises: TypeError if it returns a value that can't be converted to a tensor; ValueError if shapes don't fit, or if
      it creates variables although it may not; UntraceableError if no trace can hold it; OtherOrder if it takes other
      elements of iterators than the call has.
    """
    graph = graph or Graph(label, creates=creates)
    flat, made = call.flat, here.made
    names = _names(call, parameters)
    created = None

    def caught() -> tuple[Any, ...]:
        # If this trace or that of a caller has symbols, code that needs to know a size may raise any error. The
        # function is then traced without symbols, or runs untraced.
        return Exception if are_open() or graph.is_unsure else UntraceableError, OtherOrder

    avals = [v._aval if is_numeric(v) else None for v in flat] if sizes is None else sizes.avals
    variables = {value._number: index for index, value in enumerate(flat) if is_plain_variable(value)}
    try:
        with graph.recording():
            given = [
                value if aval is None else graph.argument(aval, i, names[i])
                for i, (value, aval) in enumerate(zip(flat, avals, strict=True))
            ]
            given = [_traced_with(value) for value in given]
            if room is not None:
                given = room.narrowed(given)
            if call.elements is not None:
                count = len(given) - call.elements.count
                given, leaves = given[:count], given[count:]
                call.elements.begin(leaves)
                graph.elements = call.elements
            args, kwargs = nest.pack_sequence_as((call.args, call.kwargs), given, expand_composites=True)
            try:
                result = function(*args, **kwargs)
                if call.elements is not None:
                    call.elements.end()
                graph.conclude()
            except caught():
                graph.conclude()
                created = StoredTrace(graph, (), variables) if graph.created else None
                raise
            structure = nest.map_structure(
                lambda value: None if value is None else returned(function, value), result, expand_composites=True
            )
            body = Body(graph, structure, variables)
            body.room = room
            body.has_lifted = creates and here.made > made
            here.made = made  # a function around this one has made none
    except caught() as refusal:
        if created is not None:
            # The run or the trace that follows uses these variables.
            initialise(created, None if here.trace.is_symbolic else flat, sampled_values())
            vars(refusal)["created"] = tuple([reference for reference, _ in graph.created])
        raise
    except InvalidArgumentError as error:
        refused = refused_while_traced(error) if is_raised_here(error) else None
        if refused is None:
            raise
        raise refused.with_traceback(error.__traceback__) from error
    return body


def _traced_with(leaf: Any) -> Any:
    """The argument for a leaf that is not a numeric tensor, as the function gets it while it is traced."""
    if type(leaf) is Known:
        return leaf.tensor
    return leaf.deref() if type(leaf) is Described else leaf


def _is_loop(op: Op) -> bool:
    """Whether `op` is a loop, or has one among the ops that it is made of."""
    return op.name == "while_loop" or (op.recipe is not None and any(map(_is_loop, op.recipe.ops())))


def _names(call: Call, parameters: Sequence[str]) -> list[str]:
    """The parameter that each leaf of the arguments belongs to."""
    arguments = [*zip(parameters, call.args, strict=False), *call.kwargs.items()]
    names = [name for name, value in arguments for _ in nest.flatten(value, expand_composites=True)]
    return names + ["args"] * (len(call.flat) - len(names))


def is_numeric(value: Any) -> bool:
    """Whether `value` is a tensor that a program can take, not a string."""
    return type(value) is Tensor and value._aval.struct is not None
