"""Classes for `isinstance`: tensors with a value, and tensors without one, in functions that are being traced."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.tensor import Tensor


class _Eager(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is Tensor and not instance._is_symbolic()


class _Symbolic(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is Tensor and instance._is_symbolic()


class EagerTensor(metaclass=_Eager):
    """A tensor with a value. Source: TF 2.21 `tf.__internal__.EagerTensor`."""


class SymbolicTensor(metaclass=_Symbolic):
    """A tensor in a function that is being traced. Source: TF 2.21 `tf.__internal__.SymbolicTensor`."""
