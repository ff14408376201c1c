"""Bodies of functions whose programs find sizes: whether padded arrays can hold them, whatever is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.operation.sized import has_symbols
from tfcompat._core.programs.hosting import estimated
from tfcompat._core.system.error import FindsSizeError, UntraceableError
from tfcompat._core.system.location import is_raised_by_handler, is_raised_by_user
from tfcompat._core.tracing.trace import here
from tfcompat._function.arguments.element import Fitting
from tfcompat._function.running.body import Body
from tfcompat._function.sizes.bounded_graph import BoundedGraph, Earlier, ExpectingGraph
from tfcompat._function.sizes.bounded_step import are_symbols_in, costs_of, refused_size
from tfcompat._function.sizes.padding_waste import Cost, Waste
from tfcompat._jaxpr.size import is_open


def runs_alone() -> bool:
    """Whether a call runs a program of its own, outside of tapes and of other functions."""
    return here.graph is None and not here.tapes and not here.trace.is_symbolic


def may_run(body: Fitting) -> bool:
    """Whether the present call may run `body`: one that finds sizes is not recorded in other traces."""
    return not body.finds_sizes or (runs_alone() and not body.is_wasteful)


def require_alone(name: str, body: Fitting) -> None:
    """Raises FindsSizeError if the present call of the function `name` may not run `body`."""
    if not may_run(body):
        why = "other sizes than its program serves" if body.is_wasteful else "sizes under a tape or in another function"
        raise FindsSizeError(f"{name} finds {why}")


def bounded(
    label: str, flat: Sequence[Any], earlier: Earlier, record: Callable[[BoundedGraph], Body], *, creates: bool
) -> Body:
    """The body that `record` records for a call with the leaves `flat`, in a graph named `label`.

    Its program may find sizes, or expect values and shapes of `earlier` calls. It may create variables if `creates`.

    Raises: UntraceableError if it does and no program can do that.
    """
    graph = BoundedGraph(label, flat, earlier, creates=creates)
    try:
        return _recorded(graph, flat, record)
    except UntraceableError:
        if not (graph.found.counts and graph.expects) or graph.created:
            raise
    # The values that it expects may be the sizes that it finds.
    return _recorded(ExpectingGraph(label, flat, earlier._replace(is_met=_always), creates=creates), flat, record)


def _always(value: np.ndarray) -> bool:
    del value
    return True


def _recorded(graph: BoundedGraph, flat: Sequence[Any], record: Callable[[BoundedGraph], Body]) -> Body:
    try:
        body = record(graph)
    except Exception as refusal:  # code that needs to know a size may raise any error
        is_others = is_raised_by_handler if graph.expects else is_raised_by_user
        if not graph.is_unsure or is_others(refusal):
            raise
        refused = refusal if isinstance(refusal, UntraceableError) else refused_size(str(refusal))
        vars(refused)["created"] = getattr(refusal, "created", ())
        raise refused from None
    try:
        if graph.found.counts:
            body.judge_by(Waste(_cost(body), body.stored.node.bounds, _fixed_cost(body)))
        if graph.expects:
            body.expect(list(graph.expected.values()), graph.streams)
    except UntraceableError as refused:
        body.initialise(flat)  # the run that follows uses these variables
        vars(refused)["created"] = tuple([reference for reference, _ in graph.created])
        raise
    return body


def _cost(body: Body) -> Cost:
    """The cost of the steps of `body` that have sizes which its program finds.

    Raises: UntraceableError if no program can run `body`, whatever sizes it finds. Its inputs, and the new values of
      variables, must have fixed sizes.
    """
    stored = body.stored
    ends = [aval for _, _, aval in stored.updates] + [aval for _, aval in stored.effects]
    if any(map(has_symbols, ends)) or body.has_texts:
        raise refused_size("a variable or a string takes it")
    if any(map(is_open, stored.numbers[1])):
        raise refused_size("as many random numbers are drawn in a loop or a branch")
    costs = costs_of(stored.node.path(), stored.node.bounds)
    return lambda sizes: sum(cost(*[sizes[name] for name in names]) for names, cost in costs)


def _fixed_cost(body: Body) -> float:
    """The roughly estimated nanoseconds of the steps of `body` without sizes that its program finds."""
    return estimated([step for step in body.stored.node.path() if step.op is not None and not are_symbols_in(step)])
