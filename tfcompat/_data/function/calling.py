"""The programs of a user's function of elements, which all iterators share."""

from __future__ import annotations

import copy
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.location import user_line
from tfcompat._core.tracing.known_size import for_known_sizes
from tfcompat._data.blocks.block import Block
from tfcompat._data.function.block_program import BlockProgram, RowPlan
from tfcompat._data.function.size import ElementSizes
from tfcompat._data.function.stage import leaves_of, stages_of
from tfcompat._data.function.trace import Computed, Passed
from tfcompat._function.graphs.source import Argument
from tfcompat._function.sizes.sized_trace import fits, sized
from tfcompat._jaxpr.comparison import Denied, among, can_watch, denied
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import evaluator, symbols_of
from tfcompat._state.variable import Variable

Array = np.ndarray[Any, Any]
# As many programs for different shapes are kept.
_MOST_PROGRAMS = 64


class Traceable(Protocol):
    """A function of elements.

    Attributes:
      label: for messages.
      given: the function as the user passed it.
      components: the components of the elements; `numeric` are the places of those that are arguments of programs.
      trace: the trace for all elements.
      structure: the type of the results; None for a branch.
    """

    label: str
    given: Any
    components: list[Any]
    numeric: list[int]
    trace: Any
    structure: Any

    def trace_for(self, shapes: Sequence[Sequence[int]], opened: Sequence[Sequence[int] | None]) -> Any:
        """The trace for some sizes; those of `opened` that are None are not known."""
        ...

    def traced_anew(self) -> Any:
        """A trace for all elements, for the present shapes of the variables that the function captures."""
        ...

    def call(self, element: Block) -> Any:
        """The result for the only element of `element`, which Python computes; a branch has none."""
        ...


def unserved(label: str) -> NotImplementedError:
    """The error for an element that no trace of a branch serves."""
    return NotImplementedError(
        f"{label}: the sizes of this element do not fit the trace of a branch that the host runs; set shapes by "
        "tf.ensure_shape, or avoid axes of size 0 and 1 in it."
    )


class Prepared(NamedTuple):
    """A program, and the values of its symbols."""

    program: BlockProgram
    values: Mapping[str, int]


class _General:
    """Programs for elements of all shapes.

    They are made at once if comparisons of sizes can be watched, else when they are needed: those of branches are made
    while the function around them is traced, whose comparisons are watched.
    """

    def __init__(self, plans: Sequence[RowPlan | None], sizes: ElementSizes | None) -> None:
        """The programs of `plans`, in which open sizes are the symbols of `sizes`."""
        self._plans = plans
        self._sizes = sizes
        self._made: list[BlockProgram | None] | None = None
        self._pairs: list[Denied] = []
        # For the number of a program, and the symbols that have values: the sizes of the pairs about them.
        self._compared: dict[Any, Any] = {}
        self._lock = threading.Lock()
        if sizes is None:
            self._made = [plan and BlockProgram(plan) for plan in plans]
        elif can_watch():
            self._make(sizes)

    @property
    def may_print(self) -> bool:
        """Whether the last program, that of the results, is known to call Python, or not made yet."""
        last = self._made[-1] if self._made else None
        return last is None or "callback" in last.missing

    @property
    def programs(self) -> Sequence[BlockProgram | None]:
        """The programs, by number; None where one cannot serve all shapes."""
        with self._lock:
            if self._made is None and self._sizes is not None:
                self._make(self._sizes)
        return self._made or ()

    def compared_with(self, number: int) -> frozenset[str]:
        """The symbols of sizes that were compared with those of program number `number`, and the program's own."""
        plan = self._plans[number]
        names = frozenset() if plan is None else plan.symbols
        pairs = [symbols_of(pair) for pair in self._pairs]
        return names.union(*[pair for pair in pairs if pair & names])

    def fits(self, number: int, values: Mapping[str, int]) -> bool:
        """Whether program number `number`, which was made, serves `values`: of all symbols but those of later steps.

        The sizes that were compared while it was made, and found different, have to differ.
        """
        key = (number, *values)
        compared = self._compared.get(key)
        if compared is None:
            plan = self._plans[number]
            names = frozenset() if plan is None else plan.symbols
            pairs = [pair for pair in among(self._pairs, values) if symbols_of(pair) & names]
            compared = self._compared[key] = evaluator([size for pair in pairs for size in pair], values)
        sizes = compared(**values)
        return all(left != right for left, right in zip(sizes[::2], sizes[1::2], strict=True))

    def _make(self, sizes: ElementSizes) -> None:
        made: list[BlockProgram | None] = [None] * len(self._plans)
        self._made = made
        if not can_watch():
            return
        like = next(iter(sizes.made.values()), None)
        with postponed(), denied() as compared:  # the exception of a signal handler says nothing about sizes
            for number, plan in enumerate(self._plans):
                with suppress(Exception):  # code that needs to know a size may raise any error
                    made[number] = plan and BlockProgram(plan, like)
        self._pairs = [*sizes.compared, *among(compared, sizes.symbols)]


