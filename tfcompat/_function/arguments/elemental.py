"""Datasets and iterators, for the layers below those of datasets."""

from __future__ import annotations

from collections.abc import Hashable


class Elemental:
    """An argument of a function whose elements the function reads: a dataset, or an iterator of one.

    Calls with such arguments share a trace if the elements have equal types.

    Attributes:
      is_source: whether it is an iterator.
    """

    is_source = False

    @property
    def _element_key(self) -> Hashable:
        """Equal for arguments of one class whose elements have equal types."""
        raise NotImplementedError
