"""Elements of iterators that a function takes.

A program cannot read a dataset. A trace that takes the next element of an iterator gets it as one more argument, which
each call reads before its program runs. Where that is impossible, in loops and branches, the function runs untraced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnexpectedValueError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.arguments.open_size import open_axes
from tfcompat._function.arguments.signature import Call, entered

# The sources of elements: the place among the leaves of a call for an argument, any other source itself.
Order = tuple[Any, ...]


class Fitting(Protocol):
    """The body of a trace."""

    @property
    def fits(self) -> bool:
        """Whether the variables that it captures have the shapes that they had while it was traced."""
        ...

    @property
    def finds_sizes(self) -> bool:
        """Whether its program finds sizes itself or expects values: it runs alone, outside of tapes and functions."""
        ...

    @property
    def is_wasteful(self) -> bool:
        """Whether calls had better run their Python code: the sizes that it finds are small, or values unexpected."""
        ...

    def __call__(self, flat: Sequence[Any]) -> Any:
        """The result for the leaves of a call."""
        ...


class ElementSource(Elemental, ABC):
    """An iterator, for the layers below those of datasets."""

    is_source = True

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The type of an element."""

    @abstractmethod
    def take(self) -> tuple[Any] | None:
        """The next element; None at the end. Raises the error of the element."""

    def read_ahead(self) -> None:
        """Reads elements ahead while a program runs, if that cannot be observed."""

    @abstractmethod
    def give_back(self, outcome: tuple[Any] | Exception) -> None:
        """Makes `outcome`, an element that was taken or its error, the next one again."""

    @abstractmethod
    def get_next(self) -> Any:
        """As `take`, for users. Raises OutOfRangeError at the end."""


class Reads:
    """How the traces for calls of one kind read elements.

    Attributes:
      order: the sources.
      is_late: for each element, whether an effect precedes it. Such a call is made even if there is no element.
      bodies: the bodies of traces, by the avals of elements that consist of tensors.
    """

    def __init__(self, order: Order, is_late: Sequence[bool]) -> None:
        self.order = order
        self.is_late = is_late
        self.bodies: dict[Any, Fitting] = {}


class OtherOrder(BaseException):
    """A trace takes elements in another order than they were read for it: in one that begins with `order`.

    No handler in the code that is traced may catch it.
    """

    def __init__(self, reading: Reading, order: Order) -> None:
        super().__init__()
        self.reading = reading
        self.order = order


