"""The step that a kernel is made from: one equation of a jaxpr with known sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

Array: TypeAlias = Any
# The parameter of a scan that holds its `ScanCounts`.
SCANNED = "counts"
# A kernel takes the input arrays and returns the output array, or a sequence of them if the primitive has several.
# It may return an input or a view of one, and never changes one.
Kernel: TypeAlias = Callable[..., Any]


class Shaped(NamedTuple):
    """The shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: Any

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


class Prepared(Protocol):
    """An inner jaxpr, as a function of arrays."""

    work: float

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """Its outputs."""
        ...


class Step:
    """One equation with known sizes.

    Attributes:
      name: the name of the primitive.
      params: its parameters, sizes with symbols replaced by their values.
      inputs: the shapes and dtypes of the inputs.
      outputs: those of the outputs.
      is_multiple: whether the kernel returns a sequence of outputs.
      prepare: makes an inner jaxpr callable.
    """

    __slots__ = ("inputs", "is_multiple", "name", "outputs", "params", "prepare")

    def __init__(
        self,
        name: str,
        params: Mapping[str, Any],
        inputs: Sequence[Shaped],
        outputs: Sequence[Shaped],
        is_multiple: bool,
        prepare: Callable[[Any], Prepared],
    ) -> None:
        """Keeps the parts of an equation."""
        self.name = name
        self.params = params
        self.inputs = inputs
        self.outputs = outputs
        self.is_multiple = is_multiple
        self.prepare = prepare

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the first input."""
        return self.inputs[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output."""
        return self.outputs[0].shape


Body: TypeAlias = Callable[[Sequence[Array]], list[Array]]
Maker: TypeAlias = Callable[[Step], Kernel]


def always(kernel: Kernel) -> Maker:
    """Makes `kernel` for any step."""
    return lambda _: kernel


def is_narrow(dtype: Any) -> bool:
    """Whether `dtype` is a float of fewer than 32 bits, with which XLA computes in float32."""
    return dtype.itemsize < 4 and dtype.kind not in "biu" and is_inexact(dtype)


def is_inexact(dtype: Any) -> bool:
    """Whether `dtype` is a float or complex type; those of ml_dtypes have the kind V."""
    return dtype.kind in "fc" or (dtype.kind == "V" and "float" in dtype.name)


def is_integer(dtype: Any) -> bool:
    """Whether `dtype` is an integer type."""
    return dtype.kind in "iu" or (dtype.kind == "V" and "int" in dtype.name)


def widened(kernel: Kernel) -> Maker:
    """Makes `kernel`, which computes floats of fewer than 32 bits in float32."""

    def make(step: Step) -> Kernel:
        if not is_narrow(step.dtype):
            return kernel
        narrow = step.outputs[0].dtype
        return lambda *inputs: np.asarray(kernel(*(np.asarray(x).astype(np.float32) for x in inputs))).astype(narrow)

    return make
