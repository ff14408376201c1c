"""Bodies of functions whose programs find sizes: whether padded arrays can hold them, whatever is found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.bound import Bound, sizes_of
from tfcompat._core.error import FindsSizeError, OpError, UntraceableError
from tfcompat._core.hosting import estimated
from tfcompat._core.location import is_raised_by_handler, is_raised_by_user
from tfcompat._core.node import Node
from tfcompat._core.op import Op, pullback_like
from tfcompat._core.sized import Sized, has_symbols
from tfcompat._core.trace import here
from tfcompat._function.body import Body
from tfcompat._function.bounded_graph import BoundedGraph, Earlier, ExpectingGraph
from tfcompat._function.element import Fitting
from tfcompat._function.padding_waste import Cost, Waste
from tfcompat._jaxpr.padded.cost import cost_of
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, symbols_of, value_of
from tfcompat._jaxpr.tracing import traced

# The errors of steps that refuse a size.
_REFUSALS = (OpError, NoRule, ValueError, TypeError, KeyError, UntraceableError)
# Ops whose results for no or one row are others than those of padded arrays.
_UNLIKE = frozenset(
    (
        *("image.draw_bounding_boxes", "linalg.det", "linalg.diag", "linalg.lu_solve", "linalg.tridiagonal_matmul"),
        *("RaggedTensor.to_tensor", "roll", "signal.irfft3d", "signal.rfft3d", "sparse.reduce_max"),
    )
)
# Those whose check refuses what differs, if they have one.
_UNLIKE_UNCHECKED = frozenset(("gather", "gather_nd"))
# A step with several sizes is tried with all combinations of some values for them.
_MOST_SIZES = 2
# More elements than this are too many for an array of all pairs of rows, if few rows may be found.
_MANY = 1 << 24


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
        if not (graph.found and graph.expects) or graph.created:
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
        refused = refusal if isinstance(refusal, UntraceableError) else _refused(str(refusal))
        vars(refused)["created"] = getattr(refusal, "created", ())
        raise refused from None
    try:
        if graph.found:
            body.judge_by(Waste(_cost(body), body.stored.node.bounds, _fixed_cost(body)))
        if graph.expects:
            body.expect(list(graph.expected.values()), graph.streams)
    except UntraceableError as refused:
        body.initialise(flat)  # the run that follows uses these variables
        vars(refused)["created"] = tuple([reference for reference, _ in graph.created])
        raise
    return body


def _refused(reason: str) -> UntraceableError:
    return UntraceableError(f"a size depends on data: {reason}")


def _cost(body: Body) -> Cost:
    """The cost of the steps of `body` that have sizes which its program finds.

    Raises: UntraceableError if no program can run `body`, whatever sizes it finds. Its inputs, and the new values of
      variables, must have fixed sizes.
    """
    stored = body.stored
    ends = [aval for _, _, aval in stored.updates] + [aval for _, aval in stored.effects]
    if any(map(has_symbols, ends)) or body.has_texts:
        raise _refused("a variable or a string takes it")
    if any(map(is_open, stored.numbers[1])):
        raise _refused("as many random numbers are drawn in a loop or a branch")
    costs = [_cost_of(step, stored.node.bounds) for step in _steps(stored.node)]
    return lambda sizes: sum(cost(*[sizes[name] for name in names]) for names, cost in costs)


def _fixed_cost(body: Body) -> float:
    """The roughly estimated nanoseconds of the steps of `body` without sizes that its program finds."""
    return estimated([step for step in body.stored.node.path() if step.op is not None and not _has_symbols(step)])


def _steps(node: Node) -> Iterator[Node]:
    """The steps up to `node` that have symbols and do not make them."""
    for step in node.path():
        if step.op is not None and not step.op.is_bound and _has_symbols(step):
            yield step


def _has_symbols(step: Node) -> bool:
    return any(map(has_symbols, (*step.signature, *step.avals, step.op)))


def _cost_of(step: Node, bounds: Iterable[Bound]) -> tuple[tuple[str, ...], Callable[..., float]]:
    """The names of the sizes of `bounds` that `step` has, and its cost as a function of their values.

    Raises: UntraceableError if no program can run it for all such sizes.
    """
    names = symbols_of(sizes_of(step))
    found = [bound for bound in bounds if bound.name in names]
    largest = {bound.name: bound.most for bound in found}
    assert step.op is not None
    try:
        if not found or len(found) < len(names) or len(names) > _MOST_SIZES:
            raise UntraceableError(f"it has the sizes {', '.join(sorted(names))}")
        if step.op.calls_python or not _is_alike(step, found):
            raise UntraceableError("it is different for some sizes")
        _require_room(step, largest)
        return tuple(largest), cost_of(_padded_jaxpr(step, largest), tuple(largest))
    except _REFUSALS as refusal:
        raise _refused(f"tf.{step.op} (at {step.line}): {refusal}") from refusal


def is_unlike(op: Op) -> bool:
    """Whether `op`, or one that it is made of, differs from what padded arrays give for no or one row."""
    if op.name in _UNLIKE or (op.name in _UNLIKE_UNCHECKED and op.check is None):
        return True
    return op.recipe is not None and any(map(is_unlike, op.recipe.ops()))


def _is_alike(step: Node, found: Sequence[Bound]) -> bool:
    """Whether `step` infers its shapes also for the values of its symbols that other sizes of it have, for 0 and 1.

    There an op may take another way. A gradient takes the way of its forward step.
    """
    assert step.op is not None
    if is_unlike(step.op):
        return False
    sizes = list(sizes_of(step))
    if not (step.origin is not None and step.op.recipe is not None and step.op.recipe.maker is pullback_like):
        others = [size for size in sizes if type(size) is int]
        if not all(_infers(step, values) for values in _combined(found, others)):
            return False
    opened = list(filter(is_open, sizes))
    few = [values for values in _combined(found, ()) if max(values.values()) <= 1]
    return all(value_of(size, values) >= 0 for size in opened for values in few)


def _combined(found: Sequence[Bound], others: Iterable[int]) -> Iterator[dict[str, int]]:
    """Values of the sizes `found` at which a step may differ: few, all, and `others`."""
    special = [{0, 1, bound.most, *[size for size in others if 1 <= size <= bound.most]} for bound in found]
    for combined in itertools.product(*special):
        values = {bound.name: value for bound, value in zip(found, combined, strict=True)}
        if all(_fits(bound, values) for bound in found):
            yield values


def _fits(bound: Bound, values: Mapping[str, int]) -> bool:
    """Whether the size of `bound` does not exceed that of which it is a part, if the `values` say how large that is."""
    is_known = symbols_of([bound.within]) <= values.keys()
    return not is_known or values[bound.name] <= value_of(bound.within, values)


def _infers(step: Node, values: Mapping[str, int]) -> bool:
    """Whether `step` infers, for these `values` of its symbols, the shapes that follow from its own."""
    given = Sized(values)
    found = given.op(step.op).infer(tuple(map(given.aval, step.signature)))
    return found == tuple(map(given.aval, step.avals))


def _require_room(step: Node, largest: Mapping[str, int]) -> None:
    """Raises UntraceableError if the padded arrays of `step` are far larger than those that it could have."""
    for aval in (*step.signature, *step.avals):
        count = math.prod(physical_shape(aval.shape, largest))
        if count > _MANY and sum(map(is_open, aval.shape)) > 1:
            raise UntraceableError(f"an array with room for all sizes would have {count} elements")


def _padded_jaxpr(step: Node, largest: Mapping[str, int]) -> Any:
    """The jaxpr of `step`, which runs on padded arrays, as its check does. Raises NoRule otherwise."""
    assert step.op is not None
    if step.op.check is not None:
        _run(step.op.checker(), step, largest)
    return _run(step.op, step, largest)


def _run(op: Op, step: Node, largest: Mapping[str, int]) -> Any:
    """The jaxpr of `op` on the inputs of `step`, after a trial on padded arrays."""
    jaxpr = traced(op.outputs, [aval.struct for aval in step.signature])
    arrays = [jax.ShapeDtypeStruct(physical_shape(aval.shape, largest), aval.struct.dtype) for aval in step.signature]
    true = {name: jax.ShapeDtypeStruct((), np.int32) for name in largest}
    with jax.enable_x64(True):
        jax.eval_shape(padded(jaxpr, largest), true, *arrays)
    return jaxpr
