"""User-defined gradients: `tf.custom_gradient` and its variants."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax

from tfcompat._autodiff.argument import in_structure, parts_of
from tfcompat._autodiff.connection import UnconnectedGradients, with_zeros
from tfcompat._autodiff.gradient import CustomCall, Dense, Gradient, Rows
from tfcompat._autodiff.tape import GradientTape
from tfcompat._autodiff.watcher import watching
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op, differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace, here, record
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.handle import acts_as_variable
from tfcompat._state.variable import Variable

CUSTOM = Op("custom_gradient", lambda *outputs: outputs, many=True, gradient=GradientRule(blocked=True))
_BARRIER = Op("barrier", lambda *inputs: jax.lax.optimization_barrier(inputs), many=True)


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function with the same results as `f` and a user-defined gradient.

    `f` returns its result and a function that takes the gradient of each tensor of the result and returns one for each
    argument (or None); that of a ragged tensor is ragged. If `f` reads trainable variables, that function also takes
    `variables=` and returns a pair: the arguments' gradients and the variables'.

    Gradient: the given function; higher orders differentiate that function.
    Raises: TypeError if variables are read and `variables=` is not accepted; ValueError for a wrong number of
      gradients.
    Source: TF 2.21 `tf.custom_gradient`.
    """
    return custom_gradient if f is None else _Decorated(f)


class _Decorated:
    """A function with a user-defined gradient. As an attribute of a class it is a method."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        functools.update_wrapper(self, f)

    def __get__(self, instance: Any, owner: Any = None) -> Callable[..., Any]:
        return self if instance is None else _Decorated(self._f.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = nest.map_structure(_converted, args)
        flat = nest.flatten(args)
        tensors = [tensor for value in flat for tensor in _operands(value)]
        with watching() as watcher:
            result, grad_fn = self._f(*args, **kwargs)
        given = {value._number for value in (*flat, *nest.flatten(kwargs)) if isinstance(value, Variable)}
        variables = [variable for number, variable in watcher.variables.items() if number not in given]
        if variables and not _accepts_variables(grad_fn):
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}"
            )
        leaves = [leaf if parts_of(leaf) is not None else convert_to_tensor(leaf) for leaf in nest.flatten(result)]
        outputs = tuple(tensor for leaf in leaves for tensor in _operands(leaf))
        if here.tapes:
            tensors += [variable._read() for variable in variables]
            outputs = _recorded(outputs, tensors, _Pull(grad_fn, flat, variables, leaves, [x._aval for x in outputs]))
        return nest.pack_sequence_as(result, in_structure(leaves, list(outputs)))


def _operands(value: Any) -> list[Tensor]:
    """The tensors of an argument or a result that carry gradients: of a ragged or sparse tensor, its values."""
    parts = parts_of(value)
    return [_operand(value)] if parts is None else parts


def _operand(value: Any) -> Tensor:
    return value._read() if isinstance(value, Variable) else convert_to_tensor(value)


def _converted(value: Any) -> Any:
    """The tensor of `value` if it acts as a variable, as Keras' variables do: the function then reads no variable."""
    return convert_to_tensor(value) if acts_as_variable(value) else value


def _accepts_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _recorded(outputs: tuple[Tensor, ...], inputs: Sequence[Tensor], pull: _Pull) -> tuple[Tensor, ...]:
    """The outputs of a new step, with the values `outputs` and the gradient `pull` for `inputs`."""
    answers = record(CUSTOM, outputs)
    custom = CustomCall(tuple(here.trace.slot_of(tensor) for tensor in inputs), pull)
    for tape in here.tapes:
        tape.customs[answers[0]._slot] = custom
    return answers


class _Pull:
    """Calls the user's gradient function on the cotangents. Its ops are recorded like all others."""

    def __init__(
        self,
        grad_fn: Callable[..., Any],
        arguments: Sequence[Any],
        variables: list[Variable],
        results: list[Any],
        outputs: Sequence[Aval],
    ) -> None:
        self._grad_fn = grad_fn
        self._counts = [1 if (parts := parts_of(each)) is None else len(parts) for each in arguments]
        self._variables = variables
        self._results = results if any(parts_of(each) is not None for each in results) else None
        self._outputs = outputs

    def __call__(self, trace: Trace, cotangents: Sequence[Dense | None]) -> list[Gradient | None]:
        upstream = [None if cotangent is None else trace.tensor(*cotangent) for cotangent in cotangents]
        given: Sequence[Any] = with_zeros(trace, upstream, self._outputs)
        given = given if self._results is None else in_structure(self._results, list(given))
        with watching():
            if self._variables:
                answer, of_variables = self._grad_fn(*given, variables=self._variables)
            else:
                answer, of_variables = self._grad_fn(*given), []
        gradients, of_variables = nest.flatten(answer), nest.flatten(of_variables)
        if len(gradients) != len(self._counts):
            raise ValueError(
                f"custom_gradient function expected to return {len(self._counts)} gradients, but returned "
                f"{len(gradients)} instead."
            )
        pairs = zip(gradients, self._counts, strict=True)
        gradients = [part for each, count in pairs for part in _parts_of_gradient(each, count)]
        if len(of_variables) != len(self._variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn: "
                f"{len(self._variables)} expected, got {len(of_variables)}."
            )
        return [_in_slots(trace, gradient) for gradient in (*gradients, *of_variables)]


def _parts_of_gradient(gradient: Any, count: int) -> list[Any]:
    parts = parts_of(gradient)
    return [gradient] * count if parts is None else parts


def _in_slots(trace: Trace, value: Any) -> Gradient | None:
    if value is None:
        return None
    if isinstance(value, IndexedSlices):
        aval = convert_to_tensor(value)._aval
        return Rows(_dense(trace, value.values), _dense(trace, value.indices), aval)
    return _dense(trace, value)


def _dense(trace: Trace, value: Any) -> Dense:
    tensor = convert_to_tensor(value)
    return Dense(trace.slot_of(tensor), tensor._aval)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the same results as `f`, which passes gradients to its arguments unchanged.

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
    """A function with the same results as `f`. It stores no intermediate values; its gradient computes `f` again.

    Source: TF 2.21 `tf.recompute_grad`.
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            again = _behind_barrier([_operand(value) for value in nest.flatten(args)])
            with GradientTape(watch_accessed_variables=False) as tape:
                sources = [x for x in again if differentiable(x._aval)]
                tape.watch(sources)
                tape.watch(list(variables))
                result = f(*nest.pack_sequence_as(args, again), **kwargs)
            weights = nest.pack_sequence_as(result, list(upstream))
            found = tape.gradient(result, [*sources, *variables], weights, UnconnectedGradients.ZERO)
            of_sources = iter(found[: len(sources)])
            gradients = [next(of_sources) if differentiable(x._aval) else None for x in again]
            return (gradients, found[len(sources) :]) if variables else gradients

        return f(*args, **kwargs), grad

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    return decorated


def _behind_barrier(tensors: list[Tensor]) -> list[Tensor]:
    """The same values, hidden from the compiler so that it computes their results again instead of reusing them."""
    return list(record(_BARRIER, tuple(tensors))) if tensors else []
