"""Batches of extension types: `tf.experimental.BatchableExtensionType`, and loops over the rows of a batch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfcompat._core import nest
from tfcompat._core.dispatch import register
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec
from tfcompat._function.rows.map import map_fn, vectorized_map
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

_MAP_SIGNATURE = inspect.signature(map_fn)


class ExtensionTypeBatchEncoder:
    """Encodes batches of an extension type as tensors with a row for each value, by default its own tensors.

    A class whose tensors have no common first axis defines another encoder as its `__batch_encoder__`.
    Source: TF 2.21 `tf.experimental.ExtensionTypeBatchEncoder`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` stacked values of `spec`. None means any number."""
        skeleton, leaves = spec._parts()
        return spec._of(skeleton, [batched(leaf, batch_size) for leaf in leaves])

    def unbatch(self, spec: Any) -> Any:
        """The spec of one value of a batch of `spec`. Raises ValueError for scalars."""
        skeleton, leaves = spec._parts()
        return spec._of(skeleton, [unbatched(leaf) for leaf in leaves])

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
        return _encoder(self).batch(self, batch_size)

    def _unbatch(self) -> Any:
        return _encoder(self).unbatch(self)


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


def _encoder(spec: Any) -> ExtensionTypeBatchEncoder:
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


class _Rows:
    """A structure that contains batches, flattened to the tensors that encode them."""

    def __init__(self, elems: Any) -> None:
        self.structure = elems
        self.tensors: list[Any] = []
        self._specs: list[Any] = []
        self._counts: list[int] = []
        for leaf in nest.flatten(elems):
            is_batch = isinstance(leaf, BatchableExtensionType)
            spec = leaf._type_spec if is_batch else None
            encoded = _encoder(spec).encode(spec, leaf, minimum_rank=1) if is_batch else [leaf]
            self.tensors += encoded
            self._specs.append(spec and spec._unbatch())
            self._counts.append(len(encoded))

    def row(self, tensors: Sequence[Any]) -> Any:
        """The structure of one row, made of `tensors`, one row of each tensor."""
        supply = iter(tensors)
        leaves: list[Any] = []
        for spec, count in zip(self._specs, self._counts, strict=True):
            parts = [next(supply) for _ in range(count)]
            leaves.append(parts[0] if spec is None else _encoder(spec).decode(spec, parts))
        return nest.pack_sequence_as(self.structure, leaves)

    def specs(self) -> Any:
        """The structure with each batch replaced by the spec of one row, and other leaves by their dtypes."""
        leaves = nest.flatten(self.structure)
        found = [spec or leaf.dtype for spec, leaf in zip(self._specs, leaves, strict=True)]
        return nest.pack_sequence_as(self.structure, found)


def _map_batches(*args: Any, **kwargs: Any) -> Any:
    """`tf.map_fn` whose inputs or outputs contain batches."""
    given = _MAP_SIGNATURE.bind(*args, **kwargs).arguments
    fn, elems = given.pop("fn"), given.pop("elems")
    dtype = given.pop("dtype", None)
    signature = given.pop("fn_output_signature", dtype)
    for leaf in [*nest.flatten(elems), *nest.flatten(signature)]:
        _require_batchable("consume" if isinstance(leaf, ExtensionType) else "generate", leaf)
    rows = _Rows(elems)
    signature = rows.specs() if signature is None else signature
    specs = nest.flatten(signature)
    encodings = [_encoder(spec).encoding_specs(spec) if _is_batched(spec) else [spec] for spec in specs]

    def mapped(tensors: list[Any]) -> list[Any]:
        result = fn(rows.row(tensors))
        nest.assert_same_structure(signature, result)
        pairs = zip(specs, nest.flatten(result), strict=True)
        return [part for spec, value in pairs for part in _encoded(spec, value)]

    found = map_fn(mapped, rows.tensors, fn_output_signature=[one for each in encodings for one in each], **given)
    supply, count = iter(found), rows.tensors[0].shape[0]
    answers: list[Any] = []
    for spec, encoding in zip(specs, encodings, strict=True):
        parts = [next(supply) for _ in encoding]
        answers.append(_encoder(spec).decode(batched(spec, count), parts) if _is_batched(spec) else parts[0])
    return nest.pack_sequence_as(signature, answers)


def _is_batched(spec: Any) -> bool:
    return isinstance(spec, BatchableExtensionTypeSpec)


def _require_batchable(verb: str, leaf: Any) -> None:
    if isinstance(leaf, (ExtensionType, ExtensionTypeSpec)) and not (
        isinstance(leaf, BatchableExtensionType) or _is_batched(leaf)
    ):
        raise TypeError(f"map_fn can not {verb} {leaf!r}: its class is not a tf.experimental.BatchableExtensionType.")


def _encoded(spec: Any, value: Any) -> Sequence[Any]:
    """The tensors of `value`, a result of the mapped function, which must have the type `spec`."""
    if not _is_batched(spec):
        return [value]
    if not spec.is_compatible_with(value):
        kind = value._type_spec if isinstance(value, ExtensionType) else value
        raise ValueError(f"Error in map_fn: Expected `fn` to return a: {spec!r}. But it returned a: {kind!r}.")
    return _encoder(spec).encode(spec, value)


def _vectorize_batches(fn: Callable[[Any], Any], elems: Any, **options: Any) -> Any:
    """`tf.vectorized_map` of batches."""
    for leaf in nest.flatten(elems):
        if isinstance(leaf, ExtensionType) and not isinstance(leaf, BatchableExtensionType):
            raise ValueError(f"tf.vectorized_map: {leaf!r} must provide a `BatchableTypeSpec`.")
    rows = _Rows(elems)
    return vectorized_map(lambda tensors: fn(rows.row(tensors)), rows.tensors, **options)


for _kind in (ExtensionType, ExtensionTypeSpec):
    register(map_fn, _kind, _map_batches)
register(vectorized_map, ExtensionType, _vectorize_batches)
