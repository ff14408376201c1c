"""Loops that run on the host, in functions that run untraced: their bodies are traced, and run as programs.

The body of a loop over a dataset is a function of the state and an element, as in TensorFlow: it is traced once, and
draws the same random numbers in each loop. Tensors that the body only reads are arguments, too, so that the next call
of the function finds the trace.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import string
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.arguments.element import tensor_leaves
from tfcompat._function.arguments.open_size import open_axes
from tfcompat._function.arguments.signature import Call, entered
from tfcompat._function.autograph.capture import Captures, cells_of
from tfcompat._function.autograph.library import UndefinedReturnValue
from tfcompat._function.autograph.loop import Options, State, require_alike, truth
from tfcompat._function.autograph.placeholder import as_in_loop, require_defined
from tfcompat._function.autograph.staging import is_undefined
from tfcompat._function.graphs.untraced import UntracedCode

# The body of a loop is traced for this many kinds of states and captured values. Then all its traces are dropped.
_MOST = 16
# The message for a tensor without a value that decides whether a loop in Python ends.
BREAK_ON_TENSOR = (
    "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
    "to make it a TF loop?"
)


class HostLoop:
    """One run of a loop.

    Attributes:
      names: the variables that make up the state.
    """

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
        self.names = names
        self._limit = opts.get("maximum_iterations")
        self._before: State = ()
        own = {id(cell) for cell in cells_of(get_state)}
        self._captures = Captures([body, *([extra_test] if extra_test else [])], own)

    def over_dataset(self, items: Iterable[Any], spec: Any) -> None:
        """Runs the body on each of `items`, the elements of a dataset, which have the type `spec`.

        Raises: ValueError if the body assigns a variable that is undefined before; NotImplementedError if it returns.
        """
        self._require_defined()
        tapes, here.tapes = here.tapes, []  # no gradient passes through a dataset
        try:
            self._run(items, spec, restarts=True)
        finally:
            here.tapes = tapes

    def over_iterator(self, items: Iterable[Any], spec: Any) -> None:
        """Runs the body on each of `items`, the elements of an iterator, which have the type `spec`.

        Raises: as `over_dataset`.
        """
        self._require_defined()
        self.over_rows(items, spec)

    def over_rows(self, items: Iterable[Any], spec: Any) -> None:
        """Runs the body on each of `items`, the rows of a tensor, which have the type `spec`.

        Raises: InvalidArgumentError without rows if the body has to define a variable.
        """
        if self._limit is not None:
            items = itertools.islice(items, int(self._limit))
        before = self._get_state()
        if any(isinstance(value, UndefinedReturnValue) for value in before):
            self._in_python(items, UntracedCode(here.untraced.code.decorate, compiles_all=True))
            return
        self._run(items, spec, restarts=False)
        pairs = zip(self.names, self._get_state(), strict=True)
        if missing := [name for name, value in pairs if value is None or is_undefined(value)]:
            message = f"loop must iterate at least once to initialize {', '.join(missing)}"
            raise InvalidArgumentError.of(message)

    def _require_defined(self) -> None:
        for name, value in zip(self.names, self._get_state(), strict=True):
            require_defined(name, value)

    def _run(self, items: Iterable[Any], spec: Any, *, restarts: bool) -> None:
        code = here.untraced.code
        traces = code.loop(self._body, lambda: _LoopTraces(code.decorate))
        if restarts:
            traces.restart()
        self._before = self._get_state()
        known = [None if is_undefined(value) else value for value in self._before]
        state = tuple(nest.map_structure(as_in_loop, known))
        has_strings = any(getattr(part, "dtype", None) is string for part in nest.flatten(spec))
        if has_strings or not all(value is None or _is_numeric(value) for value in nest.flatten(state)):
            self._in_python(items, traces.code)
            return
        if self._extra_test is not None and not truth(self._extra_test(), BREAK_ON_TENSOR):
            return
        function = traces.function_for_traces()
        fixed = _Fixed(self._captures.key, self)
        kinds: dict[Any, Call] = {}
        try:
            for item in items:
                call = _call(kinds, self._captures.arguments, fixed, state, item, spec)
                state, goes_on = function.answer(call)
                if self._extra_test is not None and not goes_on:
                    break
        finally:
            fixed.loop = None
            self._set_state(self._defined(state))

    def _defined(self, state: State) -> State:
        """`state`, in which None represents a value that is undefined before the loop."""
        pairs = zip(state, self._before, strict=True)
        return tuple([before if value is None else value for value, before in pairs])

    def iteration(self, captured: list[Any], state: State, item: Any) -> tuple[State, Any]:
        """The state after an iteration that begins with `state`, and whether the next one follows. It is traced."""
        with self._captures.replaced(captured):
            self._set_state(self._defined(state))
            self._body(item)
            after = self._get_state()
            for name, start, end in zip(self.names, state, after, strict=True):
                if start is None:
                    continue
                shapes = nest.map_structure(lambda _: TensorShape(None), start)
                require_alike(name, start, start, end, shapes)
            goes_on = True if self._extra_test is None else self._extra_test()
        return after, goes_on

    def _in_python(self, items: Iterable[Any], code: UntracedCode) -> None:
        """Runs the loop as Python does: its state cannot be passed to a program."""
        test = self._extra_test
        if test is not None and not truth(test(), BREAK_ON_TENSOR):
            return
        for item in items:
            with code.running(creates=here.untraced.creates):
                self._body(item)
            if test is not None and not truth(test(), BREAK_ON_TENSOR):
                break


class _LoopTraces:
    """The traces and the random streams of a loop, which later calls use again.

    Attributes:
      code: its random streams if its body is not traced.
    """

    def __init__(self, decorate: Callable[[Callable[..., Any]], Any]) -> None:
        self.code = UntracedCode(decorate, compiles_all=True)
        self._function = decorate(loop_body)

    def restart(self) -> None:
        """Makes the next loop draw random numbers as the first one."""
        self.code.restart()
        self._function.restart()

    def function_for_traces(self) -> Any:
        """The function of an iteration."""
        if self._function.experimental_get_tracing_count() >= _MOST:
            self._function = self.code.decorate(loop_body)
        return self._function


def _call(kinds: dict[Any, Call], captured: list[Any], fixed: _Fixed, state: State, item: Any, spec: Any) -> Call:
    """The call of an iteration. `kinds` are earlier ones, by the avals of the tensors that differ between them."""
    leaves = tensor_leaves((state, item))
    kind = None if leaves is None else tuple([leaf._aval for leaf in leaves])
    known = kinds.get(kind)
    args = (captured, fixed, state, item)
    if known is not None and leaves is not None:
        return known._replace(args=args, flat=[*known.flat[: len(known.flat) - len(leaves)], *leaves])
    call = entered(args, {})
    axes = open_axes(spec, item)
    call = call._replace(axes=((),) * (len(call.flat) - len(axes)) + axes)
    if kind is not None:
        kinds[kind] = call
    return call


def loop_body(captured: list[Any], fixed: _Fixed, state: State, item: Any) -> tuple[State, Any]:
    """The state after an iteration that begins with `state`, and whether the next one follows."""
    return fixed.loop.iteration(captured, state, item)


class _Fixed:
    """The values in the key of a body's trace. It can't be referenced weakly, so that it is compared by value.

    Attributes:
      key: the values that the body captures.
      loop: the loop that runs.
    """

    __slots__ = ("_hash", "key", "loop")

    def __init__(self, key: tuple[Any, ...], loop: Any) -> None:
        self.key = key
        self.loop = loop
        self._hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Fixed) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash


def _is_numeric(value: Any) -> bool:
    """Whether a program can take `value`, a part of a loop's state."""
    return type(value) is Tensor and value.dtype is not string
