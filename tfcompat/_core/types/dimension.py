"""One dimension of a shape: an integer of at least 0, or None if it is not known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


def dimension_value(value: Any) -> int | None:
    """`value` as a dimension: None, or an int of at least 0.

    Raises: TypeError if `value` is neither None, a `Dimension` nor an integer; ValueError if it is negative.
    """
    if value is None or (isinstance(value, int) and value >= 0):
        return value
    if isinstance(value, Dimension):
        return value.value
    try:
        size = operator.index(value)
    except TypeError:
        rule = "a dimension must be an integer, None or an object with __index__"
        raise TypeError(f"tf.TensorShape: {rule}, got {value!r} of type {type(value).__name__}.") from None
    if size < 0:
        raise ValueError(f"tf.TensorShape: Dimension {size} must be >= 0.")
    return size


def _arithmetic(compute: Callable[[int, int], int], swap: bool = False) -> Callable[[Dimension, Any], Dimension]:
    """A binary operator on sizes that returns an unknown dimension if either operand is unknown."""

    def method(self: Dimension, other: Any) -> Dimension:
        try:
            size = dimension_value(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self.value is None or size is None:
            return Dimension(None)
        return Dimension(compute(size, self.value) if swap else compute(self.value, size))

    return method


def _comparison(compare: Callable[[int, int], bool]) -> Callable[[Dimension, Any], bool]:
    """A comparison of sizes that returns None if either operand is unknown: neither true nor false."""

    def method(self: Dimension, other: Any) -> Any:
        try:
            size = dimension_value(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or size is None else compare(self.value, size)

    return method


class Dimension:
    """One dimension, as `tf.TensorShape.dims` lists it.

    Arithmetic with an unknown dimension gives an unknown one; a comparison with it, equality included, gives None.

    Source: TF 2.21 `tf.compat.v1.Dimension`.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = dimension_value(value)

    @property
    def value(self) -> int | None:
        """The size, or None if it is not known."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both sizes can be the same: equal, or either unknown."""
        size = dimension_value(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both sizes can be the same."""
        if not self.is_compatible_with(other):
            raise ValueError(f"tf.compat.v1.Dimension: Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that either side knows.

        Raises: ValueError if both know it and disagree.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self)

    __add__ = _arithmetic(operator.add)
    __radd__ = _arithmetic(operator.add, swap=True)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(operator.sub, swap=True)
    __mul__ = _arithmetic(operator.mul)
    __rmul__ = _arithmetic(operator.mul, swap=True)
    __floordiv__ = _arithmetic(int.__floordiv__)
    __rfloordiv__ = _arithmetic(int.__floordiv__, swap=True)
    __mod__ = _arithmetic(operator.mod)
    __rmod__ = _arithmetic(operator.mod, swap=True)
    __eq__ = _comparison(operator.eq)  # pyright: ignore[reportAssignmentType]
    __ne__ = _comparison(operator.ne)  # pyright: ignore[reportAssignmentType]
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)
    __hash__ = None  # pyright: ignore[reportAssignmentType]  # an unknown dimension does not even equal itself

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("tf.compat.v1.Dimension: an unknown dimension has no integer value.")
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)
