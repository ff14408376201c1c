"""Concrete functions that a program requests, `tf.function(f).get_concrete_function(...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OpError, UntraceableError
from tfcompat._core.system.location import is_raised_by_user
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import string
from tfcompat._function.arguments.argument_placeholder import is_open, values_to_trace
from tfcompat._function.arguments.object_type import Weakref
from tfcompat._function.arguments.signature import Call, entered
from tfcompat._function.functions.concrete import ConcreteFunction, Decorated
from tfcompat._function.functions.open_function import opened
from tfcompat._function.functions.untraced_function import UntracedFunction
from tfcompat._jaxpr.size import is_open as is_symbolic
from tfcompat._state.variable import VariableSpec


def requested(function: Decorated, weakly: Decorated, asked: Call) -> ConcreteFunction:
    """The concrete function for calls such as `asked`, whose arguments may have specs in place of tensors.

    `weakly` is `function` as traces hold it.
    """
    specs = [leaf for leaf in asked.flat if isinstance(leaf, TypeSpec)]
    if any(isinstance(spec, VariableSpec) for spec in specs):
        raise NotImplementedError(
            "tf.function's get_concrete_function: a VariableSpec is not supported; pass a variable of that type."
        )
    try:
        return _traced(function, weakly, asked, specs) if specs else function.traced(asked)
    except (ValueError, OpError, UntraceableError) as refused:
        # No image can be read from the empty string that stands for those of calls.
        has_texts = any(isinstance(spec, TensorSpec) and spec.dtype is string for spec in specs)
        if is_raised_by_user(refused) or not (has_texts or isinstance(refused, UntraceableError)):
            raise
        return UntracedFunction(weakly, (asked.args, asked.kwargs), str(refused))


def shown(known: ConcreteFunction, weakly: Decorated, request: Callable[[Call], ConcreteFunction]) -> ConcreteFunction:
    """`known`, or in its place a function that can be called alone.

    If the program of `known` finds sizes, that one runs the Python code of `weakly`. If it was traced for sizes of
    another trace, that one, which comes from `request`, is traced for any sizes.
    """
    if known.body.finds_sizes:
        reason = "it finds sizes that depend on data"
        return UntracedFunction(weakly, known.structured_input_signature, reason)
    return known if without_symbols(known.call) is known.call else request(known.call)


def without_symbols(call: Call) -> Call:
    """`call` with specs in place of tensors that belong to a trace with symbols."""
    if not any(map(_has_symbols, call.flat)):
        return call

    def of(value: Any) -> Any:
        if _has_symbols(value):
            return TensorSpec(value.shape, value.dtype)
        return value.deref() if isinstance(value, Weakref) else value

    return entered(*nest.map_structure(of, (call.args, call.kwargs)))


def _has_symbols(value: Any) -> bool:
    return isinstance(value, Tensor) and any(map(is_symbolic, value._aval.shape))


def _traced(function: Decorated, weakly: Decorated, asked: Call, specs: list[Any]) -> ConcreteFunction:
    """The traced function for `asked` with `specs` among its arguments. Raises UntraceableError if it can't be."""
    if strange := [spec for spec in specs if not isinstance(spec, TensorSpec)]:
        raise UntraceableError(f"{strange[0]!r} leaves the number of values open")
    arguments = asked.args, asked.kwargs
    if any(map(is_open, specs)):
        return opened(weakly, arguments)
    call = entered(*values_to_trace(arguments))
    found = function.traced(call)
    if all(spec.name is None for spec in specs):
        return found
    return ConcreteFunction(weakly, call, found.body, arguments)


def listed(
    asked: dict[Any, ConcreteFunction], known: dict[Any, ConcreteFunction], show: Callable[..., ConcreteFunction]
) -> list[ConcreteFunction]:
    """The traces of a function, one for each signature: those that were `asked` for, and others as `show` has them."""
    found = list(asked.values())
    # A function that was requested with open sizes has been traced for some size.
    bodies = {id(concrete.body) for concrete in found if not isinstance(concrete, UntracedFunction)}
    found += [show(each) for each in known.values() if id(each.body) not in bodies]
    return list({id(each): each for each in found}.values())
