"""`tf.map_fn` of ragged rows, and of rows of different shapes, in functions of elements: the host runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfcompat._core.calls.by_row import ElementTrace
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.creation import range as number_range
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.identity import ensure_shape
from tfcompat._ops.ragged.gathering import gather
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor


def map_by_host(
    trace: ElementTrace, fn: Callable[[list[Any]], list[Any]], leaves: Sequence[Any], specs: Sequence[Any]
) -> list[Any]:
    """`fn` of each row of `leaves`, which are dense or ragged; its results are dense or ragged as in `specs`, stacked.

    A ragged row enters as the places of its start and its end. A ragged result leaves as its flat values and the
    lengths of its rows, which are joined.
    """

    def step(given: list[Tensor]) -> list[Tensor]:
        parts = iter(given)
        results = fn([_row(leaf, parts) for leaf in leaves])
        return [part for value, spec in zip(results, specs, strict=True) for part in _taken_apart(value, spec)]

    rows = [part for leaf in leaves for part in _bounds(leaf)]
    joined = [is_joined for spec in specs for is_joined in _joined(spec)]
    found = trace.map_rows(step, rows, joined)
    parts, counts = iter(found), iter(found[len(joined) :])
    return [_put_together(parts, counts, spec) for spec in specs]


def _bounds(leaf: Any) -> list[Tensor]:
    return [leaf.row_starts(), leaf.row_limits()] if isinstance(leaf, RaggedTensor) else [leaf]


def _row(leaf: Any, parts: Iterator[Tensor]) -> Any:
    if not isinstance(leaf, RaggedTensor):
        return next(parts)
    start, limit = next(parts), next(parts)
    return gather(leaf.values, number_range(start, limit)) if leaf.ragged_rank > 1 else leaf.values[start:limit]


def _joined(spec: Any) -> list[bool]:
    """For each part of a row as in `spec`, whether the parts of all rows are joined."""
    return [True] * (1 + spec.ragged_rank) if isinstance(spec, RaggedTensorSpec) else [False]


def _taken_apart(value: Any, spec: Any) -> list[Tensor]:
    if isinstance(value, RaggedTensor):
        return [value.flat_values, *value.nested_row_lengths()]
    if isinstance(spec, RaggedTensorSpec) and value.shape.rank is None:
        return [ensure_shape(value, spec.shape)]
    return [value]


def _put_together(parts: Iterator[Tensor], counts: Iterator[Tensor], spec: Any) -> Any:
    """The result of which `parts` are the next ones; `counts` are the sizes of those that are joined."""
    if not isinstance(spec, RaggedTensorSpec):
        return next(parts)
    flat, *inner = [next(parts) for _ in range(1 + spec.ragged_rank)]
    # The outermost rows are as long as the outermost of these parts.
    outer = [next(counts) for _ in range(1 + spec.ragged_rank)][1 if inner else 0]
    return RaggedTensor.from_nested_row_lengths(flat, [cast(outer, spec.row_splits_dtype), *inner], validate=False)
