"""The parts of tensors in checkpoints as TensorFlow writes them: "4 3 0,2:0,3" are the first two of four rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tfcompat._core.system.error import InvalidArgumentError


class SliceSpec(NamedTuple):
    """A part of a tensor.

    Attributes:
      whole: the shape of the tensor.
      starts, sizes: where the part begins, and its shape.
    """

    whole: tuple[int, ...]
    starts: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> SliceSpec:
        """The part that `text` describes. Raises InvalidArgumentError for another form, or a part that is outside."""
        *whole, ranges = text.split() or [""]
        try:
            shape = tuple(map(int, whole))
            pairs = [
                ("0", size) if part == "-" else part.split(",")
                for part, size in zip(ranges.split(":"), shape, strict=True)
            ]
            starts, sizes = tuple(int(start) for start, _ in pairs), tuple(int(size) for _, size in pairs)
        except ValueError as bad:
            raise InvalidArgumentError.of(
                f"Expected a shape and the range of each axis of a slice, got {text!r}"
            ) from bad
        ranges_of_axes = zip(starts, sizes, shape, strict=True)
        if any(start < 0 or size < min(1, axis) or start + size > axis for start, size, axis in ranges_of_axes):
            raise InvalidArgumentError.of(f"The slice {text!r} is not in the tensor")
        return cls(shape, starts, sizes)

    def text(self) -> str:
        """The description of the part."""
        ranges = [f"{start},{size}" for start, size in zip(self.starts, self.sizes, strict=True)]
        return " ".join([*map(str, self.whole), ":".join(ranges)])

    @property
    def extents(self) -> Sequence[tuple[int, int]]:
        """The start and the size of each axis."""
        return list(zip(self.starts, self.sizes, strict=True))

    @property
    def is_whole(self) -> bool:
        """Whether it is the tensor."""
        return self.sizes == self.whole
