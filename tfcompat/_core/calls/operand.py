"""Operands: the tensor arguments of a call, with dtypes matched and checked. Python numbers may remain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declaration import Declaration
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import NotFoundError, wrong_dtype
from tfcompat._core.types.dtype import COMPLEX, DENSE, FLOATING, INTEGER, MOVABLE, NARROW, DType, string

_INT64 = np.iinfo(np.int64)
# The errors of ops that do not refuse strings with InvalidArgumentError: TensorFlow has no kernel, or finds a number
# first.
_OF_STRINGS: dict[str, Callable[[str], Exception]] = {
    **dict.fromkeys(("truediv", "linalg.diag", "linalg.diag_part"), TypeError),
    **dict.fromkeys((f"tensor_scatter_nd_{mode}" for mode in ("add", "sub", "max", "min")), NotFoundError.of),
    **dict.fromkeys(("linalg.band_part", "linalg.set_diag", "searchsorted"), NotFoundError.of),
    **dict.fromkeys(("batch_to_space", "space_to_batch"), NotFoundError.of),
}


def operands(declared: Declaration, values: dict[str, Any]) -> list[Any]:
    """The tensors of the call, and the Python numbers that may remain numbers, with dtypes matched and checked."""
    given: dict[str, list[Any]] = {}
    for key in declared.arrays:
        if key == declared.variadic:
            if not isinstance(values[key], (list, tuple)):
                values[key] = [values[key]] if declared.name == "concat" else list(values[key])
            given[key] = [_read(value, key in declared.same) for value in values[key]]
        else:
            given[key] = [_read(values[key], key in declared.same)]
    if not any(type(value) is Tensor for key in declared.same for value in given.get(key, ())):
        for key in declared.same:
            given[key] = [_read(value) for value in given.get(key, ())]
    dtype = _shared_dtype(declared, given)
    numbers_stay = (
        declared.arrays
        and declared.arrays[-1] in declared.same
        and any(type(v) is Tensor for key in declared.same for v in given[key])
    )
    # A value that cannot become a tensor is reported before a dtype that the op does not take.
    found: list[tuple[str, Any]] = []
    for key in declared.arrays:
        shares = key in declared.same
        for value in given[key]:
            wanted = dtype if shares else None if type(value) is Tensor else _only(declared, key)
            found.append((key, _operand(declared, value, wanted, bool(shares and numbers_stay))))
    for key, operand in found:
        _require(declared, key, operand._aval.dtype if type(operand) is Tensor else dtype)
    return [operand for _, operand in found]


def _read(value: Any, is_beside: bool = False) -> Any:
    """`value` as a tensor if it represents one, else `value` itself.

    A list of tensors is left as it is if it may be beside tensors: it is then cast to their dtype.
    """
    if is_beside and isinstance(value, (list, tuple)):
        return value
    tensor = as_tensor(value)
    return value if tensor is None else tensor


def _shared_dtype(declared: Declaration, given: dict[str, list[Any]]) -> DType | None:
    members = [value for key in declared.same for value in given.get(key, ())]
    for value in members:
        if type(value) is Tensor:
            return value._aval.dtype
    return convert_to_tensor(members[0], _only(declared, declared.same[0]))._aval.dtype if members else None


def _only(declared: Declaration, key: str) -> DType | None:
    """The dtype that the parameter must have, if there is only one; a value that is not a tensor is converted to it."""
    allowed = declared.dtypes.get(key, DENSE)
    return next(iter(allowed)) if len(allowed) == 1 else None


def _operand(declared: Declaration, value: Any, dtype: DType | None, may_be_number: bool) -> Any:
    if type(value) is not Tensor:
        if dtype is not None and may_be_number and type(value) in (float, int, bool):
            scalar = as_number(value, dtype)
            if scalar is not None:
                return scalar
        return convert_to_tensor(value, dtype)
    if dtype is not None and value._aval.dtype is not dtype:
        raise wrong_dtype(
            f"tf.{declared.name}: {' and '.join(declared.same)} must have the same dtype, got {value._aval.dtype.name} "
            f"where {dtype.name} was expected; convert with tf.cast."
        )
    return value


def _require(declared: Declaration, key: str, dtype: DType | None) -> None:
    allowed = declared.dtypes.get(key, DENSE)
    if dtype is not None and dtype not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        refusal = (_OF_STRINGS if dtype is string else {}).get(declared.name, wrong_dtype)
        if dtype in NARROW and allowed.issuperset(MOVABLE):
            # TensorFlow's op takes any dtype, and has no kernel for this one.
            refusal = NotFoundError.of
        raise refusal(f"tf.{declared.name}: {key} must be one of {names}; got {dtype.name}.")


def as_number(value: Any, dtype: DType) -> float | int | None:
    """A Python scalar as a number among operands of `dtype`; None if it has to be converted to a tensor."""
    if type(value) is bool:
        return None
    if dtype in FLOATING or dtype in COMPLEX:
        return float(value)
    if dtype in INTEGER and type(value) is not float and _INT64.min <= value <= _INT64.max:
        return int(np.asarray(value).astype(dtype.as_numpy_dtype))
    return None


def number(name: str, key: str, value: Any) -> Any:
    """The value of a `Number` parameter: a Python float, or a tensor."""
    tensor = as_tensor(value)
    if tensor is not None:
        return tensor
    if isinstance(value, (int, float, np.generic, np.ndarray)) and not isinstance(value, bool) and np.ndim(value) == 0:
        return float(value)
    raise TypeError(f"tf.{name}: {key} must be a number, got {value!r}.")