class Calls:
    """The programs of a user's function.

    Attributes:
      stages: the computations before the results.
      plans: the steps of the programs, for each stage, if it has one, and for the results; `plan` is the last.
      bound: the values of captured tensors of an enclosing function, by `id`.
      is_parallel: whether several threads may compute elements.
      is_pure: whether calls have no effects that can be observed.
      is_sequential: whether elements must be computed one after another.
      is_retraced: whether the trace is for some sizes only.
    """

    def __init__(self, function: Traceable, trace: Any = None) -> None:
        """The programs for all elements; with a `trace` for some sizes, those for elements of these sizes."""
        self.function = function
        self.trace = trace = function.trace if trace is None else trace
        self.bound: Mapping[int, Array] = {}
        self.is_parallel = False
        self.is_retraced = False
        self.stages = stages_of(trace)
        self.plan = RowPlan(trace.stored)
        slots = [stage.slots for stage in self.stages]
        self.plans = [*[RowPlan(trace.stored, each) if each else None for each in slots], self.plan]
        self._programs: OrderedDict[Any, Prepared | None] = OrderedDict()
        self._retraced: OrderedDict[Any, Calls] = OrderedDict()
        self._present: Calls | None = None
        # For sizes of 0 and 1, by their symbols, whether the trace serves them.
        self._fitting: dict[Any, bool] = {}
        self._deciding: dict[int, frozenset[str]] = {}
        # The numbers of programs that are made for known sizes only.
        self._known_sizes: set[int] = set()
        self._general = _General(self.plans, trace.sizes)
        assigned = any(isinstance(cell, Variable) for cell in self.plan.updates)
        prints = bool(trace.stored.effects) and self._general.may_print
        acts = any(step.has_effects for step in trace.steps)
        self.is_pure = not (assigned or prints or acts)
        self.is_sequential = not self.is_pure or bool(self.plan.updates)
        if settings.is_explaining and trace is function.trace:
            way = self._way(assigned, prints, acts)
            sys.stderr.write(f"tfcompat: {function.label} at {user_line()} runs {way}\n")

    @property
    def is_identity(self) -> bool:
        """Whether the function returns its arguments, and does nothing else."""
        stored, numeric = self.trace.stored, self.function.numeric
        sources = dict(zip(stored.leaf_slots, stored.sources, strict=True))

        def component(result: Any) -> int | None:
            if not isinstance(result, Computed):
                return result.place if isinstance(result, Passed) else None
            source = sources.get(stored.outputs[result.place][0])
            return numeric[source.index] if type(source) is Argument else None

        does_more = self.is_sequential or self.trace.steps or self.plan.messages
        every = list(range(len(self.function.components)))
        return not does_more and [component(result) for result in self.trace.results] == every

    def _way(self, assigned: bool, prints: bool, acts: bool) -> str:
        if assigned:
            return "row by row, because it assigns variables"
        if prints:
            return "row by row, because it prints"
        if acts:
            return "row by row, because it calls Python"
        if self.is_sequential:
            return "row by row, because it draws random numbers in a branch or a loop"
        if self.trace.steps:
            names = ", ".join(dict.fromkeys(step.name for step in self.trace.steps))
            return f"by rows where the host computes ({names}), in blocks where a program does"
        if self.trace.sizes is not None:
            return "in blocks of elements of one shape, because sizes are open"
        return "in blocks"

    def captured(self) -> list[Tensor]:
        """The tensors of an enclosing function that is being traced."""
        sources = [source for plan in filter(None, self.plans) for source, _ in plan.leaves]
        leaves = leaves_of(self.trace.stored)
        for number in (number for stage in self.stages for number in stage.steps):
            sources += [leaves.get(each) if type(each) is int else each for each in self.trace.steps[number].inputs]
        return [source for source in sources if type(source) is Tensor and source._is_symbolic()]

    def described(self) -> list[Any]:
        """A description of the programs: their texts, their constants, and the sources of their arguments."""
        found: list[Any] = [source for plan in filter(None, self.plans) for source, _ in plan.leaves]
        programs = [self._general.programs[number] for number, plan in enumerate(self.plans) if plan is not None]
        if None not in programs:
            return [*found, *[program.described() for program in programs if program is not None]]
        for node in self.trace.stored.node.path():
            op = node.op
            found.append((op and op.name, op and op.label, node.inputs, [str(aval) for aval in node.avals]))
        return found

    def bound_to(self, values: Mapping[int, Array]) -> Calls:
        """These calls with `values` of captured tensors."""
        found = copy.copy(self)
        found.bound = {**self.bound, **values}
        return found

    def plan_of(self, number: int) -> RowPlan:
        """The steps of program number `number`, which exists."""
        plan = self.plans[number]
        assert plan is not None
        return plan

    def _serves(self, number: int, values: Mapping[str, int]) -> bool:
        """Whether the program number `number` with symbols can be used for these `values`: only the host runs it."""
        symbols = self.plan_of(number).symbols
        if any(values[name] < LEAST for name in symbols & values.keys()):
            return False
        program = self._general.programs[number]
        return program is not None and not program.missing and self._general.fits(number, values)

    def _all(self, values: Mapping[str, int]) -> dict[str, int]:
        """`values`, and samples for symbols that have none yet."""
        assert self.trace.sizes is not None
        return {**self.trace.sizes.numbers, **values}

    def program(self, number: int, values: Mapping[str, int]) -> Prepared | None:
        """The program number `number` for these values of the symbols; None if the trace does not serve them."""
        is_fixed = self.trace.sizes is None
        if not is_fixed and any(values.get(name, LEAST) < LEAST for name in self.trace.sizes.orders.names):
            return None
        plan = self.plan_of(number)
        if not is_fixed and plan.slots is None and not self._fits(values):
            return None
        if is_fixed or (number not in self._known_sizes and self._serves(number, values)):
            program = self._general.programs[number]
            assert program is not None
            return Prepared(program, {} if is_fixed else values)
        key = (number, *[size for name, size in values.items() if name in plan.symbols])
        if key not in self._programs:
            slots = plan.slots
            try:
                copied = sized(self.trace.stored, self._all(values), slots)
            except InvalidArgumentError:
                copied = None  # a trace for these sizes may take another way, or has the error
            self._programs[key] = None if copied is None else Prepared(BlockProgram(RowPlan(copied, slots)), {})
            if len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return self._programs[key]

    def deciding(self, number: int, values: Mapping[str, int]) -> Mapping[str, int]:
        """Those of `values` on which program number `number` depends, and whether there is one.

        Rows for which these are equal are computed together: a crop of any size is resized to the same size.
        """
        sizes = self.trace.sizes
        names = self._deciding.get(number)
        if names is None:
            names = self._general.compared_with(number)
            self._deciding[number] = names = names if sizes is None else names.union(sizes.orders.names)
        is_served = sizes is None or self.plan_of(number).slots is not None or self._fits(values)
        return {name: size for name, size in values.items() if name in names or not (is_served or size >= LEAST)}

    def _fits(self, values: Mapping[str, int]) -> bool:
        """Whether all steps of the trace have the shapes that were inferred, if sizes of 0 and 1 are among `values`.

        Constants may follow from the shape of a step on which no program depends: `x[:2]` has one row if `x` has.
        """
        small = {name: size for name, size in values.items() if size < LEAST}
        key = frozenset(small.items())
        if key not in self._fitting:
            self._fitting[key] = not small or fits(self.trace.stored, self.trace.sizes.numbers, small)
        return self._fitting[key]

    def require_known_sizes(self, number: int) -> None:
        """Makes the program number `number` from now on for each size that comes."""
        self._known_sizes.add(number)

    def present(self) -> Calls:
        """These programs, or those of a new trace if variables that the function captures have other shapes now."""
        if self.trace.stored.fits:
            return self
        if self._present is None or not self._present.trace.stored.fits:
            self._present = Calls(self.function, self.function.traced_anew())
        return self._present.bound_to(self.bound)

    def traced_for(self, shapes: Sequence[Sequence[int]], opened: Sequence[Sequence[int] | None]) -> Calls:
        """The programs of a trace of its own for these sizes: see `UserFunction.trace_for`.

        Raises: InvalidArgumentError if the function does not take them.
        """
        key = tuple([None if sizes is None else tuple(sizes) for sizes in [*shapes, *opened]])
        if self.is_retraced:
            raise unserved(self.function.label)
        found = self._retraced.get(key)
        if found is None:
            try:
                with for_known_sizes():
                    trace = self.function.trace_for(shapes, opened)
            except (TypeError, ValueError) as refused:
                raise InvalidArgumentError.of(str(refused)) from refused
            found = self._retraced[key] = Calls(self.function, trace)
            found.is_retraced = True
            if len(self._retraced) > _MOST_PROGRAMS:
                self._retraced.popitem(last=False)
        return found.bound_to(self.bound)
