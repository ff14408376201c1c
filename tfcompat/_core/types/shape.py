"""Shapes, fully or partly known: TensorFlow's `TensorShape`."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, SupportsIndex, overload

from tfcompat._core.types.dimension import Dimension, dimension_value

Dims = tuple[int | None, ...]


class TensorShape:
    """The shape of a tensor: an int or None for each dimension, or no dimensions if the rank is unknown.

    It equals the lists and tuples that convert to it. Iteration and indexing give Python numbers.

    Raises: TypeError for a dimension that is neither an integer nor None; ValueError for a negative one.
    Source: TF 2.21 `tf.TensorShape`.
    """

    __slots__ = ("_dims",)

    _dims: Dims | None

    def __init__(self, dims: Any) -> None:
        self._dims = TensorShape._read(dims)

    @staticmethod
    def _read(value: Any) -> Dims | None:
        """`value` as a tuple of dimensions, or None for an unknown rank."""
        if isinstance(value, TensorShape):
            return value._dims
        if value is None:
            return None
        if isinstance(value, Dimension):
            return (value.value,)
        try:
            dims = iter(value)
        except TypeError:
            return (dimension_value(value),)
        return tuple(map(dimension_value, dims))

    @classmethod
    def _of(cls, dims: Dims | None) -> TensorShape:
        """The shape of `dims`, a tuple of Python ints (and None) that is not checked."""
        shape = object.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if it is not known."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as `Dimension` objects, or None if the rank is not known."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """The dimensions as a list.

        Raises: ValueError if the rank is not known.
        """
        if self._dims is None:
            raise ValueError("tf.TensorShape: as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> NoReturn:
        """Raises NotImplementedError: tfcompat has no protocol buffers; `as_list` has the dimensions."""
        raise NotImplementedError(
            "tf.TensorShape.as_proto: a TensorShapeProto is a protocol buffer of TensorFlow, which tfcompat does not "
            "have; as_list() has the dimensions, with None for an unknown one, and rank is None for an unknown rank."
        )

    def is_fully_defined(self) -> bool:
        """Whether the rank and every dimension are known."""
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> int | None:
        """The product of the dimensions, or None unless all are known."""
        if self._dims is None:
            return None
        known = [size for size in self._dims if size is not None]
        return math.prod(known) if len(known) == len(self._dims) else None

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one shape can match both: ranks and dimensions are equal wherever both are known."""
        theirs = TensorShape._read(other)
        if self._dims is None or theirs is None:
            return True
        pairs = zip(self._dims, theirs, strict=False)
        return len(self._dims) == len(theirs) and all(a is None or b is None or a == b for a, b in pairs)

    def merge_with(self, other: Any) -> TensorShape:
        """The shape with the dimensions that are known in either shape.

        Raises: ValueError if the two disagree.
        """
        theirs = TensorShape._read(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"tf.TensorShape: Shapes {self} and {TensorShape._of(theirs)} are not compatible")
        if self._dims is None or theirs is None:
            return TensorShape._of(theirs if self._dims is None else self._dims)
        return TensorShape._of(tuple(b if a is None else a for a, b in zip(self._dims, theirs, strict=True)))

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of `self`, then those of `other`; of unknown rank if either is."""
        theirs = TensorShape._read(other)
        return TensorShape._of(None if self._dims is None or theirs is None else self._dims + theirs)

    def with_rank(self, rank: int | None) -> TensorShape:
        """This shape, with `rank` dimensions if its rank was unknown.

        Raises: ValueError if it has another number of them.
        """
        if self._dims is None and rank is not None:
            return TensorShape._of((None,) * rank)
        if rank is not None and rank != self.rank:
            raise ValueError(f"tf.TensorShape: Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises: ValueError if it has fewer than `rank` dimensions.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"tf.TensorShape: Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises: ValueError if it has more than `rank` dimensions.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"tf.TensorShape: Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if this shape is known to have another rank than `rank`."""
        self.with_rank(rank)

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if both ranks are known and differ."""
        other = TensorShape(other)
        if self._dims is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"tf.TensorShape: Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless one shape can match both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"tf.TensorShape: Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless the rank and every dimension are known."""
        if not self.is_fully_defined():
            raise ValueError(f"tf.TensorShape: Shape {self} is not fully defined")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The most specific shape that both `self` and `other` match."""
        theirs = TensorShape._read(other)
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return TensorShape._of(None)
        pairs = zip(self._dims, theirs, strict=True)
        return TensorShape._of(tuple(a if a == b else None for a, b in pairs))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape has the shape `other`, a `TensorShape`."""
        if not isinstance(other, TensorShape):
            return False
        if self._dims is None or other._dims is None:
            return other._dims is None
        pairs = zip(self._dims, other._dims, strict=False)
        return len(self._dims) == len(other._dims) and all(b is None or a == b for a, b in pairs)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The most specific shape that `self` and all `others` match; None if one of them is not a `TensorShape`."""
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        common = self
        for other in others:
            common = common.most_specific_compatible_shape(other)
        return common

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("tf.TensorShape: Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("tf.TensorShape: Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    @overload
    def __getitem__(self, key: SupportsIndex) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | TensorShape | None:
        if self._dims is None:
            return TensorShape._of(_unknown_slice(key)) if isinstance(key, slice) else None
        picked = self._dims[key]
        return TensorShape._of(picked) if isinstance(picked, tuple) else picked

    def __eq__(self, other: object) -> bool:
        if type(other) is tuple and self._dims == other:
            return True
        try:
            return self._dims == TensorShape._read(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def _unknown_slice(key: slice) -> Dims | None:
    """The slice `key` of a shape of unknown rank: unknown dimensions, as many as the bounds determine."""
    if key.step is not None:
        raise ValueError("tf.TensorShape: Steps are not yet handled, for a slice of a shape of unknown rank.")
    if key.stop is None:
        return None
    start, stop = operator.index(key.start or 0), operator.index(key.stop)
    return None if start < 0 or stop < 0 else (None,) * (stop - start)
