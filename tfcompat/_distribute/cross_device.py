"""How values are reduced over devices: with one device, in no way."""

from __future__ import annotations


class CrossDeviceOps:
    """How values are reduced over devices. Source: TF 2.21 `tf.distribute.CrossDeviceOps`."""


class ReductionToOneDevice(CrossDeviceOps):
    """Reduction on one device. Source: TF 2.21 `tf.distribute.ReductionToOneDevice`."""

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: object = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


class _Packed(CrossDeviceOps):
    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")
        self._num_packs = num_packs


class NcclAllReduce(_Packed):
    """Reduction by NCCL. Source: TF 2.21 `tf.distribute.NcclAllReduce`."""


class HierarchicalCopyAllReduce(_Packed):
    """Reduction in a hierarchy of devices. Source: TF 2.21 `tf.distribute.HierarchicalCopyAllReduce`."""
