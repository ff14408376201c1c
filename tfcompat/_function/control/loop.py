"""`tf.while_loop`: a function is called as long as another one says.

Where values are known this is a loop of Python's. In a function that is being traced both are traced once, and the
program runs the loop: by a scan of fixed length where the number of iterations is known, so that JAX keeps for the
gradient what each iteration needs, else as `tfcompat._function.control.repetition` tells.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core import nest
from tfcompat._core.container import is_composite
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import bool_
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.block import Block, Links, Operands
from tfcompat._function.control.count import count_of
from tfcompat._function.control.hearing import hear
from tfcompat._function.control.iterated import IteratedGraph
from tfcompat._function.control.repetition import repeat_while
from tfcompat._function.control.tensor_array import WRITE, TensorArray
from tfcompat._function.control.unshaped import Unshaped
from tfcompat._function.control.verdict import Verdict
from tfcompat._function.graph import is_symbolic
from tfcompat._ops.layout import reshape

_NONE: Links = frozenset()


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars` after `body`, called on them while `cond` is true of them, but at most `maximum_iterations` times.

    In a `tf.function` both are traced once, and shapes can't change from iteration to iteration. The order of
    iterations is always theirs, whatever `parallel_iterations`; `swap_memory` changes no value.

    Shapes: those of `loop_vars`.
    Dtypes: those of `loop_vars`.
    Gradient: of any order, also if the number of iterations is only known when the function runs: then at most 128
      states are kept, and what lies between them is computed again.
    Raises: TypeError if `cond` or `body` is not callable, or a dtype changes; ValueError if the structure or a shape
      changes; NotImplementedError if `shape_invariants` let a shape change in a `tf.function`.
    Source: TF 2.21 `tf.while_loop`.
    """
    del swap_memory, name
    for function, parameter in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{parameter}' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not here.trace.is_symbolic:
        return _run(cond, body, loop_vars, maximum_iterations)
    if shape_invariants is not None:
        nest.assert_same_structure(loop_vars, shape_invariants)
    found = _record(cond, body, loop_vars, shape_invariants, maximum_iterations)
    if back_prop:
        return found
    _warn_of_back_prop()
    return nest.map_structure(lambda x: record(_STOPPED, (x,)), found, expand_composites=True)


_STOPPED = Op("stop_gradient", lambda x: x, blocked=True, cuts=True)


def _warn_of_back_prop() -> None:
    warnings.warn(
        "tf.while_loop: back_prop=False is deprecated; use tf.stop_gradient on the results.",
        DeprecationWarning,
        stacklevel=3,
    )


def _run(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: Any) -> Any:
    """The loop where values are known."""
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    limit = None if maximum_iterations is None else convert_to_tensor(maximum_iterations)
    if limit is not None and limit.ndim:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    most = None if limit is None else limit.numpy()
    first, count = list(loop_vars), 0
    while (most is None or count < most) and cond(*loop_vars):
        loop_vars = body(*loop_vars)
        nest.assert_same_structure(first, list(loop_vars))
        count += 1
    return nest.map_structure(lambda x: x if is_composite(type(x)) else convert_to_tensor(x), loop_vars)


def _record(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum_iterations: Any
) -> Any:
    """The loop as one op of the function that is being traced."""
    len(loop_vars)
    limit = None if maximum_iterations is None else _limit(maximum_iterations)
    loop = _with_room(cond, body, loop_vars, limit)
    _require_fixed(loop.state, loop.after, invariants is not None)
    if loop.test.updates or loop.test.is_heard:
        return _turned(cond, body, loop_vars, invariants, maximum_iterations)
    op = _Loop(loop, limit)
    answers = op.record()
    count = len(loop.state)
    for cell, tensor in zip(op.cells, answers[count:], strict=False):
        cell._rebind(tensor)
    if op.checks is not None:
        hear(answers[-1], op.checks)
    return loop.packed(answers[:count])


