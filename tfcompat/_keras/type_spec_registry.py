"""Names of type specs, by which files of models refer to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._linear_operator.block import LinearOperatorBlockDiag, LinearOperatorKronecker
from tfcompat._linear_operator.block_triangular import LinearOperatorBlockLowerTriangular
from tfcompat._linear_operator.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from tfcompat._linear_operator.dense import LinearOperatorFullMatrix
from tfcompat._linear_operator.derived import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
    LinearOperatorLowerTriangular,
)
from tfcompat._linear_operator.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tfcompat._linear_operator.low_rank import LinearOperatorLowRankUpdate
from tfcompat._linear_operator.structured import (
    LinearOperatorHouseholder,
    LinearOperatorPermutation,
    LinearOperatorToeplitz,
    LinearOperatorTridiag,
)
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

_NAME = re.compile(r"^(\w+\.)+\w+$")
_OPERATORS: tuple[Any, ...] = (
    *(LinearOperatorAdjoint, LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular, LinearOperatorCirculant),
    *(LinearOperatorCirculant2D, LinearOperatorCirculant3D, LinearOperatorComposition, LinearOperatorDiag),
    *(LinearOperatorFullMatrix, LinearOperatorHouseholder, LinearOperatorIdentity, LinearOperatorInversion),
    *(LinearOperatorKronecker, LinearOperatorLowRankUpdate, LinearOperatorLowerTriangular, LinearOperatorPermutation),
    *(LinearOperatorScaledIdentity, LinearOperatorToeplitz, LinearOperatorTridiag, LinearOperatorZeros),
)
by_name: dict[str, type[Any]] = {
    "tf.TensorSpec": TensorSpec,
    "tf.RaggedTensorSpec": RaggedTensorSpec,
    "tf.SparseTensorSpec": SparseTensorSpec,
    "tf.DatasetSpec": DatasetSpec,
    **{f"tf.linalg.{kind._spec_class.__name__}": kind._spec_class for kind in _OPERATORS},
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
