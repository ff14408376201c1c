"""`tf.while_loop`, which calls a function while a condition holds.

Outside of traced functions this is a Python loop. In a traced function the condition and the body are traced once, and
the program runs the loop (`while_op`). If constants determine the trip count, it is a scan, for which JAX stores the
values that the gradient needs. Otherwise it is a while loop whose gradient uses checkpoints (`checkpointed_while`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UnmetError, UntraceableError
from tfcompat._core.tracing.constancy import settled
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.block.refused_block import REFUSALS, fail_if, may_be_untaken, or_by_host
from tfcompat._function.control.traced_loop import TracedLoop, as_condition, grows
from tfcompat._function.control.unentered import with_element_shapes
from tfcompat._function.control.while_op import LoopOp
from tfcompat._function.graphs.graph import Graph, is_symbolic
from tfcompat._function.graphs.inlining import inlined
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.graphs.untraced import Parts
from tfcompat._function.tensor_array.unshaped import Unshaped
from tfcompat._state.scope import traced_scope


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """The final `loop_vars` after calling `body` on them while `cond` is true, at most `maximum_iterations` times.

    In a `tf.function` both are traced once. If a shape changes between iterations, which `shape_invariants` must allow,
    the function runs its Python code at each call. Iterations always run in order, whatever `parallel_iterations`;
    `swap_memory` changes no value.

    Shapes: those of `loop_vars`.
    Dtypes: those of `loop_vars`.
    Gradient: of any order. If the number of iterations is only known when the function runs, at most 128 states are
      stored, and those between them are recomputed.
    Raises: TypeError if `cond` or `body` is not callable, or a dtype changes; ValueError if the structure changes,
      or in a `tf.function` a shape without `shape_invariants`.
    Source: TF 2.21 `tf.while_loop`.
    """
    del swap_memory
    for function, parameter in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{parameter}' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not here.trace.is_symbolic:
        return _run(cond, body, loop_vars, maximum_iterations)
    if shape_invariants is not None:
        nest.assert_same_structure(loop_vars, shape_invariants)
    with traced_scope(name or "while"):
        found = _record(cond, body, loop_vars, shape_invariants, maximum_iterations)
    if back_prop:
        return found
    _warn_of_back_prop()
    return nest.map_structure(lambda x: record(_STOPPED, (x,)), found, expand_composites=True)


_STOPPED = Op("stop_gradient", lambda x: x, gradient=GradientRule(blocked=True, cuts=True))


def _warn_of_back_prop() -> None:
    warnings.warn(
        "tf.while_loop: back_prop=False is deprecated; use tf.stop_gradient on the results.",
        DeprecationWarning,
        stacklevel=3,
    )


def _run(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: Any) -> Any:
    """Runs the loop in Python, where values are known.

    In a function, as in TensorFlow's graphs, the body may return a single variable without a list, and the result has
    the structure of `loop_vars`.
    """
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    limit = None if maximum_iterations is None else convert_to_tensor(maximum_iterations)
    if limit is not None and limit.ndim:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    most = None if limit is None else int(limit)
    given, is_in_function = loop_vars, here.untraced is not None
    first, count, parts = list(loop_vars), 0, Parts()
    while (most is None or count < most) and cond(*loop_vars):
        with parts.part("body"):
            loop_vars = body(*loop_vars)
        if is_in_function and not nest.is_nested(loop_vars):
            loop_vars = [loop_vars]
        nest.assert_same_structure(first, list(loop_vars))
        count += 1
    if is_in_function and not count:
        loop_vars = with_element_shapes(given, lambda: _record(cond, body, given, None, 0))
    if is_in_function:
        loop_vars = nest.pack_sequence_as(given, nest.flatten(loop_vars))
        pairs = zip(nest.flatten(given), nest.flatten(loop_vars), strict=True)
        here.untraced.note_lengths([after.capacity for before, after in pairs if grows(before)])
    return nest.map_structure(lambda x: x if is_composite(type(x)) else convert_to_tensor(x), loop_vars)


def _record(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum_iterations: Any
) -> Any:
    """Records the loop as one op of the function that is being traced."""
    len(loop_vars)
    limit = None if maximum_iterations is None else _limit(maximum_iterations)
    trace = element_trace()
    if trace is None:
        try:
            return _by_program(cond, body, loop_vars, invariants, limit)
        except UntraceableError as refusal:
            if not getattr(here.graph, "infers_only", False):
                raise
            return _of_known_length(cond, body, loop_vars, limit, refusal)
    return or_by_host(
        lambda: _by_program(cond, body, loop_vars, invariants, limit),
        lambda: trace.loop(cond, body, loop_vars, limit),
    )


def _by_program(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, limit: Tensor | None
) -> Any:
    """Records the loop as one op, which a program runs."""
    lengths = here.graph.expected_lengths(sum(map(grows, nest.flatten(loop_vars))))
    try:
        loop = _with_room(cond, body, loop_vars, limit, lengths)
    except REFUSALS as refusal:
        if not may_be_untaken(refusal):
            raise
        return _not_entered(cond, loop_vars, limit, refusal)
    if element_trace() is not None:
        loop.test.require_program()
        loop.step.require_program()
    loop.require_fixed(has_invariants=invariants is not None)
    op, as_expected = LoopOp(loop, limit), here.graph.as_expected()
    if loop.test.updates or loop.test.has_effects:
        if as_expected is not None:
            raise UntraceableError("a value decides a shape before a tf.while_loop whose condition has side effects")
        return _with_stateful_condition(cond, body, loop_vars, invariants, limit)
    if as_expected is not None and not op.is_limited:
        # It might never end in a call that has other values.
        loop = _with_room(_if(as_expected, cond), body, loop_vars, limit, lengths)
        op = LoopOp(loop, limit)
    state = op.record()
    for place, length in zip(loop.lengths, loop.expected, strict=False):
        here.graph.expect(state[place - 1], np.array(length, np.int32))
    return loop.packed(state)


_BOTH = Op("logical_and", lambda x, y: x & y, gradient=GradientRule(blocked=True))


def _if(pred: Tensor, cond: Callable[..., Any]) -> Callable[..., Tensor]:
    """The condition `cond`, which is false unless `pred` is true."""
    return lambda *variables: record(_BOTH, (convert_to_tensor(as_condition(cond(*variables))), pred))


def _of_known_length(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, limit: Tensor | None, refusal: UntraceableError
) -> Any:
    """The loop variables after the loop, run in Python, in a graph from which only shapes are wanted.

    Raises: `refusal` if the number of iterations depends on data.
    """
    most = None if limit is None else int(_value(limit, refusal))
    state, count = loop_vars, 0
    while (most is None or count < most) and _value(as_condition(cond(*state)), refusal):
        found = body(*state)
        state = found if nest.is_nested(found) else [found]
        nest.assert_same_structure(list(loop_vars), list(state))
        count += 1
    leaves = [x if is_composite(type(x)) else convert_to_tensor(x) for x in nest.flatten(list(state))]
    return nest.pack_sequence_as(loop_vars, leaves)


def _value(tensor: Tensor, refusal: UntraceableError) -> Any:
    """The value of a scalar `tensor`, if it is computed from constants and sizes. Raises `refusal` otherwise."""
    found = settled(tensor)
    if found._is_symbolic():
        raise refusal
    return np.asarray(found).item()


_ENTERED = Op("while_loop", lambda pred, limit: pred & (limit > 0), gradient=GradientRule(blocked=True))


def _not_entered(cond: Callable[..., Any], loop_vars: Any, limit: Tensor | None, refusal: Exception) -> Any:
    """The loop variables, and a step that fails if the loop runs, since its body does not fit the sizes of the call."""
    pred = as_condition(cond(*loop_vars))
    fail_if(pred if limit is None else record(_ENTERED, (pred, limit)), refusal)
    return nest.map_structure(lambda x: x if is_composite(type(x)) else convert_to_tensor(x), loop_vars)


def _with_stateful_condition(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum_iterations: Any
) -> Any:
    """Records a loop whose condition has side effects. It is called before the first iteration and after each one."""

    state = [x if is_composite(type(x)) else convert_to_tensor(x) for x in nest.flatten(list(loop_vars))]
    state = nest.pack_sequence_as(list(loop_vars), state)
    condition = StatefulCondition(lambda *given: as_condition(cond(*given)), state)

    def advanced(_: Tensor, state: list[Any]) -> tuple[Tensor, list[Any]]:
        found = body(*state)
        after = list(found) if nest.is_nested(found) else [found]
        return condition(after), after

    shapes = None if invariants is None else (TensorShape([]), list(invariants))
    found = _record(lambda goes_on, _: goes_on, advanced, (condition(state), state), shapes, maximum_iterations)[1]
    return nest.pack_sequence_as(loop_vars, nest.flatten(found))


def _with_room(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    limit: Tensor | None,
    expected: Sequence[int] | None,
) -> TracedLoop:
    """The loop, traced with tensor arrays of dynamic size enlarged to their final size.

    It is traced with a guess first: the bound on the number of iterations. Sizes that depend on data are those
    `expected`, if these are given.
    """
    arrays = [array for array in nest.flatten(loop_vars) if grows(array)]
    most = None if limit is None or is_symbolic(limit) else int(limit)
    loop = TracedLoop(cond, body, loop_vars, [max(most or 1, 1)] * len(arrays))
    if not arrays:
        return loop
    sizes = LoopOp(loop, limit).sizes()
    if sizes is None and most is None and expected is not None:
        sizes = loop.expected = list(expected)
    if sizes is None and most is None:
        raise UnmetError(
            "tf.while_loop: the final size of a tf.TensorArray with dynamic_size is only known when the function runs, "
            "but an XLA program's shapes are fixed; give the array a sufficient `size`, or the loop "
            "`maximum_iterations`."
        )
    if sizes is None:
        assert most is not None
        rooms = [most * max(writes, 1) for writes in loop.writes]
    else:
        rooms = [size - array.capacity for size, array in zip(sizes, arrays, strict=True)]
    if rooms != loop.rooms:
        before, loop = loop, TracedLoop(cond, body, loop_vars, rooms)
        loop.expected = before.expected
    loop.sizes = sizes
    return loop


def _limit(maximum_iterations: Any) -> Tensor:
    limit = convert_to_tensor(maximum_iterations)
    if not limit.dtype.is_integer:
        raise TypeError(f"Expected int32, but got {maximum_iterations} of type '{type(maximum_iterations).__name__}'.")
    if limit.ndim:
        raise InvalidArgumentError.of(f"tf.while_loop: maximum_iterations must be a scalar, got shape {limit.shape}.")
    return limit


class StatefulCondition:
    """`condition`, a function of a structure like `state`, traced once and recorded at each call."""

    def __init__(self, condition: Callable[..., Tensor], state: Sequence[Any]) -> None:
        leaves = _leaves(state)
        graph = _Shared("while_cond", creates=False, is_part=True)
        with graph.recording():
            given = [graph.argument(x._aval, k) if type(x) is Tensor else x for k, x in enumerate(leaves)]
            found = condition(*nest.pack_sequence_as(state, given, expand_composites=True))
            graph.conclude()
            self._stored = StoredTrace(graph, [found], {})

    def __call__(self, state: Sequence[Any]) -> Tensor:
        """Records the condition's steps and returns its result."""
        return inlined(self._stored, _leaves(state), shares_streams=True)[0]


def _leaves(state: Sequence[Any]) -> list[Any]:
    leaves = nest.flatten(state, expand_composites=True)
    return [x if type(x) is Unshaped else convert_to_tensor(x) for x in leaves]


class _Shared(Graph):
    """A graph whose steps are recorded in several places, which all draw from the same random streams."""

    __slots__ = ()

    def drawn(self, source: Drawn) -> Tensor:
        """The vector that is drawn each time; without seeds, once for each place where the steps are recorded."""
        position = self.position_of(source)
        return self.drawn_at_call(source) if position is None else position.drawn()
