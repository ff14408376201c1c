"""The trace: the steps recorded since the last flush, its computation, and the functions that record ops into it.

Each thread records into a trace of its own. A flush ends the trace, unless a tape still holds it: then the trace
continues and keeps its leaves and the results of the flush, since later steps may need any of its values.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain, repeat
from operator import attrgetter, is_
from typing import Any
from weakref import ref

import jax

from tfcompat._core.operation.op import Op
from tfcompat._core.programs.program import NO_LEAVES
from tfcompat._core.structure.check_outcome import raise_failed_checks, unexamined, unverified
from tfcompat._core.structure.explanation import flush_counts, report_flush
from tfcompat._core.structure.failure import from_runtime
from tfcompat._core.structure.interruption import Changes, restore_types, restore_values, set_attribute
from tfcompat._core.structure.node import Node, tree
from tfcompat._core.structure.tensor import Tensor, finished, pending
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.error import OpError
from tfcompat._core.system.location import user_place
from tfcompat._core.system.lock import binding
from tfcompat._core.system.thread_state import Travelling, recorder
from tfcompat._core.tracing.deferral import Deferral
from tfcompat._core.tracing.flush import (
    CHOOSING,
    Run,
    choose,
    compute_alone,
    donatable,
    forget,
    missing_leaves,
    note_wait,
    refuse_failed,
    waiting_program,
)
from tfcompat._core.tracing.numerics import require_finite
from tfcompat._core.tracing.waiting import WaitingRecording
from tfcompat._core.types.aval import Aval

_new = object.__new__
_trace_of, _alive_of, _slot_of = attrgetter("_trace"), attrgetter("alive"), attrgetter("_slot")
# The callers between the user's code and `start_step`: a tape's `__enter__` and `_resume`.
_CALLERS_OF_STEP = 2
# How often, and for how many seconds each time, a thread waits for another one to compute results of Python functions.
_PATIENCE, _PAUSE = 100, 0.001
# Errors of a program, in contrast to those that signal handlers raise.
_FAILURES = (jax.errors.JaxRuntimeError, OpError, MemoryError)
# A training step of at most this many slots may enter several tapes.
_SHORT = 256


class _Holder(ref[Any]):
    """A reference to a tape that may still replay a trace."""

    __slots__ = ("trace",)
    trace: Trace


class Trace(WaitingRecording):
    """A recording in progress.

    Attributes:
      holders: references to the tapes that may still replay it.
      labels: those of the summaries that were written during the trace, each with its step.
      limit: above this load (see `Node`) it is flushed at the next occurrence of its first op, `first_op`.
      places: the instructions of the user's code that have entered an outermost tape during the trace.
      thread: the number of the recorder that it belongs to: that of a thread, see `thread_state.py`.
      deferral: the traces of its thread whose programs wait to start.
    """

    __slots__ = (*("__weakref__", "deferral", "first_op", "holders", "labels", "limit", "places", "thread"),)

    def __init__(self, deferral: Deferral | None = None) -> None:
        """A trace of the running thread, whose `deferral` may be given."""
        super().__init__()
        self.holders: list[_Holder] = []
        self.limit = settings.max_ops
        self.first_op: Op | None = None
        self.places: set[tuple[int, int]] = set()
        self.labels: dict[Any, Any] = {}
        self.thread = recorder.number
        self.deferral = here.deferral if deferral is None else deferral

    def tensor(self, slot: int, aval: Aval) -> Tensor:
        """A tensor for the value in `slot`."""
        tensor = pending(self, slot, aval)
        self.pending.append(ref(tensor))
        return tensor

    def advance(self, before: Node, node: Node) -> Tensor | None:
        """Makes `node`, which has no numbers, the current node; returns a tensor for its only output.

        None if `before`, from which `node` was found, is no longer the current node: a signal handler has recorded
        steps meanwhile. No handler runs between the comparison and the last assignment.
        """
        # The same as `pending`, inlined: this runs for each recorded op.
        tensor = _new(Tensor)
        tensor._array = None
        tensor._aval = node.aval
        tensor._trace = self
        tensor._slot = node.first
        reference = ref(tensor)
        if self.node is not before:
            return None
        self.node = node
        self.pending.append(reference)
        if settings.is_immediate:
            self.flush("immediate")
        return tensor

    def advance_with(
        self, before: Node, node: Node, floats: Sequence[float], ints: Sequence[int]
    ) -> tuple[Tensor, ...] | None:
        """As `advance`, for a node with numbers and any number of outputs."""
        answers = tuple([pending(self, node.first + k, aval) for k, aval in enumerate(node.avals)])
        references = list(map(ref, answers))
        if self.node is not before:
            return None
        self.floats[before.floats :] = floats
        self.ints[before.ints :] = ints
        self.node = node
        self.pending += references
        if settings.is_immediate:
            self.flush("immediate")
        return answers

    def advance_beside(self, before: Node, node: Node, number: float) -> Tensor | None:
        """As `advance`, for a node with one float, optimised."""
        tensor = pending(self, node.first, node.aval)
        reference = ref(tensor)
        if self.node is not before:
            return None
        self.floats[before.floats :] = (number,)
        self.node = node
        self.pending.append(reference)
        if settings.is_immediate:
            self.flush("immediate")
        return tensor

    def alias(self, tensor: Tensor) -> Tensor:
        """Another tensor for the value of `tensor`, which is or becomes a part of this trace."""
        if self.waiting is not None:
            return finished(tensor._value("assignment"), tensor._aval)
        copy = self.tensor(self.slot_of(tensor), tensor._aval)
        copy._array = tensor._array
        return copy

    def hold(self, tape: Any) -> None:
        """Keeps the recorded steps replayable for as long as `tape.holds(trace)`.

        The end of the tape is noted by C code, since exceptions of signal handlers in a Python destructor are lost.
        """
        holder = _Holder(tape, here.lapsed.append)
        holder.trace = self
        self.holders.append(holder)

    def remove_holder(self, tape: Any) -> None:
        """Removes `tape` from the holders."""
        self.holders = [holder for holder in self.holders if holder() is not tape]

    def receive(self, tape: Any) -> bool:
        """Makes `tape`, which holds another trace, continue in this one; returns whether it will return to its own."""
        del tape
        return False

    def is_held(self) -> bool:
        """Whether a tape may still replay a part of this trace."""
        for holder in self.holders:
            tape = holder()
            if tape is not None and tape.holds(self):
                return True
        return False

    def release(self) -> None:
        """Flushes this trace once no tape holds it and another one has taken its place."""
        if here.trace is not self and self.thread == recorder.number and not self.is_held():
            self.flush("release")

    def materialise(self, tensor: Tensor, cause: str) -> None:
        """Computes `tensor`, pending in this trace, and everything that is pending with it.

        The trace of another thread continues unchanged. In a trace that has failed, only `tensor` is computed.
        """
        if self.thread == recorder.number and not self.has_failed and self.run is None:
            self.flush(cause)
        patience = _PATIENCE
        while tensor._array is None and tensor._trace is self:
            run = self.run
            if self.waiting is not None:
                self.deferral.compute(self)
            elif self.thread == recorder.number:
                if run is not None and run.calls_python:
                    raise RuntimeError(
                        "A Python function that a program calls (tf.py_function) reads a tensor that this program "
                        "computes, such as the value of a variable that it assigns; pass the value in `inp`."
                    )
                # A run has failed, or a signal handler reads the tensor before or behind the run.
                compute_alone(self, tensor, cause, run)
            elif run is not None and not run.calls_python:
                run.wait()
            elif not compute_alone(self, tensor, cause, run, may_call_python=run is None and not patience):
                # The tensor depends on Python functions, which are called in the thread that owns the trace.
                patience = max(0, patience - 1)
                time.sleep(_PAUSE)

    def flush(self, cause: str) -> None:
        """Computes every tensor of this trace that is alive.

        After an error, or an interrupt before the program has run, the variables have their previous values, and
        pending tensors are computed when they are read. So are the variables if a signal handler has assigned one.
        """
        if self.run is not None:
            return
        if self.has_failed:
            self._leave()
            return
        if cause == "tape" and self._defer():
            return
        if self.deferral.traces:
            self.deferral.start()
        node, start, run = self.node, self.start, None
        alive: list[Tensor] = []
        live: list[Tensor] = []
        held = True
        before = flush_counts() if settings.is_explaining else None
        is_wide = jax.config.jax_enable_x64  # pyright: ignore[reportAttributeAccessIssue]
        try:
            try:
                self.run = CHOOSING
                held = self.is_held()
                if not held and here.trace is self:
                    # At once: signal handlers record into the next trace.
                    here.trace = Trace()
                if unexamined.outcomes or unverified.entries:
                    refuse_failed(self)
                while True:
                    with binding:
                        missing = missing_leaves(self)
                        if not missing:
                            alive = self.still_referenced()
                            live = [tensor for tensor in alive if tensor._array is None]
                            node = self.node
                            if live:
                                counts.flushes += 1
                                counts.causes[cause] += 1
                                run = choose(self, node, live, NO_LEAVES if held else donatable(self))
                                self.run = run
                            break
                    for leaf in missing:
                        leaf._value()
                if run is not None:
                    run()
                self._conclude(alive, held, node, run)
            except BaseException as failed:
                has_failed = isinstance(failed, _FAILURES) or (run is not None and run.calls_python)
                if run is not None and run.has_results():
                    self._conclude(alive, held, node, run)
                elif has_failed or not self._is_overtaken():
                    self._roll_back()
                else:  # the signal handler that raises comes behind the steps, whose values it may have used
                    self.has_failed = True
                    self._leave()
                if isinstance(failed, jax.errors.JaxRuntimeError):
                    raise from_runtime(failed, cause, node.path()) from failed
                raise
            finally:
                self._end(run)
        except BaseException:
            self._end(run)  # again, because an interrupt may have occurred in it
            restore_types(is_wide)
            raise
        if before is not None and live:
            report_flush(node, start, cause, before)
        if here.lapsed:
            release_lapsed()
        if settings.is_immediate:
            raise_failed_checks()
        if settings.is_checking_numerics:
            require_finite(node, live)

    def _defer(self) -> bool:
        """Makes the run of this trace, a training step that a program serves, wait for those after it.

        Returns whether it was possible.
        """
        program = waiting_program(self)
        if program is None or self.is_held() or not self._await_each(missing_leaves(self)):
            return False
        try:
            self.run = CHOOSING
            if here.trace is self:
                here.trace = Trace()
            with binding:
                # A signal handler may have recorded steps since the program was found.
                if program.owner is self.node and self.wait(program, self.still_referenced()):
                    note_wait(program)
        finally:
            if self.waiting is None:
                self.run = None
            else:
                self.deferral.add(self)
        if self.waiting is None:
            return False
        self.pending = []  # Python's garbage collector would traverse the references of all steps that wait
        if self.deferral.is_full():
            self.deferral.start()
        return True

    def give_up(self) -> None:
        """Restores the values that variables had before the steps that wait, the first of which has failed."""
        _abandon(self.deferral)

    def _await_each(self, tensors: list[Tensor]) -> bool:
        """Whether it `awaits` all `tensors`. Most belong to the step before."""
        if not tensors:
            return True
        if all(map(is_, map(_trace_of, tensors), repeat(tensors[0]._trace))):
            return self.awaits(max(tensors, key=_slot_of))
        return all(map(self.awaits, tensors))

    def awaits(self, tensor: Tensor) -> bool:
        """Whether a program that waits, and starts before its own, computes `tensor`, which has no value."""
        owner = tensor._trace
        if type(owner) is not Trace or owner.deferral is not self.deferral:
            return False
        # A signal handler may have made the trace wait in the middle of a step, which then continued.
        return (program := owner.waiting) is not None and tensor._slot < program.owner.slot

    def _end(self, run: Run | None) -> None:
        self.run = None
        if run is not None:
            run.close()

    def _conclude(self, alive: list[Tensor], held: bool, node: Node, run: Run | None) -> None:
        """Ends a flush whose results, if any, are stored in their tensors; may be called again after an interrupt.

        The tensors `alive` of the trace up to `node` are needed. Signal handlers may have recorded more steps.
        """
        with binding:
            if run is not None:
                run.conclude()
                if held:
                    self.kept.update(zip(run.outputs, [tensor._array for tensor in run.targets], strict=True))
            if not held:
                # A signal handler may have flushed in the middle of a step, which then continues.
                self.kept = {tensor._slot: tensor._array for tensor in alive}
            self.start = node.slot
        self.replaced.clear()
        if held:
            later = [tensor for tensor in self.still_referenced() if tensor._slot >= node.slot]
            self.pending = [ref(tensor) for tensor in [*alive, *later]]
            self.limit = node.load + settings.max_ops
            return
        set_attribute("_trace", alive, None)
        self.pending = []
        if run is not None and run.passes:
            with binding:
                forget(node)
        if tree.size > settings.max_steps:
            with binding:
                tree.prune()

    def _is_overtaken(self) -> bool:
        """Whether one of the variables that it assigns has been assigned since, as by a signal handler."""
        return any(variable._held._trace is not self for variable, _ in list(self.replaced.values()))

    def _roll_back(self) -> None:
        """Restores the variables' old values, unless another thread has assigned them since.

        Interrupted by another signal, it has restored all or none, which then have the new values when they are read.
        """
        self.has_failed = True
        replaced = list(self.replaced.values())
        with binding:
            restore_values([variable for variable, _ in replaced], [tensor for _, tensor in replaced], self)
        self._leave()

    def _leave(self) -> None:
        self.replaced.clear()
        if here.trace is self and not self.is_held():
            here.trace = Trace()


def _abandon(deferral: Deferral) -> None:
    """Restores the values that variables had before the steps in `deferral`, the first of which has failed."""
    traces: list[Any] = list(deferral.traces)
    if here.deferral is deferral:
        traces.append(here.trace)  # it reads their values
    count = len(traces)
    freed = list(map(_alive_of, traces))  # after the changes, since Python code may run when a tensor is freed
    names = chain.from_iterable([repeat(name, count) for name in ("has_failed", "alive", "run", "waiting")])
    values = chain.from_iterable([repeat(value, count) for value in (True, (), None, None)])
    Changes(traces * 4, names, values).make()
    del freed
    deferral.traces.clear()
    for trace in reversed(traces):
        trace._roll_back()


def release_lapsed() -> None:
    """Releases the traces of tapes that no longer exist."""
    while here.lapsed:
        holder = here.lapsed.pop()
        trace = holder.trace
        trace.holders = [other for other in trace.holders if other is not holder]
        trace.release()


class _Here(Travelling):
    """The state of the running thread.

    Attributes:
      trace: the trace that it records into; `graph` is the same while a function is being traced, else None.
      tapes: the tapes that are recording.
      lapsed: references to tapes that held traces and no longer exist. The traces are released at the next flush.
      untraced: the call of a function that runs its Python code without a trace, else None.
      answers: the results of the Python functions that the running call of a function has called, if they are kept.
      start: shared by the calls of Python functions in the program that starts, if it is known.
      made: how many variables were made outside of functions, or in the `tf.init_scope` of one.
      deferral: the traces whose programs wait to start.
    """

    own = ("tapes",)

    def __init__(self) -> None:
        self.deferral = Deferral()
        self.trace = Trace(self.deferral)
        self.graph: Any = None
        self.tapes: list[Any] = []
        self.lapsed: list[_Holder] = []
        self.untraced: Any = None
        self.answers: Any = None
        self.start: Any = None
        self.made = 0


here = _Here()


def record(op: Op, inputs: tuple[Any, ...]) -> Any:
    """Records `op` on `inputs`, its tensors and Python numbers; returns its output, or a tuple if it has many.

    A number takes the dtype of the last tensor among the inputs. If that is floating, an integer is an int32 position.
    """
    while True:
        trace = here.trace
        if trace.node.load >= trace.limit:
            trace = _at_limit(trace, op)
        key: list[Any] = [op]
        floats: list[float] = []
        ints: list[int] = []
        for given in inputs:
            if type(given) is Tensor:
                key.append(given._slot if given._trace is trace else trace.leaf_slot(given))
            elif type(given) is float:
                key.append("f")
                floats.append(given)
            else:
                key.append("i")
                ints.append(given)
        structure = tuple(key)
        before = trace.node
        node = before.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, inputs)
        if not (op.many or floats or ints):
            answer = trace.advance(before, node)
            if answer is not None:
                return answer
            continue
        answers = trace.advance_with(before, node, floats, ints)
        if answers is not None:
            return answers if op.many else answers[0]


def record_one(op: Op, x: Tensor) -> Tensor:
    """`record(op, (x,))` for an op with one output, optimised."""
    while True:
        trace = here.trace
        if trace.node.load >= trace.limit:
            trace = _at_limit(trace, op)
        structure = (op, x._slot if x._trace is trace else trace.leaf_slot(x))
        before = trace.node
        node = before.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, (x,))
        answer = trace.advance(before, node)
        if answer is not None:
            return answer


def record_pair(op: Op, x: Tensor, y: Tensor) -> Tensor:
    """`record(op, (x, y))` for an op with one output, optimised."""
    while True:
        trace = here.trace
        if trace.node.load >= trace.limit:
            trace = _at_limit(trace, op)
        structure = (
            op,
            x._slot if x._trace is trace else trace.leaf_slot(x),
            y._slot if y._trace is trace else trace.leaf_slot(y),
        )
        before = trace.node
        node = before.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, (x, y))
        answer = trace.advance(before, node)
        if answer is not None:
            return answer


def record_beside(op: Op, x: Tensor, number: float) -> Tensor:
    """`record(op, (x, number))` for an op with one output, optimised."""
    while True:
        trace = here.trace
        if trace.node.load >= trace.limit:
            trace = _at_limit(trace, op)
        structure = (op, x._slot if x._trace is trace else trace.leaf_slot(x), "f")
        before = trace.node
        node = before.next.get(structure)
        if node is None:
            node = trace.extend(op, structure, (x, number))
        answer = trace.advance_beside(before, node, number)
        if answer is not None:
            return answer


def _at_limit(trace: Trace, op: Op) -> Trace:
    """The trace to record `op` into.

    A trace over its limit ends at the next occurrence of its first op, so that the parts of a loop are equal. While a
    tape holds it, it continues, because the gradient would compute the steps before the end again.
    """
    if trace.holders and trace.is_held():
        trace.limit += settings.max_ops
        return trace
    if trace.first_op is None:
        started = (node.op for node in trace.node.path() if node.op is not None and node.first >= trace.start)
        trace.first_op = next(started, None)
    if op is trace.first_op or trace.node.load >= 2 * trace.limit:
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


def start_step(callers: int = _CALLERS_OF_STEP) -> None:
    """Ends the current trace where a training step begins, which is when an outermost tape is entered.

    A short step may enter several tapes one after another, for example to train two adversaries; it ends where one of
    these tapes is entered again. (A long step gains nothing from this, and where one loop follows another it would be
    compiled twice.) Steps recorded before the first tape do not belong to it. `callers` is the number of callers
    between the user's code and this function.
    """
    if here.lapsed:
        release_lapsed()
    trace = here.trace
    if trace.is_symbolic or recorder.is_shared:
        return
    place = user_place(callers)
    goes_on = trace.places and place not in trace.places and trace.node.load < _SHORT
    if trace.node.parent is not None and not goes_on:
        trace.flush("tape")
        if here.trace is trace:
            here.trace = Trace()
        trace = here.trace
    trace.places.add(place)


def sync() -> None:
    """Computes everything that is pending in this thread, and waits for the results."""
    trace = here.trace
    alive = trace.still_referenced()
    # By weak references: the values of steps to which nothing refers are not computed.
    waiting = list(map(ref, chain.from_iterable(map(_alive_of, list(here.deferral.traces)))))
    trace.flush("sync")
    here.deferral.start()
    alive += [tensor for reference in waiting if (tensor := reference()) is not None]
    for tensor in alive:
        jax.block_until_ready(tensor._array)
