"""`tf.experimental.dtensor.Layout`: the dimensions of a mesh that the axes of a tensor are divided along."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from jax.sharding import NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnknownError
from tfcompat._dropin.placement import device_of
from tfcompat._jaxpr.size import has_symbols
from tfcompat._mesh.mesh import Mesh, meshes, text_of
from tfcompat._ops.sharding import shard_tensor

UNSHARDED = "unsharded"
MATCH = "match"
_STATIC, _PARTED, _SINGLE, _MESH = "sharding_specs:", "parted:", "maximal:true", " mesh:"


class LayoutType(enum.Enum):
    """The kind of a layout. Source: TF 2.21 `tf.experimental.dtensor.Layout.type`."""

    EMPTY = 0
    STATIC = 1
    SINGLE_DEVICE = 2
    PARTED = 3


class Layout:
    """For each axis of a tensor, the dimension of a mesh that divides it, or `UNSHARDED`.

    Args:
      sharding_specs: the names of dimensions of the mesh, `UNSHARDED`, or, for `relayout`, `MATCH`: as before.
      mesh: the mesh.

    Raises: ValueError unless `mesh` is a mesh with these dimensions, and if a dimension occurs twice; TypeError for a
      name that is not a text.
    Source: TF 2.21 `tf.experimental.dtensor.Layout`.
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        specs = list(map(text_of, sharding_specs))
        for spec in specs:
            if spec in (UNSHARDED, MATCH):
                continue
            if specs.count(spec) > 1:
                raise ValueError(
                    f"Mesh dimension {spec} was repeated in sharding specification {sharding_specs}. Mesh dimensions "
                    "must be unique in a layout."
                )
            if spec not in mesh:
                raise ValueError(f"{spec}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
        self._specs = tuple(specs)
        self._mesh = mesh
        self._type = LayoutType.STATIC

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """The layout of a tensor of `rank` that is whole on every device."""
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """The layout whose `axis` is divided along `batch_dim`. Raises RuntimeError if the mesh has no `batch_dim`."""
        if batch_dim not in mesh:
            raise RuntimeError(f"sharding spec ({batch_dim}) refers to mesh dimension not contained in mesh {mesh}")
        return cls([batch_dim if k == axis else UNSHARDED for k in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """The layout whose last axis is divided along `inner_dim`."""
        return cls.batch_sharded(mesh, inner_dim, rank, axis=rank - 1)

    @classmethod
    def from_single_device_mesh(cls, mesh: Mesh) -> Layout:
        """The layout on the device of a mesh made by `Mesh.from_device`. Raises ValueError for other meshes."""
        if not mesh.is_single_device():
            raise ValueError("type is single device, but mesh is not single device")
        layout = cls([], mesh)
        layout._type = LayoutType.SINGLE_DEVICE
        return layout

    @classmethod
    def from_device(cls, device: str) -> Layout:
        """The layout on one `device`."""
        return cls.from_single_device_mesh(Mesh.from_device(device))

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """The layout that `to_string` describes as `layout_str`. Raises ValueError if none does."""
        head, found, mesh = layout_str.partition(_MESH)
        if not found:
            raise ValueError(f"Expected 2 items but found 1{layout_str}")
        head = head.strip().removesuffix(",")
        if head == _SINGLE:
            return cls.from_single_device_mesh(Mesh.from_string(mesh))
        start = next((start for start in (_STATIC, _PARTED) if head.startswith(start)), None)
        if start is None:
            raise ValueError(f"Unknown layout type: {layout_str}")
        layout = cls([spec for spec in head.removeprefix(start).split(",") if spec], Mesh.from_string(mesh))
        return layout.to_parted() if start == _PARTED else layout

    @classmethod
    def from_proto(cls, layout_proto: Any) -> NoReturn:
        """Raises NotImplementedError."""
        del cls, layout_proto
        raise NotImplementedError("tf.experimental.dtensor.Layout.from_proto: use from_string.")

    def as_proto(self) -> NoReturn:
        """Raises NotImplementedError."""
        raise NotImplementedError("tf.experimental.dtensor.Layout.as_proto: use to_string.")

    def to_string(self) -> str:
        """The layout and its mesh as text."""
        if self._type is LayoutType.SINGLE_DEVICE:
            return f"{_SINGLE},{_MESH}{self._mesh.to_string()}"
        start = _PARTED if self._type is LayoutType.PARTED else _STATIC
        specs = f"{','.join(self._specs)}," if self._specs else ""
        return f"{start}{specs}{_MESH}{self._mesh.to_string()}"

    def to_parted(self) -> Layout:
        """This layout, marked as one whose axes are independent."""
        layout = Layout(self._specs, self._mesh)
        layout._type = LayoutType.PARTED
        return layout

    @property
    def type(self) -> LayoutType:
        """The kind of the layout."""
        return self._type

    @property
    def sharding_specs(self) -> list[str]:
        """The dimension of the mesh for each axis."""
        return list(self._specs)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def shape(self) -> list[int]:
        """The shape of the mesh."""
        return self._mesh.shape()

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._specs)

    def num_shards(self, idx: int) -> int:
        """The number of parts that axis `idx` is divided into."""
        spec = self._specs[idx]
        return self._mesh.dim_size(spec) if spec in self._mesh else 1

    def is_fully_replicated(self) -> bool:
        """Whether a tensor is whole on every device."""
        return self._type is not LayoutType.SINGLE_DEVICE and all(spec == UNSHARDED for spec in self._specs)

    def is_batch_parallel(self) -> bool:
        """Whether the first axis is divided, and no other one."""
        is_divided = [spec != UNSHARDED for spec in self._specs]
        return is_divided[:1] == [True] and not any(is_divided[1:])

    def is_single_device(self) -> bool:
        """Whether it was made by `from_device`."""
        return self._type is LayoutType.SINGLE_DEVICE

    def delete(self, dims: int | list[int]) -> Layout:
        """The layout without the axes `dims`."""
        dropped = dims if isinstance(dims, list) else [dims]
        return Layout([spec for k, spec in enumerate(self._specs) if k not in dropped], self._mesh)

    def local_shape_from_global_shape(self, global_shape: Iterable[Any]) -> tuple[int, ...]:
        """The shape of the part of a tensor of `global_shape` that a device holds."""
        return tuple([int(size) // self.num_shards(k) for k, size in zip(range(self.rank), global_shape, strict=False)])

    def global_shape_from_local_shape(self, local_shape: Iterable[Any]) -> tuple[int, ...]:
        """The shape of the tensor of which each device holds a part of `local_shape`."""
        return tuple([int(size) * self.num_shards(k) for k, size in zip(range(self.rank), local_shape, strict=False)])

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """For each device, the number of its part along each axis."""
        places = self._mesh.unravel_index().values()
        return [tuple([place.get(spec, 0) for spec in self._specs]) for place in places]

    def offset_tuple_to_global_index(self, offset_tuple: Sequence[int]) -> int:
        """The number of the part with the number `offset_tuple` along each axis."""
        index = 0
        for k, offset in enumerate(offset_tuple):
            index = index * self.num_shards(k) + offset
        return index

    def _sharding(self) -> Sharding:
        """JAX's sharding. Axes with `MATCH` are left to XLA."""
        if self._type is LayoutType.SINGLE_DEVICE:
            return SingleDeviceSharding(device_of(self._mesh.single_device))
        axes = {UNSHARDED: None, MATCH: PartitionSpec.UNCONSTRAINED}
        return NamedSharding(self._mesh._on_jax, PartitionSpec(*[axes.get(spec, spec) for spec in self._specs]))

    def _placed(self, tensor: Tensor) -> Tensor:
        """`tensor` with this layout.

        Raises: UnknownError if the ranks differ, or if the number of parts does not divide a size.
        """
        if not self.is_single_device():
            _require_fit(tensor, self)
        return shard_tensor(tensor, self._sharding())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout.from_string, (self.to_string(),)

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"


def layout_of(sharding: NamedSharding, rank: int) -> Layout:
    """The layout of an array of `rank` with `sharding`. An axis that XLA divides along two dimensions has the first."""
    parts: list[Any] = list(sharding.spec)
    firsts = [part[0] if isinstance(part, tuple) and part else part for part in parts]
    mesh: Any = sharding.mesh
    specs: list[Any] = [*[first or UNSHARDED for first in firsts], *[UNSHARDED] * (rank - len(firsts))]
    return Layout(specs, meshes.of(mesh))


def _require_fit(tensor: Tensor, layout: Layout) -> None:
    """Raises UnknownError unless `tensor` can have `layout`."""
    if tensor.ndim != layout.rank:
        raise UnknownError.of(
            f"tf.experimental.dtensor.relayout: requires matching rank for layout and input, but got {layout.rank} as "
            f"suggested rank from layout but {tensor.ndim} from shape."
        )
    shape = tensor._aval.shape
    for k, (size, spec) in enumerate(zip(shape, layout.sharding_specs, strict=True)):
        parts = 1 if spec in (UNSHARDED, MATCH) else layout.num_shards(k)
        if not has_symbols(shape) and size % parts:
            raise UnknownError.of(
                f"tf.experimental.dtensor.relayout: requires dimension {k} to be divisible by sharding specified in "
                f"layout, but got dimension size={size} is not divisible by number of shards in layout for this "
                f"dimension={parts}."
            )
