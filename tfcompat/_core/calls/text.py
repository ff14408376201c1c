"""Strings: an op on strings runs on the host.

It runs its NumPy implementation if it has one. Any other op that takes strings only moves elements, or compares them
for equality, so it runs on numbers that represent the strings, and needs no second implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.declaration import Declaration
from tfcompat._core.calls.host_call import computed, is_open
from tfcompat._core.operation.op import Op
from tfcompat._core.operation.sized import Sized
from tfcompat._core.programs.op_by_op import run_alone
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.aval import Aval, aval_like, aval_of
from tfcompat._core.types.dtype import string, uint32
from tfcompat._jaxpr.size import has_symbols, sizes_in

# The numbers that represent strings: of a dtype that no other output of such an op has.
_NUMBER = uint32
Arrays = tuple[np.ndarray, ...]


def is_text(operand: Any) -> bool:
    """Whether `operand` is a tensor of strings."""
    return type(operand) is Tensor and operand._aval.dtype is string


def text_array(value: Any) -> np.ndarray:
    """`value`, bytes or an array of bytes, as an array of objects."""
    return value if type(value) is np.ndarray and value.dtype == object else np.array(value, object)


def on_host(
    declared: Declaration,
    operands: list[Tensor],
    attributes: tuple[Any, ...],
    count: int,
    require: Callable[[list[Tensor]], Any],
) -> tuple[Tensor, ...]:
    """The outputs of the op for `operands`, at least one of which contains strings; `count` of them are variadic.

    `require` raises an error for bad operand values.
    """

    def compute(*arrays: np.ndarray, attributes: tuple[Any, ...] = attributes) -> Arrays:
        require(list(map(Tensor, arrays)))
        if declared.strings or declared.fold:
            return (_by_numpy(declared, arrays, attributes),)
        return _by_number(declared.bind(attributes, count, False), arrays)

    def at_sizes(values: Mapping[str, int], *arrays: np.ndarray) -> Arrays:
        sized = Sized(values).argument(attributes) if has_symbols(attributes) else attributes
        return compute(*arrays, attributes=sized)

    if not any(map(is_open, operands)):
        return tuple(map(Tensor, compute(*[operand.__array__() for operand in operands])))
    avals = declared.bind(attributes, count, False).infer(tuple(_numeric(operand._aval) for operand in operands))
    dtypes = [string if aval.dtype is _NUMBER else aval.dtype for aval in avals]
    trace = element_trace()
    if trace is not None:
        outputs = [(aval.shape, dtype) for aval, dtype in zip(avals, dtypes, strict=True)]
        static = dict(zip(declared.static, attributes, strict=True))
        return tuple(
            trace.hosted(declared.name, at_sizes, operands, outputs, arguments=static, sizes=sizes_in(attributes))
        )
    return tuple(
        computed(declared.name, lambda *arrays, k=k: compute(*arrays)[k], operands, aval.shape, dtype)
        for k, (aval, dtype) in enumerate(zip(avals, dtypes, strict=True))
    )


def _numeric(aval: Aval) -> Aval:
    return aval_of(aval.shape, _NUMBER) if aval.dtype is string else aval


def _by_numpy(declared: Declaration, arrays: Arrays, attributes: tuple[Any, ...]) -> np.ndarray:
    """The output of the function that implements the op in NumPy: strings, integers or booleans."""
    function = declared.strings or declared.fold
    assert function is not None
    output = function(*arrays, **dict(zip(declared.static, attributes, strict=True)))
    is_numeric = isinstance(output, np.ndarray | np.generic) and output.dtype.kind in "bi"
    return np.asarray(output) if is_numeric else text_array(output)


def _by_number(op: Op, arrays: Arrays) -> Arrays:
    """The outputs of `op` on numbers that represent the strings: equal for equal strings, and 0 for the empty one."""
    numbers: dict[bytes, int] = {b"": 0}
    inputs = tuple(_numbered(array, numbers) if array.dtype == object else array for array in arrays)
    signature = tuple(map(aval_like, inputs))
    op.infer(signature)
    texts = text_array(list(numbers))
    with jax.enable_x64(True):
        outputs = [np.asarray(output) for output in run_alone(op, signature, inputs)]
    return tuple(text_array(texts[out]) if out.dtype == _NUMBER.as_numpy_dtype else out for out in outputs)


def _numbered(array: np.ndarray, numbers: dict[bytes, int]) -> np.ndarray:
    found = (numbers.setdefault(text, len(numbers)) for text in array.flat)
    return np.fromiter(found, np.uint32, array.size).reshape(array.shape)
