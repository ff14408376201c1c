"""Shape inference with symbols for ops whose code needs to know sizes: from the shapes for some sizes.

An expression that fits the samples may be wrong for other sizes. A copy of the trace for the sizes of a call compares
each shape with the expression, so a wrong guess costs another trace, never a value.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tfcompat._core.operation.expression import guesses, products
from tfcompat._core.operation.sized import Sized
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import is_open, value_of

Avals = tuple[Aval, ...]
# The least number of samples that decide.
_FEWEST = 3


class _Traced(threading.local):
    """The symbols of the trace in progress, by name, and their values in the call that is traced.

    Attributes:
      invented: makes a symbol for a size that no expression fits, from its value in the call; None if there is no need
        for a size in such a case.
    """

    def __init__(self) -> None:
        self.symbols: Mapping[str, Any] = {}
        self.values: Mapping[str, int] = {}
        self.invented: Callable[[int], Any] | None = None


_traced = _Traced()


@contextmanager
def sampled(
    symbols: Mapping[str, Any], values: Mapping[str, int], invented: Callable[[int], Any] | None = None
) -> Generator[None]:
    """A context in which `symbols` are sampled near `values`. Sizes that no expression fits are `invented`."""
    before = _traced.symbols, _traced.values, _traced.invented
    try:
        _traced.symbols, _traced.values, _traced.invented = symbols, values, invented
        yield
    finally:
        _traced.symbols, _traced.values, _traced.invented = before


def are_open() -> bool:
    """Whether a trace with symbols is in progress."""
    return bool(_traced.values)


def sampled_values() -> Mapping[str, int]:
    """The values of the symbols in the call that is traced; empty if no symbols are being traced."""
    return _traced.values


def in_call(op: Any, avals: Avals) -> tuple[Any, Avals] | None:
    """`op` and `avals` with the sizes of the call that is traced; None if no symbols are being traced."""
    if not _traced.values:
        return None
    sized = Sized(_traced.values)
    return sized.op(op), tuple(map(sized.aval, avals))


def outputs_of_samples(op: Any, avals: Avals) -> Avals | None:
    """The outputs' avals of `op` for inputs of `avals`, with symbols; None if no rule was found."""
    samples: list[Mapping[str, int]] = []
    found: list[Avals] = []
    for values in _samples(_traced.values):
        sized = Sized(values)
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                found.append(sized.op(op).infer(tuple(map(sized.aval, avals))))
            except Exception:  # the sizes of a sample may not fit
                if not samples:
                    return None
                continue
        samples.append(values)
    if len(samples) < _FEWEST or any(len(other) != len(found[0]) for other in found):
        return None
    known = _candidates(avals, samples)
    outputs: list[Aval] = []
    for of_samples in zip(*found, strict=True):
        if len({(aval.dtype, aval.ndim) for aval in of_samples}) > 1:
            return None
        dims = [_fitted(sizes, known, samples) for sizes in zip(*[aval.shape for aval in of_samples], strict=True)]
        if None in dims:
            return None
        outputs.append(aval_of(tuple(dims), of_samples[0].dtype))
    return tuple(outputs)


def _samples(values: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """The `values` first; multiples of them, which can be divided like them; then others."""
    yield values
    for change in (lambda size: 2 * size, lambda size: 3 * size, lambda size: size + 1):
        yield {name: change(size) for name, size in values.items()}
    for name, size in values.items():
        yield {**values, name: 2 * size}
        yield {**values, name: size + 1}


def _candidates(avals: Avals, samples: Sequence[Mapping[str, int]]) -> list[tuple[tuple[int, ...], Any]]:
    """Expressions that a size may have, with their values in the samples."""
    sizes = [size for aval in avals for size in aval.shape if is_open(size)]
    sizes += [size for aval in avals for _, size in products([((0, 0), size) for size in aval.shape]) if is_open(size)]
    sizes += list(_traced.symbols.values())
    return [(tuple([value_of(size, values) for values in samples]), size) for size in sizes]


def _fitted(
    found: tuple[int, ...], known: Sequence[tuple[tuple[int, ...], Any]], samples: Sequence[Mapping[str, int]]
) -> Any:
    """The expression with the values `found` in the samples; None if no expression fits, and none is invented."""
    if len(set(found)) == 1:
        return found[0]
    for values, size in known:
        if values == found:
            return size
    place = next(k for k, size in enumerate(found) if size != found[0])
    pairs = [((values[0], values[place]), size) for values, size in known if values[0] != values[place]]
    for size in guesses((found[0], found[place]), pairs):
        if tuple([value_of(size, values) for values in samples]) == found:
            return size
    return None if _traced.invented is None else _traced.invented(found[0])
