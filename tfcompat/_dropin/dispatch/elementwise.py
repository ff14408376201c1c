"""Handlers for all elementwise functions at once, and the removal of handlers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfcompat._dropin.dispatch.annotation import checker
from tfcompat._dropin.dispatch.api import dispatch_for_api, withdraw
from tfcompat._ops.elementwise import algebraic, rounding
from tfcompat._ops.image import adjustment, stateless
from tfcompat._ops.image import dtype as image_dtype
from tfcompat._ops.network import loss
from tfcompat._ops.ragged import elementwise as ragged
from tfcompat._ops.random import dropout
from tfcompat._ops.text import bucket, element, number, raw, script, substitution, unicode
from tfcompat._random import image
from tfcompat._state.scope import name_scope

Function = Callable[..., Any]

# The elementwise functions of ragged tensors, except two that TensorFlow does not count, and further functions that map
# the elements of their first argument.
UNARY: tuple[Function, ...] = (
    *(each for each in ragged.UNARY if each not in (rounding.bitcast, dropout.stateless_dropout)),
    algebraic.nextafter,
    *(substitution.regex_full_match, substitution.regex_replace),
    *(element.length, element.substr, element.lower, element.upper, element.strip),
    *(number.to_number, number.as_string, raw.decode_base64, raw.encode_base64, unicode.unicode_transcode),
    *(bucket.to_hash_bucket, bucket.to_hash_bucket_fast, bucket.to_hash_bucket_strong, script.unicode_script),
    *(image.random_brightness, stateless.stateless_random_brightness),
    *(adjustment.adjust_brightness, adjustment.adjust_gamma, image_dtype.convert_image_dtype),
)  # fmt: skip
_PUBLIC_PAIR = {
    loss._sigmoid_cross_entropy: loss.sigmoid_cross_entropy_with_logits,
    algebraic.product_no_nan: algebraic.multiply_no_nan,
}
BINARY: tuple[Function, ...] = (
    *(_PUBLIC_PAIR.get(each, each) for each in ragged.BINARY if each is not algebraic.nextafter),
    algebraic.truediv,
)
ASSERT: tuple[Function, ...] = ragged.ASSERT


class _Kind(NamedTuple):
    """A kind of functions: its name, and the functions."""

    title: str
    functions: Sequence[Function]


_UNARY = _Kind("unary elementwise", UNARY)
_BINARY = _Kind("binary elementwise", BINARY)
_ASSERT = _Kind("binary elementwise assert", ASSERT)

# (Kind, operand types) -> the handler, and the functions that were registered with `dispatch_for_api` for it.
_handlers: dict[tuple[str, tuple[Any, ...]], tuple[Function, list[Function]]] = {}


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Function], Function]:
    """A decorator of `handler(api, x)`, which replaces all unary elementwise functions of an `x` of type `x_type`.

    `api` is the function of its first argument; its other arguments are bound. `x_type` is an annotation as in
    `tf.experimental.dispatch_for_api`.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if `x_type` already has a handler, or is not such an annotation.
    Source: TF 2.21 `tf.experimental.dispatch_for_unary_elementwise_apis`.
    """
    return _registering(_UNARY, (x_type,), str(x_type))


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Function], Function]:
    """A decorator of `handler(api, x, y)`, for all binary elementwise functions of an `x_type` and a `y_type`.

    `api` is the function of its first two arguments; its other arguments are bound.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if the two types already have a handler, or are not annotations.
    Source: TF 2.21 `tf.experimental.dispatch_for_binary_elementwise_apis`.
    """
    return _registering(_BINARY, (x_type, y_type), f"({x_type}, {y_type})")


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Function], Function]:
    """A decorator of `handler(assertion, x, y)`, for all assertions that compare an `x_type` with a `y_type`.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if the two types already have a handler, or are not annotations.
    Source: TF 2.21 `tf.experimental.dispatch_for_binary_elementwise_assert_apis`.
    """
    return _registering(_ASSERT, (x_type, y_type), f"({x_type}, {y_type})")


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Removes a handler that was registered with a `tf.experimental.dispatch_for_*` decorator.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if `dispatch_target` is not registered.
    Source: TF 2.21 `tf.experimental.unregister_dispatch_for`.
    """
    is_found = withdraw(dispatch_target)
    for key in [key for key, (handler, _) in _handlers.items() if handler is dispatch_target]:
        for answering in _handlers.pop(key)[1]:
            withdraw(answering)
        is_found = True
    if not is_found:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")


def _registering(kind: _Kind, types: tuple[Any, ...], shown: str) -> Callable[[Function], Function]:
    key = (kind.title, types)

    def register(handler: Function) -> Function:
        if key in _handlers:
            raise ValueError(
                f"A {kind.title} dispatch handler ({_handlers[key][0]}) has already been registered for {shown}."
            )
        for annotation in types:
            checker(annotation)
        _handlers[key] = (handler, [_answering(api, types, handler) for api in kind.functions])
        return handler

    return register


def _answering(api: Function, types: tuple[Any, ...], handler: Function) -> Function:
    """Registers a function that calls `handler` with the function `api` and its operands, and returns it."""
    names = list(inspect.signature(api).parameters)
    leading = names[: len(types)]
    is_whole = {*names} == {*leading, "name"}

    def answer(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | kwargs
        operands = [given.pop(name, None) for name in leading]
        scope = given.pop("name", None)
        function = api if is_whole else lambda *values: api(*values, **given)
        if scope is None:
            return handler(function, *operands)
        with name_scope(scope):
            return handler(function, *operands)

    answer.__name__ = answer.__qualname__ = f"elementwise_dispatch_target_for_{api.__name__}"
    return dispatch_for_api(api, dict(zip(leading, types, strict=True)))(answer)
