"""The type of a dataset: `tf.data.DatasetSpec`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Self

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.nesting import common_supertype, flatten, is_compatible, is_subtype
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.graphs.refusal import refuse_reading
from tfcompat._state.tracking.trackable import Trackable


class AnyDataset(Elemental, Trackable):
    """A dataset, for the layers below its methods.

    Attributes:
      kind: `tf.data.Dataset`.
    """

    kind: ClassVar[Any]

    _node: Any

    def __init_subclass__(cls, is_public: bool = False) -> None:
        if is_public:
            AnyDataset.kind = cls

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        raise NotImplementedError

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def _element_key(self) -> Hashable:
        return self._node.structure.key


# TensorFlow's name and module, by which libraries recognise datasets.
AnyDataset.__name__ = AnyDataset.__qualname__ = "DatasetV2"
AnyDataset.__module__ = "tensorflow.python.data.ops.dataset_ops"


class DatasetSpec(TypeSpec):
    """The type of datasets whose elements have the type `element_spec`, a structure of specs.

    Source: TF 2.21 `tf.data.DatasetSpec`.
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """`tf.data.Dataset`."""
        return AnyDataset.kind

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The type of the dataset `value`. Raises AttributeError for anything else."""
        return DatasetSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a dataset, has elements that this spec allows."""
        if isinstance(spec_or_value, AnyDataset):
            spec_or_value = DatasetSpec.from_value(spec_or_value)
        return isinstance(spec_or_value, DatasetSpec) and is_compatible(self._element_spec, spec_or_value._element_spec)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a `DatasetSpec` that allows every element that this spec allows."""
        return isinstance(other, DatasetSpec) and is_subtype(self._element_spec, other._element_spec)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if their elements do not fit."""
        found = self._element_spec
        for other in others:
            if not isinstance(other, DatasetSpec):
                return None
            found = common_supertype(found, other._element_spec)
            if found is None:
                return None
        return type(self)(found, self._dataset_shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DatasetSpec):
            return NotImplemented
        return (self._element_spec, self._dataset_shape) == (other._element_spec, other._dataset_shape)

    def __hash__(self) -> int:
        return hash((*flatten(self._element_spec), self._dataset_shape))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._element_spec, self._dataset_shape)


def require_eager(method: str) -> None:
    """Raises HostLoopError in a function that is being traced."""
    if here.graph is not None:
        refuse_reading(f"tf.data.Dataset.{method}")
