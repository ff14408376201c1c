"""The names of primitives, and the parts of a jaxpr that the package reads.

JAX documents `jax.make_jaxpr` and the structure of its result: `eqns`, `invars`, `outvars`, `aval`. The names of
primitives and their parameters are not its API, and releases change them: JAX 0.11 replaced `num_consts` and
`num_carry` of a scan. The package still reads jaxprs to learn which outputs depend on which inputs, which ops end a
fusion and how many iterations a loop runs. So only this room reads them, and the names are in this file, which reads no
parameter by its name: inner jaxprs are recognised by having equations. `tests/jaxpr/test_primitive.py` checks each name
against a new trace and fails when JAX changes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import jax


class Name(StrEnum):
    """The primitives that the package knows, by JAX's names."""

    ABS = "abs"
    ADD = "add"
    AND = "and"
    ARGMAX = "argmax"
    ARGMIN = "argmin"
    BROADCAST_IN_DIM = "broadcast_in_dim"
    CHOLESKY = "cholesky"
    CLAMP = "clamp"
    COMPLEX = "complex"
    COND = "cond"
    CONV_GENERAL_DILATED = "conv_general_dilated"
    CONVERT_ELEMENT_TYPE = "convert_element_type"
    CUMLOGSUMEXP = "cumlogsumexp"
    CUMMAX = "cummax"
    CUMMIN = "cummin"
    CUMPROD = "cumprod"
    CUMSUM = "cumsum"
    CUSTOM_JVP_CALL = "custom_jvp_call"
    CUSTOM_LINEAR_SOLVE = "custom_linear_solve"
    DIV = "div"
    DOT_GENERAL = "dot_general"
    EIG = "eig"
    EIGH = "eigh"
    EQ = "eq"
    FFT = "fft"
    GE = "ge"
    GT = "gt"
    INTEGER_POW = "integer_pow"
    JIT = "jit"
    LE = "le"
    LT = "lt"
    LU = "lu"
    MAX = "max"
    MIN = "min"
    MUL = "mul"
    NE = "ne"
    NEG = "neg"
    NOT = "not"
    OR = "or"
    QR = "qr"
    REDUCE_AND = "reduce_and"
    REDUCE_MAX = "reduce_max"
    REDUCE_MIN = "reduce_min"
    REDUCE_OR = "reduce_or"
    REDUCE_PROD = "reduce_prod"
    REDUCE_SUM = "reduce_sum"
    REDUCE_WINDOW = "reduce_window"
    REDUCE_WINDOW_MAX = "reduce_window_max"
    REDUCE_WINDOW_MIN = "reduce_window_min"
    REDUCE_WINDOW_SUM = "reduce_window_sum"
    REM = "rem"
    RESHAPE = "reshape"
    SCAN = "scan"
    SCATTER = "scatter"
    SCATTER_ADD = "scatter-add"
    SCATTER_MAX = "scatter-max"
    SCATTER_MIN = "scatter-min"
    SCATTER_MUL = "scatter-mul"
    SCATTER_SUB = "scatter-sub"
    SELECT_N = "select_n"
    SIGN = "sign"
    SLICE = "slice"
    SORT = "sort"
    SPLIT = "split"
    SQUARE = "square"
    SQUEEZE = "squeeze"
    STOP_GRADIENT = "stop_gradient"
    SUB = "sub"
    SVD = "svd"
    TRANSPOSE = "transpose"
    TRIANGULAR_SOLVE = "triangular_solve"
    WHILE = "while"
    XOR = "xor"


def name_of(equation: Any) -> str:
    """The name of the primitive that `equation` applies."""
    return equation.primitive.name


def inner(equation: Any) -> list[Any]:
    """The jaxprs that `equation` runs: of a call, the branches of a cond, the body of a loop."""
    leaves = jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr)
    return [leaf for leaf in leaves if _is_jaxpr(leaf)]


def _is_jaxpr(value: Any) -> bool:
    return hasattr(value, "eqns")


def equations(jaxpr: Any) -> Iterator[Any]:
    """All equations of `jaxpr`, each followed by those inside of it."""
    for equation in jaxpr.eqns:
        yield equation
        for body in inner(equation):
            yield from equations(body)


def names(jaxpr: Any) -> set[str]:
    """The names of all primitives in `jaxpr`."""
    return {name_of(equation) for equation in equations(jaxpr)}


def called(equation: Any, kinds: frozenset[Name] = frozenset((Name.JIT,))) -> Any | None:
    """The jaxpr that `equation` runs once on its inputs, if it is such a call and of one of the `kinds`."""
    if name_of(equation) not in kinds:
        return None
    (body,) = inner(equation)
    return body if len(body.invars) == len(equation.invars) else None


def literal(atom: Any) -> Any | None:
    """The number that stands where an input or output could, or None for a variable."""
    return getattr(atom, "val", None)


def constants(jaxpr: Any) -> list[tuple[Any, Any]]:
    """The variables of `jaxpr` that are neither inputs nor computed by an equation, with their values."""
    return list(zip(jaxpr.constvars, jaxpr.consts, strict=True))
