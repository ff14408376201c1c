"""The sparse tensor: stored elements of a tensor, with their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn, Self

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import CompositeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.types.dtype import DType, as_dtype, float32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.identity import ensure_shape


class SparseTensor:
    """The tensor of shape `dense_shape` with `values[k]` at the coordinates `indices[k]`, and zeros elsewhere.

    Most functions expect the coordinates in row-major order; `tf.sparse.reorder` sorts them.

    Shapes: indices [n, rank], values [n], dense_shape [rank].
    Dtypes: indices and dense_shape int64; values any.
    Raises: ValueError if the shapes do not fit; TypeError if indices or dense_shape are not integers.
    Source: TF 2.21 `tf.sparse.SparseTensor`.
    """

    # TensorFlow's module, by which libraries recognise sparse tensors.
    __module__ = "tensorflow.python.framework.sparse_tensor"

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = convert_to_tensor(indices, int64, name="indices")
        self._values = convert_to_tensor(values, name="values")
        self._dense_shape = convert_to_tensor(dense_shape, int64, name="dense_shape")
        self._indices.shape.with_rank(2)
        self._values.shape.with_rank(1)
        self._dense_shape.shape.with_rank(1)
        count, rank = self._indices._aval.shape
        if element_trace() is not None and count != self._values._aval.size:
            # In a function of elements a size may fit in some elements: the others have an error.
            self._values = ensure_shape(self._values, self._indices.shape[:1])
            self._indices = ensure_shape(self._indices, [self._values.shape[0], rank])
            count = self._indices._aval.shape[0]
        for one, other in ((count, self._values._aval.size), (rank, self._dense_shape._aval.size)):
            if one != other:
                raise ValueError(f"tf.SparseTensor: Dimensions {one} and {other} are not compatible")
        self._shape: TensorShape | None = None

    @classmethod
    def _of(cls, indices: Tensor, values: Tensor, dense_shape: Tensor) -> Self:
        """The sparse tensor of parts that are known to fit."""
        made = object.__new__(cls)
        made._indices, made._values, made._dense_shape, made._shape = indices, values, dense_shape, None
        return made

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """The sparse tensor of `sparse_tensor_value`, a sparse tensor or a `tf.compat.v1.SparseTensorValue`.

        Raises: TypeError for anything else.
        Source: TF 2.21 `tf.sparse.SparseTensor.from_value`.
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)
        if getattr(sparse_tensor_value, "_fields", None) == ("indices", "values", "dense_shape"):
            return cls(*sparse_tensor_value)
        raise TypeError(
            f"tf.SparseTensor.from_value: sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor a "
            "SparseTensorValue."
        )

    @property
    def indices(self) -> Tensor:
        """The coordinates, one row for each value."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The stored elements."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the tensor as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape as a `tf.TensorShape`."""
        if self._shape is None:
            sizes = size_value(self._dense_shape)
            unknown = [None] * self._dense_shape._aval.size
            self._shape = TensorShape(unknown if sizes is None else [_shown(size) for size in sizes.tolist()])
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type of `values`."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self._indices.graph

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def get_shape(self) -> TensorShape:
        """The shape as a `tf.TensorShape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks that `shape` is compatible with this tensor's. Raises ValueError if not."""
        self._shape = self.shape.merge_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        """The sparse tensor with `new_values` at the same coordinates."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Any]:
        """An empty list: tensors do not know their consumers."""
        return []

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Raises NotImplementedError: sessions are not supported."""
        del feed_dict, session
        raise NotImplementedError("tf.SparseTensor.eval: sessions are not supported; read `indices` and `values`.")

    def __reduce__(self) -> tuple[Any, ...]:
        # By a function, since the module that the class names may not exist.
        return sparse_tensor, (self._indices, self._values, self._dense_shape)

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    __repr__ = __str__

    def _printed(self, count: int, summary: Callable[[Tensor, int], str]) -> str:
        """The text for `tf.print`; `summary` formats a tensor."""
        parts = [summary(part, count) for part in self._flatten_composite()]
        return "'SparseTensor(indices={}, values={}, shape={})'".format(*parts)

    # The number of values.
    _open_axes: ClassVar[dict[int, tuple[int, ...]]] = {0: (0,), 1: (0,)}

    def _deciding(self) -> tuple[int]:
        """The dense shape."""
        return (2,)

    def _flatten_composite(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        made = cls._of(*leaves)
        is_known = type(leaves[2]) is Tensor and leaves[2]._array is not None
        made._shape = None if is_known else spec.shape
        return made


def _shown(size: Any) -> int | None:
    """`size` as users see it: None for a size with symbols."""
    return size if type(size) is int else None


def sparse_tensor(indices: Any, values: Any, dense_shape: Any) -> SparseTensor:
    """The sparse tensor of these parts; pickles name it."""
    return SparseTensor(indices, values, dense_shape)


class SparseTensorSpec(CompositeSpec):
    """The dense shape and element type of a sparse tensor.

    Source: TF 2.21 `tf.SparseTensorSpec`.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of the sparse tensor `value`. Raises TypeError for anything else."""
        if not isinstance(value, SparseTensor):
            raise TypeError(f"tf.SparseTensorSpec.from_value: expected a SparseTensor, got {value!r}.")
        return cls(value.shape, value.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape of the tensor, which may be partly unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type of the values."""
        return self._dtype

    @property
    def value_type(self) -> type[SparseTensor]:
        """`tf.SparseTensor`."""
        return SparseTensor

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        rank = self._shape.rank
        return [([None, rank], int64), ([None], self._dtype), ([rank], int64)]

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        return SparseTensor._unflatten_composite(self, list(tensors))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a sparse tensor, has this dtype and a compatible shape."""
        if not isinstance(spec_or_value, SparseTensorSpec | SparseTensor):
            return False
        return self._dtype == spec_or_value.dtype and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a `SparseTensorSpec` of this dtype that includes every shape of this one."""
        return (
            isinstance(other, SparseTensorSpec)
            and self._dtype == other.dtype
            and self._shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if dtypes differ."""
        shape = self._shape
        for other in others:
            if not isinstance(other, SparseTensorSpec) or other.dtype != self._dtype:
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        return type(self)(shape, self._dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseTensorSpec) or type(other) is not type(self):
            return NotImplemented
        return (self._shape, self._dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._shape!r}, {self._dtype!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._shape, self._dtype)
