"""Bodies of functions whose programs find sizes: whether padded arrays can hold them, whatever is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from tfcompat._core.bound import Bound
from tfcompat._core.error import OpError, UntraceableError
from tfcompat._core.location import is_raised_by_user
from tfcompat._core.node import Node
from tfcompat._core.op import Op
from tfcompat._core.sized import Sized, has_symbols
from tfcompat._core.trace import here
from tfcompat._function.body import Body
from tfcompat._function.bounded_graph import BoundedGraph
from tfcompat._function.element import Fitting
from tfcompat._jaxpr.padded.bound import bounds
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import symbols_of, value_of
from tfcompat._jaxpr.tracing import traced

# The errors of steps that refuse a size.
_REFUSALS = (OpError, NoRule, ValueError, TypeError, KeyError, UntraceableError)


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
    if graph.found and not _is_possible(body):
        raise _refused("a size that depends on data cannot be padded")
    return body


def _refused(reason: str) -> UntraceableError:
    return UntraceableError(f"a size depends on data: {reason}")


def _is_possible(body: Body) -> bool:
    """Whether a program can run `body`, whatever sizes it finds; its inputs and outputs must have fixed sizes."""
    stored = body.stored
    ends = [aval for _, aval in stored.outputs if aval is not None]
    ends += [aval for _, _, aval in stored.updates] + [aval for _, aval in stored.effects]
    if any(map(has_symbols, ends)) or body.has_texts or body.calls_python:
        return False
    return all(_may_be_padded(stored.node.bounds, step) for step in _steps(stored.node))


def _steps(node: Node) -> Iterator[Node]:
    """The steps up to `node` that have symbols and do not make them."""
    for step in node.path():
        parts = (*step.signature, *step.avals, step.op)
        if step.op is not None and not step.op.is_bound and any(map(has_symbols, parts)):
            yield step


def _may_be_padded(found: Iterable[Bound], step: Node) -> bool:
    """Whether a program can run `step` for all sizes of `found`. The gradient of such a step is left to Python."""
    names = symbols_of(_sizes(step))
    largest = {bound.name: bound.most for bound in found if bound.name in names}
    if step.origin is not None or len(names) != 1 or len(largest) != 1:
        return False
    try:
        return _is_alike(step, largest) and _has_rules(step, largest)
    except _REFUSALS:
        return False


def _sizes(step: Node) -> Iterator[Any]:
    """The sizes of `step`, with symbols or without."""
    for aval in (*step.signature, *step.avals):
        yield from aval.shape
    yield from _sizes_in(step.op)


def _sizes_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _sizes_in(part)
    elif getattr(value, "recipe", None) is not None:
        yield from _sizes_in(value.recipe.sized)
    elif hasattr(value, "shape"):
        yield from value.shape
    elif jax.export.is_symbolic_dim(value) or type(value) is int:
        yield value


def _is_alike(step: Node, largest: Mapping[str, int]) -> bool:
    """Whether `step` infers its shapes also for the values of its symbol that other sizes of it have, and for 1.

    There an op may take another way. The arrays have room for them.
    """
    ((name, most),) = largest.items()
    sizes = list(_sizes(step))
    special = {1, most, *[size for size in sizes if type(size) is int and 1 <= size <= most]}
    for value in special:
        given = Sized({name: value})
        signature = tuple(map(given.aval, step.signature))
        if given.op(step.op).infer(signature) != tuple(map(given.aval, step.avals)):
            return False
    return all(value_of(size, {name: 1}) <= bounds(size, largest)[1] for size in sizes)


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
