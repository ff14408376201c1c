"""Series: steps of one program that wait one after the other, and continue each other, run as one loop.

Calling a compiled program takes several times as long as computing a small one. The loop is compiled once the program
has been started often, and is used only if it computes the same digits.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, cycle, repeat, takewhile
from operator import add, attrgetter, gt, is_, is_not, itemgetter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.programs.compile_option import compiler_options
from tfcompat._core.programs.program import Program, Upload
from tfcompat._core.programs.segment import is_deep
from tfcompat._core.structure.interruption import Changes, store_and_change
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import require_open
from tfcompat._core.tracing.waiting import WaitingRecording, end_of_wait, replaced_of
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed

Traces = Sequence[WaitingRecording]
# At most this number of steps wait: their programs, or their loop, wake JAX's thread once.
LONGEST = 32
# They hold at most about this number of leaves: Python's garbage collector begins when 700 new objects exist.
MOST_LEAVES = 256
# Fewer steps run one by one.
_SHORTEST = 4
# A loop may run this number of steps, even if all series before were shorter.
_SHORT = 16
# A loop is compiled for a program once this number of its steps have been started: it takes about as long as compiling
# the program, and saves some 10 us a step.
_OFTEN = 1_000
# The most loops of one program. They differ in the outputs that they return of all steps.
_MOST_LOOPS = 2
# The reference count of an object in a list: the list's reference, and that of the argument of `getrefcount`.
_LISTED = max(map(sys.getrefcount, [object()]))
NO_CHANGES = Changes((), (), ())
_array_of, _is_there = attrgetter("_array"), partial(is_not, None)
_program_of, _old_of = attrgetter("waiting"), itemgetter(1)
_leaves_of, _alive_of, _are_outputs = attrgetter("leaves"), attrgetter("alive"), attrgetter("are_outputs")


class Steps(NamedTuple):
    """Steps that wait for one program, as they were at one moment: signal handlers and other threads may run them.

    Attributes:
      leaves: the leaves of each of `traces`.
      alive: the tensors that it is to compute, the outputs of the program.
      replaced: the variables that it assigns, with the values before.
    """

    traces: Sequence[WaitingRecording]
    leaves: Sequence[Sequence[Tensor]]
    alive: Sequence[Sequence[Tensor]]
    replaced: Sequence[dict[int, tuple[Any, Tensor]]]

    def part(self, start: int, end: int) -> Steps:
        """Those from `start` to `end`."""
        traces, leaves, alive, replaced = self
        return Steps(traces[start:end], leaves[start:end], alive[start:end], replaced[start:end])

    def are_waiting(self, program: Program) -> Iterator[bool]:
        """Whether each still waits for `program`. C code computes it."""
        return map(is_, map(_program_of, self.traces), repeat(program))


class Layout(NamedTuple):
    """Where the steps of a series have their leaves from, all by number.

    Attributes:
      constant: the leaves that all steps share.
      carried: leaves that are outputs of the step before; `places`: the places of these outputs.
      varying: the other leaves.
    """

    constant: tuple[int, ...]
    carried: tuple[int, ...]
    places: tuple[int, ...]
    varying: tuple[int, ...]

    def fits(self, steps: Steps) -> bool:
        """Whether each of `steps` continues the one before in this way."""
        columns = list(zip(*steps.leaves, strict=False))
        outputs = list(zip(*steps.alive[:-1], strict=True))
        carried = zip(self.carried, self.places, strict=True)
        return (
            all(all(map(is_, columns[k], repeat(columns[k][0]))) for k in self.constant)
            and all(all(map(is_, columns[k][1:], outputs[place])) for k, place in carried)
            and all(_are_known(columns[k]) for k in self.varying)
        )

    def count(self, steps: Steps) -> int:
        """How many of the first `steps`, the first two of which fit, continue each other in this way."""
        count = len(steps.traces)
        if self.fits(steps):
            return count
        return next((k for k in range(2, count) if not self.fits(steps.part(k - 1, k + 1))), count)


class _Loops:
    """The loops of a program for one layout, by the places of the outputs that they return of all steps.

    Attributes:
      runs: the compiled loops; None for those that compute other digits.
      steps: how many steps ran without the loop.
      known_kinds: the classes of arguments with which a loop was called.
    """

    def __init__(self, program: Program, layout: Layout) -> None:
        self.layout = layout
        self.runs: dict[tuple[int, ...], Callable[..., Any] | None] = {}
        self.steps: Counter[tuple[int, ...]] = Counter()
        self.known_kinds: set[tuple[Any, ...]] = set()
        # The references to an output in the list of outputs and among the leaves of the next step.
        self._most = [_LISTED + (place in layout.places) for place in range(len(program.outputs))]

    def needed(self, steps: Steps) -> tuple[int, ...]:
        """The places of the outputs that are needed of all steps, not only of the last.

        Those are the ones with more references than as leaves of the next step, and as replaced values of variables. If
        counts of references mislead, a value that is needed is computed when it is read.
        """
        tensors = list(chain.from_iterable(steps.alive[:-1]))
        olds = map(_old_of, chain.from_iterable(map(dict.values, steps.replaced)))
        replaced = map(Counter(map(id, olds)).get, map(id, tensors), repeat(0))
        most = map(add, replaced, cycle(self._most))
        # Here they are in one more list.
        exceed = list(map(gt, map(sys.getrefcount, tensors), map(add, most, repeat(1))))
        if not any(exceed):
            return ()
        count = len(self._most)
        return tuple([place for place in range(count) if any(exceed[place::count])])


class Series:
    """The loops of a program.

    Attributes:
      longest: the most steps that a loop runs: as many as may wait or, once a loop was compiled, about as many as had
        waited. A longer loop takes time for arguments and results that are not used.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.longest = min(LONGEST, -(-MOST_LEAVES // max(1, program.owner.leaves)))
        self._seen, self._was_compiled = _SHORT, False
        self._counts = [np.int32(count) for count in range(self.longest + 1)]
        self._loops: _Loops | None = None
        self._floats, self._ints = Upload("d"), Upload("q")
        self._is_possible = not is_deep(program.steps)

    def run(self, traces: Traces) -> int:
        """Runs the first of `traces`, which all wait for the program; returns how many. 0 if no loop serves them."""
        if not self._is_possible or settings.is_deterministic or settings.is_continuing or settings.is_logging_devices:
            return 0
        steps = self._steps(traces[: self.longest])
        loops = None if steps is None else self._loops_for(steps)
        if steps is None or loops is None:
            return 0
        count = loops.layout.count(steps)
        if count < _SHORTEST:
            return 0
        self._seen = max(self._seen, count)
        steps = steps.part(0, count)
        places = loops.needed(steps)
        run = loops.runs.get(places)
        if run is not None:
            targets = self._targets(steps, places)
            ended = end_of_wait(steps.traces, self._program, targets, steps.alive[-1])
            freed = list(map(dict.copy, steps.replaced))
            self._runs(run, loops, steps, targets, ended)
            del freed
            return 0 if any(steps.are_waiting(self._program)) else count
        loops.steps[places] += count
        if places in loops.runs or loops.steps[places] < _OFTEN or len(loops.runs) >= _MOST_LOOPS:
            return 0
        self._try(loops, steps, places)
        return 0 if any(steps.are_waiting(self._program)) else count

    def _steps(self, traces: Traces) -> Steps | None:
        """The steps of `traces`; None if one no longer waits, or computes other tensors than the program's outputs."""
        leaves, alive, replaced = (list(map(get, traces)) for get in (_leaves_of, _alive_of, replaced_of))
        steps = Steps(traces, leaves, alive, replaced)
        # After these: the tensors are set before a trace begins to wait.
        if not (all(steps.are_waiting(self._program)) and all(map(_are_outputs, traces))):
            return None
        # A signal handler may have computed one alone, just before the wait.
        return None if any(map(_is_there, map(_array_of, chain.from_iterable(steps.alive)))) else steps

    def _loops_for(self, steps: Steps) -> _Loops | None:
        """The loops for a series that begins with the first two of `steps`; None without any."""
        first, second = steps.leaves[:2]
        loops = self._loops
        if not _are_known(map(first.__getitem__, self._program.leaves)):
            return None
        if loops is not None and loops.layout.fits(steps.part(0, 2)):
            return loops
        made = {id(tensor): place for place, tensor in enumerate(steps.alive[0])}
        read = [(k, second[k]) for k in self._program.leaves]
        carried = [k for k, leaf in read if id(leaf) in made]
        # A leaf that was another one in some step may be another one again.
        constant = [k for k, leaf in read if leaf is first[k] and (loops is None or k in loops.layout.constant)]
        varying = [k for k, _ in read if k not in carried and k not in constant]
        places = tuple([made[id(second[k])] for k in carried])
        layout = Layout(tuple(constant), tuple(carried), places, tuple(varying))
        if not layout.fits(steps.part(0, 2)):
            return None
        self._loops = loops = _Loops(self._program, layout)
        return loops

    def _arguments(self, layout: Layout, steps: Steps) -> list[Any]:
        """The arguments of a loop. It takes those of the longest series; the last step is repeated."""
        node, first, count = self._program.owner, steps.leaves[0].__getitem__, len(steps.traces)
        args: list[Any] = [self._counts[count]]
        traces = [*steps.traces, *[steps.traces[-1]] * (self.longest - count)]
        if node.floats:
            args.append(self._floats([*chain.from_iterable([trace.floats[: node.floats] for trace in traces])]))
        if node.ints:
            args.append(self._ints([*chain.from_iterable([trace.ints[: node.ints] for trace in traces])]))
        args += map(_array_of, map(first, layout.constant))
        args += map(_array_of, map(first, layout.carried))
        for k in layout.varying:
            args += [trace.leaves[k]._array for trace in traces]
        return args

    def _runs(
        self,
        run: Callable[..., Any],
        loops: _Loops,
        steps: Steps,
        targets: Sequence[Tensor],
        changes: Changes,
    ) -> bool:
        """Runs a loop, stores its results in `targets` and makes `changes`, all at once; returns whether it has run.

        It does not if one of the steps no longer waits, or if it fails: the steps, one by one, show which of them does.
        An interrupt before the results are stored loses nothing, since the loop takes no buffers.
        """
        require_open()
        args = self._arguments(loops.layout, steps)
        conditions = steps.are_waiting(self._program)
        kinds = (run, *map(type, args))
        try:
            if kinds in loops.known_kinds:
                store_and_change(run, args, targets, conditions, changes)
            else:
                # For new kinds of arguments JAX runs Python code, during which the loop must not be called.
                with postponed():
                    store_and_change(run, args, targets, conditions, changes)
                loops.known_kinds.add(kinds)
        except jax.errors.JaxRuntimeError:
            return False
        return targets[0]._array is not None

    def _try(self, loops: _Loops, steps: Steps, places: tuple[int, ...]) -> None:
        """Compiles a loop, and runs the steps one by one. Stores the loop if it computes the same digits."""
        began = time.perf_counter()
        if not self._was_compiled:
            self.longest, self._was_compiled = min(self.longest, self._seen), True
        run = jitted(self._function(loops.layout, places), compiler_options=compiler_options(self._program.steps))
        expected = self._targets(steps, places)
        found = [pending(None, -1, tensor._aval) for tensor in expected]
        is_possible = self._runs(run, loops, steps, found, NO_CHANGES)
        counts.compiles += 1
        counts.compile_seconds += time.perf_counter() - began
        if not is_possible and not all(steps.are_waiting(self._program)):
            return  # a signal handler has run them
        for trace in steps.traces:
            trace.run_deferred()
        is_same = is_possible and all(
            np.asarray(one._array).tobytes() == np.asarray(other._array).tobytes()
            for one, other in zip(expected, found, strict=True)
            if one._array is not None  # a step that was repeated
        )
        loops.runs[places] = run if is_same else None

    def _targets(self, steps: Steps, places: tuple[int, ...]) -> list[Tensor]:
        """The tensors for the results of a loop. Those of steps that it repeats are not used."""
        targets = list(steps.alive[-1])
        for place in places:
            targets += [alive[place] for alive in steps.alive]
            targets += [pending(None, -1, targets[place]._aval)] * (self.longest - len(steps.alive))
        return targets

    def _function(self, layout: Layout, places: tuple[int, ...]) -> Callable[..., tuple[Any, ...]]:
        """The function of a loop: returns the outputs of the last step, then those at `places` of all steps."""
        program, longest = self._program, self.longest
        replay, structs = program.replay(), [aval.struct for aval in program.avals_of(program.outputs)]
        vectors = (program.owner.floats > 0) + (program.owner.ints > 0)
        order = [*layout.constant, *layout.carried, *layout.varying]
        given_places = [order.index(leaf) for leaf in program.leaves]
        ends = len(layout.constant), len(layout.constant) + len(layout.carried)

        def run(count: Any, *args: Any) -> tuple[Any, ...]:
            numbers = [jnp.reshape(vector, (longest, -1)) for vector in args[:vectors]]
            leaves = args[vectors:]
            varying = [jnp.stack(leaves[k : k + longest]) for k in range(ends[1], len(leaves), longest)]
            begun = dict(zip(layout.places, leaves[ends[0] : ends[1]], strict=True))

            def step(k: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
                before, kept = state
                given = [*leaves[: ends[0]], *[before[place] for place in layout.places], *[x[k] for x in varying]]
                outputs = replay(*[x[k] for x in numbers], *[given[place] for place in given_places])
                outputs = [jax.lax.convert_element_type(x, s.dtype) for x, s in zip(outputs, structs, strict=True)]
                return outputs, [x.at[k].set(outputs[place]) for x, place in zip(kept, places, strict=True)]

            first = [begun.get(place, jnp.zeros(s.shape, s.dtype)) for place, s in enumerate(structs)]
            kept = [jnp.zeros((longest, *structs[place].shape), structs[place].dtype) for place in places]
            last, kept = jax.lax.fori_loop(0, count, step, (first, kept))
            return (*last, *[x[k] for x in kept for k in range(longest)])

        return run


def _are_known(tensors: Iterable[Tensor]) -> bool:
    """Whether all `tensors` have their values."""
    return all(map(_is_there, map(_array_of, tensors)))


def of_one_program(traces: Iterable[WaitingRecording]) -> list[WaitingRecording]:
    """The first of `traces`, and those after it that wait for the same program: at most the steps of a loop."""
    found = list(traces)[:LONGEST]
    programs = list(map(_program_of, found))
    if not any(programs[:1]):
        return found[:1]
    return found[: len(list(takewhile(partial(is_, programs[0]), programs)))]


def run_series(traces: Traces) -> int:
    """Runs the first of `traces`, which wait for the same program, as a loop; returns how many. 0 if none serves them.

    The others are to run one by one if it is 0.
    """
    program = traces[0].waiting
    if program is None or len(traces) < _SHORTEST:
        return 0
    series = program.series
    if series is None:
        program.series = series = Series(program)
    return series.run(traces)
