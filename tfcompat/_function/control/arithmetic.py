"""Small functions that are called again and again while a loop's iterations are counted: run by NumPy, not compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

Function = Callable[..., Sequence[Any]]


def by_numpy(function: Function, examples: Sequence[Any]) -> Function | None:
    """`function` on NumPy's scalars, or on vectors of them; None if it isn't arithmetic on integers and booleans.

    `examples` tell what it takes. An operation takes about a microsecond; to compile it would take some 50,000.
    """
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(function)(*examples)
    return _runner(closed.jaxpr, closed.consts)


class _Places:
    """Places for what a jaxpr names, and the values of its constants in theirs."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._found: dict[Any, int] = {}

    def of(self, atom: Any) -> int:
        if hasattr(atom, "val"):
            self.values.append(np.asarray(atom.val, atom.aval.dtype))
            return len(self.values) - 1
        if atom not in self._found:
            self._found[atom] = len(self.values)
            self.values.append(None)
        return self._found[atom]


def _runner(jaxpr: Any, consts: Sequence[Any]) -> Function | None:
    places = _Places()
    for atom, value in zip(jaxpr.constvars, consts, strict=True):
        places.values[places.of(atom)] = np.asarray(value)
    inputs, outputs = [[places.of(atom) for atom in atoms] for atoms in (jaxpr.invars, jaxpr.outvars)]
    steps: list[tuple[Function, list[int], list[int]]] = []
    needed = set(outputs)
    for equation in reversed(jaxpr.eqns):
        answered = [places.of(atom) for atom in equation.outvars]
        if needed.isdisjoint(answered):
            continue
        primitive = _primitive(equation)
        if primitive is None:
            return None
        steps.append((primitive, [places.of(atom) for atom in equation.invars], answered))
        needed.update(steps[-1][1])
    steps.reverse()

    def run(*values: Any) -> Sequence[Any]:
        held = list(places.values)
        for place, value in zip(inputs, values, strict=True):
            held[place] = value
        for primitive, taken, answered in steps:
            for place, value in zip(answered, primitive(*[held[place] for place in taken]), strict=True):
                held[place] = value
        return [held[place] for place in outputs]

    return run


def _primitive(equation: Any) -> Function | None:
    """What computes `equation`, if it is about scalars."""
    avals = [atom.aval for atom in (*equation.invars, *equation.outvars)]
    if any(aval.shape != () or aval.dtype.kind not in "biu" for aval in avals):
        return None
    name = equation.primitive.name
    if name in _CALLS:
        inner = equation.params["jaxpr" if "jaxpr" in equation.params else "call_jaxpr"]
        return _runner(inner.jaxpr, inner.consts)
    function = _ARITHMETIC.get(name)
    if function is None:
        return None
    dtype = equation.outvars[0].aval.dtype
    return lambda *inputs: (function(*inputs).astype(dtype),)


def _quotient(x: Any, y: Any) -> Any:
    """As XLA divides integers: toward zero, and by zero -1."""
    divisor = np.where(y == 0, 1, y)
    return np.where(y == 0, -1, (x - np.fmod(x, divisor)) // divisor)


def _remainder(x: Any, y: Any) -> Any:
    """What `_quotient` leaves: by zero all of `x`."""
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


def _same(x: Any) -> Any:
    return x


_CALLS = frozenset(("jit", "pjit", "closed_call", "custom_jvp_call"))
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "add": np.add,
    "and": np.bitwise_and,
    "broadcast_in_dim": _same,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "convert_element_type": _same,
    "div": _quotient,
    "eq": np.equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "not": np.invert,
    "or": np.bitwise_or,
    "reduce_and": _same,
    "reduce_or": _same,
    "rem": _remainder,
    "select_n": lambda which, *cases: np.choose(which.astype(np.int32), cases),
    "sign": np.sign,
    "squeeze": _same,
    "stop_gradient": _same,
    "sub": np.subtract,
    "xor": np.bitwise_xor,
}
