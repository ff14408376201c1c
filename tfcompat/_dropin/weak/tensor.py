"""A tensor whose dtype yields to the dtypes of other operands, like that of a Python number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, complex128, float32, float64, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._extension.extension_type import ExtensionType

_ALLOWED = (int32, int64, float32, float64, complex128)


class WeakTensor(ExtensionType):
    """The tensor of a Python number in the modes that convert dtypes.

    Every function accepts it in place of its tensor.

    Raises: TypeError if the dtype cannot be weak.
    Source: TF 2.21 `tf.experimental.numpy.experimental_enable_numpy_behavior`.
    """

    __array_priority__ = 100

    # Type promotion, in a lower layer, recognizes this class by it.
    _is_weak = True

    tensor: Tensor

    def __validate__(self) -> None:
        """Raises TypeError for a dtype that cannot be weak."""
        if self.tensor.dtype not in _ALLOWED:
            allowed = ", ".join(dtype.name for dtype in _ALLOWED)
            raise TypeError(f"{self.tensor.dtype.name} not allowed as a weak type. The allowed types are {allowed}.")

    def _as_tensor(self) -> Tensor:
        return self.tensor

    def _differentiated(self) -> Tensor:
        return self.tensor

    def _with_gradient(self, gradient: Any) -> WeakTensor:
        return WeakTensor(gradient)

    def to_tensor(self) -> Tensor:
        """The tensor."""
        return self.tensor

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, a `tf.TensorShape`."""
        return self.tensor.shape

    def numpy(self) -> Any:
        """The value of the tensor."""
        return self.tensor.numpy()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.tensor.__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[WeakTensor]:
        return map(WeakTensor, self.tensor)

    def __hash__(self) -> int:
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return WeakTensor, (self.tensor,)

    def __format__(self, spec: str) -> str:
        return f"{self.tensor.__format__(spec)} weakly typed"

    def __str__(self) -> str:
        return _marked(str(self.tensor))

    def __repr__(self) -> str:
        return _marked(repr(self.tensor))


def _marked(text: str) -> str:
    """`text` of a tensor, which ends with a bracket, with a mark for a weak tensor."""
    return f"{text[:-1]}, weak=True{text[-1]}"
