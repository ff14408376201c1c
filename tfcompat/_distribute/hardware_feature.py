"""`tf.tpu.experimental.HardwareFeature`: the features of a TPU that accelerate lookups of embeddings."""

from __future__ import annotations

import enum
from typing import Any


class HardwareFeature:
    """The features of a TPU, as a message describes them. Libraries for recommenders compare them.

    Args:
      tpu_hardware_feature_proto: a message with the fields `embedding_feature` and `num_embedding_devices_per_chip`.

    Source: TF 2.21 `tf.tpu.experimental.HardwareFeature`.
    """

    class EmbeddingFeature(enum.Enum):
        """The accelerator of lookups: none, one lookup at the beginning of a program (V1), or any (V2)."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto: Any) -> None:
        self.tpu_hardware_feature_proto = tpu_hardware_feature_proto

    @property
    def embedding_feature(self) -> EmbeddingFeature:
        """The accelerator of lookups; the message holds its number."""
        kinds = list(HardwareFeature.EmbeddingFeature)
        number = self.tpu_hardware_feature_proto.embedding_feature
        return kinds[number] if 0 <= number < len(kinds) else HardwareFeature.EmbeddingFeature.UNSUPPORTED

    @property
    def num_embedding_devices_per_chip(self) -> int:
        """The number of accelerators of lookups on each chip."""
        return self.tpu_hardware_feature_proto.num_embedding_devices_per_chip
