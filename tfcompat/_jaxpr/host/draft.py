"""A jaxpr as a list of steps, made once for all values of its symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._jaxpr.host.called import CALLED
from tfcompat._jaxpr.host.kernels import FOLDED, FOR_ALL_SIZES, KERNELS
from tfcompat._jaxpr.host.step import SCANNED, Array, Kernel, Shaped, Step
from tfcompat._jaxpr.parameter import called, scan_counts, without_consts
from tfcompat._jaxpr.primitive import inner, literal, name_of
from tfcompat._jaxpr.size import evaluator, has_symbols

# Steps on constants alone are run once if their results have at most this number of elements.
_MOST_FOLDED = 4096


class OpenShaped(NamedTuple):
    """The place of a shape with symbols among the open values of a draft, and a dtype."""

    place: int
    dtype: Any


Form = Shaped | OpenShaped


class Entry(NamedTuple):
    """One equation, with the places of its inputs and outputs.

    Attributes:
      open_params: the parameters with symbols, each with its place among the open values of the draft.
      kernel: None if it depends on the values of symbols, or on those of inner jaxprs.
      freed: the places whose last use it is.
    """

    name: str
    params: Mapping[str, Any]
    open_params: tuple[tuple[str, int], ...]
    inputs: tuple[Form, ...]
    outputs: tuple[Form, ...]
    is_multiple: bool
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    kernel: Kernel | None = None
    freed: tuple[int, ...] = ()


class Draft:
    """A jaxpr whose calls are inlined. Steps that no output depends on are left out.

    The places of the inputs and results of steps are numbered from 0; constants have the places -1, -2, and so on.

    Attributes:
      constants: the arrays that it holds; `count`: the number of its places; `given`: that of its inputs.
      entries: the steps; `results`: the places of the outputs; `outputs`: their shapes and dtypes.
      evaluate: the open values, from the values of the symbols.
    """

    def __init__(self, jaxpr: Any, symbols: Sequence[str]) -> None:
        """Reads `jaxpr`, whose sizes contain the `symbols`."""
        self._symbols = symbols
        self._open: list[Any] = []
        self._places: dict[str, int] = {}
        self._forms: dict[int, Form] = {}
        self._bodies: dict[int, Draft] = {}
        self.constants: list[Array] = []
        inner_jaxpr, consts = without_consts(jaxpr)
        self.given = self.count = len(inner_jaxpr.invars)
        entries: list[Entry] = []
        self.results = self._append(inner_jaxpr, consts, range(self.count), entries)
        self.outputs = [self._form(atom.aval) for atom in inner_jaxpr.outvars]
        self.entries = self._arranged(self._folded(_needed(entries, self.results)))
        self.evaluate = evaluator(self._open, symbols)
        self._forms.clear()

    def body(self, jaxpr: Any) -> Draft:
        """The draft of an inner jaxpr."""
        if id(jaxpr) not in self._bodies:
            self._bodies[id(jaxpr)] = Draft(jaxpr, self._symbols)
        return self._bodies[id(jaxpr)]

    def _append(self, jaxpr: Any, consts: Sequence[Any], given: Sequence[int], entries: list[Entry]) -> list[int]:
        """Appends the steps of `jaxpr` for inputs at the places `given`; returns the places of its outputs."""
        places: dict[Any, int] = dict(zip(jaxpr.invars, given, strict=True))
        for variable, const in zip(jaxpr.constvars, consts, strict=True):
            places[variable] = self._constant(np.asarray(const))
        for equation in jaxpr.eqns:
            sources = [self._place(atom, places) for atom in equation.invars]
            body = None if has_own_kernel(equation) else called(equation)
            if body is not None:
                targets = self._append(*without_consts(body), sources, entries)
            else:
                targets = list(range(self.count, self.count + len(equation.outvars)))
                self.count += len(targets)
                entries.append(self._entry(equation, tuple(sources), tuple(targets)))
            places.update(zip(equation.outvars, targets, strict=True))
        return [self._place(atom, places) for atom in jaxpr.outvars]

    def _entry(self, equation: Any, sources: tuple[int, ...], targets: tuple[int, ...]) -> Entry:
        params = equation.params
        name = params["name"] if has_own_kernel(equation) else name_of(equation)
        open_params = tuple([(key, self._noted(value)) for key, value in params.items() if _is_open(value)])
        if name_of(equation) == "scan":
            params = params | {SCANNED: scan_counts(equation)}
        inputs = tuple([self._form(atom.aval) for atom in equation.invars])
        outputs = tuple([self._form(atom.aval) for atom in equation.outvars])
        is_multiple = equation.primitive.multiple_results
        entry = Entry(name, params, open_params, inputs, outputs, is_multiple, sources, targets)
        is_same = name in FOR_ALL_SIZES or OpenShaped not in map(type, (*inputs, *outputs))
        if open_params or not is_same or inner(equation):
            return entry
        # A kernel for all sizes does not ask for a shape.
        return entry._replace(kernel=KERNELS[name](step_of(entry, Shapes(()))))

    def _form(self, aval: Any) -> Form:
        found = self._forms.get(id(aval))
        if found is None:
            is_open = bool(self._symbols) and _is_open(aval.shape)
            found = OpenShaped(self._noted(aval.shape), aval.dtype) if is_open else Shaped(aval.shape, aval.dtype)
            self._forms[id(aval)] = found
        return found

    def _noted(self, value: Any) -> int:
        """The place of `value` among the open values."""
        text = str(value)
        if text not in self._places:
            self._places[text] = len(self._open)
            self._open.append(value)
        return self._places[text]

    def _place(self, atom: Any, places: Mapping[Any, int]) -> int:
        value = literal(atom)
        return places[atom] if value is None else self._constant(np.asarray(value, atom.aval.dtype))

    def _constant(self, array: Array) -> int:
        self.constants.append(array)
        return -len(self.constants)

    def _folded(self, entries: list[Entry]) -> list[Entry]:
        """The steps that depend on inputs or sizes; the results of some others become constants."""
        known: dict[int, int] = {}
        kept: list[Entry] = []
        for entry in entries:
            sources = tuple([known.get(place, place) for place in entry.sources])
            is_known = not entry.open_params and OpenShaped not in map(type, (*entry.inputs, *entry.outputs))
            if (
                is_known
                and entry.name in FOLDED
                and entry.kernel is not None
                and all(place < 0 for place in sources)
                and sum(form.size for form in entry.outputs if isinstance(form, Shaped)) <= _MOST_FOLDED
            ):
                values = entry.kernel(*[self.constants[-place - 1] for place in sources])
                for place, value in zip(entry.targets, values if entry.is_multiple else (values,), strict=True):
                    known[place] = self._constant(value)
            else:
                kept.append(entry._replace(sources=sources))
        self.results = [known.get(place, place) for place in self.results]
        return kept

    def _arranged(self, entries: list[Entry]) -> list[Entry]:
        """The steps in order, each with the places whose last use it is."""
        used = set(self.results)
        found: list[Entry] = []
        for entry in reversed(entries):
            places = {*entry.sources, *entry.targets}
            found.append(entry._replace(freed=tuple([place for place in places if place >= 0 and place not in used])))
            used.update(entry.sources)
        found.reverse()
        return found


class Shapes:
    """The open `values` of a draft for certain sizes. A shape whose value is not given is ()."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self._known: dict[OpenShaped, Shaped] = {}

    def of(self, form: Form) -> Shaped:
        """`form` for the values."""
        if type(form) is Shaped:
            return form
        assert type(form) is OpenShaped
        found = self._known.get(form)
        if found is None:
            shape = self.values[form.place] if self.values else ()
            found = self._known[form] = Shaped(shape, form.dtype)
        return found


def step_of(entry: Entry, shapes: Shapes, prepare: Any = None) -> Step:
    """The step of `entry` for the `shapes` of its draft."""
    params, values = entry.params, shapes.values
    if entry.open_params and values:
        params = {**params, **{key: values[place] for key, place in entry.open_params}}
    inputs, outputs = list(map(shapes.of, entry.inputs)), list(map(shapes.of, entry.outputs))
    return Step(entry.name, params, inputs, outputs, entry.is_multiple, prepare)


def has_own_kernel(equation: Any) -> bool:
    """Whether `equation` calls a function for which the host has a kernel."""
    return name_of(equation) == "jit" and equation.params["name"] in CALLED


def _is_open(value: Any) -> bool:
    """Whether a parameter or a shape contains a symbol."""
    return has_symbols(value) if type(value) is tuple or not hasattr(value, "shape") else False


def _needed(entries: list[Entry], results: Sequence[int]) -> list[Entry]:
    """The steps that a result depends on."""
    used, kept = set(results), []
    for entry in reversed(entries):
        if not used.isdisjoint(entry.targets):
            used.update(entry.sources)
            kept.append(entry)
    kept.reverse()
    return kept
