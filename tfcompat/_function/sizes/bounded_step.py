"""Steps whose sizes a program finds: whether padded arrays can hold them, whatever is found, and their cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.operation.bound import Bound, sizes_of
from tfcompat._core.operation.op import Op, pullback_like
from tfcompat._core.operation.sized import Sized, has_symbols
from tfcompat._core.structure.node import Node
from tfcompat._core.system.error import OpError, UntraceableError
from tfcompat._jaxpr.padded.bound import least_of
from tfcompat._jaxpr.padded.cost import cost_of
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, symbols_of, value_of
from tfcompat._jaxpr.tracing import traced

# The names of the sizes that a step has, and its nanoseconds as a function of their values.
StepCost = tuple[tuple[str, ...], Callable[..., float]]

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
# A step with several sizes is tried with combinations of some values for them: up to two with all.
_MOST_SIZES = 4
_FEW_SIZES = 2
# More elements than this are too many for an array of all pairs of rows, if few rows may be found.
_MANY = 1 << 24


def refused_size(reason: str) -> UntraceableError:
    """The error for a size that depends on data, for some `reason`."""
    return UntraceableError(f"a size depends on data: {reason}")


def costs_of(path: Iterable[Node], bounds: Sequence[Bound]) -> list[StepCost]:
    """The costs of the steps of `path` that have the sizes of `bounds`.

    Raises: UntraceableError if no program can run one of them for all such sizes.
    """
    return [_cost_of(step, bounds) for step in path if _takes_symbols(step)]


def _takes_symbols(step: Node) -> bool:
    """Whether `step` has symbols and does not make them."""
    return step.op is not None and not step.op.is_bound and are_symbols_in(step)


def are_symbols_in(step: Node) -> bool:
    """Whether `step` has sizes with symbols."""
    return any(map(has_symbols, (*step.signature, *step.avals, step.op)))


def _cost_of(step: Node, bounds: Sequence[Bound]) -> StepCost:
    names = symbols_of(sizes_of(step))
    found = tuple([bound._replace(slot=0) for bound in bounds if bound.name in names])
    assert step.op is not None
    known = step.op.derived.setdefault("costs", {})
    key = step.signature, step.avals, found
    try:
        if not found or len(found) < len(names) or len(names) > _MOST_SIZES:
            raise UntraceableError(f"it has the sizes {', '.join(sorted(names))}")
        if key not in known:
            known[key] = _tried(step, found)
        return known[key]
    except _REFUSALS as refusal:
        raise refused_size(f"tf.{step.op} (at {step.line}): {refusal}") from refusal


def _tried(step: Node, found: Sequence[Bound]) -> StepCost:
    """The cost of `step`, which has sizes of `found`, after a trial. Raises an error if no program can run it."""
    assert step.op is not None
    if step.op.calls_python or not _is_alike(step, found):
        raise UntraceableError("it is different for some sizes")
    largest = {bound.name: bound.most for bound in found}
    _require_room(step, largest)
    return tuple(largest), cost_of(_padded_jaxpr(step, largest), tuple(largest))


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
    """Values of the sizes `found` at which a step may differ: few, all, and `others`.

    If they are many, only one of them has one of `others` at a time, the rest are as large as can be.
    """
    special = [[{least_of(bound.name), 1, bound.most} for bound in found]]
    equal = [{size for size in others if 1 <= size <= bound.most} for bound in found]
    if len(found) <= _FEW_SIZES:
        special = [[few | more for few, more in zip(special[0], equal, strict=True)]]
    else:
        largest = [{bound.most} for bound in found]
        special += [[*largest[:k], more, *largest[k + 1 :]] for k, more in enumerate(equal)]
    for combined in itertools.chain(*[itertools.product(*values) for values in special]):
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