def _turned(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, invariants: Any, maximum_iterations: Any
) -> Any:
    """The loop whose condition does more than to answer: it is called before the first iteration and after each."""

    state = [x if is_composite(type(x)) else convert_to_tensor(x) for x in nest.flatten(list(loop_vars))]
    state = nest.pack_sequence_as(list(loop_vars), state)
    verdict = Verdict(lambda *given: _condition(cond(*given)), state)

    def advanced(_: Tensor, state: list[Any]) -> tuple[Tensor, list[Any]]:
        found = body(*state)
        after = list(found) if nest.is_nested(found) else [found]
        return verdict(after), after

    shapes = None if invariants is None else (TensorShape([]), list(invariants))
    found = _record(lambda goes_on, _: goes_on, advanced, (verdict(state), state), shapes, maximum_iterations)[1]
    return nest.pack_sequence_as(loop_vars, nest.flatten(found))


def _with_room(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, limit: Tensor | None) -> _Traced:
    """The loop, traced with as much room in tensor arrays of dynamic size as it will need.

    That is tried with a guess first, the bound on the iterations.
    """
    arrays = [array for array in nest.flatten(loop_vars) if _grows(array)]
    most = None if limit is None or is_symbolic(limit) else int(limit)
    loop = _Traced(cond, body, loop_vars, [max(most or 1, 1)] * len(arrays))
    if not arrays:
        return loop
    sizes = _Loop(loop, limit).sizes()
    if sizes is None and most is None:
        raise NotImplementedError(
            "tf.while_loop: how far the loop makes a tf.TensorArray with dynamic_size grow is only known when the "
            "function runs, and an XLA program's shapes are fixed; give the array a `size` that is enough, or the loop "
            "`maximum_iterations`."
        )
    if sizes is not None:
        rooms = [size - len(array) for size, array in zip(sizes, arrays, strict=True)]
        if rooms != loop.rooms:
            loop = _Traced(cond, body, loop_vars, rooms)
        loop.sizes = sizes
    return loop


class _Traced:
    """A loop's condition and body, traced.

    Attributes:
      test, step: the blocks. Argument 0 is the number of the iteration, then come the leaves of the loop variables.
      state: the leaves that are tensors; `after`: what they are after an iteration.
      arguments: for each argument its place: 0 for the number of the iteration, then those of the state.
      rooms: how much longer each array of dynamic size may become; `lengths`: the places of their sizes; `sizes`: what
        these are after the loop, if that is known.
    """

    def __init__(
        self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, rooms: Sequence[int]
    ) -> None:
        self.rooms = list(rooms)
        self.sizes: list[int] | None = None
        room = iter(rooms)
        self._given = loop_vars
        self._loop_vars = nest.map_structure(lambda x: x.with_room(next(room)) if _grows(x) else x, loop_vars)
        self._leaves = [_entering(leaf) for leaf in nest.flatten(self._loop_vars, expand_composites=True)]
        self.test = self._trace("while_cond", cond, _condition)
        self.step = self._trace("while_body", body, self._fitting)
        for k, (leaf, new) in enumerate(zip(self._leaves, self.step.leaves, strict=True)):
            if type(leaf) is Unshaped and type(new) is Tensor:
                self._leaves[k] = leaf.resolve(new._aval.shape[1:], here.trace)
        self.state: list[Tensor] = [leaf for leaf in self._leaves if type(leaf) is Tensor]
        self.after = self.step.outputs
        places = itertools.count(1)
        self.arguments = [0, *(next(places) if type(leaf) is Tensor else 0 for leaf in self._leaves)]
        self.lengths = list(self._find_lengths())

    def _find_lengths(self) -> Iterator[int]:
        """The places of the sizes of the arrays that there was made room in."""
        leaf = 0
        for value, grown in zip(nest.flatten(self._given), nest.flatten(self._loop_vars), strict=True):
            leaf += len(nest.flatten(grown, expand_composites=True))
            if _grows(value):
                yield self.arguments[leaf]

    def packed(self, answers: Sequence[Tensor]) -> Any:
        """What the loop answers, if its op answers `answers` for the state."""
        given = iter(answers)
        leaves = [next(given) if type(leaf) is Tensor else leaf for leaf in self._leaves]
        found = nest.pack_sequence_as(self._loop_vars, leaves, expand_composites=True)
        if self.sizes is None:
            return found
        sizes = iter(self.sizes)
        return nest.map_structure(
            lambda value, given: value.trimmed(next(sizes)) if _grows(given) else value, found, self._given
        )

    def _trace(self, label: str, function: Callable[..., Any], checked: Callable[[Any], Any]) -> Block:
        graph = IteratedGraph(label)

        def call() -> Any:
            given = [
                graph.argument(leaf._aval, k) if type(leaf) is Tensor else Unshaped(leaf.size, leaf.dtype, graph, k)
                for k, leaf in enumerate(self._leaves, 1)
            ]
            return checked(function(*nest.pack_sequence_as(self._loop_vars, given, expand_composites=True)))

        return Block(graph, call)

    def _fitting(self, found: Any) -> Any:
        """What the body returned, in a structure like the loop variables. Raises ValueError if it is none."""
        if not nest.is_nested(found):
            found = [found]
        nest.assert_same_structure(list(found), list(self._loop_vars), check_types=False, expand_composites=True)
        return found


