"""The Unicode scripts of characters."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.types.dtype import int32
from tfcompat._ops.ragged.tensor import RaggedTensor

_MOST = 0x10FFFF


@functools.cache
def _runs() -> tuple[np.ndarray, np.ndarray]:
    """The starts of runs of characters of one script, and the numbers of their scripts."""
    lines = files("tfcompat._ops.text").joinpath("script.txt").read_text("ascii").splitlines()
    pairs = [line.split() for line in lines if not line.startswith("#")]
    return np.array([int(first, 16) for first, _ in pairs], np.int32), np.array([int(n) for _, n in pairs], np.int32)


def unicode_script(input: Any, name: str | None = None) -> Any:
    """ICU's number of the script of each character in `input`; -1 for invalid code points.

    Shapes: [*dims] -> same.
    Dtypes: int32 -> same.
    Gradient: None.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.strings.unicode_script`.
    """
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(unicode_script(input.flat_values, name))
    return _unicode_script(input, name=name)


@op("strings.unicode_script", dtypes=frozenset((int32,)))
def _unicode_script(input: Array) -> Array:
    firsts, scripts = _runs()
    found = jnp.asarray(scripts)[jnp.searchsorted(firsts, input, side="right") - 1]
    return jnp.where((input < 0) | (input > _MOST), jnp.int32(-1), found)
