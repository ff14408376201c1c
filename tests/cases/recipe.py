"""How a row of the list is written, and how it expands into concrete examples.

    case("math.reduce_sum", arrays([(3, 4), ()], NUMERIC), axis=each(None, 0, -1), keepdims=each(False, True))

A row expands into: every combination of its `each` attributes at the first form and dtype; every further form; every
further dtype. Dtypes that the row does not name are tried too, and TensorFlow's refusals are recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from tests.cases.dtype import ANY, Symbol, numpy_dtype
from tests.cases.fill import filled

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Arrays:
    """A tensor argument: its forms (shape and fill) and dtypes, of which one of each is chosen per example."""

    forms: tuple[tuple[Shape, str], ...]
    dtypes: tuple[str, ...]
    follows: bool


@dataclass(frozen=True)
class Array:
    """A tensor argument of one example, by recipe."""

    shape: Shape
    dtype: str
    fill: str
    key: str

    def __repr__(self) -> str:
        dims = ",".join(map(str, self.shape))
        return f"{self.dtype}[{dims}]" + ("" if self.fill == "normal" else f"~{self.fill}")

    def values(self) -> np.ndarray:
        """The array itself."""
        return filled(self.key, self.shape, self.dtype, self.fill)


@dataclass(frozen=True)
class Literal:
    """A tensor argument whose values the row spells out."""

    content: object
    dtype: str

    def __repr__(self) -> str:
        return f"{self.dtype}:{self.content!r}"

    def values(self) -> np.ndarray:
        """The array itself; strings are encoded."""
        array = np.array(self.content, numpy_dtype(self.dtype))
        for place in np.ndindex(array.shape if self.dtype == "string" else 0):
            array[place] = array[place].encode() if isinstance(array[place], str) else array[place]
        return array


@dataclass(frozen=True)
class Made:
    """An argument that a symbol of `tf` makes of others: a sparse or a ragged tensor."""

    maker: Symbol
    args: tuple[object, ...]

    def __repr__(self) -> str:
        return f"{self.maker.path}({', '.join(map(repr, self.args))})"


@dataclass(frozen=True)
class Each:
    """An attribute with several values to try."""

    alternatives: tuple[object, ...]


@dataclass(frozen=True)
class Example:
    """One concrete call: `name` on `args` and `attributes`.

    `expected` is 'accepted', 'refused' or 'either'. `distance` counts the `each` attributes that are not at their first
    alternative: values are compared at any distance, gradients up to 1, second derivatives at 0.
    """

    name: str
    args: tuple[object, ...]
    attributes: dict[str, object]
    expected: str
    distance: int

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{key}={value!r}" for key, value in self.attributes.items())]
        return f"{self.name}({', '.join(given)})"

    def arrays(self) -> list[np.ndarray]:
        """The tensor arguments in the order of the call."""
        return [recipe.values() for recipe in recipes((self.args, self.attributes))]

    def call(self, tf: object, tensors: list[object]) -> object:
        """Calls the symbol of `tf`, or a method of the first tensor, with `tensors` in the place of the recipes."""
        supply = iter(tensors)
        args = [substitute(arg, supply, tf) for arg in self.args]
        attributes = {key: substitute(value, supply, tf) for key, value in self.attributes.items()}
        if self.name.startswith("Tensor."):
            return getattr(args[0], self.name.removeprefix("Tensor."))(*args[1:], **attributes)
        return Symbol(self.name).resolve(tf)(*args, **attributes)


@dataclass(frozen=True)
class Case:
    """A row: a public name, its arguments with alternatives, and from which promises it is free, with the reason."""

    name: str
    args: tuple[object, ...]
    attributes: dict[str, object]
    is_accepted: bool = True
    exempt: dict[str, str] = field(default_factory=dict)

    def without(self, **reasons: str) -> Case:
        """The same row, free from the promises named, each with its reason."""
        return replace(self, exempt=self.exempt | reasons)

    def examples(self) -> list[Example]:
        """All concrete calls of the row, each once."""
        found = {repr(example): example for example in self._expand()}
        return list(found.values())

    def _expand(self) -> Iterator[Example]:
        attributes = list(self._attribute_choices())
        forms, dtypes, others = self._factors()
        expected = "accepted" if self.is_accepted else "refused"
        for chosen in attributes:
            yield self._example(chosen, 0, dtypes[0], expected)
        for form in range(1, forms):
            yield self._example(attributes[0], form, dtypes[0], expected)
        for dtype in dtypes[1:]:
            yield self._example(attributes[0], 0, dtype, expected)
        for dtype in others:
            yield self._example(attributes[0], 0, dtype, "either")

    def _attribute_choices(self) -> Iterator[tuple[object, ...]]:
        slots = [*self.args, *self.attributes.values()]
        return itertools.product(*(slot.alternatives if isinstance(slot, Each) else (slot,) for slot in slots))

    def _factors(self) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        specs = list(recipes((self.args, self.attributes)))
        forms = max((len(spec.forms) for spec in specs if isinstance(spec, Arrays)), default=1)
        leaders = [spec.dtypes for spec in specs if isinstance(spec, Arrays) and spec.follows]
        dtypes = max(leaders, key=len, default=("float32",))
        is_choice = len(dtypes) > 1 and self.is_accepted
        return forms, dtypes, tuple(name for name in ANY if is_choice and name not in dtypes)

    def _example(self, chosen: tuple[object, ...], form: int, dtype: str, expected: str) -> Example:
        positions = itertools.count()
        concrete = [self._concrete(slot, form, dtype, positions) for slot in chosen]
        slots = [*self.args, *self.attributes.values()]
        distance = sum(isinstance(s, Each) and s.alternatives[0] is not c for s, c in zip(slots, chosen, strict=True))
        args, attributes = concrete[: len(self.args)], concrete[len(self.args) :]
        return Example(self.name, tuple(args), dict(zip(self.attributes, attributes, strict=True)), expected, distance)

    def _concrete(self, slot: object, form: int, dtype: str, positions: Iterator[int]) -> object:
        if isinstance(slot, Arrays):
            shape, fill = slot.forms[min(form, len(slot.forms) - 1)]
            chosen = dtype if slot.follows else slot.dtypes[0]
            return Array(shape, chosen, fill, f"{self.name} {next(positions)} {shape} {fill}")
        if isinstance(slot, Made):
            return Made(slot.maker, tuple(self._concrete(item, form, dtype, positions) for item in slot.args))
        if isinstance(slot, list | tuple):
            return type(slot)(self._concrete(item, form, dtype, positions) for item in slot)
        if isinstance(slot, dict):
            return {key: self._concrete(item, form, dtype, positions) for key, item in slot.items()}
        return slot


def case(name: str, /, *args: object, **attributes: object) -> Case:
    """A row that TensorFlow accepts."""
    return Case(name, args, attributes)


def refused(name: str, /, *args: object, **attributes: object) -> Case:
    """A row that TensorFlow refuses; the class of its exception is recorded."""
    return Case(name, args, attributes, is_accepted=False)


def arrays(forms: object, dtypes: object = None, fill: str = "normal") -> Arrays:
    """A tensor argument: `forms` is a form or a list of them, a form a shape or (shape, fill).

    With `dtypes` None it follows the dtype of the row's other arguments; a string fixes it.
    """
    listed = forms if isinstance(forms, list) else [forms]
    pairs = tuple(form if len(form) == 2 and isinstance(form[1], str) else (form, fill) for form in listed)
    if isinstance(dtypes, str):
        return Arrays(pairs, (dtypes,), False)
    return Arrays(pairs, tuple(dtypes or ("float32",)), True)


def tensor(content: object, dtype: str) -> Literal:
    """A tensor argument with the values `content`."""
    return Literal(content, dtype)


def made(maker: str, /, *args: object) -> Made:
    """An argument that the symbol called `maker` makes of `args`."""
    return Made(Symbol(maker), args)


def each(*alternatives: object) -> Each:
    """An attribute that is tried with each of `alternatives`; the first is the one that further dtypes meet."""
    return Each(alternatives)


def recipes(tree: object) -> Iterator[Arrays | Array | Literal]:
    """The recipes of tensors in `tree`, in the order of the call."""
    if isinstance(tree, Arrays | Array | Literal):
        yield tree
    elif isinstance(tree, list | tuple | dict):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from recipes(item)
    elif isinstance(tree, Made):
        yield from recipes(tree.args)
    elif isinstance(tree, Each):
        yield from recipes(tree.alternatives[0])


def substitute(tree: object, tensors: Iterator[object], tf: object) -> object:
    """`tree` with tensors in the place of recipes and objects in the place of symbols."""
    if isinstance(tree, Array | Literal):
        return next(tensors)
    if isinstance(tree, Symbol):
        return tree.resolve(tf)
    if isinstance(tree, Made):
        return tree.maker.resolve(tf)(*substitute(tree.args, tensors, tf))
    if isinstance(tree, list | tuple):
        return type(tree)(substitute(item, tensors, tf) for item in tree)
    if isinstance(tree, dict):
        return {key: substitute(item, tensors, tf) for key, item in tree.items()}
    return tree
