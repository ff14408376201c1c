"""Ragged tensors. Who imports a part of this package gets ragged tensors with their operators."""

from tfcompat._ops.ragged import subscript

__all__ = ["subscript"]
