"""Names of type specs, by which files of models refer to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tfcompat._core.spec import TensorSpec
from tfcompat._data.dataset_spec import DatasetSpec
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

_NAME = re.compile(r"^(\w+\.)+\w+$")
by_name: dict[str, type[Any]] = {
    "tf.TensorSpec": TensorSpec,
    "tf.RaggedTensorSpec": RaggedTensorSpec,
    "tf.SparseTensorSpec": SparseTensorSpec,
    "tf.DatasetSpec": DatasetSpec,
}

by_class: dict[type[Any], str] = {spec: name for name, spec in by_name.items()}


def register(name: str) -> Callable[[type[Any]], type[Any]]:
    """A decorator that registers a class of type specs under `name`, such as "my_project.MySpec".

    Raises: ValueError if the name is not of this form, or is that of another class; TypeError if it is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.match(name):
        raise ValueError(f"Registered name must have the form '{{project_name}}.{{type_name}}'; got {name!r}.")

    def registered(spec: type[Any]) -> type[Any]:
        if by_name.setdefault(name, spec) is not spec:
            raise ValueError(f"Name {name} has already been registered for class {by_name[name].__qualname__}.")
        by_class[spec] = name
        return spec

    return registered


def get_name(cls: type[Any]) -> str:
    """The name of the class `cls` of type specs. Raises ValueError if it is not registered."""
    if cls in by_class:
        return by_class[cls]
    raise ValueError(f"TypeSpec {cls.__module__}.{cls.__qualname__} has not been registered.")


def lookup(name: str) -> type[Any]:
    """The class of type specs that is registered under `name`. Raises ValueError for an unknown name."""
    if name not in by_name:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return by_name[name]
