"""The type of the elements of a dataset, and conversion of values to elements."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.container import is_composite
from tfcompat._data.blocks.block import Block, Column
from tfcompat._data.blocks.component import component
from tfcompat._data.blocks.dataset_spec import AnyDataset, DatasetSpec
from tfcompat._data.blocks.host_value import Array, HostParts, HostRagged, HostSparse
from tfcompat._data.blocks.nesting import flatten, is_nested, packer
from tfcompat._function.functions.type_spec import type_spec_from_value
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


class SpecKey:
    """A structure of specs as a key, whose hash is computed once. Equal keys that were compared share their specs."""

    __slots__ = ("_hash", "_spec")

    def __init__(self, spec: Any) -> None:
        self._spec = spec
        self._hash = hash(tuple(flatten(spec)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpecKey) or self._spec is other._spec:
            return isinstance(other, SpecKey)
        is_equal = bool(self._spec == other._spec)
        if is_equal:
            other._spec = self._spec
        return is_equal

    def __hash__(self) -> int:
        return self._hash


class Structure:
    """The type of an element.

    Attributes:
      spec: the structure of specs, `element_spec`.
      components: one for each component, in the order in which a structure is flattened.
      pack: packs values of the components into an element.
    """

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.components = [component(leaf) for leaf in flatten(spec)]
        self.pack: Callable[[Sequence[Any]], Any] = packer(spec)
        self.is_single = not is_nested(spec)

    @functools.cached_property
    def key(self) -> Hashable:
        """Equal for structures with equal specs."""
        return SpecKey(self.spec)

    @property
    def specs(self) -> list[Any]:
        """The specs of the components."""
        return [part.spec for part in self.components]

    def require_tensors(self, method: str) -> None:
        """Raises InvalidArgumentError, which names `method`, if elements have no tensor."""
        if all(part.spec.value_type is type(None) for part in self.components):
            raise InvalidArgumentError.of(f"{method}: an element needs at least one tensor, got none.")

    def like(self, specs: Sequence[Any]) -> Structure:
        """The structure with other specs in place of these."""
        return Structure(self.pack(list(specs)))

    def elements(self, block: Block) -> list[Any]:
        """The elements of a block as users receive them."""
        pairs = zip(self.components, block.columns, strict=True)
        return self._packed([part.values(column) for part, column in pairs])

    def numpy_elements(self, block: Block) -> list[Any]:
        """The elements of a block as `as_numpy_iterator` gives them."""
        pairs = zip(self.components, block.columns, strict=True)
        return self._packed([part.numpy_values(column) for part, column in pairs])

    def _packed(self, columns: list[list[Any]]) -> list[Any]:
        return columns[0] if self.is_single else list(map(self.pack, zip(*columns, strict=True)))

    def divided(self, batches: Sequence[Any]) -> tuple[Column, ...]:
        """The rows of a batch of each component."""
        columns = [part.divided(batch) for part, batch in zip(self.components, batches, strict=True)]
        is_some = [part.spec.value_type is not type(None) for part in self.components]
        count = next((len(column) for column, is_one in zip(columns, is_some, strict=True) if is_one), 0)
        return tuple([column if is_one else [None] * count for column, is_one in zip(columns, is_some, strict=True)])


def read(value: Any) -> tuple[Structure, list[Any]]:
    """The type of an element, and its components in the form in which they pass through a pipeline.

    Raises: ValueError or TypeError if a component cannot be converted to a tensor.
    """
    pairs = [read_component(leaf) for leaf in flatten(value)]
    return Structure(packer(value)([spec for spec, _ in pairs])), [found for _, found in pairs]


def spec_of(value: Any) -> tuple[Any, Any]:
    """The type of an element, and the element with its components as tensors, which may be without values.

    Raises: ValueError or TypeError if a component cannot be converted to a tensor.
    """
    pairs = [_typed(leaf) for leaf in flatten(value)]
    pack = packer(value)
    return pack([spec for spec, _ in pairs]), pack([component for _, component in pairs])


def _typed(value: Any) -> tuple[Any, Any]:
    if value is None:
        return NoneTensorSpec(), None
    if isinstance(value, AnyDataset):
        return DatasetSpec.from_value(value), value
    if is_composite(type(value)):
        return type_spec_from_value(value), value
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype), tensor


def read_component(value: Any) -> tuple[Any, Any]:
    """The spec of a component, and its host value."""
    if type(value) is list and value and all(isinstance(each, AnyDataset) for each in value):
        return _list_of_datasets(value)
    if value is None:
        return NoneTensorSpec(), None
    if isinstance(value, AnyDataset):
        return DatasetSpec.from_value(value), value._node  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value), host_ragged(value)
    if isinstance(value, SparseTensor) or getattr(value, "_fields", None) == ("indices", "values", "dense_shape"):
        sparse = SparseTensor.from_value(value)
        parts = HostSparse(*map(host_array, (sparse.indices, sparse.values, sparse.dense_shape)))
        return SparseTensorSpec(sparse.shape, sparse.dtype), parts
    if is_composite(type(value)) and not hasattr(type(value), "_snapshot"):
        composite: Any = value
        parts = [read_component(part)[1] for part in composite._flatten_composite()]
        return type_spec_from_value(composite), HostParts(tuple(parts))
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype), host_array(tensor)


def _list_of_datasets(datasets: list[Any]) -> tuple[Any, Any]:
    """The spec of a list of datasets, and their nodes. Raises ValueError if their elements have no common type."""
    specs = [DatasetSpec.from_value(each) for each in datasets]
    common = specs[0].most_specific_common_supertype(specs[1:])
    if common is None:
        raise ValueError(f"tf.data.Dataset: the datasets of a list must have elements of one type, got {specs}.")
    return DatasetSpec(common.element_spec, [len(datasets)]), [each._node for each in datasets]


def host_ragged(value: RaggedTensor) -> HostRagged:
    """The arrays of a ragged tensor."""
    return HostRagged(host_array(value.flat_values), tuple([host_array(rows) for rows in value.nested_row_splits]))


def host_array(tensor: Tensor) -> Array:
    """The value of a tensor as an array that cannot be written to.

    Raises: NotImplementedError in a function that is being traced.
    """
    if tensor._is_symbolic():
        raise NotImplementedError(
            "tf.data.Dataset: datasets of symbolic tensors are not supported; make the dataset outside of the "
            "tf.function, and pass its elements as arguments."
        )
    array = tensor.__array__(copy=False)
    # The array of a tensor on the host is never changed; the memory of a JAX array may be used again.
    array = array.view() if type(tensor._array) is np.ndarray else array.copy()
    array.flags.writeable = False
    return array
