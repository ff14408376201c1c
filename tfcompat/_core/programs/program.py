"""A program: the compiled replay of a part of a trace."""

from __future__ import annotations

import copy
import threading
import time
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

from tfcompat._core.programs.bounded_computation import bounded, planned
from tfcompat._core.programs.compile_option import compiler_options
from tfcompat._core.programs.computation import computation
from tfcompat._core.programs.equal_number import EqualNumbers, equal_numbers
from tfcompat._core.programs.replay import Plan
from tfcompat._core.programs.replicas.body import Body
from tfcompat._core.programs.replicas.folding import NotFolded
from tfcompat._core.programs.replicas.placement import collected, use
from tfcompat._core.programs.replicas.spread import Spread
from tfcompat._core.programs.segment import is_deep, segmented
from tfcompat._core.structure.explanation import report_devices, report_numbers, report_replicas
from tfcompat._core.structure.interruption import NOTHING, Rebinding, store_arrays, store_results
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.recording import SMALL_BUFFER
from tfcompat._core.structure.sharding import Placement
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.value_check import checked_steps, messages_and_derivations, messages_of
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import computing_device, require_open, to_device
from tfcompat._core.system.error import ResourceExhaustedError
from tfcompat._core.system.heap import heap
from tfcompat._core.system.lock import require_free
from tfcompat._core.system.python_program import CallingPython
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import TRAINABLE
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.postponement import postponed

# Numbers are moved to the device once they were the same in this many runs.
_IDLE_BEFORE_UPLOAD = 2
# A program that takes more donated buffers is made once they were available this often.
MOST_MISSED_DONATIONS = 2
# A program that runs this often on padded arrays is compiled for its own sizes.
_PADDED_AT_MOST = 32
# The most bytes of leaves of a program that may run later: they are held until then.
_BRIEF_READS = 256 << 10
NO_LEAVES: frozenset[int] = frozenset()


class Extent(NamedTuple):
    """The part of a trace that a program runs.

    Attributes:
      start: its first slot; `given`: the earlier slots that it reads.
      guards: pairs of slots, the new and the old value of a variable that keeps the old value if a check fails.
      placement: where its inputs and outputs are, if they were placed on devices.
    """

    start: int
    given: tuple[int, ...]
    guards: tuple[tuple[int, int], ...]
    placement: Placement | None = None


# A whole trace: from its first slot, with leaves as the only inputs, without guards.
WHOLE = Extent(0, (), ())


class Outcome(NamedTuple):
    """The outputs of a run.

    Attributes:
      is_padded: whether a padded program has computed them, or the host.
    """

    outputs: Sequence[Any]
    is_padded: bool


class Shared(Protocol):
    """Runs programs that differ only in sizes, on the host or on padded arrays.

    Attributes:
      variants: the recordings that it serves.
    """

    variants: Any

    def __call__(self, path: Sequence[Node], args: Sequence[Any], /) -> Outcome | None:
        """The outputs for the arguments of the program of `path`; None if a program for these sizes alone pays.

        Raises: NoRule if that is impossible.
        """
        ...


