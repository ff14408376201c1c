"""Ragged tensors. Who imports a part of this package gets all that functions of tensors do with them."""

from tfcompat._ops.ragged import (
    contraction,
    counting,
    elementwise,
    gathering,
    joining,
    layout,
    operator,
    reduction,
    shape,
    subscript,
)

__all__ = [
    "contraction",
    "counting",
    "elementwise",
    "gathering",
    "joining",
    "layout",
    "operator",
    "reduction",
    "shape",
    "subscript",
]
