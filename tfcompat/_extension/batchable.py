"""Batches of extension types: `tf.experimental.BatchableExtensionType`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.shape import TensorShape
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec, with_shapes
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec


class ExtensionTypeBatchEncoder:
    """Encodes batches of an extension type as tensors with a row for each value, by default its own tensors.

    The fields that are shapes have the first axis of the tensors, too.
    A class whose tensors have no common first axis defines another encoder as its `__batch_encoder__`.
    Source: TF 2.21 `tf.experimental.ExtensionTypeBatchEncoder`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` stacked values of `spec`. None means any number."""
        skeleton, leaves = spec._parts()
        plain = [with_shapes(field, TensorShape([batch_size]).concatenate) for field in skeleton]
        return spec._of(plain, [batched(leaf, batch_size) for leaf in leaves])

    def unbatch(self, spec: Any) -> Any:
        """The spec of one value of a batch of `spec`. Raises ValueError for scalars."""
        skeleton, leaves = spec._parts()
        plain = [with_shapes(field, lambda shape: shape[1:]) for field in skeleton]
        return spec._of(plain, [unbatched(leaf) for leaf in leaves])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """The tensors of `value`, which `spec` describes. Each has at least `minimum_rank` axes."""
        del spec, minimum_rank
        return tuple(_components(value))

    def decode(self, spec: Any, encoded_value: Sequence[Any]) -> Any:
        """The value of type `spec` with the tensors `encoded_value`."""
        return _together(spec, iter(encoded_value))

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of the tensors that `encode` returns for a value of `spec`."""
        return tuple(_components(spec))


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type of an instance of a batchable extension type."""

    def _batch(self, batch_size: int | None) -> Any:
        return encoder_of(self).batch(self, batch_size)

    def _unbatch(self) -> Any:
        return encoder_of(self).unbatch(self)

    @property
    def _is_batched_by_component(self) -> bool:
        """Whether a batch consists of the batches of the components."""
        return type(encoder_of(self)) is ExtensionTypeBatchEncoder


class BatchableExtensionType(ExtensionType):
    """An extension type whose tensors share a first axis. `tf.map_fn` and `tf.vectorized_map` map over its rows.

    Raises: as `tf.experimental.ExtensionType`.
    Source: TF 2.21 `tf.experimental.BatchableExtensionType`.
    """

    _spec_base = BatchableExtensionTypeSpec
    __batch_encoder__ = ExtensionTypeBatchEncoder()


def batched(spec: Any, size: int | None) -> Any:
    """The spec of `size` stacked values of `spec`. Raises TypeError if they can't be stacked."""
    if isinstance(spec, BatchableExtensionTypeSpec):
        return spec._batch(size)
    return _reshaped(spec, TensorShape([size]).concatenate(spec.shape) if hasattr(spec, "shape") else None, 1)


def unbatched(spec: Any) -> Any:
    """The spec of one value in a batch of `spec`. Raises ValueError for scalars, TypeError for other types."""
    if isinstance(spec, BatchableExtensionTypeSpec):
        return spec._unbatch()
    shape = getattr(spec, "shape", None)
    if shape is not None and shape.rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return _reshaped(spec, shape if shape is None or shape.rank is None else shape[1:], -1)


def _reshaped(spec: Any, shape: Any, more: int) -> Any:
    """`spec` with the shape `shape`; the ragged rank changes by `more`."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(shape, spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + more, spec.row_splits_dtype)
    raise TypeError(f"{spec!r} describes values that can't be batched.")


def encoder_of(spec: Any) -> ExtensionTypeBatchEncoder:
    """The encoder of the batches of the class of `spec`."""
    return spec.value_type.__batch_encoder__


def _components(value: Any) -> Iterator[Any]:
    """The tensors or specs in `value`, including those of nested extension types."""
    for leaf in value._parts()[1]:
        if isinstance(leaf, (ExtensionType, ExtensionTypeSpec)):
            yield from _components(leaf)
        else:
            yield leaf


def _together(spec: Any, supply: Iterator[Any]) -> Any:
    """A value of `spec` with tensors from `supply`."""
    skeleton, leaves = spec._parts()
    parts = [_together(leaf, supply) if isinstance(leaf, ExtensionTypeSpec) else next(supply) for leaf in leaves]
    return spec.value_type._of(skeleton, parts)
