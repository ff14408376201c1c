"""A jaxpr with known sizes as a flat list of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._jaxpr.host import cost
from tfcompat._jaxpr.host.called import CALLED
from tfcompat._jaxpr.host.contraction import CONTRACTION
from tfcompat._jaxpr.host.control import CONTROL
from tfcompat._jaxpr.host.convolution import CONVOLUTION
from tfcompat._jaxpr.host.elementwise import ELEMENTWISE
from tfcompat._jaxpr.host.indexing import INDEXING
from tfcompat._jaxpr.host.layout import LAYOUT
from tfcompat._jaxpr.host.linear_algebra import LINEAR_ALGEBRA
from tfcompat._jaxpr.host.order import ORDER
from tfcompat._jaxpr.host.reduction import REDUCTION
from tfcompat._jaxpr.host.special import SPECIAL
from tfcompat._jaxpr.host.step import SCANNED, Array, Kernel, Maker, Shaped, Step
from tfcompat._jaxpr.host.window import WINDOW
from tfcompat._jaxpr.parameter import called, scan_counts, without_consts
from tfcompat._jaxpr.primitive import literal, name_of
from tfcompat._jaxpr.size import is_open, value_of

KERNELS: dict[str, Maker] = {
    **ELEMENTWISE,
    **SPECIAL,
    **LAYOUT,
    **REDUCTION,
    **CONTRACTION,
    **CONVOLUTION,
    **INDEXING,
    **WINDOW,
    **ORDER,
    **LINEAR_ALGEBRA,
    **CONTROL,
    **CALLED,
}
# Steps of these primitives on constants alone are run once, if their results have at most `_MOST_FOLDED` elements.
_FOLDED = ELEMENTWISE.keys() | LAYOUT.keys()
_MOST_FOLDED = 4096


class Sizes(NamedTuple):
    """The values of sizes with symbols.

    Attributes:
      symbols: the values of the symbols, by name.
      known: the values of the sizes in the jaxpr, by `id`, since reading one takes long.
    """

    symbols: Mapping[str, int]
    known: Mapping[int, int]

    def value(self, size: Any) -> int:
        """The value of `size`, which may be an integer."""
        if type(size) is int:
            return size
        found = self.known.get(id(size))
        return value_of(size, self.symbols) if found is None else found


class _Draft(NamedTuple):
    """A step with the places of its inputs and outputs."""

    step: Step
    inputs: list[int]
    outputs: list[int]


class _Run(NamedTuple):
    """A kernel, the places of its inputs, of its output or of several, and the places that are free after it."""

    kernel: Kernel
    inputs: tuple[int, ...]
    output: int
    outputs: tuple[int, ...] | None
    freed: tuple[int, ...]


class Flat:
    """A jaxpr with known sizes as a flat list of kernels.

    Calls are inlined, steps that no output depends on are left out, and values are freed after their last use. The
    places of the inputs and results of steps are numbered from 0; constants have the places -1, -2, and so on.

    Attributes:
      constants: the arrays that it holds.
      outputs: the shapes and dtypes of its outputs.
      work: an estimate of a call's nanoseconds.
    """

    def __init__(self, jaxpr: Any, sizes: Sizes) -> None:
        """Prepares `jaxpr`, whose sizes have the values `sizes`."""
        self._sizes = sizes
        self._bodies: dict[int, Flat] = {}
        self.constants: list[Array] = []
        drafts: list[_Draft] = []
        inner, consts = without_consts(jaxpr)
        self.outputs = [self._shaped(atom.aval) for atom in inner.outvars]
        self._count = len(inner.invars)
        self._results = self._append(inner, consts, range(self._count), drafts)
        drafts = self._folded(_needed(drafts, self._results))
        self.work = cost.CALL + sum(cost.of(draft.step) for draft in drafts)
        self._runs = self._arranged(drafts)
        self._rest = [*[None] * (self._count - len(inner.invars)), *reversed(self.constants)]

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs; they may share memory with inputs and constants."""
        values = [*inputs, *self._rest]
        for kernel, places, output, outputs, freed in self._runs:
            if outputs is None:
                values[output] = kernel(*[values[place] for place in places])
            else:
                for place, value in zip(outputs, kernel(*[values[place] for place in places]), strict=True):
                    values[place] = value
            for place in freed:
                values[place] = None
        return [values[place] for place in self._results]

    def _append(self, jaxpr: Any, consts: Sequence[Any], given: Sequence[int], drafts: list[_Draft]) -> list[int]:
        """Appends the steps of `jaxpr` for inputs at the places `given`; returns the places of its outputs."""
        places: dict[Any, int] = dict(zip(jaxpr.invars, given, strict=True))
        for variable, const in zip(jaxpr.constvars, consts, strict=True):
            places[variable] = self._constant(np.asarray(const))
        for equation in jaxpr.eqns:
            inputs = [self._place(atom, places) for atom in equation.invars]
            body = None if has_own_kernel(equation) else called(equation)
            if body is not None:
                outputs = self._append(*without_consts(body), inputs, drafts)
            else:
                outputs = list(range(self._count, self._count + len(equation.outvars)))
                self._count += len(outputs)
                drafts.append(_Draft(self._step(equation), inputs, outputs))
            places.update(zip(equation.outvars, outputs, strict=True))
        return [self._place(atom, places) for atom in jaxpr.outvars]

    def _step(self, equation: Any) -> Step:
        params = equation.params
        name = params["name"] if has_own_kernel(equation) else name_of(equation)
        if self._sizes.symbols:
            params = {key: self._resolved(value) for key, value in params.items()}
        if name_of(equation) == "scan":
            params = params | {SCANNED: scan_counts(equation)}
        inputs = [self._shaped(atom.aval) for atom in equation.invars]
        outputs = [self._shaped(atom.aval) for atom in equation.outvars]
        return Step(name, params, inputs, outputs, equation.primitive.multiple_results, self._prepare)

    def _prepare(self, jaxpr: Any) -> Flat:
        if id(jaxpr) not in self._bodies:
            self._bodies[id(jaxpr)] = Flat(jaxpr, self._sizes)
        return self._bodies[id(jaxpr)]

    def _resolved(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(self._resolved, value))
        return self._sizes.value(value) if is_open(value) else value

    def _shaped(self, aval: Any) -> Shaped:
        shape = aval.shape
        if self._sizes.symbols:
            shape = tuple([self._sizes.value(size) for size in shape])
        return Shaped(shape, aval.dtype)

    def _place(self, atom: Any, places: Mapping[Any, int]) -> int:
        value = literal(atom)
        return places[atom] if value is None else self._constant(np.asarray(value, atom.aval.dtype))

    def _constant(self, array: Array) -> int:
        self.constants.append(array)
        return -len(self.constants)

    def _folded(self, drafts: list[_Draft]) -> list[_Draft]:
        """The steps that depend on inputs; the results of some others become constants."""
        known: dict[int, int] = {}
        kept: list[_Draft] = []
        for step, inputs, outputs in drafts:
            places = [known.get(place, place) for place in inputs]
            is_small = sum(aval.size for aval in step.outputs) <= _MOST_FOLDED
            if is_small and step.name in _FOLDED and all(place < 0 for place in places):
                values = KERNELS[step.name](step)(*[self.constants[-place - 1] for place in places])
                for place, value in zip(outputs, values if step.is_multiple else (values,), strict=True):
                    known[place] = self._constant(value)
            else:
                kept.append(_Draft(step, places, outputs))
        self._results = [known.get(place, place) for place in self._results]
        return kept

    def _arranged(self, drafts: list[_Draft]) -> list[_Run]:
        """The kernels in order, each with the places whose last use it is."""
        used = set(self._results)
        runs: list[_Run] = []
        for step, inputs, outputs in reversed(drafts):
            freed = tuple([place for place in {*inputs, *outputs} if place >= 0 and place not in used])
            used.update(inputs)
            several = tuple(outputs) if step.is_multiple else None
            runs.append(_Run(KERNELS[step.name](step), tuple(inputs), outputs[0] if outputs else 0, several, freed))
        runs.reverse()
        return runs


def has_own_kernel(equation: Any) -> bool:
    """Whether `equation` calls a function for which the host has a kernel."""
    return name_of(equation) == "jit" and equation.params["name"] in CALLED


def _needed(drafts: list[_Draft], results: Sequence[int]) -> list[_Draft]:
    """The steps that a result depends on."""
    used, kept = set(results), []
    for draft in reversed(drafts):
        if not used.isdisjoint(draft.outputs):
            used.update(draft.inputs)
            kept.append(draft)
    kept.reverse()
    return kept
