"""Kernels that read and assign variables, which are passed as handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.gathering import gather, gather_nd
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._raw_ops.kernel import kernel
from tfcompat._state.handle import variable_of


def _reading(name: str, parameters: str, read: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel `name`: the result of `read` for the variable and other arguments."""

    def call(resource: Any, **given: Any) -> Any:
        return read(variable_of(name, resource), **given)

    call.__doc__ = "Reads a variable."
    return kernel(name, call, parameters)


def _assigning(name: str, method: str, delta: str, parameters: str = "resource") -> Callable[..., Any]:
    """The kernel `name`: calls the method of the variable, and returns None."""

    def call(resource: Any, **given: Any) -> None:
        getattr(variable_of(name, resource), method)(**given)

    call.__doc__ = "Assigns to a variable."
    return kernel(name, call, f"{parameters} {delta}")


def _scattering(mode: str) -> Callable[..., Any]:
    """The kernel that assigns rows of a variable, in the way `mode`."""
    name = f"ResourceScatter{mode.capitalize()}"

    def call(resource: Any, indices: Any, updates: Any) -> None:
        variable, places = variable_of(name, resource), convert_to_tensor(indices)
        values = convert_to_tensor(updates, variable.dtype)
        getattr(variable, f"scatter_{mode}")(IndexedSlices(values, places))

    call.__doc__ = "Assigns to rows of a variable."
    return kernel(name, call)


def _scattering_elements(mode: str) -> Callable[..., Any]:
    """The kernel that assigns elements or slices of a variable, in the way `mode`."""
    name = f"ResourceScatterNd{mode.capitalize()}"
    given = "indices updates use_locking:=True bad_indices_policy:!=''"
    return _assigning(name, f"scatter_nd_{mode}", given, "ref:resource")


def _value(variable: Any) -> Tensor:
    return variable.read_value()


AssignAddVariableOp = _assigning("AssignAddVariableOp", "assign_add", "value:delta")
AssignSubVariableOp = _assigning("AssignSubVariableOp", "assign_sub", "value:delta")
AssignVariableOp = _assigning("AssignVariableOp", "assign", "value validate_shape:=False")
ReadVariableOp = _reading("ReadVariableOp", "resource dtype:>", _value)
ResourceGather = _reading("ResourceGather", "resource indices dtype:> batch_dims=0 validate_indices:=True", gather)
ResourceGatherNd = _reading("ResourceGatherNd", "resource indices dtype:>", gather_nd)
ResourceScatterAdd = _scattering("add")
ResourceScatterDiv = _scattering("div")
ResourceScatterMax = _scattering("max")
ResourceScatterMin = _scattering("min")
ResourceScatterMul = _scattering("mul")
ResourceScatterNdAdd = _scattering_elements("add")
ResourceScatterNdMax = _scattering_elements("max")
ResourceScatterNdMin = _scattering_elements("min")
ResourceScatterNdSub = _scattering_elements("sub")
ResourceScatterNdUpdate = _scattering_elements("update")
ResourceScatterSub = _scattering("sub")
ResourceScatterUpdate = _scattering("update")
VarIsInitializedOp = _reading("VarIsInitializedOp", "resource", lambda variable: variable.is_initialized())
VariableShape = _reading("VariableShape", "input:resource out_type=tf.int32", shape)
