"""The trace: what was recorded since the last flush, and the flush that turns it into arrays.

Each thread records into a trace of its own. A trace is a path through the tree of structures (`tfcompat._core.node`)
together with what the structure leaves
open: leaf arrays, numbers, and weak references to the tensors that it will give a value to.

A flush ends the trace, unless a tape still holds it: then the trace goes on, keeps its leaves and what the flush
computed, and later steps may ask for any value of it again.
"""

from __future__ import annotations

import sys
import threading
from typing import Any
from weakref import ref

import jax
import numpy as np

from tfcompat._core.failure import from_runtime
from tfcompat._core.aval import Aval, aval_of
from tfcompat._core.config import settings
from tfcompat._core.counter import counts
from tfcompat._core.device import to_device
from tfcompat._core.location import user_line
from tfcompat._core.node import Node, Number, Origin, Reference, tree
from tfcompat._core.op import Op
from tfcompat._core.program import Program, cache, run_op_by_op, runs_op_by_op
from tfcompat._core.replay import Plan
from tfcompat._core.tensor import Tensor, alarms, raise_alarms

_new = object.__new__
_lock = threading.RLock()
# References to a variable's old tensor and to its array while a flush looks at them, when nobody else has any.
_TENSOR_REFERENCES = 4
_ARRAY_REFERENCES = 2
_READ_ONCE = -2
# Below this many bytes a buffer taken over costs more than a fresh one (measured on a CPU: 3 us for each scalar).
_SMALL_BUFFER = 4096
# So many programs may have run unread before what their checks found is looked at.
_UNREAD_ALARMS = 64
_NO_LEAVES: frozenset[int] = frozenset()


