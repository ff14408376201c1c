"""Extension types as structures of elements: their tensors are components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfcompat._core.container import Container
from tfcompat._core.spec import TypeSpec
from tfcompat._extension.batchable import BatchableExtensionTypeSpec, has_own_encoder
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec

KINDS = (ExtensionType, ExtensionTypeSpec)


def _children(value: Any) -> list[Any]:
    leaves = value._parts()[1]
    if not leaves:
        raise NotImplementedError(
            f"tf.data.Dataset: the extension type {class_of(value).__name__} has no tensors; add one, or pass its "
            "fields as they are."
        )
    return leaves


def _rebuilt(like: Any, children: list[Any]) -> Any:
    """An instance of the class of `like` with the tensors `children`; its spec, if these are specs."""
    kind = class_of(like)
    found = kind.Spec if all(isinstance(child, TypeSpec) for child in children) else kind
    return found._of(like._parts()[0], children)


CONTAINER = Container(_children, _rebuilt)


def class_of(value: Any) -> Any:
    """The extension type of an instance, or that of a spec."""
    return value._of_class if isinstance(value, ExtensionTypeSpec) else type(value)


def are_alike(one: Any, other: Any) -> bool:
    """Whether two instances or specs differ in their tensors only."""
    return class_of(one) is class_of(other) and one._parts()[0] == other._parts()[0]


def require_rows(specs: Iterator[Any], method: str) -> None:
    """Raises unless instances of the types `specs` can be batched, which `method` does or undoes.

    Raises: AttributeError for a type that is not batchable; NotImplementedError for one with an encoder of its own.
    """
    for spec in specs:
        name = spec.value_type.__name__
        if not isinstance(spec, BatchableExtensionTypeSpec):
            raise AttributeError(
                f"{method}: {name} cannot be batched: derive it from tf.experimental.BatchableExtensionType."
            )
        if has_own_encoder(spec):
            raise NotImplementedError(
                f"{method}: {name} has a __batch_encoder__ of its own, which tf.data does not use; map it to tensors."
            )
