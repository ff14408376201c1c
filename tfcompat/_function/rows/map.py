"""`tf.map_fn` and `tf.vectorized_map`.

`tf.map_fn` calls a function for one row after another, `tf.vectorized_map` maps it over all rows at once by `jax.vmap`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched, register
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.operation.recipe import Hashed, Recipe
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import CreationError, InvalidArgumentError, UntraceableError, found_early
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import int64
from tfcompat._function.block.block import Block, Operands, record_checks
from tfcompat._function.block.procedure import Procedure, Sized
from tfcompat._function.control.traced_loop import IteratedGraph
from tfcompat._function.graphs.refusal import refused_while_traced
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.rows.loop import over_rows, require_rows
from tfcompat._function.rows.one_by_one import count_of, dtype_of, empty, fitted, map_rows, ragged_of
from tfcompat._function.running.initialisation import initialise
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.creation import range as number_range
from tfcompat._ops.array.joining import concat, stack
from tfcompat._ops.array.layout import broadcast_to, repeat, reshape
from tfcompat._ops.elementwise.algebraic import maximum
from tfcompat._ops.fold.reduction import reduce_max
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


@dispatched
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems`, stacked.

    `elems` may be a structure of tensors; `fn` then takes the same structure of their rows. `fn_output_signature` (or
    `dtype`) has the structure and the dtypes of the results of `fn`, if they differ from those of `elems`. The calls
    are made in the order of the rows, whatever `parallel_iterations`; `swap_memory` changes no value, and shapes are
    always known here, whatever `infer_shape`.

    Shapes: [n, ...] -> [n, ...]
    Dtypes: those of `fn_output_signature`.
    Raises: ValueError without tensors, for scalars, if the numbers of rows differ, or another structure or a shape
      that doesn't fit the signature is returned; InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.map_fn`.
    """
    del parallel_iterations, swap_memory, infer_shape, name
    if not callable(fn):
        raise TypeError(f"tf.map_fn: fn must be callable, got {fn!r}.")
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    if not tensors:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems!r}, which does not contain "
            "any Tensors."
        )
    if any(tensor.ndim == 0 for tensor in tensors):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = nest.pack_sequence_as(elems, [tensor.dtype for tensor in tensors])
    specs = nest.flatten(signature)
    dtypes = list(map(dtype_of, specs))
    if require_rows(tensors) == 0 and not here.trace.is_symbolic:
        return nest.pack_sequence_as(signature, [empty(spec) for spec in specs])

    def step(state: list[Tensor], rows: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        result = fn(nest.pack_sequence_as(elems, rows))
        nest.assert_same_structure(signature, result)
        found = [
            convert_to_tensor(leaf, dtype_hint=dtype) for leaf, dtype in zip(nest.flatten(result), dtypes, strict=True)
        ]
        return state, [fitted(tensor, spec) for tensor, spec in zip(found, specs, strict=True)]

    trace = element_trace()
    try:
        _, answers = over_rows("map_fn", step, [], tensors)
        answers = [ragged_of(rows, spec) for rows, spec in zip(answers, specs, strict=True)]
    except (NotImplementedError, TypeError):
        if trace is None or any(isinstance(spec, (RaggedTensorSpec, SparseTensorSpec)) for spec in specs):
            raise  # `map_rows` is called then
        answers = trace.map_rows(lambda rows: step([], rows)[1], tensors)
    return nest.pack_sequence_as(signature, answers if back_prop else [stop_gradient(x) for x in answers])


for _kind in (RaggedTensor, RaggedTensorSpec, SparseTensor, SparseTensorSpec):
    register(map_fn, _kind, map_rows)


@dispatched
def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` of each row of `elems`, stacked, computed for all rows at once.

    `fn` is traced once. A tensor with one row is used with all rows of the others. All ops can be vectorised but those
    of strings, and those whose shape depends on the values of a row, such as `tf.boolean_mask`: then `fn` is called for
    one row after another if `fallback_to_while_loop`, without a warning whatever `warn` says; also for the rows of
    ragged tensors. Sparse results have one more axis, and `tf.IndexedSlices` become tensors.

    Shapes: [n, ...] -> [n, ...]
    Dtypes: those that `fn` returns.
    Raises: InvalidArgumentError if the numbers of rows or the shapes of the results for the rows differ;
      NotImplementedError if `fn` assigns a variable. If a shape depends on the values of a row: ValueError unless
      `fallback_to_while_loop`; InvalidArgumentError without rows. ValueError if `fn` returns a ragged tensor.
    Source: TF 2.21 `tf.vectorized_map`.
    """
    del warn
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    counts = [tensor._aval.shape[0] for tensor in tensors]
    count = _rows_of(counts)
    creates = here.graph is None and (here.untraced is None or here.untraced.creates)
    try:
        block = _block(fn, elems, tensors, creates=creates)
        block.require_numbers()
    except CreationError:
        raise
    except UntraceableError as refusal:
        if not fallback_to_while_loop:
            raise ValueError(f"tf.vectorized_map: fn cannot be called for all rows at once. {refusal}") from refusal
        return _row_by_row(fn, elems, tensors, count)
    if block.updates:
        raise NotImplementedError("tf.vectorized_map: fn can't assign a variable for all rows at once; use tf.map_fn.")
    return _joined(block.result, _recorded(block, tensors))


def _rows_of(counts: Sequence[int]) -> int:
    """The number of rows of elems with `counts` of them. Raises InvalidArgumentError if they differ, and are not 1."""
    count = max(counts)
    if any(rows not in (1, count) for rows in counts):
        raise found_early(f"tf.vectorized_map: elems must have equally many rows, or one, got {counts}.")
    return count


def _row_by_row(fn: Callable[[Any], Any], elems: Any, tensors: Sequence[Tensor], count: int) -> Any:
    """`vectorized_map` by a loop."""
    structure: Any = None
    shapes: list[Any] = []

    def step(state: list[Tensor], rows: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        nonlocal structure
        structure = _of_row(fn(nest.pack_sequence_as(elems, rows)))
        found = [convert_to_tensor(leaf) for leaf in nest.flatten(structure, expand_composites=True)]
        shapes.append([tensor._aval.shape for tensor in found])
        _require_one_shape(shapes)
        return state, found

    whole = [
        tensor if tensor._aval.shape[0] == count else broadcast_to(tensor, [count, *tensor._aval.shape[1:]])
        for tensor in tensors
    ]
    _, stacked = over_rows("vectorized_map", step, [], whole)
    if structure is None:
        raise InvalidArgumentError.of(
            "tf.vectorized_map: elems must have rows if a shape depends on their values, as that of the result is not "
            "known without a row."
        )
    return _joined(structure, stacked)


def _map_ragged(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`vectorized_map` of ragged tensors: `fn` is called for one row after another."""
    del fallback_to_while_loop, warn
    leaves: list[Any] = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in nest.flatten(elems)]
    counts = [count_of(leaf, "vectorized_map") for leaf in leaves]
    count = _rows_of(counts)
    if not count:
        raise InvalidArgumentError.of("tf.vectorized_map: ragged elems must have rows.")
    results: list[Any] = []
    for k in range(count):
        row = [leaf[k if rows == count else 0] for leaf, rows in zip(leaves, counts, strict=True)]
        results.append(_of_row(fn(nest.pack_sequence_as(elems, row))))
    columns = [[convert_to_tensor(leaf) for leaf in nest.flatten(result, expand_composites=True)] for result in results]
    _require_one_shape([[tensor._aval.shape for tensor in column] for column in columns])
    return _joined(results[0], [stack(rows) for rows in zip(*columns, strict=True)])


register(vectorized_map, RaggedTensor, _map_ragged)


def _require_one_shape(shapes: Sequence[Any]) -> None:
    """Raises InvalidArgumentError if the last of `shapes`, those of the results for the rows, is not the first."""
    if any(found != shapes[0] for found in shapes):
        raise found_early(f"tf.vectorized_map: fn must return one shape, got {shapes[0]} and {shapes[-1]}.")


def _of_row(result: Any) -> Any:
    """`result`, which `fn` returned for a row, with rows of tables as tensors. Raises ValueError for ragged tensors."""
    if any(isinstance(leaf, RaggedTensor) for leaf in nest.flatten(result)):
        raise ValueError("tf.vectorized_map: fn can't return a ragged tensor; use tf.map_fn.")
    return nest.map_structure(lambda leaf: convert_to_tensor(leaf) if isinstance(leaf, IndexedSlices) else leaf, result)


def _joined(structure: Any, stacked: Sequence[Any]) -> Any:
    """The result, whose tensors have been `stacked`. The sparse tensors in `structure` become one of rank 1 more."""
    packed = nest.pack_sequence_as(structure, stacked, expand_composites=True)
    return nest.map_structure(lambda leaf: _sparse_rows(leaf) if isinstance(leaf, SparseTensor) else leaf, packed)


def _sparse_rows(stacked: SparseTensor) -> SparseTensor:
    """The sparse tensor of the rows whose indices, values and dense shapes have been stacked."""
    indices, sizes = stacked.indices, stacked.dense_shape
    count, elements, rank = indices._aval.shape
    rows = reshape(repeat(number_range(count, dtype=int64), elements), [-1, 1])
    inner = maximum(reduce_max(sizes, axis=0), 0)
    return SparseTensor(
        concat([rows, reshape(indices, [-1, rank])], 1), reshape(stacked.values, [-1]), concat([[count], inner], 0)
    )


def _block(fn: Callable[[Any], Any], elems: Any, tensors: Sequence[Tensor], *, creates: bool) -> Block:
    """The trace of `fn` for a row of `elems`, whose leaves are `tensors`.

    If it creates variables, which it may if it `creates`, it is traced again.
    """
    graph = IteratedGraph("vectorized_map", at_once=True)
    graph.creates = creates
    made: list[StoredTrace] = []

    def call() -> Any:
        rows = [aval_of(tensor._aval.shape[1:], tensor.dtype) for tensor in tensors]
        given = [graph.argument(aval, k) for k, aval in enumerate(rows, 1)]
        try:
            result = _of_row(fn(nest.pack_sequence_as(elems, given)))
        except InvalidArgumentError as error:
            raise refused_while_traced(error) or error from None
        if graph.created:
            made.append(StoredTrace(graph, (), {}))
        return result

    block = Block(graph, call)
    if not made:
        return block
    initialise(made[0], None)
    if here.untraced is not None:
        here.untraced.create()
    return _block(fn, elems, tensors, creates=False)


def _recorded(block: Block, tensors: Sequence[Tensor]) -> list[Tensor | None]:
    outputs = block.outputs
    operands = Operands(tensors, first=1)
    places = operands.places(block, range(1 + len(tensors)))
    op = _op(block, places, [tensor._aval.shape[0] for tensor in tensors], len(operands.tensors))
    found = list(record(op, (*operands.tensors, *_numbers(block)))) if outputs else []
    if block.has_effects and here.graph is not None:
        record_checks(found.pop(), block.checks)
    elif block.checks and outputs:
        found = _checked(block.checks, found)
    given = iter(found)
    return [next(given) if type(leaf) is Tensor else leaf for leaf in block.leaves]


def _checked(checks: Sequence[Node], found: Sequence[Tensor]) -> list[Tensor]:
    """All of `found` but the last, which has a flag for each of `checks`: reading them raises if one is set."""
    for k, check in enumerate(checks):
        assert check.op is not None
        assert check.op.check is not None
        op = _checking(check.op.name, check.op.check.message, k, len(found) - 1)
        found = [*record(op, tuple(found)), found[-1]]
        here.trace.node.line = check.line
    return list(found[:-1])


@functools.cache
def _checking(name: str, message: str, k: int, count: int) -> Op:
    """The op that returns its first `count` inputs. It fails if element `k` of the last one is true."""
    rule = GradientRule(linked=tuple([frozenset([i]) for i in range(count)]), passes=True)
    return Op(
        name,
        lambda *values: values[:-1],
        many=True,
        gradient=rule,
        check=ValueCheck(lambda *values: values[-1][k], message),
    )


def _numbers(block: Block) -> tuple[Tensor, Tensor]:
    """The Python numbers of `block`, as operands, so that the op doesn't depend on them."""
    return Tensor(np.array([*block.graph.floats, 0.0])), Tensor(np.array([*block.graph.ints, 0]))


def _op(block: Block, places: Sequence[int], rows: Sequence[int], operands: int) -> Op:
    """The op, cached for the structure of the block: outside of functions this is called repeatedly."""
    slots = tuple(block.slots(block.outputs))
    node = block.graph.node
    has_effects = bool(block.checks) or (block.has_effects and here.graph is not None)
    key = ("vectorized_map", slots, tuple(places), tuple(rows), operands, has_effects)
    memo = node.memos.get(key)
    if memo is None or block.graph.watcher.customs:
        linked = [frozenset(places[k] - 1 for k in leaves if places[k]) for leaves in block.links(slots)]
        rule = GradientRule(linked=(*linked, *[frozenset()] * has_effects))
        run = block.procedure(slots, takes_numbers=True)
        count = max(rows)
        spread = tuple([size == count for size in rows])
        op = vectorized_like(rule, tuple(places), spread, operands, has_effects, run.structure, run.sized)
        memo = node.memos[key] = (node, op)
    return memo[1]


def vectorized_like(
    rule: GradientRule,
    places: tuple[int, ...],
    has_rows: tuple[bool, ...],
    operands: int,
    has_effects: bool,
    structure: Hashed,
    sized: Sized,
) -> Op:
    """The op that maps a procedure over rows. It takes `operands` tensors, and the Python numbers of the procedure.

    The first of the tensors are mapped over; those without rows of their own (`has_rows`) have one row. `places` are
    those of the leaves: 0 for the number of the row, then the operands.
    """
    procedure = Procedure(structure, sized)

    def run(*values: Any) -> tuple[Any, ...]:
        numbers = values[operands], values[operands + 1]
        count = next(value.shape[0] for value, spread in zip(values, has_rows, strict=False) if spread)
        given = [
            value[0] if k < len(has_rows) and not has_rows[k] else value for k, value in enumerate(values[:operands])
        ]
        axes = [0 if k < len(has_rows) and has_rows[k] else None for k in range(operands)]

        def one(*values: Any) -> Any:
            found, flags = procedure([values[place] for place in places], numbers=numbers)
            return tuple(found), tuple(flags)

        indices = jnp.arange(count, dtype=np.int32)
        if not is_open(count) and count == 0:
            found, flags = _without_rows(one, (indices, *given), (0, *axes))
        else:
            found, flags = jax.vmap(one, in_axes=(0, *axes))(indices, *given)
        if not has_effects:
            return found
        return (*found, jnp.stack([*(jnp.any(flag) for flag in flags), jnp.zeros((), bool)]))

    op = Op("vectorized_map", run, many=True, gradient=rule)
    op.recipe = Recipe(vectorized_like, (rule, places, has_rows, operands, has_effects, structure), (sized,))
    return op


def _without_rows(function: Callable[..., Any], values: Sequence[Any], axes: Sequence[int | None]) -> Any:
    """Zeros of the shapes that `jax.vmap` of `function` returns, where the `values` that have `axes` have no rows."""
    rows = [
        jax.ShapeDtypeStruct(x.shape if axis is None else x.shape[1:], x.dtype)
        for x, axis in zip(values, axes, strict=True)
    ]
    return jax.tree.map(lambda x: jnp.zeros((0, *x.shape), x.dtype), jax.eval_shape(function, *rows))
