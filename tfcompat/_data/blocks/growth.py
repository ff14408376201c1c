"""How many elements are read at once by who reads ahead."""

from __future__ import annotations

from tfcompat._data.blocks.block import Block

# The most elements, and the bytes that they may take.
_MOST, _BYTES = 4096, 1 << 20


class Growth:
    """How many elements are read at once: one at first, then twice as many, while they take few bytes.

    It is always one where reading has effects.
    """

    def __init__(self, is_pure: bool) -> None:
        self._is_pure = is_pure
        self.number = 1

    def saw(self, block: Block) -> None:
        """Chooses the number after `block` was read."""
        if self._is_pure:
            limit = _BYTES * block.count // max(1, block.nbytes)
            self.number = max(1, min(2 * self.number, _MOST, limit))
