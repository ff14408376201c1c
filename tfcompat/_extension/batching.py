"""Loops over the rows of batches of extension types: `tf.map_fn` and `tf.vectorized_map`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.dispatch import register
from tfcompat._core.types import nest
from tfcompat._extension.batchable import BatchableExtensionType, BatchableExtensionTypeSpec, batched, encoder_of
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec
from tfcompat._function.rows.map import map_fn, vectorized_map

_MAP_SIGNATURE = inspect.signature(map_fn)


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
            encoded = encoder_of(spec).encode(spec, leaf, minimum_rank=1) if is_batch else [leaf]
            self.tensors += encoded
            self._specs.append(spec and spec._unbatch())
            self._counts.append(len(encoded))

    def row(self, tensors: Sequence[Any]) -> Any:
        """The structure of one row, made of `tensors`, one row of each tensor."""
        supply = iter(tensors)
        leaves: list[Any] = []
        for spec, count in zip(self._specs, self._counts, strict=True):
            parts = [next(supply) for _ in range(count)]
            leaves.append(parts[0] if spec is None else encoder_of(spec).decode(spec, parts))
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
    encodings = [encoder_of(spec).encoding_specs(spec) if _is_batched(spec) else [spec] for spec in specs]

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
        answers.append(encoder_of(spec).decode(batched(spec, count), parts) if _is_batched(spec) else parts[0])
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
    return encoder_of(spec).encode(spec, value)


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
