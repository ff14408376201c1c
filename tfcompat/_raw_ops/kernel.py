"""Declaration of kernels by the function that computes them and TensorFlow's parameter names.

    MatMul = kernel("MatMul", matmul, "a b transpose_a=False transpose_b=False grad_a:=False grad_b:=False")

A parameter is written `name`, `name=default`, or, with the function's own name for it, `name:own` or
`name:own=default`. A parameter without an effect is `name:=default`; one that supports only its default,
`name:!=default`; a dtype that the result must have, `name:>=default`. A string as a default needs its quotes, and must
not contain spaces. Without this list, the parameters are those of the function.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import as_dtype

Function = Callable[..., Any]

_SIGNS = ("", "!", ">")
_REQUIRED = inspect.Parameter.empty
_SOURCE = re.compile(r"^\s*Source: TF 2\.21 `(tf\.[\w.]+)`", re.MULTILINE)


class _Parameter(NamedTuple):
    """A parameter: TensorFlow's name, the function's own name or one of the signs "", "!" and ">", and the default."""

    name: str
    own: str
    default: Any


def kernel(name: str, function: Function, parameters: str | None = None, *, outputs: str = "", **more: Any) -> Function:
    """The kernel `name`, computed by `function` with the arguments `more`; takes keyword arguments only.

    `outputs` gives the names of the outputs in a tuple, which become its fields.
    """
    listed = _own_parameters(function) if parameters is None else [_parameter(text) for text in parameters.split()]
    by_name = {parameter.name: parameter for parameter in listed}
    fields = namedtuple(name, outputs)._make if outputs else None  # pyright: ignore[reportUntypedNamedTuple]

    def call(**given: Any) -> Any:
        given.pop("name", None)
        arguments, wanted = dict(more), None
        for key, own, default in listed:
            value = given.pop(key, default)
            if value is _REQUIRED:
                raise TypeError(f"tf.raw_ops.{name}: missing the required argument {key!r}.")
            if own == "!" and value != default:
                raise NotImplementedError(f"tf.raw_ops.{name}: {key} must be {default!r}, got {value!r}.")
            if own == ">":
                wanted = as_dtype(value)
            elif own not in _SIGNS:
                arguments[own] = value
        if given:
            raise TypeError(f"tf.raw_ops.{name}: got an unexpected keyword argument {next(iter(given))!r}.")
        answer = function(**arguments)
        if wanted is not None and answer.dtype is not wanted:
            raise InvalidArgumentError.of(f"tf.raw_ops.{name}: the answer is {answer.dtype.name}, not {wanted.name}.")
        return answer if fields is None else fields(answer)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _documentation(name, function)
    kind = inspect.Parameter.KEYWORD_ONLY
    shown = [inspect.Parameter(key, kind, default=parameter.default) for key, parameter in by_name.items()]
    named = inspect.Parameter("name", kind, default=None)
    vars(call)["__signature__"] = inspect.Signature([*shown, named])
    return call


def _own_parameters(function: Function) -> list[_Parameter]:
    """The parameters of `function`, except `name`."""
    listed = inspect.signature(function).parameters.values()
    return [_Parameter(each.name, each.name, each.default) for each in listed if each.name != "name"]


def _parameter(text: str) -> _Parameter:
    head, _, default = text.partition("=")
    name, colon, own = head.partition(":")
    return _Parameter(name, own if colon else name, _default(default))


def _default(text: str) -> Any:
    if not text:
        return _REQUIRED
    return as_dtype(text.removeprefix("tf.")) if text.startswith("tf.") else ast.literal_eval(text)


def _documentation(name: str, function: Function) -> str:
    text = inspect.getdoc(function) or ""
    source = _SOURCE.search(text)
    wanted = f"those of `{source[1]}`" if source else "those of its arguments"
    first = f"`{source[1]}`" if source else text.partition("\n")[0].removesuffix(".")
    entries = f"Shapes: {wanted}.\nDtypes: {wanted}.\nSource: TF 2.21 `tf.raw_ops.{name}`."
    return f"{first}, with the keyword arguments of a kernel.\n\n{entries}"
