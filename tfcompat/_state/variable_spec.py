"""The types of variables."""

from __future__ import annotations

from dataclasses import dataclass

from tfcompat._core.dtype import DType, float32
from tfcompat._core.shape import TensorShape


@dataclass(frozen=True)
class VariableSpec:
    """The type of a variable. Arguments that are the same variable share an `alias_id`; a single one has None."""

    shape: TensorShape
    dtype: DType = float32
    trainable: bool = True
    alias_id: int | None = None

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, "
            f"alias_id={self.alias_id})"
        )
