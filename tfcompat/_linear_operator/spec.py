"""The type specs of linear operators, which make them composite tensors.

The components of an operator are the arguments of its constructor that are tensors, variables or operators, alone or in
a sequence; all other arguments are part of the spec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._extension.library_spec import LibraryTypeSpec, rebuilt
from tfcompat._linear_operator.operator import HINTS, LinearOperator
from tfcompat._ops.array.creation import zeros
from tfcompat._state.variable import Variable, VariableSpec

_Kind = TypeVar("_Kind", bound=type[Any])


class LinearOperatorSpec(LibraryTypeSpec):
    """The type of a linear operator.

    Source: TF 2.21, `_LinearOperatorSpec` of `tensorflow.python.ops.linalg.linear_operator`.
    """

    def __init__(
        self, param_specs: dict[str, Any], non_tensor_params: dict[str, Any], prefer_static_fields: Sequence[str]
    ) -> None:
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = tuple(prefer_static_fields)

    @property
    def value_type(self) -> Any:
        """The class of the operators. The spec of each class overrides it."""
        return LinearOperator

    @classmethod
    def from_operator(cls, operator: Any) -> Any:
        """The spec of `operator`. Raises NotImplementedError if an argument has tensors and other values."""
        specs: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name in (*operator._composite_tensor_fields, *HINTS):
            argument = _argument_of(operator, name)
            described = nest.map_structure(_described, argument)
            are_specs = [isinstance(part, (TypeSpec, VariableSpec)) for part in nest.flatten(described)]
            if all(are_specs):
                specs[name] = described
            elif not any(are_specs):
                others[name] = argument
            else:
                raise NotImplementedError(f"Field {name} contains a mix of `Tensor` and  non-`Tensor` values.")
        return cls(specs, others, operator._composite_tensor_prefer_static_fields)

    @property
    def _component_specs(self) -> Any:
        return self._param_specs

    def _to_components(self, value: Any) -> Any:
        return {name: _argument_of(value, name) for name in self._param_specs}

    def _from_components(self, components: Any) -> Any:
        return self.value_type(**self._non_tensor_params, **components)

    def _serialize(self) -> tuple[Any, ...]:
        return self._param_specs, self._non_tensor_params, self._prefer_static_fields


def composite(cls: _Kind) -> _Kind:
    """`cls`, a class of linear operators, as a class of composite tensors. Subclasses keep its spec."""
    spec = type(f"{cls.__name__}Spec", (LinearOperatorSpec,), {"value_type": cls, "__module__": cls.__module__})
    kind: Any = cls
    kind._type_spec = property(spec.from_operator)
    kind._spec_class = spec
    kind._flatten_composite = _flattened
    kind._unflatten_composite = classmethod(_unflattened)
    kind._plain = _plain
    kind._is_tensor = False
    kind._gradient_parts = _parts
    kind._with_gradients = _with_gradients
    return cls


def _argument_of(operator: Any, name: str) -> Any:
    """The argument `name` of the constructor. A static argument whose value is known is a Python value.

    Raises: ValueError if the operator doesn't hold it.
    """
    held = next((key for key in (name, f"_{name}") if hasattr(operator, key)), None)
    if held is None and name not in operator.parameters:
        raise ValueError(f"Could not determine an appropriate value for field `{name}` in object `{operator}`.")
    found: Any = operator.parameters[name] if held is None else getattr(operator, held)
    if name in operator._composite_tensor_prefer_static_fields and isinstance(found, Tensor):
        found = found if found._is_symbolic() else found.numpy()
    return found.tolist() if isinstance(found, (np.ndarray, np.generic)) else found


def _described(part: Any) -> Any:
    """The spec of a tensor, a variable or an operator; any other value as it is."""
    if isinstance(part, Variable):
        return VariableSpec(part.shape, part.dtype, part.trainable)
    if isinstance(part, Tensor):
        return TensorSpec(part.shape, part.dtype)
    return part._type_spec if is_composite(type(part)) else part  # pyright: ignore[reportAttributeAccessIssue]


def _flattened(self: Any) -> list[Any]:
    return nest.flatten(self._type_spec._to_components(self))


def _unflattened(cls: type[Any], spec: Any, leaves: list[Any]) -> Any:
    del cls
    return rebuilt(spec, leaves)


def _plain(self: Any) -> Any:
    return self._type_spec


def _parts(self: Any) -> list[Any]:
    return nest.flatten(self, expand_composites=True)


def _with_gradients(self: Any, gradients: Sequence[Any]) -> Any:
    filled = [
        zeros(part.shape, self.dtype) if gradient is None else gradient
        for part, gradient in zip(_parts(self), gradients, strict=True)
    ]
    return nest.packed(self, filled, expand_composites=True)
