"""The programs of a user's function of elements, which all iterators share."""

from __future__ import annotations

import copy
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from tfcompat._core.config import settings
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.inference import LEAST
from tfcompat._core.location import user_line
from tfcompat._core.tensor import Tensor
from tfcompat._data.block import Block
from tfcompat._data.function.block_program import BlockProgram, RowPlan
from tfcompat._data.function.stage import leaves_of, stages_of
from tfcompat._data.function.trace import Computed, Passed
from tfcompat._function.block.refused_block import for_known_sizes
from tfcompat._function.sized_trace import sized
from tfcompat._function.source import Argument
from tfcompat._jaxpr.comparison import among, can_watch, denied
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import evaluator
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


class Prepared(NamedTuple):
    """A program, and the values of its symbols."""

    program: BlockProgram
    values: Mapping[str, int]


class Calls:
    """The programs of a user's function.

    Attributes:
      stages: the computations before the results.
      plans: the steps of the programs, for each stage, if it has one, and for the results; `plan` is the last.
      bound: the values of captured tensors of an enclosing function, by `id`.
      is_parallel: whether several threads may compute elements.
      is_pure: whether calls have no effects that can be observed.
      is_sequential: whether elements must be computed one after another.
    """

    def __init__(self, function: Traceable, trace: Any = None) -> None:
        """The programs for all elements; with a `trace` for some sizes, those for elements of these sizes."""
        self.function = function
        self.trace = trace = function.trace if trace is None else trace
        self.bound: Mapping[int, Array] = {}
        self.is_parallel = False
        self.stages = stages_of(trace)
        self.plan = RowPlan(trace.stored)
        slots = [stage.slots for stage in self.stages]
        self.plans = [*[RowPlan(trace.stored, each) if each else None for each in slots], self.plan]
        self._programs: OrderedDict[Any, Prepared | None] = OrderedDict()
        self._retraced: OrderedDict[Any, Calls] = OrderedDict()
        self._present: Calls | None = None
        self._differing: Any = None
        # The numbers of programs that are made for known sizes only.
        self._known_sizes: set[int] = set()
        self._general = self._with_symbols()
        assigned = any(isinstance(cell, Variable) for cell in self.plan.updates)
        general = self._general[-1] if self._general is not None else None
        prints = bool(trace.stored.effects) and (general is None or "callback" in general.missing)
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
        if self._general is not None:
            return [*found, *[program.described() for program in self._general if program is not None]]
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

    def _with_symbols(self) -> list[BlockProgram | None] | None:
        """The programs for elements of all shapes, if there can be any."""
        sizes = self.trace.sizes
        if sizes is None:
            return [plan and BlockProgram(plan) for plan in self.plans]
        if not can_watch():
            return None
        like = next(iter(sizes.made.values()))
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                with denied() as compared:
                    programs = [plan and BlockProgram(plan, like) for plan in self.plans]
            except Exception:  # code that needs to know a size may raise any error
                return None
        pairs = [*sizes.compared, *among(compared, sizes.symbols)]
        self._differing = evaluator([size for pair in pairs for size in pair], sizes.symbols)
        return programs

    def _serves(self, values: Mapping[str, int]) -> bool:
        """Whether the programs with symbols can be used for these `values`."""
        if self._general is None or min(values.values(), default=LEAST) < LEAST:
            return False
        apart = self._differing(**self._all(values))
        return all(left != right for left, right in zip(apart[::2], apart[1::2], strict=True))

    def _all(self, values: Mapping[str, int]) -> dict[str, int]:
        """`values`, and samples for symbols that have none yet."""
        assert self.trace.sizes is not None
        return {**self.trace.sizes.numbers, **values}

    def program(self, number: int, values: Mapping[str, int]) -> Prepared | None:
        """The program number `number` for these values of the symbols; None if the trace does not serve them."""
        is_fixed = self.trace.sizes is None
        if is_fixed or (number not in self._known_sizes and self._serves(values)):
            assert self._general is not None
            program = self._general[number]
            assert program is not None
            return Prepared(program, {} if is_fixed else values)
        if self.trace.sizes.has_orders and min(values.values(), default=LEAST) < LEAST:
            return None
        key = (number, *values.values())
        if key not in self._programs:
            slots = self.plan_of(number).slots
            try:
                copied = sized(self.trace.stored, self._all(values), slots)
            except InvalidArgumentError:
                copied = None  # a trace for these sizes may take another way, or has the error
            self._programs[key] = None if copied is None else Prepared(BlockProgram(RowPlan(copied, slots)), {})
            if len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return self._programs[key]

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
        found = self._retraced.get(key)
        if found is None:
            try:
                with for_known_sizes():
                    trace = self.function.trace_for(shapes, opened)
            except (TypeError, ValueError) as refused:
                raise InvalidArgumentError.of(str(refused)) from refused
            found = self._retraced[key] = Calls(self.function, trace)
            if len(self._retraced) > _MOST_PROGRAMS:
                self._retraced.popitem(last=False)
        return found.bound_to(self.bound)
