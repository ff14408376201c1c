"""Composite tensors of libraries, and their type specs: a spec takes a value apart, and puts another one together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import DType


class LibraryTypeSpec(TypeSpec):
    """A type spec that compares by the result of `_serialize`. Subclasses define the abstract methods.

    Source: TF 2.21, `BatchableTypeSpec` of `tensorflow.python.framework.type_spec` and `DenseSpec` of
      `tensorflow.python.framework.tensor_spec`.
    """

    __slots__ = ()

    @abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """The content of the spec: specs, shapes, dtypes, Python values and structures of them."""

    @property
    @abstractmethod
    def _component_specs(self) -> Any:
        """The specs of the components, a structure."""

    @abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The components of `value`, in the structure of `_component_specs`."""

    @abstractmethod
    def _from_components(self, components: Any) -> Any:
        """The value with these components."""

    def _flatten_composite(self) -> list[Any]:
        return nest.flatten(self._component_specs)

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        return rebuilt(spec, leaves)

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        specs = nest.flatten(self._component_specs, expand_composites=True)
        return [kind for spec in specs for kind in spec._tensor_kinds()]

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        return nest.pack_sequence_as(self, list(tensors), expand_composites=True)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value` is a spec of this class, or has one, that differs in unknown sizes only."""
        other: Any = getattr(spec_or_value, "_type_spec", spec_or_value)
        return type(other) is type(self) and _is_compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a spec of this class and describes every value that this spec describes."""
        return type(other) is type(self) and _is_subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The narrowest spec that describes this and all of `others`; None if they differ in more than specs."""
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            merged = _supertype(self._serialize(), [other._serialize() for other in others])
        except ValueError:
            return None
        return self._deserialize(merged)

    def _TypeSpec__make_cmp_key(self, value: Any) -> Any:  # TensorFlow Probability calls it by this name
        return _key(value)

    @staticmethod
    def _TypeSpec__is_compatible(a: Any, b: Any) -> bool:  # TensorFlow Probability calls it by this name
        return _is_compatible(a, b)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _key(self._serialize()) == _key(other._serialize())

    def __hash__(self) -> int:
        return hash((type(self), _key(self._serialize())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def rebuilt(like: Any, leaves: list[Any]) -> Any:
    """The composite with the components `leaves`. `like` is a composite of a library, or its type spec.

    It is the type spec itself if `leaves` are the specs of its components.
    """
    spec: Any = like if isinstance(like, TypeSpec) else like._type_spec
    if any(isinstance(leaf, TypeSpec) for leaf in leaves) and leaves == spec._flatten_composite():
        return spec
    return spec._from_components(nest.pack_sequence_as(spec._component_specs, leaves))


def _key(part: Any) -> Any:
    """A hashable form of a part of a serialization, equal for equal parts."""
    if isinstance(part, dict):
        return tuple(sorted(((str(name), _key(value)) for name, value in part.items()), key=lambda pair: pair[0]))
    if isinstance(part, (list, tuple)):
        return "list" if isinstance(part, list) else "tuple", tuple(map(_key, part))
    if isinstance(part, np.ndarray):
        return part.dtype.str, part.shape, part.tobytes()
    return part


def _is_compatible(x: Any, y: Any) -> bool:
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and all(_is_compatible(x[name], y[name]) for name in x)
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(_is_compatible, x, y))
    compare: Any = getattr(x, "is_compatible_with", None)
    return _key(x) == _key(y) if compare is None else bool(compare(y))


def _supertype(x: Any, others: Sequence[Any]) -> Any:
    """The part `x` of a serialization, its specs widened to describe those in `others`.

    Raises: ValueError if they differ in more than specs.
    """
    if isinstance(x, TypeSpec):
        found = x.most_specific_common_supertype(others)
        if found is not None:
            return found
    elif isinstance(x, dict) and all(isinstance(other, dict) and x.keys() == other.keys() for other in others):
        return {name: _supertype(part, [other[name] for other in others]) for name, part in x.items()}
    elif isinstance(x, (list, tuple)) and all(type(other) is type(x) and len(other) == len(x) for other in others):
        return type(x)([_supertype(part, [other[k] for other in others]) for k, part in enumerate(x)])
    elif all(_key(x) == _key(other) for other in others):
        return x
    raise ValueError(f"{x!r} and {others!r} have no common supertype.")


def _is_subtype(x: Any, y: Any) -> bool:
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and all(_is_subtype(x[name], y[name]) for name in x)
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(_is_subtype, x, y))
    if isinstance(x, TypeSpec):
        return isinstance(y, TypeSpec) and x.is_subtype_of(y)
    return _key(x) == _key(y)
