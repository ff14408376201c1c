"""Small integer functions, run by NumPy instead of compiled: counting a loop's iterations calls them often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._jaxpr.primitive import Name, called, constants, literal, name_of
from tfcompat._jaxpr.tracing import traced

Function = Callable[..., Sequence[Any]]


def by_numpy(function: Function, examples: Sequence[Any]) -> Function | None:
    """`function` on NumPy's scalars, or on vectors of them; None if it isn't arithmetic on integers and booleans.

    `examples` have the shapes and dtypes of the inputs. One operation takes about a microsecond; compiling would take
    some 50,000.
    """
    return _runner(traced(function, examples))


class _Places:
    """Places for the names of a jaxpr, with the values of its constants."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._found: dict[Any, int] = {}

    def of(self, atom: Any) -> int:
        number = literal(atom)
        if number is not None:
            self.values.append(np.asarray(number, atom.aval.dtype))
            return len(self.values) - 1
        if atom not in self._found:
            self._found[atom] = len(self.values)
            self.values.append(None)
        return self._found[atom]


def _runner(jaxpr: Any) -> Function | None:
    places = _Places()
    for atom, value in constants(jaxpr):
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
    """The NumPy function that computes `equation`; None unless its operands are scalar integers or booleans."""
    avals = [atom.aval for atom in (*equation.invars, *equation.outvars)]
    if any(aval.shape != () or aval.dtype.kind not in "biu" for aval in avals):
        return None
    body = called(equation, _CALLS)
    if body is not None:
        return _runner(body)
    function = _ARITHMETIC.get(name_of(equation))
    if function is None:
        return None
    dtype = equation.outvars[0].aval.dtype
    return lambda *inputs: (function(*inputs).astype(dtype),)


def _quotient(x: Any, y: Any) -> Any:
    """The quotient as XLA computes it: rounded toward zero, and -1 for a division by zero."""
    divisor = np.where(y == 0, 1, y)
    return np.where(y == 0, -1, (x - np.fmod(x, divisor)) // divisor)


def _remainder(x: Any, y: Any) -> Any:
    """The remainder of `_quotient`; `x` where the divisor is zero."""
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


def _same(x: Any) -> Any:
    return x


_CALLS = frozenset((Name.JIT, Name.CUSTOM_JVP_CALL))
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    Name.ABS: np.abs,
    Name.ADD: np.add,
    Name.AND: np.bitwise_and,
    Name.BROADCAST_IN_DIM: _same,
    Name.CLAMP: lambda low, x, high: np.minimum(np.maximum(x, low), high),
    Name.CONVERT_ELEMENT_TYPE: _same,
    Name.DIV: _quotient,
    Name.EQ: np.equal,
    Name.GE: np.greater_equal,
    Name.GT: np.greater,
    Name.LE: np.less_equal,
    Name.LT: np.less,
    Name.MAX: np.maximum,
    Name.MIN: np.minimum,
    Name.MUL: np.multiply,
    Name.NE: np.not_equal,
    Name.NEG: np.negative,
    Name.NOT: np.invert,
    Name.OR: np.bitwise_or,
    Name.REDUCE_AND: _same,
    Name.REDUCE_OR: _same,
    Name.REM: _remainder,
    Name.SELECT_N: lambda which, *cases: np.choose(which.astype(np.int32), cases),
    Name.SIGN: np.sign,
    Name.SQUEEZE: _same,
    Name.STOP_GRADIENT: _same,
    Name.SUB: np.subtract,
    Name.XOR: np.bitwise_xor,
}
