"""Datasets with options."""

from __future__ import annotations

from typing import Any

from tfcompat._data.blocks.options import Options, merged
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary


class Optioned(Unary):
    """The same elements; the options of the input, except those that are set in `own`."""

    label = "_OptionsDataset"

    def __init__(self, source: Node, own: Any) -> None:
        if not isinstance(own, Options):
            raise AttributeError(f"tf.data.Dataset.with_options: options must be tf.data.Options, got {own!r}.")
        super().__init__(source)
        self._own = own._frozen()

    def count(self) -> int:
        return self.source.cardinality

    @property
    def options(self) -> Options:
        return merged(self.source.options, self._own)

    def cursor(self) -> Cursor:
        return self.source.cursor()
