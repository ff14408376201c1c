"""Sparse tensors. Who imports a part of this package gets all that functions of tensors do with them."""

from tfcompat._ops.sparse import arithmetic, mapping

__all__ = ["arithmetic", "mapping"]
