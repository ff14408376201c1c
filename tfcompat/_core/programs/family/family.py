"""A family: recordings that differ in sizes only, represented as one recording with symbols.

Two recordings of one skeleton are generalised (see `generalisation`). The result may contain guesses that are wrong for
a third one, so each recording is compared with the family before it is treated as a member.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter, is_
from typing import Any, NamedTuple

import jax
import numpy as np

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.operation.op import Op, pullback_like
from tfcompat._core.programs.computation import computation
from tfcompat._core.programs.family.difference import Coincides, Differs, NeedsSize
from tfcompat._core.programs.family.generalisation import generalise, not_for_symbols
from tfcompat._core.programs.family.place import Place, parts
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._core.types.aval import Aval, SymbolicAval, aval_of
from tfcompat._jaxpr.comparison import Denied, among, can_watch, denied
from tfcompat._jaxpr.size import evaluator, is_open
from tfcompat._jaxpr.tracing import result_structs, traced

Sizes = dict[str, int]
_avals_of = attrgetter("avals")


class Choice(NamedTuple):
    """A choice of symbols for a family of two recordings.

    Attributes:
      bound: a symbol is at least this, or the smaller of its two sizes if that is less.
      has_factors: whether sizes that have a common divisor are multiples of it.
    """

    bound: float
    has_factors: bool


# The first of these with which each op can be traced is used.
_CHOICES = (Choice(LEAST, False), Choice(LEAST, True), Choice(4, False), Choice(8, False), Choice(math.inf, False))


def generalised(first: Sequence[Node], second: Sequence[Node]) -> Family:
    """The family of two recordings.

    Symbols are at least 2. If an op needs larger sizes, for example for a window, they are larger, but at most as large
    as in the smaller of the two recordings.

    Raises: Differs if they differ in more than their sizes, or an op needs to know a size.
    """
    if first[-1].skeleton() is not second[-1].skeleton():
        raise Differs("the recordings have other ops, inputs, dtypes or ranks, or sizes of 0 and 1 in other places")
    return _generalised(first, second, _CHOICES)


def _generalised(first: Sequence[Node], second: Sequence[Node], choices: Sequence[Choice]) -> Family:
    """The family for the first of the `choices` that is possible. Raises the error of the last one otherwise."""
    try:
        return Family(first, second, choices[0])
    except NeedsSize:
        if len(choices) == 1:
            raise
        return _generalised(first, second, choices[1:])


class Family:
    """Recordings that differ in sizes only.

    Attributes:
      path: the steps, with symbols.
      symbols: their names; `least` is the smallest size of each.
    """

    def __init__(self, first: Sequence[Node], second: Sequence[Node], choice: Choice) -> None:
        """Generalises two recordings."""
        if not can_watch():
            raise Differs("sizes are not generalised while a profiler runs")
        self._recorded = first, second
        self._other_choices = _CHOICES[_CHOICES.index(choice) + 1 :]
        with denied() as compared:
            found = generalise(
                first, second, lambda pair: int(min(choice.bound, *pair)), has_factors=choice.has_factors
            )
        if choice.has_factors and max(found.factors.values(), default=1) == 1:
            raise NeedsSize("no size that differs has a divisor in common with the other")
        self.path = found.path
        self.symbols = tuple(found.places)
        self.least = found.least
        self._factors = tuple(found.factors.values())
        self._places = tuple(found.places.values())
        self._skeleton = first[-1].skeleton()
        self._compared: list[Denied] = []
        self._expected = _Expected(first, self.path, self.symbols)
        # The recording that was found to be a member most recently: its last step, and its sizes.
        self._latest: tuple[Node, Sizes] | None = None
        self._note(compared)
        for path in (first, second):
            self.checked(path)

    def narrowed(self) -> Family | None:
        """A family of fewer sizes, which are multiples or larger; None if no other can be made."""
        return _generalised(*self._recorded, self._other_choices) if self._other_choices else None

    def _note(self, compared: list[Denied]) -> None:
        """Adds pairs of sizes that code has compared and found different."""
        self._latest = None
        self._compared += among(compared, self.symbols)
        sizes = [size for pair in self._compared for size in pair]
        self._differing = evaluator(sizes, self.symbols)

    def sizes_of(self, path: Sequence[Node]) -> Sizes | None:
        """The values of the symbols in the recording `path`; None if it does not belong to the family.

        `jaxpr` may restrict the family, so membership must be tested again after it.
        """
        try:
            return self.checked(path)
        except Differs:
            return None

    def checked(self, path: Sequence[Node]) -> Sizes:
        """The values of the symbols in the recording `path`.

        Raises: Differs, with the first difference from the family; Coincides if only its sizes keep it out.
        """
        if self._latest is not None and self._latest[0] is path[-1]:
            return self._latest[1]
        if path[-1].skeleton() is not self._skeleton:
            raise Differs("other ops, inputs, dtypes or ranks, or sizes of 0 and 1 in other places")
        values = [_divided(place.read(path), factor) for place, factor in zip(self._places, self._factors, strict=True)]
        sizes = dict(zip(self.symbols, values, strict=True))
        for name, value in sizes.items():
            if type(value) is not int or value < self.least[name]:
                raise Differs(f"the size {name} is {value}, less than {self.least[name]}")
        apart = self._differing(*values)
        for k, (left, right) in enumerate(zip(apart[::2], apart[1::2], strict=True)):
            if left == right:
                pair = self._compared[k]
                raise Coincides(f"an op behaves differently if {pair.left} equals {pair.right}, as it does for {sizes}")
        self._expected.require(path, values)
        self._latest = path[-1], sizes
        return sizes

    def jaxpr(
        self,
        outputs: Sequence[int],
        start: int = 0,
        given: Sequence[int] = (),
        guards: Sequence[tuple[int, int]] = (),
    ) -> Any:
        """The computation of the slots `outputs` (see `Program`), as a closed jaxpr with symbols for sizes.

        Its inputs are a vector of the floats and one of the integers, unless they are empty, the leaves in the order of
        `plan(...).leaves`, and the slots `given`. Its outputs are followed by the flags of the checks, if any.

        Raises: NeedsSize if an op does.
        """
        if not can_watch():
            raise Differs("sizes are not generalised while a profiler runs")
        plan = self.plan(outputs, start, given, guards)
        avals = {slot: aval for node in self.path for slot, aval in enumerate(node.avals, node.first)}
        slots = (*[leaf.first for leaf in plan.leaves], *given)
        floats, ints = self.path[-1].floats, self.path[-1].ints
        numbers = [
            *([jax.ShapeDtypeStruct((floats,), np.float64)] if floats else []),
            *([jax.ShapeDtypeStruct((ints,), np.int64)] if ints else []),
        ]
        replay = computation(plan, slots, outputs, guards, has_floats=bool(floats), has_ints=bool(ints))
        try:
            with denied() as compared:
                jaxpr = traced(replay, [*numbers, *[avals[slot].struct for slot in slots]])
        except Exception as failed:  # code that needs to know a size may raise any error
            raise not_for_symbols(*_culprit(plan), failed) from failed
        self._note(compared)
        return jaxpr

    def plan(
        self,
        outputs: Sequence[int],
        start: int = 0,
        given: Sequence[int] = (),
        guards: Sequence[tuple[int, int]] = (),
    ) -> Plan:
        """The steps of `jaxpr`."""
        return Plan(self.path, given, (*outputs, *[old for _, old in guards]), start)


def _culprit(plan: Plan) -> tuple[Op, str]:
    """The first op of `plan` that cannot be traced with symbols, and its line; the last op if each of them can."""
    steps = [(step.op, step) for step in plan.steps if step.op is not None]
    for op, step in steps:
        try:
            result_structs(op.outputs, [aval.struct for aval in step.signature])
        except Exception:  # as in `jaxpr`
            return op, step.line
    return steps[-1][0], steps[-1][1].line


class _Expected:
    """The avals and attributes that the recordings of a family must have.

    Shapes and attributes without symbols are compared directly. Sizes with symbols are evaluated first, all at once.
    """

    def __init__(self, first: Sequence[Node], path: Sequence[Node], symbols: Sequence[str]) -> None:
        self._number: dict[str, int] = {}
        self._sizes: list[Any] = []
        # The different avals, with the numbers of their sizes where they have symbols; and the number of each aval.
        self._forms: list[Aval | tuple[Any, tuple[int, ...]]] = []
        forms: dict[Any, int] = {}
        self._avals = [self._of_aval(aval, forms) for node in path for aval in node.avals]
        # The sizes in the attributes of ops, with their places. Those of pullbacks are those of other steps.
        self._attributes = [
            (place, self._of_size(size), node.line)
            for step, node in enumerate(path)
            if node.op is not None and node.op is not first[step].op and not _is_pullback(node)
            for place, size in _sizes_in(node.op, Place(step, ()))
        ]
        self._same = [k for k, node in enumerate(path) if node.op is not None and node.op is first[k].op]
        self._ops = [path[k].op for k in self._same]
        self._evaluate = evaluator(self._sizes, symbols)

    def _of_aval(self, aval: Aval, forms: dict[Any, int]) -> int:
        form = (aval.dtype, tuple(map(self._of_size, aval.shape))) if isinstance(aval, SymbolicAval) else aval
        if form not in forms:
            forms[form] = len(forms)
            self._forms.append(form)
        return forms[form]

    def _of_size(self, size: Any) -> int:
        text = str(size)
        if text not in self._number:
            self._number[text] = len(self._sizes)
            self._sizes.append(size)
        return self._number[text]

    def require(self, path: Sequence[Node], values: Sequence[int]) -> None:
        """Raises Differs unless avals and attributes of `path` are those for these `values` of the symbols."""
        sizes = self._evaluate(*values)
        forms = [
            aval_of(tuple([sizes[number] for number in form[1]]), form[0]) if type(form) is tuple else form
            for form in self._forms
        ]
        wanted = list(map(forms.__getitem__, self._avals))
        found = list(chain.from_iterable(map(_avals_of, path)))
        if len(found) != len(wanted) or not all(map(is_, found, wanted)):
            nodes = [node for node in path for _ in node.avals]
            for node, aval, expected in zip(nodes, found, wanted, strict=True):
                if aval is not expected:
                    raise Differs(f"{_named(node)}: {aval}, and {expected} in the family (at {node.line})")
        if not all(map(is_, [path[step].op for step in self._same], self._ops)):
            for step, op in zip(self._same, self._ops, strict=True):
                if path[step].op is not op:
                    raise Differs(f"tf.{path[step].op!r}, and tf.{op!r} in the family (at {path[step].line})")
        for place, number, line in self._attributes:
            found = place.read(path)
            if found != sizes[number]:
                name = _named(path[place.step])
                raise Differs(f"{name}: {found}, and {sizes[number]} in the family (at {line})")


def _is_pullback(node: Node) -> bool:
    """Whether its op follows from the op and the signature of another step."""
    recipe = None if node.op is None or node.origin is None else node.op.recipe
    return recipe is not None and recipe.maker is pullback_like


def _divided(size: Any, factor: int) -> Any:
    """The quotient of `size` and `factor`. Raises Differs if it isn't a multiple of `factor`."""
    if type(size) is not int:
        return size
    value, rest = divmod(size, factor)
    if rest:
        raise Differs(f"the size {size} is not a multiple of {factor}")
    return value


def _named(node: Node) -> str:
    return "an input" if node.op is None else f"tf.{node.op!r}"


def _sizes_in(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """The integers and sizes in `value`, the value at `place`, each with its own place."""
    if (type(value) is int) or is_open(value):
        yield place, value
        return
    for position, part in enumerate(_parts(value)):
        yield from _sizes_in(part, place.inside(position))


def _parts(value: Any) -> Sequence[Any]:
    return value.shape if isinstance(value, SymbolicAval) else parts(value)
