"""Calls of Python functions in programs.

64-bit types are enabled only in the thread that runs the program. In the threads that make the calls JAX would truncate
values to 32 bits, so wider values are passed as pairs of 32-bit words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from tfcompat._core.system.repetition import is_repeating

_WORD = np.dtype(np.uint32)


def call_python(
    function: Callable[..., Any], structs: Sequence[Any], *arrays: Any, has_effect: bool = False
) -> tuple[Any, ...]:
    """The results of `function`, called with the values of `arrays` when the program runs: arrays like `structs`.

    If it `has_effect`, each run of the program calls it, in a loop once for each iteration; a derivative that computes
    it again gets zeros. Otherwise XLA may merge or remove calls. Under `jax.vmap` it is called for one row after
    another. It has no derivative.
    """
    if has_effect and is_repeating():
        return tuple([jnp.zeros(struct.shape, struct.dtype) for struct in structs])
    dtypes = [np.dtype(array.dtype) for array in arrays]

    def on_host(*words: Any) -> tuple[np.ndarray, ...]:
        values = [_joined(np.asarray(x), dtype) for x, dtype in zip(words, dtypes, strict=True)]
        return tuple(
            [_split(np.asarray(value), struct) for value, struct in zip(function(*values), structs, strict=True)]
        )

    call = io_callback if has_effect else functools.partial(jax.pure_callback, vmap_method="sequential")
    found = call(on_host, tuple(map(_as_words, structs)), *map(_words, arrays))
    return tuple(_read(x, np.dtype(struct.dtype)) for x, struct in zip(found, structs, strict=True))


def _count(dtype: np.dtype) -> int:
    """The number of words for an element, or 0 if values of `dtype` are passed unchanged."""
    return dtype.itemsize // _WORD.itemsize if dtype.itemsize > 4 and dtype != np.complex64 else 0


def _words(array: Any) -> Any:
    """`array`, in a program, split into words."""
    dtype = np.dtype(array.dtype)
    if not _count(dtype):
        return array
    if jnp.iscomplexobj(array):
        parts = [jax.lax.bitcast_convert_type(part, _WORD) for part in (array.real, array.imag)]
        return jnp.concatenate(parts, axis=-1)
    return jax.lax.bitcast_convert_type(array, _WORD)


def _joined(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array of `dtype`, on the host, that was split into `words`."""
    return np.ascontiguousarray(words).view(dtype)[..., 0] if _count(dtype) else words


def _as_words(struct: Any) -> jax.ShapeDtypeStruct:
    """The struct of the words of a value like `struct`."""
    count = _count(np.dtype(struct.dtype))
    return jax.ShapeDtypeStruct((*struct.shape, count) if count else struct.shape, _WORD if count else struct.dtype)


def _split(value: np.ndarray, struct: Any) -> np.ndarray:
    """`value`, on the host, split into words."""
    count = _count(np.dtype(struct.dtype))
    return np.ascontiguousarray(value)[..., None].view(_WORD).reshape(*value.shape, count) if count else value


def _read(words: Any, dtype: np.dtype) -> Any:
    """The array of `dtype`, in a program, that was split into `words`."""
    if not _count(dtype):
        return words
    if dtype == np.complex128:
        real, imag = (jax.lax.bitcast_convert_type(part, np.float64) for part in (words[..., :2], words[..., 2:]))
        return jax.lax.complex(real, imag)
    return jax.lax.bitcast_convert_type(words, dtype)
