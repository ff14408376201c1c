"""The declaration of an op, and the `Op`s made from it: one for each set of static attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tfcompat._core.operation.op import GradientRule, Op, ValueCheck, Window
from tfcompat._core.operation.recipe import Recipe
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import DType
from tfcompat._jaxpr.size import has_symbols, is_open

_MOST_BOUND = 4096


@dataclass(eq=False, repr=False)
class Check:
    """A rule about values.

    It is checked on the host if the values are known there, otherwise by a flag among the program's outputs.

    Attributes:
      reads: the parameters whose values are checked.
      flag: takes all of the op's arrays and attributes, and returns an array of booleans that is true where a value is
        bad. Parameters that are not in `reads` may have only a shape, no value. It uses operators and methods only, so
        that it works on NumPy and on JAX arrays.
      message: the error message for bad values.
    """

    reads: tuple[str, ...]
    flag: Callable[..., Any]
    message: str


@dataclass(eq=False, repr=False)
class Declaration:
    """The properties of a function declared with `@op`. `registry` holds all declarations by TensorFlow's name.

    Printed traces leave out attributes at their `defaults`. `shapes` are the attributes that are shapes; ops that
    differ in nothing but their sizes share `forms` (see `Op`).
    """

    name: str
    body: Callable[..., Any]
    dtypes: dict[str, frozenset[DType]]
    same: tuple[str, ...]
    differentiable: bool | tuple[str, ...]
    options: dict[str, Any]
    validate: Callable[..., None] | None
    infers: Callable[..., Aval | None] | None
    on_host: Callable[..., Any] | None
    check: Check | None
    fold: Callable[..., Any] | None
    strings: Callable[..., Any] | None
    structure: Callable[[Any], Any] | None
    windows: Callable[..., dict[int, Window]] | None
    arrays: tuple[str, ...] = ()
    variadic: str | None = None
    numbers: tuple[str, ...] = ()
    static: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()
    bound: dict[Any, Op] = field(default_factory=dict)
    forms: dict[Any, dict[Any, Any]] = field(default_factory=dict)
    public: Callable[..., Any] = field(init=False)
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any] = field(init=False)

    def bind(self, attributes: tuple[Any, ...], count: int, is_checked: bool) -> Op:
        """The op with static `attributes`; `count` tensors are passed for the variadic parameter.

        It is cached unless attributes contain symbols.
        """
        key = (attributes, count, is_checked)
        found = self.bound.get(key)
        if found is None:
            found = self.bind_once(count, is_checked, *attributes)
            find = functools.partial(self.bind, count=count, is_checked=is_checked)
            found.recipe = Recipe(self.bind_once, (count, is_checked), attributes, find)
            if self.shapes:
                found.forms = self.forms.setdefault((count, is_checked, self._kind(attributes)), {})
            if not has_symbols(attributes):
                if len(self.bound) >= _MOST_BOUND:
                    self.bound.clear()
                self.bound[key] = found
        return found

    def _kind(self, attributes: tuple[Any, ...]) -> tuple[Any, ...]:
        """`attributes` with every size of 2 or more replaced by one: derivatives don't depend on which it is."""
        named = zip(self.static, attributes, strict=True)
        return tuple([_kind_of(value) if name in self.shapes else value for name, value in named])

    def bind_once(self, count: int, is_checked: bool, *attributes: Any) -> Op:
        """A new op like that of `bind`. Sizes among the attributes may be symbols."""
        named = dict(zip(self.static, attributes, strict=True))
        positions = _positions(self, count)
        blocked: bool | frozenset[int] = self.differentiable is False
        if isinstance(self.differentiable, tuple):
            blocked = frozenset(i for i, name in enumerate(positions) if name not in self.differentiable)
        shown = {name: value for name, value in named.items() if value != self.defaults.get(name)}
        label = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        rule = {field: self.options[name] for name, field in _OF_GRADIENT.items() if name in self.options}
        check = None
        if is_checked and self.check is not None:
            check = ValueCheck(_calling(self, self.check.flag, named, count), self.check.message)
        return Op(
            self.name,
            _calling(self, self.body, named, count),
            label=label,
            many=self.structure is not None,
            gradient=GradientRule(blocked=blocked or frozenset(), **rule),
            validate=_calling(self, self.validate, named, count) if self.validate else None,
            infers=_calling(self, self.infers, named, count) if self.infers else None,
            fold=functools.partial(self.fold, **named) if self.fold else None,
            on_host=_calling(self, self.on_host, named, count) if self.on_host else None,
            check=check,
            windows=self.windows(**named) if self.windows else None,
            **{name: value for name, value in self.options.items() if name not in _OF_GRADIENT},
        )


# The options of `@op` that are fields of `GradientRule`.
_OF_GRADIENT = {name: name for name in ("cuts", "flat", "rows", "passes", "no_gradient", "no_second")}
_OF_GRADIENT["gradient_reads"] = "reads"
registry: dict[str, Declaration] = {}


def _kind_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_kind_of, value))
    if is_open(value):
        return 2
    return min(value, 2) if type(value) is int else value


def _positions(declared: Declaration, count: int) -> list[str]:
    names: list[str] = []
    for name in declared.arrays:
        names += [name] * (count if name == declared.variadic else 1)
    return [*names, *declared.numbers]


def _calling(declared: Declaration, body: Callable[..., Any], named: dict[str, Any], count: int) -> Callable[..., Any]:
    """`body` with its static attributes, taking the op's arrays and numbers one after another."""
    variadic = declared.variadic
    if variadic is None:
        names = (*declared.arrays, *declared.numbers)

        def call(*inputs: Any) -> Any:
            return body(**dict(zip(names, inputs, strict=True)), **named)

        return call
    before = declared.arrays.index(variadic)
    singles = [name for name in (*declared.arrays, *declared.numbers) if name != variadic]

    def call_variadic(*inputs: Any) -> Any:
        rest = (*inputs[:before], *inputs[before + count :])
        several = {variadic: list(inputs[before : before + count])}
        return body(**dict(zip(singles, rest, strict=True)), **named, **several)

    return call_variadic
