"""The gradients of branches, and of functions of rows, that the host runs: it runs their gradients, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfcompat._autodiff.connection import UnconnectedGradients
from tfcompat._autodiff.custom import custom_gradient
from tfcompat._autodiff.tape import GradientTape
from tfcompat._core.calls.by_row import ElementTrace, element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._data.function.host_gradient import followed_among, follows
from tfcompat._ops.elementwise.algebraic import subtract
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.fold.running import cumsum


class Rows(NamedTuple):
    """The tensors of a function that is mapped over rows.

    Attributes:
      tensors: those of whose rows it is a function.
      captured: the others that it reads.
      joins: for each of its results, whether those of all rows are joined, not stacked.
    """

    tensors: Sequence[Tensor]
    captured: Sequence[Tensor]
    joins: Sequence[bool]


def with_gradients_of_rows(
    function: Callable[[list[Tensor]], list[Tensor]], rows: Rows, results: Sequence[Tensor]
) -> list[Tensor]:
    """`results`, with their gradient: those of `function` mapped over `rows`, and sizes of joined ones."""
    of_rows, count = followed_among(rows.tensors), len(rows.joins)
    captured = [rows.captured[k] for k in followed_among(rows.captured)]
    joined = [k for k, is_joined in enumerate(rows.joins) if is_joined]

    def slopes(trace: ElementTrace, weights: dict[int, Any]) -> list[Tensor]:
        bounds = {k: _bounds(counts) for k, counts in zip(joined, results[count:], strict=True)}

        def step(given: list[Tensor]) -> list[Tensor]:
            own, rest = given[: len(rows.tensors)], iter(given[len(rows.tensors) :])
            parts = {k: weights[k][next(rest) : next(rest)] if k in bounds else next(rest) for k in weights}
            return _slopes(lambda: function(own), [*[own[k] for k in of_rows], *captured], parts)

        given = [part for k, weight in weights.items() for part in bounds.get(k, [weight])]
        found = trace.map_rows(step, [*rows.tensors, *given])
        return [*found[: len(of_rows)], *[reduce_sum(each, 0) for each in found[len(of_rows) :]]]

    return _followed(results, range(count), [*[rows.tensors[k] for k in of_rows], *captured], slopes)


def with_gradients_of_branches(
    op: str, index: Tensor, branches: Sequence[Callable[[], Any]], captured: Sequence[Tensor], results: Sequence[Tensor]
) -> list[Tensor]:
    """`results`, those of branch number `index` of `branches`, which read `captured`, with their gradient."""
    sources = [captured[k] for k in followed_among(captured)]
    sources = list({id(source): source for source in sources}.values())

    def slopes(trace: ElementTrace, weights: dict[int, Any]) -> list[Tensor]:
        return trace.choose(op, index, [lambda branch=branch: _slopes(branch, sources, weights) for branch in branches])

    return _followed(results, range(len(results)), sources, slopes)


def _slopes(function: Callable[[], Any], sources: Sequence[Tensor], weights: dict[int, Tensor]) -> list[Tensor]:
    """The gradient of the results of `function`, by their places in `weights`, for `sources`."""
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        results = [leaf for leaf in nest.flatten(function(), expand_composites=True) if leaf is not None]
        targets = [convert_to_tensor(results[k]) for k in weights]
    found = tape.gradient(targets, sources, list(weights.values()), UnconnectedGradients.ZERO)
    return [convert_to_tensor(each) for each in found]


def _followed(
    results: Sequence[Tensor],
    places: Sequence[int],
    sources: Sequence[Tensor],
    slopes: Callable[[ElementTrace, dict[int, Tensor]], list[Tensor]],
) -> list[Tensor]:
    """`results`; if a tape follows `sources`, `slopes` is the gradient of those at `places`, by their weights."""
    kept = [k for k in places if differentiable(results[k]._aval)]
    if not kept or not follows(sources):
        return list(results)

    @custom_gradient
    def followed(*sources: Tensor) -> Any:
        del sources

        def grad(*upstream: Tensor) -> list[Tensor]:
            trace = element_trace()
            assert trace is not None
            return slopes(trace, dict(zip(kept, upstream, strict=True)))

        return [results[k] for k in kept], grad

    made = dict(zip(kept, followed(*sources), strict=True))
    return [made.get(k, result) for k, result in enumerate(results)]


def _bounds(counts: Tensor) -> list[Tensor]:
    """The starts and the ends of rows that have `counts` of elements."""
    ends = cumsum(counts)
    return [subtract(ends, counts), ends]
