"""Tensors on a mesh as text: the part on each device, and the layout."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.tensor import Tensor, display
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._mesh.transfer import layout_or_none, unpack
from tfcompat._ops.debugging.printing import summary

# The number of elements that are printed at each end of an axis.
_ENDS = 3


def described(tensor: Tensor) -> str | None:
    """The value and the layout of a tensor with a value; None if it is not on a mesh."""
    layout = layout_or_none(tensor)
    if layout is None:
        return None
    parts = [summary(part, _ENDS) for part in unpack(tensor)]
    if layout.is_fully_replicated():
        return f'{parts[0]}, layout="{layout.to_string()}"'
    names = [_short(device) for device in layout.mesh.local_devices()]
    shown = ", ".join(f'"{name}": {part}' for name, part in zip(names, parts, strict=True))
    return f'{{{shown}}}, layout="{layout.to_string()}"'


def _short(device: str) -> Any:
    spec = DeviceSpec.from_string(device)
    return f"{spec.device_type}:{spec.device_index}"


def use() -> None:
    """Shows tensors on meshes by `described` from now on."""
    display.described = described
