"""Updates of Keras' optimizers that are recorded again without running their Python code.

The update of a variable by Adam runs about 150 functions of Keras. It records the same steps as long as the optimizer
has the same attributes, so it is traced once, and later updates of the same variables record the steps of that trace.
Only optimizers that Keras defines are treated in this way: their updates depend on the gradients, on variables and on
attributes alone. The code of a subclass of a user runs at each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tfcompat._core.structure.sharding import placed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import OpError, UntraceableError
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.trace import here
from tfcompat._distribute.stack import top
from tfcompat._function.arguments.signature import Call
from tfcompat._function.graphs.inlining import inlined
from tfcompat._function.graphs.source import Argument
from tfcompat._function.running.body import Body, is_numeric, traced
from tfcompat._state.position import Position
from tfcompat._state.variable import Variable, is_plain_variable

_KERAS, _METHOD = "keras.src.", "_distributed_tf_update_step"
# An optimizer whose attributes keep changing, or that updates many sets of variables, is traced at most so often.
_MOST_TRACES = 8
# The sources of values that a trace may read.
_SOURCES = (Argument, Tensor, Variable)


class _Traces:
    """The traces of an optimizer's updates.

    Attributes:
      known: by Keras' default type, the variables, and the types of the tensors.
      count: how many were made.
    """

    def __init__(self) -> None:
        self.known: dict[Any, _Update] = {}
        self.count = 0


class _Update(NamedTuple):
    """A trace of an update, and the state of the optimizer that it belongs to.

    Attributes:
      body: the trace; None if no trace can replace the Python code.
      attributes: the values of the attributes of the optimizer.
      code: the Python function that updates a variable.
    """

    body: Body | None
    attributes: Sequence[Any]
    code: Any

    def fits(self, attributes: Sequence[Any], code: Any) -> bool:
        """Whether the optimizer still has these `attributes` and this `code`."""
        is_same = len(attributes) == len(self.attributes) and all(map(is_, attributes, self.attributes))
        return is_same and code is self.code


_traces: WeakKeyDictionary[Any, _Traces] = WeakKeyDictionary()


def repeats(fn: Callable[..., Any], strategy: Any, args: Sequence[Any]) -> bool:
    """Records the steps of `fn(strategy, *args)` if it is the update of one of Keras' optimizers.

    Calls the function for the variables whose gradients are not dense. Returns False, having done nothing, if it has to
    be called for all.
    """
    optimizer = getattr(fn, "__self__", None)
    if getattr(fn, "__name__", "") != _METHOD or len(args) != 2 or not _is_of_keras(optimizer, fn):
        return False
    if not strategy.is_default or top() is not None or _must_see_each_op() or _is_casting(fn):
        return False
    pairs, rate = args
    if type(rate) is not Tensor and rate is not vars(optimizer).get("_learning_rate"):
        return False
    dense = [pair for pair in pairs if is_numeric(pair[0]) and is_plain_variable(pair[1])]
    rates = [rate] if type(rate) is Tensor else []
    flat = [*[gradient for gradient, _ in dense], *rates]
    body = _body(fn, optimizer, strategy, (flat, [variable for _, variable in dense], rate)) if dense else None
    if body is None:
        return False
    inlined(body.stored, flat)
    if len(dense) < len(pairs):
        # Updates of rows, from `tf.IndexedSlices`. Each variable is updated on its own, so the order has no effect.
        fn(strategy, [pair for pair in pairs if not (is_numeric(pair[0]) and is_plain_variable(pair[1]))], rate)
    return True


def _is_of_keras(optimizer: Any, fn: Any) -> bool:
    """Whether all code of the update `fn` of `optimizer` is that of Keras."""
    modules = (type(optimizer).__module__, fn.__module__, getattr(optimizer, "update_step", fn).__module__)
    return all(module.startswith(_KERAS) for module in modules) and _METHOD not in vars(optimizer)


def _must_see_each_op() -> bool:
    """Whether ops are recorded, traced or run one at a time, so that Python code has to call them."""
    is_watched = settings.is_immediate or settings.is_checking_numerics or bool(here.tapes)
    return is_watched or here.trace.is_symbolic or recorder.is_shared or placed.is_used


def _is_casting(fn: Any) -> bool:
    """Whether Keras casts the variables that code reads, as in the `call` of a layer with mixed precision."""
    return fn.__func__.__globals__["backend"].common.variables.get_autocast_scope() is not None


def _body(fn: Any, optimizer: Any, strategy: Any, given: tuple[list[Tensor], list[Variable], Any]) -> Body | None:
    """The trace of `fn(strategy, gradients and variables, rate)`; None if its Python code has to run."""
    flat, variables, _ = given
    traces = _traces.get(optimizer)
    if traces is None:
        traces = _traces[optimizer] = _Traces()
    float_type = fn.__func__.__globals__["backend"].floatx()
    key = (float_type, *[tensor._aval for tensor in flat], *[variable._number for variable in variables])
    found = traces.known.get(key)
    attributes, code = list(vars(optimizer).values()), type(optimizer).update_step
    if found is not None and found.fits(attributes, code) and (found.body is None or found.body.fits):
        return found.body
    if traces.count >= _MOST_TRACES:
        return None
    traces.count += 1
    body = _traced(fn, strategy, given)
    if body is not None and not _Update(None, attributes, code).fits(list(vars(optimizer).values()), code):
        body = None  # The Python code changes attributes.
    traces.known[key] = _Update(body, attributes, code)
    return body


def _traced(fn: Any, strategy: Any, given: tuple[list[Tensor], list[Variable], Any]) -> Body | None:
    """The trace of an update; None if it is refused, or if it has state other than variables."""
    flat, variables, rate = given

    def update(*tensors: Tensor) -> None:
        fn(strategy, list(zip(tensors, variables, strict=False)), tensors[-1] if type(rate) is Tensor else rate)

    try:
        body = traced(update, type(fn.__self__).__name__, Call(tuple(flat), {}, list(flat), None), (), creates=False)
    except (UntraceableError, OpError, TypeError, ValueError):
        return None  # The same error, if it is one, comes from the call, at the op that raises it.
    stored = body.stored
    has_state = any(isinstance(source, Position) or not isinstance(source, _SOURCES) for source in stored.sources)
    return None if has_state or stored.effects or stored.node.bounds else body