class Trace:
    """A path through the tree of structures, with its values.

    Attributes:
      node: where the trace stands.
      floats, ints: the Python numbers met, in order.
      leaves: the finished tensors that steps read, in order; `leaf_slots` finds their slots by `id`. `constants` holds
        those that are numbers.
      pending: weak references to the tensors that steps have made.
      replaced: for each variable that was assigned, by `id`: the variable, and the tensor that it held before.
      holders: weak references to the tapes that may still replay this trace.
      start: slots before this one have been run.
      kept: arrays of such slots, while a tape holds the trace.
    """

    __slots__ = (
        *("__weakref__", "constants", "first_op", "floats", "holders", "ints", "kept", "leaf_slots", "leaves", "limit"),
        *("node", "pending", "replaced", "start", "thread"),
    )

    def __init__(self) -> None:
        self.node = tree.root
        self.floats: list[float] = []
        self.ints: list[int] = []
        self.leaves: list[Tensor] = []
        self.constants: list[Tensor] = []
        self.leaf_slots: dict[int, int] = {}
        self.pending: list[ref[Tensor]] = []
        self.replaced: dict[int, tuple[Any, Tensor]] = {}
        self.holders: list[ref[Any]] = []
        self.kept: dict[int, Any] = {}
        self.start = 0
        self.limit = settings.max_ops
        self.first_op: Op | None = None
        self.thread = threading.get_ident()

    def slot_of(self, tensor: Tensor) -> int:
        """The slot of `tensor`, which becomes a leaf if it isn't in this trace yet."""
        if tensor._trace is self:
            return tensor._slot
        slot = self.leaf_slots.get(id(tensor))
        return self._leaf(tensor) if slot is None else slot

    def find(self, tensor: Tensor) -> int | None:
        """The slot of `tensor` if it is in this trace, else None."""
        return tensor._slot if tensor._trace is self else self.leaf_slots.get(id(tensor))

    def _leaf(self, tensor: Tensor) -> int:
        array, aval = tensor._array, tensor._aval
        if array is None:
            array = tensor._value("thread")
        is_on_host = type(array) is np.ndarray
        if is_on_host and aval.ndim == 0 and array.dtype.kind in "fib":
            node = self._number_leaf("f" if array.dtype.kind == "f" else "i", array.item(), aval)
            self.constants.append(tensor)
        else:
            node = self.node.next.get(aval)
            if node is None:
                node = self.node.extended(aval, None, (), (), (aval,), user_line())
            if is_on_host:
                _upload(tensor, array)
            self.leaves.append(tensor)
        self.node = node
        self.leaf_slots[id(tensor)] = node.first
        return node.first

    def _number_leaf(self, kind: str, value: Any, aval: Aval) -> Node:
        node = self.node.next.get((kind, aval))
        if node is None:
            number = Number(kind, self.node.floats if kind == "f" else self.node.ints, aval.dtype)
            node = self.node.extended((kind, aval), None, (number,), (aval,), (aval,), user_line())
        (self.floats if kind == "f" else self.ints).append(value)
        return node

    def add_numbers(self, inputs: tuple[Any, ...]) -> None:
        """Takes in the Python numbers among `inputs`."""
        for given in inputs:
            if type(given) is float:
                self.floats.append(given)
            elif type(given) is int:
                self.ints.append(given)

    def extend(self, op: Op, key: tuple[Any, ...], inputs: tuple[Any, ...]) -> Node:
        """The step that applies `op` to `inputs`, new in the tree. Nothing is recorded if the op refuses them."""
        node = self.node
        dtype = next((x._aval.dtype for x in reversed(inputs) if type(x) is Tensor), None)
        references: list[Reference] = []
        signature: list[Aval] = []
        used = {"f": node.floats, "i": node.ints}
        for part, given in zip(key[1:], inputs, strict=True):
            if type(given) is Tensor:
                references.append(part)
                signature.append(given._aval)
            else:
                assert dtype is not None
                references.append(Number(part, used[part], dtype))
                signature.append(aval_of((), dtype))
                used[part] += 1
        avals = op.infer(tuple(signature))
        return node.extended(key, op, tuple(references), tuple(signature), avals, user_line())

    def step(
        self, op: Op, inputs: tuple[Reference, ...], signature: tuple[Aval, ...], origin: Origin | None = None
    ) -> Node:
        """Appends `op` on slots and numbers of this trace: how derivatives are recorded."""
        node = self.node.next.get((op, inputs))
        if node is None:
            node = self.node.extended((op, inputs), op, inputs, signature, op.infer(signature), user_line())
            node.origin = origin
        self.node = node
        return node

    def tensor(self, slot: int, aval: Aval) -> Tensor:
        """A tensor for the value in `slot`."""
        tensor = _new(Tensor)
        tensor._array = None
        tensor._aval = aval
        tensor._trace = self
        tensor._slot = slot
        self.pending.append(ref(tensor))
        return tensor

    def output(self, node: Node) -> Tensor:
        """A tensor for the only output of `node`."""
        tensor = _new(Tensor)
        tensor._array = None
        tensor._aval = node.aval
        tensor._trace = self
        tensor._slot = node.first
        self.pending.append(ref(tensor))
        return tensor

    def alias(self, tensor: Tensor) -> Tensor:
        """Another tensor for the value of `tensor`, which is or becomes a part of this trace."""
        copy = self.tensor(self.slot_of(tensor), tensor._aval)
        copy._array = tensor._array
        return copy

    def hold(self, tape: Any) -> None:
        """Keeps what is recorded replayable for as long as `tape.holds(trace)`."""
        self.holders.append(ref(tape))

    def is_held(self) -> bool:
        """Whether a tape may still replay a part of this trace."""
        return any((tape := holder()) is not None and tape.holds(self) for holder in self.holders)

    def release(self) -> None:
        """Lets go of everything once no tape holds this trace and another one has taken its place."""
        if here.trace is not self and self.thread == threading.get_ident() and not self.is_held():
            self.flush("release")

    def materialise(self, tensor: Tensor, cause: str) -> None:
        """Gives `tensor`, pending in this trace, its value. A trace of another thread goes on undisturbed."""
        if self.thread == threading.get_ident():
            self.flush(cause)
            return
        with _lock:
            if tensor._array is None:
                node = self.node
                while node.first > tensor._slot and node.parent is not None:
                    node = node.parent
                tensor._array = self._execute(node, (tensor._slot,), frozenset())[tensor._slot]

    def flush(self, cause: str) -> None:
        """Computes every tensor of this trace that is alive.

        After an error the variables are what they were when it began.
        """
        with _lock:
            alive = [tensor for reference in self.pending if (tensor := reference()) is not None]
            live = [tensor for tensor in alive if tensor._array is None]
            held = bool(self.holders) and self.is_held()
            if live:
                counts.flushes += 1
                counts.causes[cause] += 1
                self._compute(live, held, cause)
            self.replaced.clear()
            if held:
                self.pending = [ref(tensor) for tensor in alive]
                self.start = self.node.slot
                self.limit = self.start + settings.max_ops
            else:
                self._finish(alive)

    def _finish(self, alive: list[Tensor]) -> None:
        for tensor in alive:
            tensor._trace = None
        self.pending = []
        if here.trace is self:
            here.trace = Trace()
        if tree.size > settings.max_steps:
            tree.prune()

    def _compute(self, live: list[Tensor], held: bool, cause: str) -> None:
        slots = tuple([tensor._slot for tensor in live])
        try:
            values = self._execute(self.node, slots, _NO_LEAVES if held else self._donatable())
        except jax.errors.JaxRuntimeError as failed:
            self._roll_back()
            raise from_runtime(
                failed, f"a program of {len(self.node.path())} steps, run because of a {cause}"
            ) from failed
        except BaseException:
            self._roll_back()
            raise
        for tensor in live:
            tensor._array = values[tensor._slot]
        if held:
            self.kept.update(values)

    def _roll_back(self) -> None:
        for variable, tensor in self.replaced.values():
            variable._tensor = tensor
        self.replaced.clear()
        if here.trace is self:
            here.trace = Trace()

    def _guards(self) -> tuple[tuple[int, int], ...]:
        """The slots of variables' new and old values:

        a program that checks values keeps the old ones if a check fails.
        """
        pairs = []
        for variable, old in self.replaced.values():
            new, slot = variable._tensor, self.leaf_slots.get(id(old))
            if slot is not None and new._trace is self and new._aval is old._aval:
                pairs.append((new._slot, slot))
        return tuple(pairs)

    def _donatable(self) -> frozenset[int]:
        """The leaves (by number) that were the values of variables since assigned, and that nobody else refers to."""
        if all(tensor._aval.nbytes < _SMALL_BUFFER for _, tensor in self.replaced.values()):
            return _NO_LEAVES
        number = {id(tensor): k for k, tensor in enumerate(self.leaves)}
        found: list[int] = []
        for variable, tensor in self.replaced.values():
            k = number.get(id(tensor))
            if k is None or variable._tensor._trace is not self or type(tensor._array) is np.ndarray:
                continue
            if tensor._aval.nbytes < _SMALL_BUFFER:
                continue
            if sys.getrefcount(tensor) == _TENSOR_REFERENCES and sys.getrefcount(tensor._array) == _ARRAY_REFERENCES:
                found.append(k)
        return frozenset(found)

    def _execute(self, node: Node, slots: tuple[int, ...], donatable: frozenset[int]) -> dict[int, Any]:
        """The values of `slots`, and perhaps of more, computed by the program of `node`, compiled if need be, or op by
        op.
        """
        node.visits += 1
        given = tuple(self.kept)
        program = self._program(node, given, slots, donatable)
        arrays = [tensor._array for tensor in self.leaves]
        if program is None:
            counts.op_by_op += 1
            plan = Plan(node.path(), given, slots, node.slot)
            known = {step.first: arrays[step.leaves - 1] for step in plan.leaves} | self.kept
            return run_op_by_op(plan, known, self.floats, self.ints, slots)
        answers = program(self.floats, self.ints, arrays, list(self.kept.values()))
        if program.complaints:
            alarms.append((answers[-1], program.complaints))
            if len(alarms) > _UNREAD_ALARMS:
                raise_alarms()
        return dict(zip(program.outputs, answers, strict=False))

    def _program(
        self, node: Node, given: tuple[int, ...], slots: tuple[int, ...], donatable: frozenset[int]
    ) -> Program | None:
        """The program for `slots`;

        None if they are better computed op by op. What is live chooses among outputs, not among programs.
        """
        guards = self._guards() if node.checks else ()
        family = (self.start, given, guards)
        known = node.programs.get(family)
        if known is not None and known.donated <= donatable and known.serves(slots):
            counts.cache_hits += 1
            cache.touch(known)
            return known
        outputs, donated = slots, donatable
        if known is None:
            if runs_op_by_op(node, Plan(node.path(), given, slots, node.slot)):
                return None
        else:
            outputs = tuple(sorted({*slots, *known.outputs}))
            donated = donatable if known.donated <= donatable else donatable & known.donated
            cache.drop(known)
        program = node.programs[family] = Program(node, self.start, given, outputs, donated, guards)
        cache.add(program, family)
        if settings.is_explaining:
            _explain(program, known)
        return program