class Program:
    """An executor (see `executor.py`) that is the compiled replay of the end of a trace.

    Attributes:
      owner: the node where the trace ends; `extent`: the part of the trace that it runs.
      slots: the slots of its arguments: the leaves and the given earlier slots.
      shared: runs it together with others of other sizes, if it is not compiled.
      has_recurred: whether it ran more than once.
      is_kept: whether it is in the cache.
      size: the number of steps of its trace.
    """

    def __init__(
        self,
        node: Node,
        extent: Extent,
        outputs: tuple[int, ...],
        donated: frozenset[int],
        renewed: tuple[tuple[int, int], ...] = (),
    ) -> None:
        """The program of the trace that ends at `node`. It is compiled at the first call.

        `renewed` are pairs of slots, the new and the old value of a variable, which share a buffer if the old one is
        donated.
        """
        path = node.path()
        slots = (*outputs, *(old for _, old in extent.guards))
        plan, self.bounds = planned(path, extent.given, slots, node.bounds, extent.start)
        # Donated buffers would be lost if a Python function were interrupted.
        if plan.calls_python:
            donated = NO_LEAVES
        elif node.is_marked:
            # Which buffers are taken is determined at each run: all replicas may share them.
            replaced = {old for _, old in renewed}
            donated = frozenset(
                [leaf.leaves - 1 for leaf in path if leaf.op is None and not leaf.inputs and leaf.first in replaced]
            )
        if donated:
            plan.leaves, outputs = _paired(plan.leaves, path, outputs, donated, dict(renewed))

        # The computation.
        self.extent = extent
        self.guards = extent.guards
        self.size = len(path)
        self.calls_python = plan.calls_python
        self._checked = checked_steps(plan.steps)

        # Its arguments and its outputs.
        self.leaves = tuple(step.leaves - 1 for step in plan.leaves)
        self.slots = (*(step.first for step in plan.leaves), *extent.given)
        self.donated = donated
        self.outputs = outputs
        self._output_set = frozenset(outputs)
        self.messages, self.derivations = messages_and_derivations(plan.steps, outputs)
        self._renewed = renewed
        self._begin(node, plan)

    def _begin(self, node: Node, plan: Plan | None) -> None:
        """Makes it the program of the trace that ends at `node`, not compiled yet. The `plan` may be made later."""
        self.owner = node
        self._known_plan = plan
        self._floats = Upload("d") if node.floats else None
        self._ints = Upload("q") if node.ints else None

        # Its use so far.
        self.has_recurred = False
        self.is_kept = False
        self.shared: Shared | None = None
        self._padded_runs = 0
        # How often buffers could have been donated to it that it does not take.
        self._missed_donations = 0

        # Whether it may run later; None while that is unknown.
        self._is_brief: bool | None = None

        # The loops that run steps of it (see `tfcompat._core.tracing.series`).
        self.series: Any = None

        # The compiled function, None before the first call and once the program is dropped.
        self._run: Any = None
        # Instead of it: the numbers that have to be equal, and the function that reads one of them for all.
        self._merged: tuple[EqualNumbers, Any] | None = None
        # Reentrant: the handler of a signal may need the program that it has interrupted.
        self._starting = threading.RLock()
        # The positions of the leaves whose buffers a program on several devices could take at its latest run.
        self._positions: dict[frozenset[int], frozenset[int]] = {}
        # The compiled function with the classes of arguments with which it was called.
        self._known_kinds: set[tuple[Any, ...]] = set()

    def for_sizes(self, node: Node) -> Program:
        """The program of the trace that ends at `node`, which differs from that of this one in sizes only."""
        found = copy.copy(self)
        found._begin(node, None)
        if self._checked:
            steps = {step.first: step for step in node.path()}
            found._checked = [steps[step.first] for step in self._checked]
            found.messages = messages_of(found._checked)
        return found

    @property
    def _plan(self) -> Plan:
        """The steps of the computation, with the leaves in the order of the arguments."""
        if self._known_plan is None:
            found = [bound.slot for bound in self.bounds]
            targets = (*self.outputs, *(old for _, old in self.extent.guards), *found)
            plan = Plan(self.owner.path(), self.extent.given, targets, self.extent.start)
            place = {leaf: k for k, leaf in enumerate(self.leaves)}
            plan.leaves.sort(key=lambda step: place[step.leaves - 1])
            self._known_plan = plan
        return self._known_plan

    @property
    def form(self) -> Hashable:
        """The slots of its arguments and outputs, without sizes."""
        return self.slots, self.outputs, self.donated, self.extent

    @property
    def is_brief(self) -> bool:
        """Whether it is compiled, and may run later together with others, without an effect that anyone could see.

        It has no checks, takes no buffers, and its arrays are few bytes; variables with larger values donate theirs.
        Its outputs are floating: integers may be positions, which are checked before they are used if they are known.
        """
        if self._is_brief is None:
            self._is_brief = self._may_run_later()
        return self._is_brief and (self._run or self._merged) is not None and self.shared is None

    def _may_run_later(self) -> bool:
        if self.donated or self.messages or self.calls_python or self.owner.is_marked or type(self) is not Program:
            return False
        if not all(aval.nbytes < SMALL_BUFFER and aval.dtype in TRAINABLE for aval in self.avals_of(self.outputs)):
            return False
        reads = sum(aval.nbytes for aval in self.avals_of(self.slots))
        return reads <= _BRIEF_READS and computing_device().platform == "cpu"

    def avals_of(self, slots: Iterable[int]) -> list[Aval]:
        """The avals of `slots`."""
        avals = {node.first + k: aval for node in self.owner.path() for k, aval in enumerate(node.avals)}
        return [avals[slot] for slot in slots]

    @property
    def steps(self) -> Sequence[Node]:
        """The steps that it evaluates."""
        return self._plan.steps

    def replay(self) -> Callable[..., tuple[Any, ...]]:
        """The function that it compiles: of the vectors of numbers, if it reads numbers, and the values of `slots`."""
        plan, slots, outputs = self._plan, self.slots, self.outputs
        has_floats, has_ints = self._floats is not None, self._ints is not None
        if self.bounds:
            return bounded(plan, self.bounds, slots, outputs, self.guards, has_floats, has_ints)
        return computation(plan, slots, outputs, self.guards, has_floats=has_floats, has_ints=has_ints)

    @property
    def donated_slots(self) -> list[int]:
        """The slots of the leaves whose buffers are donated to it."""
        return [slot for slot, leaf in zip(self.slots, self.leaves, strict=False) if leaf in self.donated]

    def serves(self, slots: tuple[int, ...]) -> bool:
        """Whether it computes all of `slots`."""
        return slots == self.outputs or self._output_set.issuperset(slots)

    def should_take(self, donatable: frozenset[int]) -> bool:
        """Whether to compile the program again with more donated buffers, which were available several times."""
        if donatable <= self.donated or self.calls_python or self.owner.is_marked:
            self._missed_donations = 0
            return False
        self._missed_donations += 1
        return self._missed_donations == MOST_MISSED_DONATIONS

    def __call__(
        self,
        floats: Sequence[float],
        ints: Sequence[int],
        arrays: Sequence[Any],
        given: Iterable[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
        *,
        unshared: frozenset[int] = NO_LEAVES,
    ) -> None:
        """See `executor.py`. On several devices it may take the buffers of the leaves `unshared`."""
        args = [*arrays, *given]
        if self._ints is not None:
            args = [self._ints(ints), *args]
        if self._floats is not None:
            args = [self._floats(floats), *args]
        self.run(args, targets, on_python, unshared)

    def run_brief(
        self, floats: Sequence[float], ints: Sequence[int], arrays: Sequence[Any], targets: Sequence[Tensor]
    ) -> None:
        """As a call, for a program with `is_brief`. 64-bit types must be enabled."""
        args = arrays
        if self._ints is not None:
            args = [self._ints(ints), *args]
        if self._floats is not None:
            args = [self._floats(floats), *args]
        run = self._known_run(args)
        if run is None or (run, *map(type, args)) not in self._known_kinds or settings.is_logging_devices:
            self.run(args, targets, _nothing)
        else:
            # An interrupt before the results are stored loses nothing, since the program takes no buffers.
            store_arrays(targets, run(*args))

    def uploaded(self, floats: Sequence[float], ints: Sequence[int]) -> list[Any]:
        """The first arguments of `run` for numbers that never change, on the device."""
        vectors = [
            *([np.array(floats, np.float64)] if self._floats is not None else []),
            *([np.array(ints, np.int64)] if self._ints is not None else []),
        ]
        return list(map(to_device, vectors))

    def run(
        self,
        args: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
        unshared: frozenset[int] = NO_LEAVES,
        rebinding: Rebinding = NOTHING,
    ) -> None:
        """Runs it on the vectors of numbers (if it reads numbers), the leaves' arrays, and those of the given slots.

        `targets` receive the outputs, and the last one the flags if the program has checks: all of them or, if an error
        is raised, perhaps none. `on_python` is called before the program calls Python functions. `unshared` are the
        leaves whose buffers a program on several devices may take. It is not run unless `rebinding` is possible when
        no signal handler can run any more.
        """
        require_open()
        if settings.is_logging_devices:
            report_devices(step.op for step in self._plan.steps if step.op is not None)
        with jax.enable_x64(True):
            if self.shared is not None and self._run_shared(self.shared, args, targets, rebinding):
                return
            run = self._known_run(args) or self._started(args, targets, on_python, rebinding)
            if run is None:
                return
            if type(run) is Spread:
                run(args, targets, rebinding, self._taken(unshared))
                return
            if use.has_begun:
                args = collected(args)
            if isinstance(run, CallingPython):
                if not rebinding.is_possible():
                    return
                on_python()
                results, interrupt = run.served(args)
                store_arrays(targets, results, rebinding)
                if interrupt is not None:
                    raise interrupt
            elif (kinds := (run, *map(type, args))) in self._known_kinds:
                store_results(run, args, targets, rebinding)
            else:
                # For new kinds of arguments JAX runs Python code, during which the program must not be called.
                with postponed():
                    if not rebinding.is_possible():
                        return
                    store_results(run, args, targets, rebinding)
                self._known_kinds.add(kinds)

    def _run_shared(self, shared: Shared, args: Sequence[Any], targets: Sequence[Tensor], rebinding: Rebinding) -> bool:
        """Runs it together with others if `rebinding` is possible; returns whether that was possible."""
        try:
            # No handler may run between the run and the binding of its results, which are slices of padded arrays.
            with postponed():
                if not rebinding.is_possible():
                    return True
                try:
                    outcome = shared(self.owner.path(), args)
                except MemoryError as failed:
                    raise ResourceExhaustedError.of(f"not enough memory for a run on the host: {failed}") from failed
                if outcome is not None:
                    store_arrays(targets, outcome.outputs, rebinding)
        except NoRule:
            outcome = None
        if outcome is None:
            self.shared = None
            return False
        if not outcome.is_padded:
            counts.op_by_op += 1
            return True
        counts.padded += 1
        self._padded_runs += 1
        if self._padded_runs == _PADDED_AT_MOST and not settings.is_deterministic:
            self.shared = None
        return True

    def _taken(self, unshared: frozenset[int]) -> frozenset[int]:
        """The positions of the leaves `unshared` among the arguments that are arrays."""
        found = self._positions.get(unshared)
        if found is None:
            places = [place for place, leaf in enumerate(self.leaves) if leaf in unshared]
            self._positions = {unshared: (found := frozenset(places))}
        return found

    def release(self) -> None:
        """Frees the memory of the compiled function, which is compiled again should the program run again."""
        self._run = self._merged = self.series = None
        self._known_kinds = set()

    def _known_run(self, args: Sequence[Any]) -> Any:
        """The compiled function for the numbers among `args`; None if it is not compiled."""
        merged = self._merged
        return merged[1] if merged is not None and merged[0].are_in(args) else self._run

    def _started(
        self,
        args: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
        rebinding: Rebinding,
    ) -> Callable[..., Any] | None:
        """Compiles the program unless another thread does; returns the function to call.

        None if it has run, or `rebinding` is not possible.
        """
        if settings.is_checking:
            require_free()
        with self._starting:
            if (run := self._known_run(args)) is not None:
                return run
            began = time.perf_counter()
            if self._merged is not None and settings.is_explaining:
                report_numbers()
            equal = self._equal(args)
            run = self._compilable(equal)
            if use.has_begun and type(run) is not Spread:
                args = collected(args)
            if self.calls_python:
                if type(run) is not Spread:
                    run = CallingPython(run, self._compilable)
                on_python()
            else:
                # A handler must not call the program while JAX compiles it.
                with postponed(), heap.reduced():
                    if not rebinding.is_possible():
                        return None
                    if type(run) is Spread:
                        run(args, targets, rebinding)
                    else:
                        store_results(run, args, targets, rebinding)
                self._known_kinds = {(run, *map(type, args))}
            self._run, self._merged = (run, None) if equal is None else (None, (equal, run))
            counts.compiles += 1
            counts.compile_seconds += time.perf_counter() - began
            for step in self._plan.steps:
                if step.op is not None:
                    step.op.compiled_for |= {step.signature}
            return run if self.calls_python else None

    def _equal(self, args: Sequence[Any]) -> EqualNumbers | None:
        """The numbers among `args` that the program reads once if they are equal; None if it reads each number."""
        if type(self) is not Program or self.owner.is_marked or self.calls_python or self.bounds:
            return None
        if not self.messages and is_deep(self._plan.steps):
            return None
        count = (self._floats is not None) + (self._ints is not None)
        return equal_numbers(args[:count], None if self._merged is None else self._merged[0])

    def _compilable(self, equal: EqualNumbers | None = None) -> Callable[..., Any]:
        """The function that JAX compiles at its first call, for numbers that are `equal`."""
        plan, slots, outputs = self._plan, self.slots, self.outputs
        has_floats, has_ints = self._floats is not None, self._ints is not None
        if self.owner.is_marked and (body := self._body()) is not None:
            return Spread(body, has_floats=has_floats, has_ints=has_ints)
        if not (self.bounds or self.messages) and is_deep(plan.steps):
            return self._in_parts(segmented(plan.steps, slots, outputs, has_floats, has_ints))
        # The buffers of replicas are not copied if they are shared.
        donated = NO_LEAVES if self.owner.is_marked else self.donated
        donate = tuple(has_floats + has_ints + k for k, leaf in enumerate(self.leaves) if leaf in donated)
        replay = self.replay()
        return self._whole(replay if equal is None else equal.merged(replay), donate)

    def _in_parts(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """The function to call, if `run` runs the program in parts."""
        return run

    def _whole(self, replay: Callable[..., Any], donate: tuple[int, ...]) -> Callable[..., Any]:
        """`replay` as a compiled function that takes the buffers of the arguments `donate`."""
        options = None if self.bounds else compiler_options(self._plan.steps)
        return jitted(replay, donate_argnums=donate, compiler_options=options)

    def _body(self) -> Body | None:
        """The computation of one replica, for several devices; None if all replicas have to run on one device."""
        path, checked = self.owner.path(), checked_steps(self._plan.steps)
        try:
            if self.extent.given:
                raise NotFolded("a value was read before the end of the step")
            if self.bounds:
                raise NotFolded("the program finds sizes")
            return Body(path, self.slots, self.outputs, checked, self.guards, self._renewed)
        except NotFolded as refused:
            if settings.is_explaining:
                report_replicas(str(refused))
            return None


def _paired(
    leaves: list[Node], path: Sequence[Node], outputs: tuple[int, ...], donated: frozenset[int], old: dict[int, int]
) -> tuple[list[Node], tuple[int, ...]]:
    """`leaves` and `outputs` ordered so that the new value of a variable uses the donated buffer of the old one.

    JAX assigns donated buffers in the order of the arguments, each to the first output of the same shape. If that is
    not the value that is updated in place, XLA copies both.
    """
    taken = [leaf for leaf in leaves if leaf.leaves - 1 in donated]
    place = {old[slot]: k for k, slot in enumerate(outputs) if slot in old}
    taken.sort(key=lambda leaf: place.get(leaf.first, len(outputs)))
    shapes = {leaf.aval for leaf in taken}
    others = {
        slot for node in path for slot, aval in enumerate(node.avals, node.first) if aval in shapes and slot not in old
    }
    kept = [leaf for leaf in leaves if leaf.leaves - 1 not in donated]
    return [*kept, *taken], tuple(sorted(outputs, key=others.__contains__))


def _nothing() -> None:
    """Called before a program calls Python functions, if nothing is to be done then."""


class Upload:
    """Packs the numbers of a program in one vector, which stays on the device while they don't change."""

    __slots__ = ("_code", "_latest")

    def __init__(self, code: str) -> None:
        self._code = code
        # The latest numbers, how often they were repeated, and their vector on the device: one value, so that threads
        # which run the program with other numbers don't mix them up.
        self._latest: tuple[bytes, int, Any] = (b"", 0, None)

    def __call__(self, numbers: Sequence[Any]) -> Any:
        packed = array(self._code, numbers)
        key = packed.tobytes()
        known, idle, device = self._latest
        if key != known:
            idle, device = 0, None
        elif device is not None:
            return device
        vector = np.frombuffer(packed, self._code)
        self._latest = key, idle + 1, to_device(vector) if idle >= _IDLE_BEFORE_UPLOAD else None
        return vector
