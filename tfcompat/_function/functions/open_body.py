"""The body of a function that was traced with symbols for open sizes: Python runs once for all sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.system.error import UntraceableError
from tfcompat._function.arguments.open_size import OpenSizes
from tfcompat._function.running.body import Body
from tfcompat._function.sizes.sized_trace import sized
from tfcompat._jaxpr.comparison import Denied
from tfcompat._jaxpr.size import evaluator
from tfcompat._state.cell import Cell


class OpenBody:
    """A body traced with symbols.

    Attributes:
      body: the body; its tensors have sizes with symbols.
    """

    def __init__(self, body: Body, sizes: OpenSizes, compared: Sequence[Denied]) -> None:
        """The body for `sizes`. `compared` are those that the trace has compared and found different.

        Raises: UntraceableError if a part of the trace can't be copied for other sizes.
        """
        self.body = body
        self._sizes = sizes
        if body.has_texts:
            raise UntraceableError("strings are computed from tensors of one size")
        if body.calls_python:
            raise UntraceableError("a Python function is called with tensors of one size")
        self._differing = evaluator([size for pair in compared for size in pair], sizes.symbols)

    def serves(self, flat: Sequence[Any]) -> bool:
        """Whether the trace may be used for a call with the leaves `flat`."""
        values = self._sizes.values(flat)
        if values is None or not self._finds_variables(flat):
            return False
        apart = self._differing(*[values[name] for name in self._sizes.symbols])
        return all(left != right for left, right in zip(apart[::2], apart[1::2], strict=True))

    def _finds_variables(self, flat: Sequence[Any]) -> bool:
        """Whether variables whose shapes may change have those that were traced."""
        stored = self.body.stored
        cells = [
            (source, aval)
            for source, aval in zip(stored.sources, stored.leaf_avals, strict=True)
            if isinstance(source, Cell)
        ]
        return all(
            source._static_shape.is_fully_defined() or stored.cell(source, flat)._held._aval is aval
            for source, aval in cells
        )

    def at(self, flat: Sequence[Any]) -> Body | None:
        """The body for a call with the leaves `flat`, which it serves; None if a shape was not inferred rightly."""
        values = self._sizes.values(flat)
        assert values is not None
        stored = sized(self.body.stored, values)
        return None if stored is None else self.body.with_trace(stored)