class _Here(threading.local):
    """What belongs to the running thread: the trace that it records into, and the tapes that are recording."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.tapes: list[Any] = []


here = _Here()


def record(op: Op, inputs: tuple[Any, ...]) -> Any:
    """Records `op` on tensors and Python numbers (already fit for it); returns its tensor, or a tuple of them if the op
    has many outputs.

    A number takes the dtype of the last tensor among the inputs.
    """
    trace = here.trace
    if trace.node.slot >= trace.limit:
        trace = _at_limit(trace, op)
    key: list[Any] = [op]
    has_numbers = False
    for given in inputs:
        if type(given) is Tensor:
            key.append(given._slot if given._trace is trace else trace.slot_of(given))
        else:
            key.append("f" if type(given) is float else "i")
            has_numbers = True
    structure = tuple(key)
    node = trace.node.next.get(structure)
    if node is None:
        node = trace.extend(op, structure, inputs)
    if has_numbers:
        trace.add_numbers(inputs)
    trace.node = node
    answer = (
        tuple([trace.tensor(node.first + k, aval) for k, aval in enumerate(node.avals)])
        if op.many
        else trace.output(node)
    )
    if settings.is_immediate:
        trace.flush("immediate")
    return answer


def record_one(op: Op, x: Tensor) -> Tensor:
    """`record(op, (x,))` for an op with one output, made short."""
    trace = here.trace
    if trace.node.slot >= trace.limit:
        trace = _at_limit(trace, op)
    slot = x._slot if x._trace is trace else trace.leaf_slots.get(id(x)) or trace.slot_of(x)
    structure = (op, slot)
    node = trace.node.next.get(structure)
    if node is None:
        node = trace.extend(op, structure, (x,))
    trace.node = node
    answer = _new(Tensor)
    answer._array = None
    answer._aval = node.aval
    answer._trace = trace
    answer._slot = node.first
    trace.pending.append(ref(answer))
    if settings.is_immediate:
        trace.flush("immediate")
    return answer


def record_pair(op: Op, x: Tensor, y: Any) -> Tensor:
    """`record(op, (x, y))` for a tensor and a tensor or Python float and an op with one output, made short."""
    trace = here.trace
    if trace.node.slot >= trace.limit:
        trace = _at_limit(trace, op)
    slot = x._slot if x._trace is trace else trace.leaf_slots.get(id(x)) or trace.slot_of(x)
    if type(y) is Tensor:
        structure = (op, slot, y._slot if y._trace is trace else trace.leaf_slots.get(id(y)) or trace.slot_of(y))
        node = trace.node.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, (x, y))
    else:
        structure = (op, slot, "f")
        node = trace.node.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, (x, y))
        trace.floats.append(y)
    trace.node = node
    answer = _new(Tensor)
    answer._array = None
    answer._aval = node.aval
    answer._trace = trace
    answer._slot = node.first
    trace.pending.append(ref(answer))
    if settings.is_immediate:
        trace.flush("immediate")
    return answer


def _at_limit(trace: Trace, op: Op) -> Trace:
    """The trace to record `op` into.

    A trace over its limit ends where the op comes round that it began with, so that a loop cut here repeats.
    """
    if trace.first_op is None:
        trace.first_op = next(
            (node.op for node in trace.node.path() if node.op is not None and node.first >= trace.start), None
        )
    if op is trace.first_op or trace.node.slot >= 2 * trace.limit:
        trace.flush("limit")
        trace.first_op = None
    return here.trace


def resume(trace: Trace) -> None:
    """Makes `trace`, which a tape has kept, the one that this thread records into."""
    if here.trace is not trace:
        left = here.trace
        here.trace = trace
        if not left.is_held():
            left.flush("tape")


def start_step() -> None:
    """Ends the running trace: a training step begins."""
    trace = here.trace
    if trace.node.parent is not None:
        trace.flush("tape")
        if here.trace is trace:
            here.trace = Trace()


def sync() -> None:
    """Computes everything that is pending in this thread, and waits for it."""
    trace = here.trace
    alive = [tensor for reference in trace.pending if (tensor := reference()) is not None]
    trace.flush("sync")
    for tensor in alive:
        jax.block_until_ready(tensor._array)


def _upload(tensor: Tensor, array: np.ndarray) -> None:
    """Moves a host array to the device the second time that a step reads it;

    the first time it travels with the call.
    """
    if tensor._slot == _READ_ONCE:
        tensor._array = to_device(array)
    tensor._slot = _READ_ONCE


def _explain(program: Program, known: Program | None) -> None:
    why = (
        "a structure not seen before"
        if known is None
        else "other tensors are alive, or held elsewhere, than when it was compiled"
    )
    node = program.owner
    sys.stderr.write(f"tfcompat: compiling {node.slot} values ending at {node.line}, flushed at {user_line()}: {why}\n")
