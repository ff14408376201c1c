"""Shape inference that is done once for all sizes.

Two signatures have the same pattern if dtypes and ranks agree, sizes of 0 and 1 are in the same places, and the same
sizes are equal. At the first signatures of a pattern JAX infers the outputs of a function. If there are more, JAX also
infers them with symbols for sizes: the outputs' sizes become expressions, which are evaluated from then on.

The expressions are valid unless a size is negative, or two sizes are equal that the function has compared and found
different (see `tfcompat._jaxpr.comparison`). A function that orders sizes, as in `if n < 3`, has no expressions: JAX
infers each signature of that pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from tfcompat._core.types.aval import Aval, aval_like, aval_of
from tfcompat._core.types.dtype import DType, as_dtype
from tfcompat._jaxpr.comparison import among, can_watch, denied
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import evaluator
from tfcompat._jaxpr.tracing import result_structs

Avals = tuple[Aval, ...]
# The smallest size that a symbol represents: JAX treats sizes of 0 and 1 differently.
LEAST = 2
# This many signatures of a pattern are inferred each by itself. A rule takes as long as some more of them.
_WITHOUT_RULE = 2


class Rule(NamedTuple):
    """The outputs of a function for all signatures of one pattern.

    Attributes:
      dtypes: of the outputs; `ends`: where the sizes of each output end in the result of `sizes`.
      sizes: computes the outputs' sizes from the different sizes of the inputs.
      compared: pairs of sizes, one after another, that must differ.
    """

    dtypes: tuple[DType, ...]
    ends: tuple[int, ...]
    sizes: Callable[..., tuple[int, ...]]
    compared: Callable[..., tuple[int, ...]] | None

    def outputs(self, values: Sequence[int]) -> Avals | None:
        """The outputs' avals for the inputs' different sizes; None if the rule is not valid for them."""
        sizes = self.sizes(*values)
        if sizes and min(sizes) < 0:
            return None
        if self.compared is not None:
            pairs = self.compared(*values)
            if any(left == right for left, right in zip(pairs[::2], pairs[1::2], strict=True)):
                return None
        begin, found = 0, []
        for dtype, end in zip(self.dtypes, self.ends, strict=True):
            found.append(aval_of(sizes[begin:end], dtype))
            begin = end
        return tuple(found)


class Inference:
    """The inference of one function's outputs.

    Attributes:
      rules: for each pattern the number of its first signatures, later a rule, or None if no rule was found.
    """

    __slots__ = ("fn", "many", "rules")

    def __init__(self, fn: Callable[..., Any], many: bool) -> None:
        self.fn = fn
        self.many = many
        self.rules: dict[Any, Rule | int | None] = {}

    def __call__(self, avals: Avals) -> Avals:
        """The outputs' avals. Raises the errors of the function."""
        pattern, values = _pattern(avals)
        if not values:
            return self._asked(avals)
        rule = self.rules.get(pattern, 0)
        if type(rule) is Rule:
            found = rule.outputs(values)
            return self._asked(avals) if found is None else found
        found = self._asked(avals)
        if type(rule) is int:
            self.rules[pattern] = rule + 1 if rule < _WITHOUT_RULE else self._rule(avals, values, found)
        return found

    def _asked(self, avals: Avals) -> Avals:
        """The outputs' avals, inferred by JAX."""
        return tuple(map(aval_like, self._traced([aval.struct for aval in avals])))

    def _traced(self, structs: Sequence[Any]) -> tuple[Any, ...]:
        out = result_structs(self.fn, structs)
        return tuple(out) if self.many else (out,)

    def _rule(self, avals: Avals, values: Sequence[int], found: Avals) -> Rule | None:
        """The rule for the pattern of `avals`, whose outputs are `found`; None if no rule was found."""
        if not can_watch():
            return None
        names = [f"n{k}" for k in range(len(values))]
        symbols = jax.export.symbolic_shape(", ".join(names), constraints=[f"{name} >= {LEAST}" for name in names])
        size = dict(zip(values, symbols, strict=True))
        structs = [
            jax.ShapeDtypeStruct([size.get(n, n) for n in aval.shape], aval.dtype.as_numpy_dtype) for aval in avals
        ]
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                with denied() as pairs:
                    outputs = self._traced(structs)
            except Exception:  # code that needs to know a size may raise any error
                return None
        pairs = among(pairs, names)
        sizes = [size for out in outputs for size in out.shape]
        ends = tuple([sum(len(out.shape) for out in outputs[: k + 1]) for k in range(len(outputs))])
        compared = evaluator([size for pair in pairs for size in pair], names) if pairs else None
        rule = Rule(tuple([as_dtype(out.dtype) for out in outputs]), ends, evaluator(sizes, names), compared)
        return rule if rule.outputs(values) in (found, None) else None


def _pattern(avals: Avals) -> tuple[tuple[Any, ...], list[int]]:
    """The pattern of `avals`, and the different sizes in them that are not part of it."""
    different: dict[int, int] = {}
    pattern: list[Any] = []
    for aval in avals:
        pattern.append(aval.dtype)
        for size in aval.shape:
            pattern.append(size if size < LEAST else -1 - different.setdefault(size, len(different)))
    return tuple(pattern), list(different)