def _grows(value: Any) -> bool:
    return isinstance(value, TensorArray) and value.grows


def _entering(leaf: Any) -> Any:
    if leaf is None:
        raise ValueError("None values not supported.")
    return leaf if type(leaf) is Unshaped else convert_to_tensor(leaf)


def _limit(maximum_iterations: Any) -> Tensor:
    limit = convert_to_tensor(maximum_iterations)
    if not limit.dtype.is_integer:
        raise TypeError(f"Expected int32, but got {maximum_iterations} of type '{type(maximum_iterations).__name__}'.")
    if limit.ndim:
        raise InvalidArgumentError.of(f"tf.while_loop: maximum_iterations must be a scalar, got shape {limit.shape}.")
    return limit


def _condition(found: Any) -> Tensor:
    pred = convert_to_tensor(found)
    if pred.dtype is not bool_:
        raise InvalidArgumentError.of(f"Input 'input' passed {pred.dtype.name} expected bool in tf.while_loop's cond.")
    if pred._aval.size != 1:
        raise InvalidArgumentError.of(f"tf.while_loop: cond must return a scalar, but it has shape {pred._aval.shape}.")
    return pred if pred.ndim == 0 else reshape(pred, ())


def _require_fixed(state: Sequence[Tensor], after: Sequence[Tensor], has_invariants: bool) -> None:
    for tensor, new in zip(state, after, strict=True):
        name = tensor._trace.name_of(tensor) if is_symbolic(tensor) else "Const:0"
        if tensor.dtype is not new.dtype:
            raise TypeError(
                f"Loop var {name} enters the loop with type {tensor.dtype!r} but has type {new.dtype!r} after 1 "
                f"iteration. {name} type should remain constant."
            )
        if tensor._aval is new._aval:
            continue
        if has_invariants:
            raise NotImplementedError(
                f"tf.while_loop: {name} enters the loop with shape {tensor._aval.shape} and has shape "
                f"{new._aval.shape} after one iteration; an XLA program's shapes are fixed, whatever "
                "`shape_invariants`. Write into a tf.TensorArray, or into a tensor as large as it will get."
            )
        raise ValueError(
            f"Input tensor `{name}` enters the loop with shape {tensor._aval.shape}, but has shape {new._aval.shape} "
            "after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument "
            "of tf.while_loop to specify a less-specific shape."
        )


