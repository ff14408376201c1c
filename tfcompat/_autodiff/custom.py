"""Gradients that the user writes: `tf.custom_gradient` and what is made of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax

from tfcompat._autodiff.backward import CustomCall, Dense, Gradient, Rows
from tfcompat._autodiff.tape import GradientTape
from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import Op, differentiable
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace, here, record
from tfcompat._ops.indexed_slices import IndexedSlices
from tfcompat._state.variable import Variable

_CUSTOM = Op("custom_gradient", lambda *outputs: outputs, many=True, blocked=True)
_ZEROS_LIKE = Op("zeros_like", lambda x: x * 0, blocked=True)
_BARRIER = Op("barrier", lambda *inputs: jax.lax.optimization_barrier(inputs), many=True)


class _Watcher:
    """Stands among the tapes while a function runs, and notes which variables it reads."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}
        self.customs: dict[int, CustomCall] = {}

    def touch(self, variable: Variable) -> None:
        """Notes that `variable` is being read."""
        if variable.trainable:
            self.variables.setdefault(variable._number, variable)


@contextmanager
def _watching() -> Iterator[_Watcher]:
    """No tape records within this context; the watcher sees the variables that are read."""
    tapes, watcher = here.tapes, _Watcher()
    here.tapes = [watcher]
    try:
        yield watcher
    finally:
        here.tapes = tapes


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function that computes what `f` does, with a gradient of the user's.

    `f` returns its result and a function that takes the gradient of each tensor of the result and returns one for each
    argument (or None). If `f` reads trainable variables, that function also takes `variables=` and returns a pair: the
    arguments' gradients and the variables'.
    Gradient: the function given; higher orders differentiate what it computes.
    Raises: TypeError if variables are read and `variables=` is not accepted; ValueError for a wrong number of
      gradients.
    Source: TF 2.21 `tf.custom_gradient`.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    flat = [_input(arg) for arg in nest.flatten(args)]
    tensors = [value if isinstance(value, Tensor) else value._read() for value in flat]
    with _watching() as watcher:
        result, grad_fn = f(*nest.pack_sequence_as(args, flat), **kwargs)
    given = {value._number for value in flat if isinstance(value, Variable)}
    variables = [variable for number, variable in watcher.variables.items() if number not in given]
    if variables and not _accepts_variables(grad_fn):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{variables}"
        )
    outputs = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
    if not here.tapes:
        return nest.pack_sequence_as(result, outputs)
    tensors += [variable._read() for variable in variables]
    answers = record(_CUSTOM, tuple(outputs))
    pull = functools.partial(_pull, here.trace, f, grad_fn, flat, variables, outputs)
    trace = here.trace
    custom = CustomCall(tuple(trace.slot_of(tensor) for tensor in tensors), pull)
    for tape in here.tapes:
        tape.customs[answers[0]._slot] = custom
    return nest.pack_sequence_as(result, list(answers))


def _input(arg: Any) -> Any:
    return arg if isinstance(arg, Variable) else convert_to_tensor(arg)


def _accepts_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _pull(
    trace: Trace,
    f: Callable[..., Any],
    grad_fn: Callable[..., Any],
    inputs: list[Any],
    variables: list[Variable],
    outputs: list[Tensor],
    cotangents: Sequence[Dense | None],
) -> list[Gradient | None]:
    """Calls the user's function on the cotangents; what it computes is recorded like all else."""
    given = [_given(trace, output, ct) for output, ct in zip(outputs, cotangents, strict=True)]
    if variables:
        answer, of_variables = grad_fn(*given, variables=variables)
    else:
        answer, of_variables = grad_fn(*given), []
    gradients = nest.flatten(answer)
    if len(gradients) != len(inputs):
        raise ValueError(
            f"custom_gradient function expected to return {len(inputs)} gradients, but returned {len(gradients)} instead."
        )
    of_variables = nest.flatten(of_variables)
    if len(of_variables) != len(variables):
        raise ValueError(
            f"Must return gradient for each variable from @custom_gradient grad_fn: {len(variables)} expected, got {len(of_variables)}."
        )
    return [_gradient(trace, gradient) for gradient in (*gradients, *of_variables)]


def _given(trace: Trace, output: Tensor, cotangent: Dense | None) -> Tensor:
    if cotangent is not None:
        return trace.tensor(cotangent.slot, cotangent.aval)
    return record(_ZEROS_LIKE, (output,))


def _gradient(trace: Trace, value: Any) -> Gradient | None:
    if value is None:
        return None
    if isinstance(value, IndexedSlices):
        values, indices = convert_to_tensor(value.values), convert_to_tensor(value.indices)
        dense = convert_to_tensor(value)._aval
        return Rows(trace.slot_of(values), values._aval, trace.slot_of(indices), indices._aval, dense)
    tensor = convert_to_tensor(value)
    return Dense(trace.slot_of(tensor), tensor._aval)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes what `f` does and whose gradient is passed to its arguments unchanged.

    Source: TF 2.21 `tf.grad_pass_through`.
    """

    @custom_gradient
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, **given: Any) -> Any:
            if "variables" in given:
                return upstream, [None] * len(given["variables"])
            return upstream

        return f(*args, **kwargs), grad

    return functools.wraps(f)(lambda *args, **kwargs: wrapped(*args, **kwargs))


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes what `f` does and keeps nothing of it for the gradient, which computes `f` once more.

    Source: TF 2.21 `tf.recompute_grad`.
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            leaves = nest.flatten(args)
            tensors = [value._read() if isinstance(value, Variable) else convert_to_tensor(value) for value in leaves]
            again = _apart(tensors)
            with GradientTape(persistent=False, watch_accessed_variables=False) as tape:
                sources = [x for x in again if differentiable(x._aval)]
                tape.watch(sources)
                tape.watch(list(variables))
                result = f(*nest.pack_sequence_as(args, again), **kwargs)
            found = tape.gradient(
                result, [*sources, *variables], output_gradients=nest.pack_sequence_as(result, list(upstream))
            )
            of_sources = iter(found[: len(sources)])
            gradients = [next(of_sources) if differentiable(x._aval) else None for x in again]
            return (gradients, found[len(sources) :]) if variables else gradients

        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    return decorated


def _apart(tensors: list[Tensor]) -> list[Tensor]:
    """The same values, which the compiler must not recognise: what is computed from them is computed again."""
    return list(record(_BARRIER, tuple(tensors))) if tensors else []
