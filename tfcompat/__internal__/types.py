"""`tf.__internal__.types`: the parent of tensors and variables."""

from tfcompat._core.structure.tensor import CoreTensor as Tensor

__all__ = ["Tensor"]
