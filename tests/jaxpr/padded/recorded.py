"""The ops that cases record, with their inputs, and how a size of theirs is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import tfcompat as tf
from tests.cases.recipe import Example
from tests.evaluate import attempt
from tests.explained import forget_structures
from tests.jaxpr.padded.trial import difference, with_garbage
from tfcompat._core.operation.op import Op, linearize
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.size import value_of

# How much larger than the true size the padded one is.
ROOM = 5


class Recorded(NamedTuple):
    """An op and the arrays that it was recorded on."""

    op: Op
    arrays: list[np.ndarray]


def recorded_ops(example: Example, monkeypatch: Any) -> list[Recorded]:
    """The ops that `example` records, each once."""
    calls: dict[Op, tuple[Any, ...]] = {}
    extend = Trace.extend

    def extended(trace: Trace, op: Op, key: tuple[Any, ...], inputs: tuple[Any, ...]) -> Any:
        node = extend(trace, op, key, inputs)
        calls.setdefault(op, (inputs, node.signature))
        return node

    forget_structures()  # a known one is not extended
    with monkeypatch.context() as patch, tf.GradientTape(watch_accessed_variables=False):
        patch.setattr(Trace, "extend", extended)
        kept = attempt(example.call, tf, [tf.constant(array) for array in example.arrays()])
    del kept
    return [
        Recorded(op, [_array(given, aval) for given, aval in zip(inputs, signature)])
        for op, (inputs, signature) in calls.items()
        if all(aval.struct is not None for aval in signature)
    ]


def _array(given: Any, aval: Any) -> np.ndarray:
    return np.asarray(given.numpy() if isinstance(given, Tensor) else given, aval.dtype.as_numpy_dtype)


def openings(arrays: list[np.ndarray]) -> Iterator[list[Any]]:
    """Structs of `arrays` in which a size is the symbol n: on one axis of all that have it there, or on every axis."""
    for axis in (0, 1):
        for size in sorted({array.shape[axis] for array in arrays if array.ndim > axis} - {0, 1}):
            (symbol,) = jax.export.symbolic_shape("n", constraints=["n >= 2"])
            for axes in ((axis,), range(8)):
                yield [
                    jax.ShapeDtypeStruct(
                        [symbol if k in axes and length == size else length for k, length in enumerate(array.shape)],
                        array.dtype,
                    )
                    for array in arrays
                ]


def differentiated(op: Op, structs: list[Any]) -> tuple[Any, list[Any]]:
    """The op with its pullback as a function, and its arguments: the op's own, then cotangents."""
    outputs = jax.eval_shape(op.outputs, *structs)
    given = tuple(k for k, out in enumerate(outputs) if jnp.issubdtype(out.dtype, jnp.inexact))
    blocked = range(len(structs)) if op.gradient.blocked is True else op.gradient.blocked
    wanted = tuple(
        k for k, struct in enumerate(structs) if jnp.issubdtype(struct.dtype, jnp.inexact) and k not in blocked
    )
    if not wanted or not given:
        return op.outputs, structs
    count = len(structs)

    def with_pullback(*args: Any) -> list[Any]:
        found, pull = linearize(op, args[:count], wanted, given)
        return [*found, *pull(*args[count:])]

    return with_pullback, [*structs, *(outputs[k] for k in given)]


def disagreement(recorded: Recorded, structs: list[Any]) -> list[str]:
    """How the padded results of the op and its pullback differ from those of the exact program.

    Raises what JAX raises if it cannot trace the op for these sizes, and NoRule.
    """
    true = next(
        array.shape[k]
        for array, struct in zip(recorded.arrays, structs)
        for k, size in enumerate(struct.shape)
        if not isinstance(size, int)
    )
    program, arguments = differentiated(recorded.op, structs)
    jaxpr = jax.make_jaxpr(program)(*arguments)
    rng = np.random.default_rng(0)
    cotangents = [
        np.asarray(rng.normal(size=[value_of(size, {"n": true}) for size in each.shape])).astype(each.dtype)
        for each in arguments[len(structs) :]
    ]
    exact, _ = differentiated(recorded.op, recorded.arrays)
    arrays = [*recorded.arrays, *cotangents]
    room = [physical_shape(each.shape, {"n": true + ROOM}) for each in arguments]
    got = jax.jit(padded(jaxpr, {"n": true + ROOM}))({"n": true}, *map(with_garbage, arrays, room))
    found = []
    for value, want, aval in zip(got, jax.jit(exact)(*arrays), jaxpr.out_avals):
        logical = tuple(slice(value_of(size, {"n": true})) for size in aval.shape)
        said = difference(np.asarray(value)[logical], np.asarray(want))
        found += [said] if said else []
    return found
