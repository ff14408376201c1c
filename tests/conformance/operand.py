"""Operands of Python's operators with a tensor, and the dtype or exception for each pair."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator

import numpy as np

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
DTYPES = ("int32", "int64", "float32", "float64", "bfloat16", "complex64", "bool", "uint8")
PLAIN = (
    *("2", "2.5", "True", "2j", "'a'", "None", "[1, 2]", "[1.5, 2.0]", "[True, False]", "['a', 'b']", "(1, 2)"),
    *("np.int64(2)", "np.float64(2.5)", "np.float32(2.5)", "np.bool_(True)", "np.complex128(2j)"),
    *("np.array([1, 2])", "np.array([1.5, 2.0])", "np.array([1.5, 2.0], np.float32)", "np.array([True, False])"),
    *("np.array([2j, 1])", "np.array(['a', 'b'])", "np.array(2.5)"),
)
# What TensorFlow answers by accident: it has no kernel, or reads the attribute `__ror__` of a class from its object.
NO_RULE = ("NotFoundError", "UnimplementedError", "AttributeError")


def pairs() -> Iterator[tuple[str, str]]:
    """Every pair of operands as they are spelled; a dtype stands for a tensor of it."""
    yield from itertools.product(DTYPES, (*DTYPES, *PLAIN))
    yield from itertools.product(PLAIN, DTYPES)


def operand(tf: object, spelled: str) -> object:
    """The operand that is spelled so."""
    if spelled in DTYPES:
        return tf.cast(tf.constant([3, 2]), spelled)
    return eval(spelled, {"np": np})


def answer(tf: object, sign: str, left: object, right: object) -> str:
    """The dtype of the result, `ndarray` or the bare bool that it is, or the name of the exception."""
    try:
        with np.errstate(all="ignore"):
            result = OPERATORS[sign](left, right)
    except Exception as error:
        return type(error).__name__.replace("UFuncTypeError", "TypeError")
    if isinstance(result, bool):
        return repr(result)
    return result.dtype.name if tf.is_tensor(result) else type(result).__name__


def answers(tf: object, left: str, right: str) -> dict[str, str]:
    """The answers of the operators, each with the operators that give it."""
    operands = operand(tf, left), operand(tf, right)
    found: dict[str, list[str]] = {}
    for sign in OPERATORS:
        found.setdefault(answer(tf, sign, *operands), []).append(sign)
    return {each: " ".join(signs) for each, signs in found.items()}
