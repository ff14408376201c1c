"""Sparse tensors. Importing a part of this package also adapts the functions of tensors to sparse tensors."""

from tfcompat._ops.sparse import arithmetic, mapping

__all__ = ["arithmetic", "mapping"]
