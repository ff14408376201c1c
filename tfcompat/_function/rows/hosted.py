"""`tf.map_fn` of ragged rows, and of rows of different shapes, in functions of elements: the host runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfcompat._core.calls.by_row import ElementTrace
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.creation import range as number_range
from tfcompat._ops.array.extent import shape
from tfcompat._ops.identity import ensure_shape
from tfcompat._ops.ragged.gathering import gather
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor


def map_by_host(
    trace: ElementTrace, fn: Callable[[list[Any]], list[Any]], leaves: Sequence[Any], specs: Sequence[Any]
) -> list[Any]:
    """`fn` of each row of `leaves`, which are dense or ragged; its results are dense or ragged as in `specs`, stacked.

    A ragged row enters as the places of its start and its end. A ragged result leaves as its flat values and the
    lengths of its rows, which are joined, and the number of its rows.
    """

    def step(given: list[Tensor]) -> list[Tensor]:
        parts = iter(given)
        results = fn([_row(leaf, parts) for leaf in leaves])
        return [part for value, spec in zip(results, specs, strict=True) for part in _taken_apart(value, spec)]

    rows = [part for leaf in leaves for part in _bounds(leaf)]
    joined = [is_joined for spec in specs for is_joined in _joined(spec)]
    found = iter(trace.map_rows(step, rows, joined))
    return [_put_together(found, spec) for spec in specs]


def _bounds(leaf: Any) -> list[Tensor]:
    return [leaf.row_starts(), leaf.row_limits()] if isinstance(leaf, RaggedTensor) else [leaf]


def _row(leaf: Any, parts: Iterator[Tensor]) -> Any:
    if not isinstance(leaf, RaggedTensor):
        return next(parts)
    start, limit = next(parts), next(parts)
    return gather(leaf.values, number_range(start, limit)) if leaf.ragged_rank > 1 else leaf.values[start:limit]


def _joined(spec: Any) -> list[bool]:
    """For each part of a row as in `spec`, whether the parts of all rows are joined."""
    return [*[True] * (1 + spec.ragged_rank), False] if isinstance(spec, RaggedTensorSpec) else [False]


def _taken_apart(value: Any, spec: Any) -> list[Tensor]:
    if not isinstance(spec, RaggedTensorSpec):
        return [value]
    if isinstance(value, RaggedTensor):
        return [value.flat_values, *value.nested_row_lengths(), value.nrows(out_type=spec.row_splits_dtype)]
    if value.shape.rank is None:
        value = ensure_shape(value, spec.shape)
    return [value, shape(value, out_type=spec.row_splits_dtype)[0]]


def _put_together(parts: Iterator[Tensor], spec: Any) -> Any:
    if not isinstance(spec, RaggedTensorSpec):
        return next(parts)
    flat, *inner = [next(parts) for _ in range(1 + spec.ragged_rank)]
    return RaggedTensor.from_nested_row_lengths(flat, [next(parts), *inner], validate=False)
