"""The sizes that the elements of a dataset leave open: symbols in the trace of a function of elements.

Sizes of the arguments, those of values that the host computes for an element (strings, decoded images), and integers
that decide shapes have symbols alike. Their values are found when an element is computed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

import jax

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.aval import aval_of
from tfcompat._function.arguments.open_size import OpenSizes
from tfcompat._jaxpr.comparison import Denied, Orders, among, can_watch, denied
from tfcompat._jaxpr.size import is_open, value_of

# The most symbols of a trace.
_MOST = 64
# The sizes that stand for open ones where code asks for samples.
_FIRST, _STEP = 48, 7
Shape = tuple[Any, ...]
# For open sizes, by their keys, the keys of earlier ones to which they are equal.
Equal = Mapping[Any, Any]


class Sharing(Enum):
    """Which open sizes have one symbol: none; the numbers of rows of all arguments; all sizes of the same axis."""

    NONE = auto()
    ROWS = auto()
    AXES = auto()


class ElementSizes(OpenSizes):
    """The symbols of one trace.

    Attributes:
      scope: JAX's scope of the symbols.
      sharing: which sizes have one symbol; `equal`: those that have one, too.
      noticed: equalities that an op has asked for, for a further trace.
      made: the symbols by name; `numbers`: a size for each.
      avals: those of the numeric arguments.
      orders: the symbols for which the trace asked whether they are greater; it does not serve 0 and 1 for these.
    """

    def __init__(self, specs: Sequence[TensorSpec], sharing: Sharing, equal: Equal = MappingProxyType({})) -> None:
        """The symbols for numeric arguments of the types `specs`."""
        names = [f"n{k}" for k in range(_MOST)]
        self._pool = list(jax.export.symbolic_shape(", ".join(names), constraints=[f"{k} >= {LEAST}" for k in names]))
        first: Any = self._pool[0]
        self.scope = first.scope
        self.sharing = sharing
        self.equal = equal
        self.noticed: dict[Any, Any] = {}
        self._by_key: dict[Any, Any] = {}
        self._keys: dict[str, Any] = {}
        self._values = 0
        self._watch = ExitStack()
        self._pairs: list[Denied] = []
        self.orders = Orders()
        self.made: dict[str, Any] = {}
        self.numbers: dict[str, int] = {}
        self.avals = [aval_of(self.shape(list(spec.shape), is_argument=True), spec.dtype) for spec in specs]

    @property
    def symbols(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]  # it grows
        """The names of the symbols."""
        return tuple(self.made)

    def shape(self, dims: Sequence[Any], *, is_argument: bool = False) -> Shape:
        """`dims` of another value, perhaps of an argument, with symbols in place of None."""
        place, self._values = self._values, self._values + 1
        shape: list[Any] = []
        for axis, size in enumerate(dims):
            key: Any = (place, axis)
            if self.sharing is Sharing.AXES:
                key = axis
            elif self.sharing is Sharing.ROWS and is_argument and axis == 0:
                key = "rows"
            shape.append(self._size(key) if size is None else size)
        return tuple(shape)

    def number(self) -> Any:
        """A symbol for an integer that decides a shape."""
        self._values += 1
        return self._size(("number", self._values))

    def notice_equal(self, names: Collection[str]) -> None:
        """Notes that an op takes only equal values of the symbols `names`."""
        first, *others = sorted(names, key=list(self.made).index)
        self.noticed.update(dict.fromkeys([self._keys[name] for name in others], self._keys[first]))

    @property
    def shares_values(self) -> bool:
        """Whether values of the host have symbols that were given to other values, too."""
        return self.sharing is Sharing.AXES or bool(self.equal)

    def _size(self, key: Any) -> Any:
        while key in self.equal:
            key = self.equal[key]
        found = self._by_key.get(key)
        if found is None:
            if not self._pool:
                raise NotImplementedError(
                    f"tf.data: a function of elements has more than {_MOST} open sizes; set shapes by "
                    "tf.ensure_shape, or divide the function into several maps."
                )
            found = self._by_key[key] = self._pool.pop(0)
            self.made[str(found)] = found
            self._keys[str(found)] = key
            self.numbers[str(found)] = _FIRST + _STEP * len(self.numbers)
        return found

    def __enter__(self) -> ElementSizes:
        """Collects the equalities of sizes that are denied while a function is traced."""
        self.orders.__enter__()
        if can_watch():
            self._pairs = self._watch.enter_context(denied())
        return self

    def __exit__(self, *failure: Any) -> None:
        self._watch.__exit__(*failure)
        self.orders.__exit__()

    @property
    def compared(self) -> list[Denied]:
        """The pairs of sizes that the trace has compared and found different."""
        return among(self._pairs, self.symbols)


def bind(shape: Shape, given: Sequence[int], values: dict[str, int]) -> bool:
    """Gives the symbols of `shape` the values that they have in the shape `given`; whether the two agree."""
    if len(shape) != len(given):
        return False
    for size, number in zip(shape, given, strict=True):
        if is_open(size) and str(size) not in values and str(size).isidentifier():
            values[str(size)] = number
        elif value_of(size, values) != number:
            return False
    return True