class Reading:
    """The elements that are read for one call.

    Attributes:
      reads: the order in which the trace has taken them so far.
      is_reordered: whether a trace has asked for another order than that of earlier ones.
    """

    def __init__(self, call: Call, known: Reads | None) -> None:
        """`known` is how the existing traces for such calls read. A first trace is tried with an element."""
        self._call = call
        self._order = known.order if known is not None else () if here.graph is not None else _first_guess(call)
        # The number of elements that are certainly needed.
        self._needed = 0 if known is None else len(known.order)
        self._values: list[Any] = []
        self._used = 0
        self._known = known
        self.reads = known or Reads((), ())
        self.is_reordered = False

    def body(self) -> tuple[Fitting, list[Any]] | None:
        """The body that serves the elements that were read, and the leaves of the call; None if none is known."""
        leaves = tensor_leaves(self._values)
        body = None if leaves is None else self.reads.bodies.get(tuple([leaf._aval for leaf in leaves]))
        return None if body is None or leaves is None or not body.fits else (body, self._call.flat + leaves)

    def keep(self, body: Fitting) -> None:
        """Registers `body` for the elements that were read."""
        if self._known is not None and self._known.order == self.reads.order:
            self.reads = self._known
        leaves = tensor_leaves(self._values)
        if leaves is not None:
            self.reads.bodies[tuple([leaf._aval for leaf in leaves])] = body

    def read(self) -> bool:
        """Reads the elements that are missing. False if one that is needed doesn't exist or has an error."""
        while len(self._values) < len(self._order):
            source = self._source(self._order[len(self._values)])
            if here.graph is not None:
                self._values.append(here.graph.element_of(source))
                continue
            try:
                outcome = source.take()
            except Exception as error:  # raised again when the function takes the element
                source.give_back(error)
                outcome = None
            if outcome is None:
                self._order = self._order[: len(self._values)]
                return len(self._order) >= self._needed
            self._values.append(outcome[0])
        return True

    def require_late(self) -> None:
        """Raises the error of the element that doesn't exist, unless the function has an effect before it."""
        place = len(self._values)
        if place < len(self.reads.order) and not self.reads.is_late[place]:
            self._source(self.reads.order[place]).get_next()

    def give_back(self, kept: int = 0) -> None:
        """Returns the elements after the first `kept` to their sources."""
        if here.graph is not None:
            return
        while len(self._values) > kept:
            value = self._values.pop()
            self._source(self._order[len(self._values)]).give_back((value,))

    def answer(self, body: Fitting, flat: Sequence[Any]) -> Any:
        """The result of `body` for the leaves `flat`. If they are not fit for it, the elements are returned.

        While its program runs, the next elements are read ahead.
        """
        try:
            result = body(flat)
        except UnexpectedValueError:
            self.give_back()
            raise
        if here.graph is None:
            for place in self._order[:1]:
                self._source(place).read_ahead()
        return result

    def reorder(self, order: Order) -> None:
        """Prepares for a trace that takes elements in `order` first, then perhaps others of the same iterator."""
        same = [one == other for one, other in zip(order, self._order, strict=False)]
        self.give_back([*same, False].index(False))
        self._needed, self.is_reordered = len(order), True
        is_growing = len(order) > len(self._order) and len(set(order)) == 1 and here.graph is None
        self._order = order * 2 if is_growing and len(order) > 1 else order

    def call(self) -> Call:
        """The call with the elements as further leaves."""
        call = self._call
        if not self._order:
            return call._replace(elements=Elements(self, call, (), 0))
        found = entered((tuple(self._values),), {})
        specs = tuple([self._source(place).element_spec for place in self._order])
        axes = (call.axes or ((),) * len(call.flat)) + open_axes(specs, found.args[0])
        key = (*call.key, "elements", *found.key)
        elements = Elements(self, call, found.args[0], len(found.flat))
        return call._replace(flat=call.flat + found.flat, key=key, axes=axes, elements=elements)

    def begin(self) -> None:
        """Begins a trace."""
        self._used = 0
        self.reads = Reads((), ())

    def next(self, source: ElementSource, is_late: bool) -> int:
        """The number of the element that a trace takes from `source`. Raises OtherOrder if another was read, or none.

        `is_late` is whether the function has had an effect.
        """
        used = self._used
        place = next((k for k, leaf in enumerate(self._call.flat) if leaf is source), source)
        if used == len(self._order) or self._order[used] != place:
            raise OtherOrder(self, (*self._order[:used], place))
        self._used += 1
        self.reads = Reads(self._order[: self._used], (*self.reads.is_late, is_late))
        return used

    def end(self) -> None:
        """Ends a trace. Raises OtherOrder if elements are left."""
        if self._used < len(self._order):
            raise OtherOrder(self, self._order[: self._used])

    def _source(self, place: Any) -> ElementSource:
        return self._call.flat[place] if type(place) is int else place


class Elements:
    """The elements that were read for a call, which the code that is traced for it takes one by one.

    Attributes:
      call: the call without them.
      count: the number of leaves of the elements.
      is_without_rows: whether one of the leaves of a trace has no rows.
    """

    def __init__(self, reading: Reading, call: Call, values: Any, count: int) -> None:
        self._reading = reading
        self.call = call
        self._values = values
        self.count = count
        self.is_without_rows = False

    def begin(self, leaves: Sequence[Any]) -> None:
        """Begins a trace, in which `leaves` are those of the elements."""
        self._reading.begin()
        self.is_without_rows = any(
            type(leaf) is Tensor and leaf._aval.is_empty and leaf._aval.shape[0] == 0 for leaf in leaves
        )
        self._values = nest.pack_sequence_as(self._values, leaves, expand_composites=True)

    def next(self, source: ElementSource, is_late: bool) -> Any:
        """The next element, which must come from `source`."""
        return self._values[self._reading.next(source, is_late)]

    def end(self) -> None:
        """Ends the trace."""
        self._reading.end()


def tensor_leaves(values: Sequence[Any]) -> list[Any] | None:
    """The leaves of structures if all are numeric tensors, whose avals then decide which trace serves them."""
    leaves: list[Any] = []
    for value in values:
        leaves += value if type(value) is tuple else (value,)
    if any(type(leaf) is not Tensor for leaf in leaves):
        leaves = nest.flatten(leaves)
    are_numeric = all(type(leaf) is Tensor and leaf._aval.struct is not None for leaf in leaves)
    return leaves if are_numeric else None


def _first_guess(call: Call) -> Order:
    """An element of the first iterator among the arguments."""
    return next(((k,) for k, leaf in enumerate(call.flat) if isinstance(leaf, ElementSource)), ())
