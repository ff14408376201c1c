"""`tf.vectorized_map`: a function of all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core import nest
from tfcompat._core.aval import aval_of
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dispatch import dispatched
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.block import Block, Operands
from tfcompat._function.control.hearing import hear
from tfcompat._function.control.iterated import IteratedGraph
from tfcompat._ops.array.creation import zeros


@dispatched
def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` of each row of `elems`, stacked: computed for all rows together.

    `fn` is traced once. A tensor with one row is used for all rows of the others. Every op can be vectorised, so there
    is nothing to fall back from, whatever `fallback_to_while_loop`, and nothing to `warn` of.

    Shapes: [n, ...] -> [n, ...]
    Dtypes: those that `fn` returns.
    Raises: InvalidArgumentError if the numbers of rows differ; NotImplementedError if `fn` assigns a variable.
    Source: TF 2.21 `tf.vectorized_map`.
    """
    del fallback_to_while_loop, warn
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    counts = [tensor._aval.shape[0] for tensor in tensors]
    count = max(counts)
    if any(rows not in (1, count) for rows in counts):
        raise InvalidArgumentError.of(f"tf.vectorized_map: all elems must have as many rows, or one, got {counts}.")
    graph = IteratedGraph("vectorized_map", at_once=True)

    def call() -> Any:
        rows = [aval_of(tensor._aval.shape[1:], tensor.dtype) for tensor in tensors]
        given = [graph.argument(aval, k) for k, aval in enumerate(rows, 1)]
        return fn(nest.pack_sequence_as(elems, given))

    block = Block(graph, call)
    block.require_numbers()
    if block.updates:
        raise NotImplementedError("tf.vectorized_map: fn assigns a variable, for all rows at once; use tf.map_fn.")
    return nest.pack_sequence_as(block.result, _recorded(block, tensors, count), expand_composites=True)


def _recorded(block: Block, tensors: Sequence[Tensor], count: int) -> list[Tensor | None]:
    outputs = block.outputs
    if count == 0:
        found = [zeros([0, *tensor._aval.shape], tensor.dtype) for tensor in outputs]
    else:
        operands = Operands(tensors, first=1)
        places = operands.places(block, range(1 + len(tensors)))
        op = _op(block, places, [tensor._aval.shape[0] for tensor in tensors], len(operands.tensors))
        found = list(record(op, (*operands.tensors, *_numbers(block)))) if outputs else []
        if block.is_heard and here.graph is not None:
            hear(found.pop(), block.checks)
    given = iter(found)
    return [next(given) if type(leaf) is Tensor else leaf for leaf in block.leaves]


def _numbers(block: Block) -> tuple[Tensor, Tensor]:
    """The Python numbers of `block`: operands, so that the op doesn't depend on them."""
    return Tensor(np.array([*block.graph.floats, 0.0])), Tensor(np.array([*block.graph.ints, 0]))


def _op(block: Block, places: Sequence[int], rows: Sequence[int], operands: int) -> Op:
    """The op, the same one for the same structure: outside of functions this is called again and again."""
    slots = tuple(block.slots(block.outputs))
    node = block.graph.node
    is_heard = block.is_heard and here.graph is not None
    key = ("vectorized_map", slots, tuple(places), tuple(rows), operands, is_heard)
    memo = node.memos.get(key)
    if memo is None or block.graph.watcher.customs:
        linked = [frozenset(places[k] - 1 for k in leaves if places[k]) for leaves in block.links(slots)]
        run = _Vectorized(block, places, rows, operands, is_heard)
        op = Op("vectorized_map", run, many=True, linked=(*linked, *[frozenset()] * is_heard))
        memo = node.memos[key] = (node, op)
    return memo[1]


class _Vectorized:
    """The function of an op: of the tensors, what is read besides, and the numbers."""

    def __init__(self, block: Block, places: Sequence[int], rows: Sequence[int], operands: int, is_heard: bool) -> None:
        self._block = block
        self._places = places
        self._rows = rows
        self._operands = operands
        self._is_heard = is_heard
        self._slots = block.slots(block.outputs)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        count = max(self._rows)
        floats, ints = values[self._operands :]
        run = self._block.procedure(self._slots, (floats, ints))
        given = [
            value[0] if k < len(self._rows) and self._rows[k] < count else value
            for k, value in enumerate(values[: self._operands])
        ]
        axes = [0 if k < len(self._rows) and self._rows[k] == count else None for k in range(self._operands)]

        def one(*values: Any) -> Any:
            found, flags = run([values[place] for place in self._places])
            return tuple(found), tuple(flags)

        mapped = jax.vmap(one, in_axes=(0, *axes))
        found, flags = mapped(jnp.arange(count, dtype=np.int32), *given)
        if not self._is_heard:
            return found
        return (*found, jnp.stack([*(jnp.any(flag) for flag in flags), jnp.zeros((), bool)]))
