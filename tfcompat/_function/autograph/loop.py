"""`while` statements: those with a staged condition become `tf.while_loop`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.text import is_text
from tfcompat._core.system.error import OperatorNotAllowedInGraphError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.autograph.placeholder import with_placeholders
from tfcompat._function.autograph.staging import (
    condition,
    is_dense,
    is_tracing,
    is_undefined,
    require_same_structure,
    scratch,
    tensor_like,
)
from tfcompat._function.control.unentered import with_element_shapes
from tfcompat._function.control.while_loop import while_loop
from tfcompat._function.graphs.host_string import is_same_text, shown
from tfcompat._function.graphs.refusal import refuse_strings
from tfcompat._function.graphs.untraced import Parts
from tfcompat._ops.debugging.value_assertion import Assert

State = tuple[Any, ...]
Options = dict[str, Any]

_BECAME_TENSOR = (
    "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because "
    "variables changed type, or when a break or return statement inside the loop depends on a Tensor condition. In "
    "both cases, changing to a TF loop should remove the error."
)
_ADVICE = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/limitations.md"
    "#consistency-of-control-flow-types for more info."
)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    opts: Options,
) -> None:
    """Runs `body` while `test()`. The state consists of the variables `symbol_names`, which the body may assign."""
    if is_tracing():
        with scratch():
            first = test()
        if is_dense(first):
            staged_while(test, body, get_state, set_state, symbol_names, opts)
            return
        if not first:
            return
        body()
    parts = Parts()
    for count in itertools.count():
        found = test()
        is_staged = is_dense(found)
        if (is_staged and count >= opts.get("maximum_iterations", math.inf)) or not truth(found, _BECAME_TENSOR):
            if is_staged and not count:
                none = opts | {"maximum_iterations": 0}
                stage = partial(staged_while, test, body, get_state, set_state, symbol_names, none)
                shape_elements(get_state, set_state, stage)
            break
        with parts.part("body") if is_staged else nullcontext():
            body()


def shape_elements(
    get_state: Callable[[], State], set_state: Callable[[State], None], stage: Callable[[], None]
) -> None:
    """Gives tensor arrays of the state the shapes of elements that a loop without iterations would write.

    `stage` records the loop. In a function, the numbers of the state become tensors, as those of all loops do.
    """
    state = get_state()
    if here.untraced is not None:
        state = tuple([convert_to_tensor(value) if type(value) in (bool, int, float) else value for value in state])

    def recorded() -> State:
        stage()
        return get_state()

    try:
        state = with_element_shapes(state, recorded)
    finally:
        set_state(state)


def truth(value: Any, message: str) -> bool:
    """`bool(value)` for a loop in Python. Raises NotImplementedError with `message` if `value` has no value."""
    try:
        return bool(value)
    except OperatorNotAllowedInGraphError as refused:
        raise NotImplementedError(f"{message}\n{_ADVICE}") from refused


def staged_while(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    opts: Options,
) -> None:
    """Runs the loop as a `tf.while_loop` over its state.

    A name that only the body defines starts as zeros; a call without iterations then fails an assertion.
    """
    before = get_state()
    missing = [name for name, value in zip(names, before, strict=True) if value is None or is_undefined(value)]
    invariants = _invariants(opts, before)
    init = with_placeholders(body, get_state, set_state, names, invariants) if missing else before
    shapes = None if all(shape is None for shape in invariants) else invariants

    def staged_test(_: Any, state: State) -> Any:
        set_state(state)
        return condition(test(), "while loop")

    def staged_body(_: Any, state: State) -> tuple[Any, State]:
        set_state(state)
        body()
        after = get_state()
        for name, start, entry, exit_, shape in zip(names, init, state, after, invariants, strict=True):
            require_alike(name, start, entry, exit_, shape)
        return True, after

    options = {key: value for key, value in opts.items() if key not in ("iterate_names", "shape_invariants")}
    if shapes is not None:
        options["shape_invariants"] = (TensorShape([]), tuple(map(_shapes, init, invariants)))
    ran, final = while_loop(staged_test, staged_body, (False, tuple(init)), **options)
    if missing:
        shown = ["the function return value" if name == "retval_" else name for name in missing]
        Assert(ran, [f"loop must iterate at least once to initialize {', '.join(shown)}"])
    set_state(final)


def _invariants(opts: Options, state: State) -> list[Any]:
    """The shape invariant of each part of `state`, or None."""
    asked = {id(value): shape for value, shape in opts.get("shape_invariants", ())}
    return [asked.get(id(value)) for value in state]


def _shapes(value: Any, invariant: Any) -> Any:
    if invariant is not None:
        return invariant
    return nest.map_structure(lambda leaf: convert_to_tensor(leaf).shape, value, expand_composites=True)


def require_alike(name: str, start: Any, entry: Any, exit_: Any, invariant: Any) -> None:
    """Raises TypeError or ValueError unless an iteration preserves the structure, dtypes and shapes of `name`."""
    require_same_structure(entry, exit_, f"'{name}' does not have the same nested structure after one iteration.")
    shapes = [None] * len(nest.flatten(entry)) if invariant is None else nest.flatten(invariant)
    if invariant is not None:
        require_same_structure(
            start, invariant, f"'{name}' does not have the same nested structure as its corresponding shape invariant."
        )
    for leaves in zip(*map(nest.flatten, (start, entry, exit_)), shapes, strict=True):
        _require_alike_leaf(name, *leaves)


def _require_alike_leaf(name: str, start: Any, entry: Any, exit_: Any, invariant: Any) -> None:
    if exit_ is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    first, one, other = tensor_like(start), tensor_like(entry), tensor_like(exit_)
    if first is None or one is None or other is None:
        return
    if one.dtype is not other.dtype:
        raise TypeError(
            f"'{name}' has dtype {one.dtype.name} before the loop, but dtype {other.dtype.name} after one iteration"
        )
    if is_text(one) and element_trace() is None and not is_same_text(one, other):
        refuse_strings(f"'{name}' is {shown(one)} before an iteration of the loop, but {exit_!r} after it")
    if invariant is None:
        if not _conforms(other.shape, one.shape):
            raise ValueError(
                f"'{name}' has shape {one.shape} before the loop, but shape {other.shape} after one iteration. Use "
                "tf.autograph.experimental.set_loop_options to set shape invariants."
            )
        return
    for shape, when in ((first.shape, "before the loop"), (other.shape, "after one iteration")):
        if not _conforms(shape, TensorShape(invariant)):
            raise ValueError(
                f"'{name}' has shape {shape} {when}, which does not conform with the shape invariant {invariant}."
            )


def _conforms(shape: TensorShape, invariant: TensorShape) -> bool:
    """Whether `shape` has every dimension that `invariant` fixes."""
    if invariant.rank is None:
        return True
    if shape.rank != invariant.rank:
        return False
    return all(wanted in (None, dim) for dim, wanted in zip(shape.as_list(), invariant.as_list(), strict=True))
