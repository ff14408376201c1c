"""Ragged tensors. Importing a part of this package also adapts the functions of tensors to ragged tensors."""

from tfcompat._ops.ragged import (
    contraction,
    counting,
    elementwise,
    gathering,
    image,
    joining,
    layout,
    operator,
    reduction,
    shape,
)

__all__ = [
    "contraction",
    "counting",
    "elementwise",
    "gathering",
    "image",
    "joining",
    "layout",
    "operator",
    "reduction",
    "shape",
]
