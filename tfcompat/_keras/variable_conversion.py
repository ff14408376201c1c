"""Variables in structures, replaced by their values."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types import nest
from tfcompat._keras.behaviour import is_resource_variable


def convert_variables_to_tensors(values: Any) -> Any:
    """The structure `values` with the values of its variables, also of those in composite tensors.

    Source: TF 2.21, `convert_variables_to_tensors` of `tensorflow.python.util.variable_utils`.
    """
    return nest.map_structure(_converted, values)


def _converted(value: Any) -> Any:
    if is_resource_variable(value):
        return convert_to_tensor(value)
    return value._convert_variables_to_tensors() if hasattr(value, "_convert_variables_to_tensors") else value
