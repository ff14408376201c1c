"""Strings: an op that takes them runs at once, on the host.

It runs as its twin in NumPy if it has one. Any other op that takes strings only moves elements about, or asks which are
equal, so it runs on numbers that stand for them: no op has to be written twice.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from tfcompat._core.aval import aval_like
from tfcompat._core.declaration import Declaration
from tfcompat._core.dtype import string
from tfcompat._core.op import Op
from tfcompat._core.program import run_alone
from tfcompat._core.tensor import Tensor

# What stands for a string: of a dtype that nothing else has which such an op answers.
_NUMBER = np.uint32


def is_text(operand: Any) -> bool:
    """Whether `operand` is a tensor of strings."""
    return type(operand) is Tensor and operand._aval.dtype is string


def text_array(value: Any) -> np.ndarray:
    """`value`, bytes or an array of bytes, as an array of objects."""
    return value if type(value) is np.ndarray and value.dtype == object else np.array(value, object)


def read(name: str, operands: list[Any]) -> list[np.ndarray]:
    """The values of `operands` of the op `name`, on the host.

    Raises: NotImplementedError if one has no value, inside a function that is being traced.
    """
    return [_value(name, operand) for operand in operands]


def _value(name: str, operand: Any) -> np.ndarray:
    if type(operand) is not Tensor:
        return np.asarray(operand)
    if operand._is_symbolic():
        raise NotImplementedError(
            f"tf.{name}: strings stay on the host, where what a tf.function computes has no value while it is traced; "
            "call it outside of the function, or in a tf.py_function."
        )
    value = operand._value()
    return value if type(value) is np.ndarray else np.asarray(value)


def on_host(
    declared: Declaration, arrays: list[np.ndarray], attributes: tuple[Any, ...], count: int
) -> tuple[Tensor, ...]:
    """The outputs of the op for `arrays`, of which one at least is of strings; `count` of them are variadic."""
    twin = declared.strings or declared.fold
    if twin is None:
        return _by_number(declared.bind(attributes, count, False), arrays)
    answer = twin(*arrays, **dict(zip(declared.static, attributes, strict=True)))
    is_other = isinstance(answer, np.ndarray | np.generic) and answer.dtype.kind in "bi"
    return (Tensor(np.asarray(answer) if is_other else text_array(answer)),)


def _by_number(op: Op, arrays: list[np.ndarray]) -> tuple[Tensor, ...]:
    """The outputs of `op` on numbers that stand for the strings: equal ones for equal strings, and 0 for none."""
    numbers: dict[bytes, int] = {b"": 0}
    inputs = tuple(_numbered(array, numbers) if array.dtype == object else array for array in arrays)
    signature = tuple(map(aval_like, inputs))
    op.infer(signature)
    strings = text_array(list(numbers))
    with jax.enable_x64(True):
        outputs = [np.asarray(output) for output in run_alone(op, signature, inputs)]
    return tuple(Tensor(text_array(strings[out]) if out.dtype == _NUMBER else out) for out in outputs)


def _numbered(array: np.ndarray, numbers: dict[bytes, int]) -> np.ndarray:
    found = (numbers.setdefault(text, len(numbers)) for text in array.flat)
    return np.fromiter(found, _NUMBER, array.size).reshape(array.shape)
