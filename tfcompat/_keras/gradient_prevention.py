"""Tensors whose gradient is an error."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._autodiff.custom import custom_gradient
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.identity import identity


def prevent_gradient(input: Any, message: str | bytes = "", name: str | None = None) -> Tensor:
    """`input`. Its gradient raises LookupError with `message`.

    Shapes: [*dims] -> [*dims].
    Dtypes: any -> same dtype.
    Source: TF 2.21, `tensorflow.python.ops.array_ops.prevent_gradient`.
    """
    del name
    reason = message.encode() if isinstance(message, str) else message

    def same(value: Any) -> Any:
        def pull(_upstream: Any) -> NoReturn:
            raise LookupError(f"Gradient explicitly disabled. Reason: {reason!r}")

        return identity(value), pull

    return custom_gradient(same)(input)
