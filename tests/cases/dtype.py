"""The dtypes in rows of the list, by name, and the TensorFlow symbols in attributes."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

FLOATING = ("float32", "float64", "float16", "bfloat16")
PRECISE = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int32", "int64", "int8")
INTEGER = (*SIGNED, "uint8")
REAL = (*FLOATING, *INTEGER)
NUMERIC = (*REAL, *COMPLEX)
BOOL = ("bool",)
ANY = (*NUMERIC, *BOOL)


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy dtype of the TensorFlow dtype called `name`."""
    special = {"bfloat16": ml_dtypes.bfloat16, "string": object}
    return np.dtype(special.get(name, name))


def is_differentiable(name: str) -> bool:
    """Whether TensorFlow differentiates with respect to tensors of the dtype called `name`."""
    return name in FLOATING or name in COMPLEX


@dataclass(frozen=True)
class Symbol:
    """A name inside the `tf` under test, looked up when the example is called."""

    path: str

    def __repr__(self) -> str:
        return f"tf.{self.path}"

    def resolve(self, tf: object) -> object:
        """The object that `tf` has under this name."""
        found = tf
        for part in self.path.split("."):
            found = getattr(found, part)
        return found
