"""`for` statements: those over tensors and staged ranges become `tf.while_loop`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op, Window
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import step_at
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import int32, string
from tfcompat._function.arguments.element import ElementSource
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.autograph.host_loop import BREAK_ON_TENSOR, HostLoop
from tfcompat._function.autograph.loop import Options, State, shape_elements, staged_while, truth
from tfcompat._function.autograph.staged_range import StagedRange
from tfcompat._function.autograph.staging import is_dense, is_staged, is_tracing, is_undefined
from tfcompat._function.control.branch import cond
from tfcompat._function.graphs.graph import is_symbolic
from tfcompat._function.graphs.refusal import refuse_reading
from tfcompat._function.graphs.untraced import Parts
from tfcompat._function.tensor_array.array import row_at
from tfcompat._ops.elementwise.algebraic import minimum
from tfcompat._ops.elementwise.comparison import logical_and, logical_or

_item = Op("item", row_at, windows={1: Window(0, None, 0)}, gradient=GradientRule(reads=False))


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    opts: Options,
) -> None:
    """Runs `body` on each item of `iter_` while `extra_test()` is true.

    The state consists of the variables named `symbol_names`, which the body may assign.
    """
    if isinstance(iter_, Elemental):
        _over_elements(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
    elif isinstance(iter_, StagedRange):
        loop = _StagedFor(body, extra_test, get_state, set_state, symbol_names, opts)
        loop.over_range(iter_)
    elif is_staged(iter_) and (iter_.dtype is not string or element_trace() is not None):
        loop = _StagedFor(body, extra_test, get_state, set_state, symbol_names, opts)
        loop.over_tensor(convert_to_tensor(iter_))
    elif is_dense(iter_) and _is_compiled(iter_):
        rows = convert_to_tensor(iter_)
        spec = TensorSpec(rows.shape[1:], rows.dtype)
        loop = HostLoop(body, extra_test, get_state, set_state, symbol_names, opts)
        loop.over_rows((Tensor(np.asarray(row)) for row in rows.numpy()), spec)
    else:
        limit = opts.get("maximum_iterations") if is_dense(iter_) else None
        items = iter_ if limit is None else itertools.islice(iter_, int(limit))
        _in_python(items, extra_test, body, is_staged=is_dense(iter_))
        if is_dense(iter_) and iter_.dtype is not string and 0 in (limit, iter_.shape[:1].num_elements()):
            stage = partial(for_stmt, iter_, extra_test, body, get_state, set_state, symbol_names, opts)
            shape_elements(get_state, set_state, stage)


def _over_elements(iter_: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], *rest: Any) -> None:
    """The loop over a dataset or an iterator. Raises HostLoopError while a function is traced."""
    if is_tracing():
        refuse_reading("a loop over a dataset")
    if here.untraced is None:
        _in_python(iter_, extra_test, body)
        return
    loop = HostLoop(body, extra_test, *rest)
    if isinstance(iter_, ElementSource):
        loop.over_iterator(_taken(iter_), iter_.element_spec)
    else:
        loop.over_dataset(_taken(iter(iter_)), iter_.element_spec)


def _taken(source: ElementSource) -> Iterator[Any]:
    while (found := source.take()) is not None:
        yield found[0]


def _is_compiled(iter_: Any) -> bool:
    """Whether a program runs the body of a loop over the rows of `iter_`, in a function that runs untraced."""
    is_numeric = iter_.dtype is not string and iter_.shape.rank != 0
    return here.untraced is not None and here.untraced.code.compiles_all and is_numeric


def _in_python(
    items: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], *, is_staged: bool = False
) -> None:
    """Runs the loop as Python; `is_staged` is whether TensorFlow has a graph for its body."""
    within = Parts().part if is_staged else _within_function
    if extra_test is None:
        for item in items:
            with within("body"):
                body(item)
        return
    if truth(extra_test(), BREAK_ON_TENSOR):
        for item in items:
            with within("body"):
                body(item)
            if not truth(extra_test(), BREAK_ON_TENSOR):
                break


def _within_function(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def _row(items: Tensor, place: Any) -> Any:
    """The row of `items` at `place`, which is not out of bounds."""
    return items[place] if items.dtype is string else record(_item, (items, place))  # pyright: ignore[reportIndexIssue]


class _StagedFor:
    """A `for` loop lowered to `tf.while_loop`, whose state also holds the position."""

    def __init__(
        self,
        body: Callable[[Any], None],
        extra_test: Callable[[], Any] | None,
        get_state: Callable[[], State],
        set_state: Callable[[State], None],
        names: tuple[str, ...],
        opts: Options,
    ) -> None:
        self._body = body
        self._extra_test = extra_test
        self._get_state = get_state
        self._set_state = set_state
        self._names = names
        self._opts = opts
        self._position: Any = None

    def over_tensor(self, items: Tensor) -> None:
        """Iterates over the rows of `items`; over a range if they are equally spaced integers."""
        if items.ndim == 0:
            raise ValueError(f"len requires a non-scalar tensor, got one of shape {items.shape}")
        count: Any = items._aval.shape[0]
        progression = None if items.dtype is string else _progression(items)
        if progression is None:
            self._run(convert_to_tensor(0), 1, lambda k: _row(items, k), lambda _: True, count)
        else:
            start, delta = progression
            self._set_target(start)
            self._run(start, delta, lambda position: position, lambda _: True, count)

    def over_range(self, span: StagedRange) -> None:
        """Iterates over the numbers of `span`."""
        limit: Any = span.limit
        delta: Any = span.delta

        def is_before_limit(position: Any) -> Any:
            if is_symbolic(delta):
                upward = logical_and(delta >= 0, position < limit)
                return logical_or(upward, logical_and(delta < 0, position > limit))
            return position < limit if delta.numpy() >= 0 else position > limit

        self._set_target(span.start)
        self._run(span.start, delta, lambda position: position, is_before_limit, None)

    def _set_target(self, start: Tensor) -> None:
        """Sets an undefined loop target to `start`, the value that TensorFlow gives it if the loop never runs."""
        state = zip(self._names, self._get_state(), strict=True)
        target = self._opts["iterate_names"]
        self._set_state(tuple(start if name == target and is_undefined(value) else value for name, value in state))

    def _run(
        self, start: Tensor, delta: Any, item: Callable[[Any], Any], goes_on: Callable[[Any], Any], count: int | None
    ) -> None:
        """Runs from `start` in steps of `delta`, while `goes_on` is true and at most `count` times if that is known."""
        self._position = start

        def body() -> None:
            self._body(item(self._position))
            self._position = self._position + delta

        def test() -> Any:
            main = goes_on(self._position)
            if self._extra_test is None:
                return main
            return self._extra_test() if main is True else cond(main, self._extra_test, lambda: False)

        opts = dict(self._opts)
        if count is not None:
            most = sizes_tensor(count, int32)
            asked = opts.get("maximum_iterations")
            opts["maximum_iterations"] = most if asked is None else minimum(asked, most)
        names = ("<internal iterate>", *self._names)
        staged_while(test, body, self._state, self._restore, names, opts)

    def _state(self) -> State:
        return (self._position, *self._get_state())

    def _restore(self, state: State) -> None:
        self._position, *rest = state
        self._set_state(tuple(rest))


def _progression(items: Tensor) -> tuple[Tensor, Tensor] | None:
    """The first of `items` and their spacing if they are known, equally spaced integers; otherwise None."""
    array = items._array
    if items._is_symbolic():
        step = step_at(items._trace, items._slot)
        is_count = step.op is not None and step.op.name == "range" and not step.inputs
        kind = items.dtype.as_numpy_dtype
        return (Tensor(np.zeros((), kind)), Tensor(np.ones((), kind))) if is_count else None
    if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind != "i" or array.size < 2:
        return None
    step = array[1] - array[0]
    return None if (np.diff(array) != step).any() else (Tensor(array[:1].reshape(())), Tensor(np.asarray(step)))
