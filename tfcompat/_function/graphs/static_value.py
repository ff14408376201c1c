"""Statically known values: all of them in eager execution, constants while a function is traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import is_tensor
from tfcompat._core.structure.node import Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import constant_at, constant_value, step_at
from tfcompat._core.tracing.trace import here

# Steps that TensorFlow also traces back to constants. Other results of small integers are known when they are made.
_FOLLOWED = frozenset(
    (
        *("cast", "concat", "equal", "fill", "identity", "not_equal", "ones", "ones_like", "split", "stack"),
        *("stop_gradient", "unstack", "zeros", "zeros_like"),
    )
)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of `tensor` as a NumPy array if it is known, else None. Other values than tensors are returned as is.

    While a function is traced, known values are constants, shapes, and results computed from them by integer arithmetic
    or by moving and converting elements. Variables and composites are never known. With `partial`, a tensor packed from
    scalars of which some are known gives an array of objects, with None for the others.

    Source: TF 2.21 `tf.get_static_value`.
    """
    if getattr(type(tensor), "_is_weak", False):
        tensor = tensor.to_tensor()
    if type(tensor) is not Tensor:
        return None if is_tensor(tensor) else tensor
    if here.graph is None and not tensor._is_symbolic():
        return tensor.numpy()
    value = constant_value(tensor, _FOLLOWED)
    if value is not None:
        return value.copy()
    return _packed(tensor._trace, tensor._slot) if partial else None


def _packed(trace: Any, reference: Reference) -> np.ndarray | None:
    """The known values of the elements that were packed into `reference`; None if it isn't packed."""
    step = step_at(trace, reference) if isinstance(reference, int) and reference >= 0 else None
    # A label names attributes: without one, the new axis is the first.
    if step is None or step.op is None or step.op.name != "stack" or step.op.label:
        return None
    known = [constant_at(trace, part, _FOLLOWED) for part in step.inputs]
    found = np.empty(len(known), object)
    for k, (part, value) in enumerate(zip(step.inputs, known, strict=True)):
        found[k] = _packed(trace, part) if value is None else value
    return found
