"""Placeholders for arguments: for tracing without values, and for storing arguments without keeping them alive."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import CompositeSpec, TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.types import nest
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.container import container_of, is_mapping, is_namedtuple, sorted_keys
from tfcompat._core.types.dtype import string
from tfcompat._function.arguments.object_type import Literal, Weakref, type_of_object
from tfcompat._function.arguments.trace_type import VariableSpec
from tfcompat._state.variable import Variable


def placeholders_of(arguments: Any) -> Any:
    """`arguments` with each tensor replaced by a placeholder, and each object by a `Weakref`."""

    def of(value: Any) -> Any:
        if isinstance(value, Tensor):
            # The value of a string is part of the trace.
            return _placeholder(value._aval.shape, value.dtype) if value._aval.struct is not None else value
        if isinstance(value, (Variable, TensorSpec)):
            return value
        kind = type_of_object(value)
        return kind if isinstance(kind, Weakref) else value

    def of_argument(value: Any) -> Any:
        parts = getattr(value, "_with_parts", None)
        return nest.map_structure(of, value, expand_composites=True) if parts is None else parts(placeholders_of)

    return nest.map_structure(of_argument, arguments)


def values_to_trace(arguments: Any, size: int | None = None, step: int = 0) -> Any:
    """The values to trace with for `arguments` that are placeholders or specs.

    The open dimension of axis k becomes `size + k * step`.
    """

    def of(value: Any) -> Any:
        if isinstance(value, TensorSpec):
            sizes = itertools.repeat(size) if size is None else itertools.count(size, step)
            dims: list[Any] = [open if dim is None else dim for dim, open in zip(value.shape, sizes, strict=False)]
            # Strings are on the host, and each value has its own trace.
            return Tensor(np.full(dims, b"", object)) if value.dtype is string else _placeholder(dims, value.dtype)
        return value.deref() if isinstance(value, Weakref) else value

    def of_argument(value: Any) -> Any:
        # No trace has values of the specs of composites: their components decide shapes.
        is_kept = isinstance(value, CompositeSpec)
        return value if is_kept else nest.map_structure(of, value, expand_composites=True)

    return nest.map_structure(of_argument, arguments)


def _placeholder(shape: Any, dtype: Any) -> Tensor:
    """A tensor of `shape` without a value."""
    return pending(None, -1, aval_of(tuple(shape), dtype))


def is_open(spec: TensorSpec) -> bool:
    """Whether the tensors that `spec` describes need several traces."""
    return spec.dtype is string or not spec.shape.is_fully_defined()


def arguments_of(types: Any, values: Iterable[Any]) -> Any:
    """Arguments of `types`, with `values` in place of tensors and variables."""
    given = iter(values)

    def of(kind: Any) -> Any:
        if isinstance(kind, (TensorSpec, VariableSpec)):
            return next(given)
        if isinstance(kind, TypeSpec):
            raise NotImplementedError(
                f"tf.types.experimental.ConcreteFunction: the parts of a {kind.value_type.__name__} can't be passed "
                "one by one; pass it as one argument."
            )
        return kind.deref() if isinstance(kind, Weakref) else kind.value

    return nest.map_structure(of, types, expand_composites=True)


def shown_to_user(name: str, kind: Any) -> Any:
    """The type `kind` of the parameter `name` as users see it. Unnamed specs are named by `name` and their place."""
    if isinstance(kind, TensorSpec):
        return TensorSpec(kind.shape, kind.dtype, kind.name or name)
    if isinstance(kind, Literal):
        return kind.value
    if isinstance(kind, Weakref):
        return kind.deref()
    container = container_of(type(kind))
    if container is None:
        return kind
    children = list(container.children(kind))
    keyed = zip(keys_of(kind, len(children)), children, strict=True)
    return container.rebuild(kind, [shown_to_user(f"{name}_{key}", child) for key, child in keyed])


def keys_of(container: Any, count: int) -> Iterable[Any]:
    """The keys, the names or the numbers of the `count` children of `container`."""
    if is_mapping(type(container)):
        return sorted_keys(container)
    return container._fields if is_namedtuple(type(container)) else range(count)


def tensor_names(types: dict[str, Any]) -> list[str]:
    """Unique names for the tensors and variables among arguments: the spec's or the parameter's, with a number."""
    names: list[str] = []
    for parameter, kind in types.items():
        for leaf in nest.flatten(kind, expand_composites=True):
            if isinstance(leaf, (TensorSpec, VariableSpec)):
                names.append(_unused(getattr(leaf, "name", None) or parameter, names))
    return names


def _unused(name: str, names: list[str]) -> str:
    others = (f"{name}_{k}" for k in itertools.count(1))
    return next(one for one in itertools.chain([name], others) if one not in names)