class _Loop:
    """A loop as an op.

    Its operands are the state (the loop variables, the variables that it assigns, and flags that tell of bad values if
    there can be any), and what it reads besides. The blocks read their leaves from places: in place 0 is the number of
    the iteration, then come the operands.

    Attributes:
      cells: the variables that it assigns.
      checks: the steps that can meet bad values; None if nothing is to be told.
    """

    def __init__(self, loop: _Traced, limit: Tensor | None) -> None:
        test, step = self._test, self._step = loop.test, loop.step
        self.cells = [cell for cell, _ in step.updates.values()]
        held, after = [cell._read() for cell in self.cells], [tensor for _, tensor in step.updates.values()]
        _require_fixed(held, after, False)
        self.checks = step.checks if step.is_heard else None
        flags = [] if self.checks is None else [Tensor(np.zeros(len(self.checks) + 1, bool))]
        state = [*loop.state, *held, *flags]
        self._count_of_outputs, self._size = len(loop.state), len(state)
        operands = Operands(state, first=1)
        for k, cell in enumerate(self.cells):
            operands.hold(cell, 1 + len(loop.state) + k)
        self._limit = None if limit is None or not is_symbolic(limit) else operands.place(limit)
        self._most = None if limit is None or is_symbolic(limit) else int(limit)
        self._places_of_test = operands.places(test, loop.arguments)
        self._places_of_step = operands.places(step, loop.arguments)
        self._operands = operands.tensors
        self._lengths = loop.lengths
        self._after = step.slots([*loop.after, *after])
        self._verdict = test.slots(test.outputs)

    def record(self) -> Sequence[Tensor]:
        """The state after the loop."""
        if not self._size:
            return ()
        known = self._count()
        run = self._repeated
        if known is not None:
            count = known[0]
            run = functools.partial(self._scanned, count, self._find_rows(count) if count else {})
        answers = record(Op("while_loop", run, many=True, linked=self._linked()), tuple(self._operands))
        # The op lives as long as the function's trace, and must not hold the values that this call was traced with.
        self._operands = []
        return answers

    def sizes(self) -> list[int] | None:
        """How many elements the growing arrays have after the loop, if that is known."""
        known = self._count(self._lengths)
        return None if known is None else known[1]

    def _count(self, wanted: Sequence[int] = ()) -> tuple[int, list[int]] | None:
        """The number of iterations, and what is then in the places `wanted`, if it is known."""
        if self._limit is not None:
            return None

        def reads(place: int | None) -> set[int]:
            if place is None:
                return {self._places_of_test[leaf] for leaf in self._test.read(self._verdict)}
            return {self._places_of_step[leaf] for leaf in self._step.read([self._after[place - 1]])}

        def after(values: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
            slots = [self._after[place - 1] for place in places]
            return self._step.function(slots)([values[place] for place in self._places_of_step])

        return count_of(self._goes_on(), after, reads, self._operands, self._size, self._most, wanted)

    def _goes_on(self) -> Callable[[Sequence[Any]], Any]:
        run = self._test.function(self._verdict)
        return lambda values: run([values[place] for place in self._places_of_test])[0]

    def _find_rows(self, count: int) -> dict[int, int]:
        """The arrays in the state that each iteration writes its own row of and that nothing reads.

        By their numbers in the state the slots of what is written.
        """
        found: dict[int, int] = {}
        starts = dict(zip(self._places_of_step, self._step.starts, strict=True))
        read_by_test = {self._places_of_test[leaf] for leaf in self._test.read(self._verdict)}
        for k in range(self._count_of_outputs):
            slot, readers = starts.get(k + 1), []
            if slot is not None:
                readers = [node for node in self._step.path if slot in node.inputs]
            if len(readers) != 1 or k + 1 in read_by_test or slot in self._after:
                continue
            _, index, value = readers[0].inputs if readers[0].op is WRITE else (None, None, None)
            is_last = readers[0].first == self._after[k] and self._after.count(self._after[k]) == 1
            if is_last and type(index) is int and type(value) is int and self._counts_up(index, count):
                readers = [node for node in self._step.path if self._after[k] in node.inputs]
                height = self._operands[k]._aval.shape[0]
                if not readers and height >= count:
                    found[k] = value
        return found

    def _counts_up(self, slot: int, count: int) -> bool:
        """Whether `slot` of the body is 0, 1, ... in the first `count` iterations."""
        places = {self._places_of_step[leaf] for leaf in self._step.read([slot])}
        place = max(places, default=0)
        if len(places) != 1 or not 0 < place <= self._count_of_outputs:
            return False
        start, after = self._operands[place - 1], self._after[place - 1]
        moved = {self._places_of_step[leaf] for leaf in self._step.read([after])}
        if moved != places or start.ndim or not start.dtype.is_integer or is_symbolic(start) or int(start) != 0:
            return False
        run = self._step.function([slot, after])

        def of(value: Any) -> Any:
            return run([value if read == place else None for read in self._places_of_step])

        with jax.enable_x64(True):
            numbers = np.arange(count, dtype=start.dtype.as_numpy_dtype)
            found, next_ = jax.vmap(of)(jnp.asarray(numbers))
        return bool((np.asarray(found) == numbers).all() and (np.asarray(next_) == numbers + 1).all())

    def _quiet(self) -> Callable[[Any, Sequence[Any], Sequence[Any]], tuple[Any, ...]]:
        """One iteration, without what it does besides."""
        run = self._step.function(self._after)
        told = self._size - len(self._after)

        def step(k: Any, state: Sequence[Any], rest: Sequence[Any]) -> tuple[Any, ...]:
            values = (k, *state, *rest)
            found = run([values[place] for place in self._places_of_step])
            return (*found, *state[len(state) - told :])

        return step

    def _advance(
        self, rows: dict[int, int] | None = None
    ) -> Callable[[Any, Sequence[Any], Sequence[Any]], tuple[Any, ...]]:
        """One iteration; it answers for some parts of the state, by their numbers, what is in the slots `rows`."""
        slots = [(rows or {}).get(k, slot) for k, slot in enumerate(self._after)]
        run = self._step.procedure(slots)

        def step(k: Any, state: Sequence[Any], rest: Sequence[Any]) -> tuple[Any, ...]:
            values = (k, *state, *rest)
            found, flags = run([values[place] for place in self._places_of_step])
            if self.checks is None:
                return tuple(found)
            return (*found, state[-1] | jnp.stack([*flags, jnp.zeros((), bool)]))

        return step

    def _scanned(self, count: int, rows: dict[int, int], *operands: Any) -> tuple[Any, ...]:
        """The loop of known length. What is written into `rows` comes out of the scan as its rows."""
        step, size = self._advance(rows), self._size
        carried = [k for k in range(size) if k not in rows]

        def one(state: Any, k: Any) -> Any:
            whole = list(operands[:size])
            for place, value in zip(carried, state, strict=True):
                whole[place] = value
            found = step(k, whole, operands[size:])
            return tuple(found[place] for place in carried), tuple(found[place] for place in rows)

        first = tuple(operands[place] for place in carried)
        state, answers = jax.lax.scan(one, first, jnp.arange(count, dtype=np.int32))
        final = dict(zip(carried, state, strict=True))
        for place, written in zip(rows, answers, strict=True):
            final[place] = jnp.concatenate([written, operands[place][count:]])
        return tuple(final[place] for place in range(size))

    def _repeated(self, *operands: Any) -> tuple[Any, ...]:
        verdict = self._goes_on()

        def test(k: Any, state: Sequence[Any], rest: Sequence[Any]) -> Any:
            values = (k, *state, *rest)
            found = verdict(values)
            if self._limit is not None:
                found &= k < values[self._limit]
            return found if self._most is None else found & (k < self._most)

        state, rest = operands[: self._size], operands[self._size :]
        return repeat_while(test, self._advance(), self._quiet(), state, rest)

    def _linked(self) -> tuple[Links, ...]:
        """For each part of the state the operands that its derivative depends on, after any number of iterations.

        Nothing leads through an assignment.
        """
        count = self._count_of_outputs
        links = [{self._places_of_step[k] for k in leaves} for leaves in self._step.links(self._after[:count])]
        while True:
            wider = [found.union(*[links[p - 1] for p in found if 0 < p <= count]) for found in links]
            if wider == links:
                break
            links = wider
        answer = [frozenset({place - 1 for place in found if place} | {k}) for k, found in enumerate(links)]
        return (*answer, *[_NONE] * (self._size - count))
