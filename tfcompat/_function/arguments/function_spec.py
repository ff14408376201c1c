"""The parameters and options of a decorated function, as libraries read them: `tf.function(f).function_spec`."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from tfcompat._function.arguments.function_type import FunctionType


class FullArgSpec(NamedTuple):
    """The parameters of a Python function, as `inspect.FullArgSpec`; also a message of SavedModels."""

    args: list[str]
    varargs: str | None
    varkw: str | None
    defaults: tuple[Any, ...] | None
    kwonlyargs: list[str]
    kwonlydefaults: dict[str, Any] | None
    annotations: dict[str, Any]


class FunctionSpec(NamedTuple):
    """The parameters and the options of a decorated function.

    Source: TF 2.21, `FunctionSpec` of `tensorflow.python.eager.polymorphic_function.function_type_utils`.
    """

    function_type: FunctionType
    fullargspec: FullArgSpec
    arg_names: list[str]
    default_values: dict[str, Any]
    input_signature: Any
    is_pure: bool
    jit_compile: bool | None


def full_arguments(signature: inspect.Signature) -> FullArgSpec:
    """The parameters of a Python function, without annotations."""
    kind = inspect.Parameter
    listed = list(signature.parameters.values())
    plain = [p for p in listed if p.kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD)]
    only = [p for p in listed if p.kind is kind.KEYWORD_ONLY]
    defaults = tuple([p.default for p in plain if p.default is not kind.empty])
    return FullArgSpec(
        args=[p.name for p in plain],
        varargs=next((p.name for p in listed if p.kind is kind.VAR_POSITIONAL), None),
        varkw=next((p.name for p in listed if p.kind is kind.VAR_KEYWORD), None),
        defaults=defaults or None,
        kwonlyargs=[p.name for p in only],
        kwonlydefaults={p.name: p.default for p in only if p.default is not kind.empty} or None,
        annotations={},
    )


def spec_of(
    signature: inspect.Signature, function_type: FunctionType, input_signature: Any, jit_compile: bool | None
) -> FunctionSpec:
    """The spec of a function with this Python `signature`."""
    full = full_arguments(signature)
    given = {name: p.default for name, p in signature.parameters.items() if p.default is not p.empty}
    return FunctionSpec(function_type, full, full.args, given, input_signature, False, jit_compile)
