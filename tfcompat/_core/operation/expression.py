"""Guesses the expression for a pair of sizes: the same size in two recordings.

A guess is right for the two recordings. A third recording is compared with it before the guess is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Pair = tuple[int, int]

# The largest factor of a product of two symbols, and the divisors of a symbol.
_MOST = 4096
_DIVISORS = (2, 3, 4, 5, 8, 16, 32)


def products(sizes: Sequence[tuple[Pair, Any]]) -> Iterator[tuple[Pair, Any]]:
    """The products of two and more neighbours among `sizes`, which are given with their values."""
    for begin in range(len(sizes)):
        for end in range(begin + 2, len(sizes) + 1):
            part = sizes[begin:end]
            pair = math.prod(first for (first, _), _ in part), math.prod(second for (_, second), _ in part)
            yield pair, math.prod(size for _, size in part)


def guessed(pair: Pair, symbols: Iterable[tuple[Pair, Any]]) -> Any | None:
    """An expression in one or two of the `symbols` that has the values in `pair`; None if no expression is found."""
    return next(guesses(pair, symbols), None)


def guesses(pair: Pair, symbols: Iterable[tuple[Pair, Any]]) -> Iterator[Any]:
    """The expressions in one or two of the `symbols` that have the values in `pair`, the most likely first."""
    known = list(symbols)
    for guess in (_multiple, _product, _quotient, _sum):
        yield from guess(pair, known)


def _multiple(pair: Pair, symbols: Sequence[tuple[Pair, Any]]) -> Iterator[Any]:
    for (first, second), symbol in symbols:
        factor = pair[0] // first
        if (factor * first, factor * second) == pair:
            yield factor * symbol


def _product(pair: Pair, symbols: Sequence[tuple[Pair, Any]]) -> Iterator[Any]:
    for k, ((p, q), left) in enumerate(symbols):
        for (r, s), right in symbols[k:]:
            factor = pair[0] // (p * r)
            if 0 < factor <= _MOST and (factor * p * r, factor * q * s) == pair:
                yield factor * left * right


def _quotient(pair: Pair, symbols: Sequence[tuple[Pair, Any]]) -> Iterator[Any]:
    for divisor in _DIVISORS:
        for (first, second), symbol in symbols:
            for more in (0, 1, divisor - 1):
                if ((first + more) // divisor, (second + more) // divisor) == pair:
                    yield (symbol + more) // divisor


def _sum(pair: Pair, symbols: Sequence[tuple[Pair, Any]]) -> Iterator[Any]:
    found: list[tuple[int, int, Any]] = []
    for k, ((first, second), symbol) in enumerate(symbols):
        factor, rest = divmod(pair[1] - pair[0], second - first)
        if factor and not rest:
            found.append((abs(factor), k, factor * symbol + (pair[0] - factor * first)))
    yield from [expression for _, _, expression in sorted(found, key=lambda each: each[:2])]
