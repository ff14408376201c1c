"""`tf.experimental.dlpack`: exchange of arrays with other libraries without copies."""

from __future__ import annotations

import ctypes
from typing import Any

import jax
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError

_NAME = b"dltensor"
_CPU = 1


def to_dlpack(tf_tensor: Any) -> Any:
    """A capsule of the DLPack protocol with the value of `tf_tensor`. It can be consumed once.

    Source: TF 2.21 `tf.experimental.dlpack.to_dlpack`.
    """
    return convert_to_tensor(tf_tensor).__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor with the array in `dlcapsule`, which must not have been consumed.

    Raises: InvalidArgumentError if it is not such a capsule.
    Source: TF 2.21 `tf.experimental.dlpack.from_dlpack`.
    """
    try:
        holder = _Holder(dlcapsule)
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.experimental.dlpack.from_dlpack: {refused}.") from refused
    if holder.device[0] == _CPU:
        return Tensor(np.array(np.from_dlpack(holder)))
    with jax.enable_x64(True):
        return Tensor(jax.numpy.from_dlpack(holder))


class _Holder:
    """An object with the methods of the array protocol, for the array in a capsule."""

    def __init__(self, capsule: Any) -> None:
        """Raises ValueError if `capsule` is not a DLPack capsule."""
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        start = pointer(capsule, _NAME)
        # The address of the data, then the kind and the number of the device.
        kind, number = (ctypes.c_int32 * 2).from_address(start + ctypes.sizeof(ctypes.c_void_p))
        self._capsule = capsule
        self.device = (kind, number)

    def __dlpack__(self, **options: Any) -> Any:
        del options
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device
