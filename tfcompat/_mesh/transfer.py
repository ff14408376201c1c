"""Tensors on a mesh: `copy_to_mesh`, `relayout`, `pack`, `unpack` and their layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.structure.sharding import moved, placed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InternalError, InvalidArgumentError, UnimplementedError
from tfcompat._core.tracing.trace import here
from tfcompat._mesh.layout import MATCH, Layout, layout_of
from tfcompat._ops.sharding import shard_like
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._state.cell import Cell


def layout_or_none(tensor: Any) -> Layout | None:
    """The layout of a tensor or variable with a value; None if it is not on a mesh."""
    held = tensor._tensor if isinstance(tensor, Cell) else tensor
    array = held._value()
    sharding = array.sharding if isinstance(array, jax.Array) else None
    if not isinstance(sharding, NamedSharding):
        return None
    layout = layout_of(sharding, array.ndim)
    if any(isinstance(part, tuple) and len(part) > 1 for part in sharding.spec):
        held._array = moved(array, layout._sharding())
    return layout


def is_dtensor(tensor: Any) -> bool:
    """Whether `tensor` is a tensor or a variable on a mesh.

    Raises: RuntimeError in a function that is being traced.
    Source: TF 2.21 `tf.experimental.dtensor.is_dtensor`.
    """
    _require_eager("is_dtensor")
    return isinstance(tensor, (Tensor, Cell)) and layout_or_none(tensor) is not None


def fetch_layout(tensor: Any) -> Layout | None:
    """The layout of `tensor`, a tensor or variable on a mesh; None for other values.

    Raises: InvalidArgumentError if it is not on a mesh; RuntimeError in a function that is being traced.
    Source: TF 2.21 `tf.experimental.dtensor.fetch_layout`.
    """
    _require_eager("fetch_layout")
    if not is_tensor(tensor):
        return None
    found = layout_or_none(tensor) if isinstance(tensor, (Tensor, Cell)) else None
    if found is None:
        raise InvalidArgumentError.of("FetchLayout expects a tensor placed on the layout device.")
    return found


def check_layout(tensor: Any, layout: Layout) -> None:
    """Raises ValueError unless `tensor` has `layout`. Raises further what `fetch_layout` raises.

    Source: TF 2.21 `tf.experimental.dtensor.check_layout`.
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(f"Layout of tensor: {found}, did not match expected layout: {layout}")


def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """The same as `relayout(tensor, layout)`.

    Shapes: [*dims] -> same.
    Dtypes: any except string -> same.
    Raises: as `relayout`.
    Source: TF 2.21 `tf.experimental.dtensor.copy_to_mesh`.
    """
    del source_layout
    return relayout(tensor, layout)


def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Tensor:
    """`tensor` with another `layout`; with `MATCH` an axis keeps the one that it has.

    Shapes: [*dims] -> same.
    Dtypes: any except string -> same.
    Gradient: that of the identity.
    Raises: UnknownError if the ranks differ, or if the number of parts does not divide a size; NotImplementedError for
      strings.
    Source: TF 2.21 `tf.experimental.dtensor.relayout`.
    """
    del name
    source = convert_to_tensor(tensor)
    if MATCH in layout.sharding_specs and not source._is_symbolic():
        before = layout_or_none(source) or Layout.replicated(layout.mesh, source.ndim)
        specs = zip(layout.sharding_specs, before.sharding_specs, strict=False)
        layout = Layout([old if new == MATCH else new for new, old in specs], layout.mesh)
    return layout._placed(source)


def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Tensor:
    """`tensor` with the layout of `layout_tensor`.

    Shapes: [*dims] -> same; in a function that is being traced `layout_tensor` must have the same shape.
    Dtypes: any except string -> same.
    Gradient: that of the identity for `tensor`.
    Raises: InvalidArgumentError if `layout_tensor` is not on a mesh; as `relayout`.
    Source: TF 2.21 `tf.experimental.dtensor.relayout_like`.
    """
    other = convert_to_tensor(layout_tensor)
    if other._is_symbolic():
        return shard_like(convert_to_tensor(tensor), other)
    layout = fetch_layout(other)
    assert layout is not None
    return relayout(tensor, layout, name)


def pack(tensors: Sequence[Any], layout: Layout) -> Tensor:
    """The tensor with `layout` whose parts on the devices of the mesh, in their order, are `tensors`.

    Shapes: for each device [*part] -> [*dims].
    Dtypes: any except string -> same.
    Raises: InvalidArgumentError for another number of tensors than devices, for another rank than that of `layout`, or
      for tensors on a mesh; UnimplementedError, InternalError for parts of different shapes, dtypes; RuntimeError in a
      function that is being traced; NotImplementedError for sparse tensors and strings.
    Source: TF 2.21 `tf.experimental.dtensor.pack`.
    """
    _require_eager("pack")
    mesh = layout.mesh
    if any(isinstance(tensor, SparseTensor) for tensor in tensors):
        raise NotImplementedError(
            "tf.experimental.dtensor.pack: sparse tensors have no layouts; use tf.sparse.to_dense."
        )
    parts = [convert_to_tensor(tensor) for tensor in tensors]
    if len(parts) != mesh.num_local_devices():
        raise InvalidArgumentError.of(
            f"tf.experimental.dtensor.pack: the mesh has {mesh.num_local_devices()} devices, got {len(parts)} tensors."
        )
    if any(layout_or_none(part) is not None for part in parts):
        raise InvalidArgumentError.of("Does not support packing a Tensor that is already on dtensor device")
    first = parts[0]
    if any(part.dtype is not first.dtype for part in parts):
        raise InternalError.of("Components of a PackedTensor must all have the same dtype")
    if any(part._aval.shape != first._aval.shape for part in parts):
        raise UnimplementedError.of("Components of a PackedTensor must currently all have the same shape")
    if first.ndim != layout.rank:
        raise InvalidArgumentError.of(
            "Packed layout should have the same rank as the rank for each component. The rank of each component is: "
            f"{first.ndim}, while layout has rank: {layout.rank}"
        )
    shape = layout.global_shape_from_local_shape(first._aval.shape)
    sharding = layout._sharding()
    placed.is_used = True
    with jax.enable_x64(True):
        arrays = [
            jax.device_put(np.asarray(part), device)
            for part, device in zip(parts, mesh._on_jax.devices.ravel(), strict=True)
        ]
        return Tensor(jax.make_array_from_single_device_arrays(shape, sharding, arrays))


def unpack(tensor: Any) -> list[Tensor]:
    """The parts of `tensor` on the devices of its mesh, in their order.

    Shapes: [*dims] -> for each device [*part].
    Dtypes: any -> same.
    Raises: TypeError unless `tensor` is a tensor; InvalidArgumentError if it is not on a mesh; RuntimeError in a
      function that is being traced.
    Source: TF 2.21 `tf.experimental.dtensor.unpack`.
    """
    _require_eager("unpack")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Expecting a Tensor, got {type(tensor)}")
    if layout_or_none(tensor) is None:
        raise InvalidArgumentError.of("DTensorUnpack expects a tensor placed on the DTensor device")
    array = tensor._value()
    parts = {shard.device: shard.data for shard in array.addressable_shards}
    return [_alone(parts[device], device) for device in array.sharding.mesh.devices.ravel()]


def _alone(part: Any, device: Any) -> Tensor:
    """`part` as a tensor on `device`, from which programs may take it to others."""
    with jax.enable_x64(True), jax.default_device(device):
        return Tensor(jax.device_put(np.asarray(part)))


def _require_eager(name: str) -> None:
    if here.graph is not None:
        raise RuntimeError(f"`{name}` must be called eagerly.")
