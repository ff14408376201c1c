"""The dtypes to which operands are promoted: tensors, weak tensors, Python's and NumPy's values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import reduce

import numpy as np

from tests.conformance import operand

MODES = ("safe", "all")
STRONG = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("bfloat16", "float16", "float32", "float64", "complex64", "complex128"),
)
# A star marks a weak tensor.
WEAK = ("int32*", "int64*", "float32*", "float64*", "complex128*")
PLAIN = (
    *("2", "2.5", "2j", "True", "[1, 2]", "[1.5, 2.0]", "[True, False]"),
    *("np.int64(2)", "np.float64(2.5)", "np.array([1, 2])", "np.array([1.5, 2.0], np.float32)"),
)
FUNCTIONS = (
    *("add", "subtract", "multiply", "divide", "truediv", "math.floordiv", "math.floormod", "pow", "maximum"),
    *("minimum", "equal", "truncatediv", "realdiv", "math.divide_no_nan", "math.multiply_no_nan"),
    "experimental.numpy.less",
)
# Functions of one operand, of which most answer a weak tensor for a weak one.
UNARY = (
    *("abs", "negative", "sqrt", "square", "exp", "math.log", "math.erf", "math.softplus", "nn.gelu", "round", "sign"),
    *("reduce_sum", "reduce_max", "reduce_mean", "math.reduce_std", "identity", "stop_gradient", "transpose"),
    *("zeros_like", "ones_like", "squeeze", "nn.relu", "cumsum", "linalg.diag", "math.real", "constant"),
    *("experimental.numpy.sqrt", "experimental.numpy.sum", "experimental.numpy.mean", "experimental.numpy.array"),
    *("experimental.numpy.ones_like", "experimental.numpy.isnan"),
)
# Operators that convert nothing. Their refusal of NumPy's values depends on earlier calls in the process.
UNCONVERTED = ("<", "<=", ">", ">=", "!=")
# What TensorFlow answers by accident.
NO_RULE = (*operand.NO_RULE, "InternalError")


def pairs() -> Iterator[tuple[str, str]]:
    """Every pair of operands, of which one is a tensor, as they are spelled."""
    tensors = (*STRONG, *WEAK)
    for left in (*tensors, *PLAIN):
        yield from ((left, right) for right in (tensors if left in PLAIN else (*tensors, *PLAIN)))


def value(tf: object, spelled: str) -> object:
    """The operand that is spelled so."""
    if spelled in STRONG:
        return tf.cast(tf.convert_to_tensor(np.array([3, 2])), spelled)
    if spelled in WEAK:
        return type(tf.constant(1))(tf.cast(tf.convert_to_tensor(np.array([3, 2])), spelled[:-1]))
    return eval(spelled, {"np": np})


def named(tf: object, name: str) -> object:
    """The function of this name."""
    return reduce(getattr, name.split("."), tf)


def told(tf: object, function: object, *operands: object) -> str:
    """The dtype of the result, with a star if it is weak, or the name of the exception."""
    try:
        with np.errstate(all="ignore"):
            result = function(*operands)
    except Exception as error:
        return type(error).__name__.replace("UFuncTypeError", "TypeError")
    if not tf.is_tensor(result):
        return repr(result) if isinstance(result, bool) else type(result).__name__
    return result.dtype.name + "*" * (not isinstance(result, tf.Tensor))


def answers(tf: object, names: Collection[str] | None = None) -> dict[str, dict[str, str]]:
    """For each mode and pair, or single operand: answers, with what gives them. The last mode stays.

    Asks the functions among `names`, by default all.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for mode in MODES:
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
        operators = {sign: function for sign, function in operand.OPERATORS.items() if sign not in "&|^"}
        pairwise = operators | {name: named(tf, name) for name in FUNCTIONS}
        alone = {name: named(tf, name) for name in UNARY}
        if names is not None:
            pairwise = {name: pairwise[name] for name in pairwise if name in names}
            alone = {name: alone[name] for name in alone if name in names}
        for left, right in pairs():
            entry = found.setdefault(f"{mode} {left} _ {right}", {})
            for name, function in pairwise.items():
                if name in UNCONVERTED and "np." in left + right:
                    continue
                entry.setdefault(told(tf, function, value(tf, left), value(tf, right)), []).append(name)
        for single in (*STRONG, *WEAK, *PLAIN):
            entry = found.setdefault(f"{mode} {single}", {})
            for name, function in alone.items():
                entry.setdefault(told(tf, function, value(tf, single)), []).append(name)
    return {key: {answer: " ".join(names) for answer, names in entry.items()} for key, entry in found.items()}
