"""Bodies of functions whose programs find sizes: whether padded arrays can hold them, whatever is found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import jax
import numpy as np

from tfcompat._core.bound import Bound, sizes_of
from tfcompat._core.error import OpError, UntraceableError
from tfcompat._core.location import is_raised_by_user
from tfcompat._core.node import Node
from tfcompat._core.op import Op, pullback_like
from tfcompat._core.sized import Sized, has_symbols
from tfcompat._core.trace import here
from tfcompat._function.body import Body
from tfcompat._function.bounded_graph import BoundedGraph
from tfcompat._function.element import Fitting
from tfcompat._function.source import Drawn
from tfcompat._jaxpr.padded.bound import bounds
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, symbols_of, value_of
from tfcompat._jaxpr.tracing import traced

# The errors of steps that refuse a size.
_REFUSALS = (OpError, NoRule, ValueError, TypeError, KeyError, UntraceableError)
# Ops whose results for no or one row are others than those of padded arrays, and where a check makes the difference.
_UNLIKE = frozenset(
    (
        *("image.draw_bounding_boxes", "linalg.det", "linalg.diag", "linalg.lu_solve", "linalg.tridiagonal_matmul"),
        *("RaggedTensor.to_tensor", "roll", "signal.irfft3d", "signal.rfft3d", "sparse.reduce_max"),
    )
)
# A step with several sizes is tried with all combinations of some values for them.
_MOST_SIZES = 2
_UNLIKE_UNCHECKED = frozenset(("gather", "gather_nd"))


def runs_alone() -> bool:
    """Whether a call runs a program of its own, outside of tapes and of other functions."""
    return here.graph is None and not here.tapes and not here.trace.is_symbolic


def may_run(body: Fitting) -> bool:
    """Whether the present call may run `body`: one that finds sizes is not recorded in other traces."""
    return not body.finds_sizes or runs_alone()


def with_found_sizes(graph: BoundedGraph | None, record: Callable[[], Body]) -> Body:
    """The body that `record` records, in `graph` if that is given: its program may then find sizes.

    Raises: UntraceableError if it finds sizes and no program can do that.
    """
    if graph is None:
        return record()
    try:
        body = record()
    except Exception as refusal:  # code that needs to know a size may raise any error
        if not graph.found or is_raised_by_user(refusal):
            raise
        refused = refusal if isinstance(refusal, UntraceableError) else _refused(str(refusal))
        vars(refused)["created"] = getattr(refusal, "created", ())
        raise refused from None
    if graph.found and (reason := _hindrance(body)) is not None:
        raise _refused(reason)
    return body


def _refused(reason: str) -> UntraceableError:
    return UntraceableError(f"a size depends on data: {reason}")


def _hindrance(body: Body) -> str | None:
    """Why no program can run `body`, whatever sizes it finds; None if one can.

    Its inputs, and the new values of variables, must have fixed sizes.
    """
    stored = body.stored
    ends = [aval for _, _, aval in stored.updates] + [aval for _, aval in stored.effects]
    if any(map(has_symbols, ends)) or body.has_texts:
        return "a variable or a string takes it"
    if any(type(source) is Drawn and is_open(source.stream.blocks) for source in stored.sources):
        return "as many random numbers are drawn"
    for step in _steps(stored.node):
        if (reason := _refusal(stored.node.bounds, step)) is not None:
            return f"tf.{step.op} (at {step.line}): {reason}"
    return None


def _steps(node: Node) -> Iterator[Node]:
    """The steps up to `node` that have symbols and do not make them."""
    for step in node.path():
        parts = (*step.signature, *step.avals, step.op)
        if step.op is not None and not step.op.is_bound and any(map(has_symbols, parts)):
            yield step


def _refusal(found: Iterable[Bound], step: Node) -> str | None:
    """Why no program can run `step` for all sizes of `found`; None if one can."""
    names = symbols_of(sizes_of(step))
    found = [bound for bound in found if bound.name in names]
    largest = {bound.name: bound.most for bound in found}
    if not largest or len(largest) < len(names) or len(names) > _MOST_SIZES:
        return f"it has these sizes that depend on data: {', '.join(sorted(names))}"
    if step.op is not None and step.op.calls_python:
        return "it calls Python"
    try:
        fits = _is_alike(step, found, largest) and _has_rules(step, largest)
    except _REFUSALS as refusal:
        return str(refusal)
    return None if fits else "it is different for some sizes"


def is_unlike(op: Op) -> bool:
    """Whether `op`, or one that it is made of, differs from what padded arrays give for no or one row."""
    if op.name in _UNLIKE or (op.name in _UNLIKE_UNCHECKED and op.check is None):
        return True
    return op.recipe is not None and any(map(is_unlike, op.recipe.ops()))


def _is_alike(step: Node, found: Sequence[Bound], largest: Mapping[str, int]) -> bool:
    """Whether `step` infers its shapes also for the values of its symbols that other sizes of it have, for 0 and 1.

    There an op may take another way. A gradient takes the way of its forward step. The arrays have room for them.
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
    return all(0 <= value_of(size, values) <= bounds(size, largest)[1] for size in opened for values in few)


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


def _has_rules(step: Node, largest: Mapping[str, int]) -> bool:
    """Whether `step` and its check run on padded arrays. Raises NoRule otherwise."""
    assert step.op is not None
    checks = () if step.op.check is None else (step.op.checker(),)
    for op in (step.op, *checks):
        _run(op, step, largest)
    return True


def _run(op: Op, step: Node, largest: Mapping[str, int]) -> None:
    jaxpr = traced(op.outputs, [aval.struct for aval in step.signature])
    arrays = [jax.ShapeDtypeStruct(physical_shape(aval.shape, largest), aval.struct.dtype) for aval in step.signature]
    true = {name: jax.ShapeDtypeStruct((), np.int32) for name in largest}
    with jax.enable_x64(True):
        jax.eval_shape(padded(jaxpr, largest), true, *arrays)
