"""`for` statements: over tensors, and over ranges whose ends are only known when a function is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import jax
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import as_dtype, string
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record
from tfcompat._function.autograph.loop import Options, State, staged_while, truth
from tfcompat._function.autograph.staging import is_staged, is_undefined
from tfcompat._function.control import cond
from tfcompat._function.graph import is_symbolic
from tfcompat._ops.comparison import logical_and, logical_or
from tfcompat._ops.creation import _RANGE_DTYPES
from tfcompat._ops.creation import range as known_range
from tfcompat._ops.rounding import cast

_item = Op("item", lambda rows, index: jax.lax.dynamic_index_in_dim(rows, index, keepdims=False))


class StagedRange:
    """A `tf.range` whose length is only known when the function is called: something to iterate over, no tensor.

    Attributes:
      start, limit, delta: scalar tensors of one dtype.
    """

    def __init__(self, start: Tensor, limit: Tensor, delta: Tensor) -> None:
        self.start = start
        self.limit = limit
        self.delta = delta

    def _as_tensor(self) -> NoReturn:
        raise NotImplementedError(
            "tf.range: its length depends on a value that is only known when the function is called, and XLA's shapes "
            "are fixed; iterate over it, or give its ends as Python numbers."
        )


def range_of(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """`tf.range` in a function: a tensor where the ends are known, else a `StagedRange`."""
    ends = [convert_to_tensor(end) for end in ((start, limit, delta) if limit is not None else (0, start, delta))]
    if not any(map(is_symbolic, ends)):
        return known_range(start, limit, delta, dtype, name)
    wanted = max((end.dtype for end in ends), key=_RANGE_DTYPES.index) if dtype is None else as_dtype(dtype)
    return StagedRange(*[cast(end, wanted) for end in ends])


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    opts: Options,
) -> None:
    """Runs `body` on each item of `iter_`, for as long as `extra_test()`.

    The state is what the body may assign, named by `symbol_names`.
    """
    if isinstance(iter_, StagedRange):
        loop = _StagedFor(body, extra_test, get_state, set_state, symbol_names, opts)
        loop.over_range(iter_.start, iter_.limit, iter_.delta, None)
    elif is_staged(iter_) and iter_.dtype is not string:
        loop = _StagedFor(body, extra_test, get_state, set_state, symbol_names, opts)
        loop.over_tensor(convert_to_tensor(iter_))
    else:
        _in_python(iter_, extra_test, body)


def _in_python(items: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None]) -> None:
    if extra_test is None:
        for item in items:
            body(item)
        return
    complaint = (
        "break and return statements which depend on a TF condition are not supported in Python for loops. Did you "
        "intend to make it a TF loop?"
    )
    if truth(extra_test(), complaint):
        for item in items:
            body(item)
            if not truth(extra_test(), complaint):
                break


class _StagedFor:
    """A loop that becomes `tf.while_loop`: its state and a position."""

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
        """Over the rows of `items`, or over what they are as a range."""
        if items.ndim == 0:
            raise ValueError(f"len requires a non-scalar tensor, got one of shape {items.shape}")
        count: int = items._aval.shape[0]
        steps = _progression(items)
        if steps is None:
            self._run(convert_to_tensor(0), lambda k: k < count, lambda k: record(_item, (items, k)), 1, count)
        else:
            self.over_range(*steps, count)

    def over_range(self, start: Any, limit: Any, delta: Any, count: int | None) -> None:
        """Over `start`, `start + delta`, ... before `limit`; they are `count` if that is known."""

        def is_before_limit(position: Any) -> Any:
            if is_symbolic(delta):
                upward = logical_and(delta >= 0, position < limit)
                return logical_or(upward, logical_and(delta < 0, position > limit))
            return position < limit if delta.numpy() >= 0 else position > limit

        # The target of a loop that never runs is the start, as in TensorFlow.
        target = self._opts["iterate_names"]
        state = self._get_state()
        if any(name == target and is_undefined(value) for name, value in zip(self._names, state, strict=True)):
            self._set_state(tuple(start if n == target else v for n, v in zip(self._names, state, strict=True)))
        self._run(start, is_before_limit, lambda position: position, delta, count)

    def _run(
        self,
        start: Tensor,
        goes_on: Callable[[Any], Any],
        item: Callable[[Any], Any],
        delta: Any,
        count: int | None,
    ) -> None:
        self._position = start

        def body() -> None:
            self._body(item(self._position))
            self._position = self._position + delta

        def test() -> Any:
            main = goes_on(self._position)
            return main if self._extra_test is None else cond(main, self._extra_test, lambda: False)

        opts = dict(self._opts)
        if count is not None:
            asked = opts.get("maximum_iterations", count)
            opts["maximum_iterations"] = min(asked, count) if isinstance(asked, int) else asked
        names = ("<internal iterate>", *self._names)
        staged_while(test, body, self._state, self._restore, names, opts)

    def _state(self) -> State:
        return (self._position, *self._get_state())

    def _restore(self, state: State) -> None:
        self._position, *rest = state
        self._set_state(tuple(rest))


def _progression(items: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
    """Start, limit and step of `items` if its values are known integers at equal distances, else None."""
    array = items._array
    if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind != "i" or array.size < 2:
        return None
    step = array[1] - array[0]
    if step == 0 or (np.diff(array) != step).any():
        return None
    return Tensor(array[:1].reshape(())), Tensor(array[-1] + step), Tensor(np.asarray(step))
