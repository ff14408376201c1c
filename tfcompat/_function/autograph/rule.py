"""Which functions are rewritten: the user's, and those of libraries that were written for AutoGraph."""

from __future__ import annotations

import functools
import inspect
import sys
import unittest
from collections.abc import Callable
from typing import Any

from tfcompat._function.autograph.library import is_constructor, is_marked

# Their functions decide on values, or were written for JAX: there is nothing in them to rewrite.
_LIBRARIES = frozenset(
    (
        *("absl", "chex", "einops", "equinox", "flax", "h5py", "ipdb", "jax", "jaxlib", "keras", "malt", "matplotlib"),
        *("ml_dtypes", "mock", "numpy", "optax", "optree", "orbax", "pandas", "PIL", "pytest", "scipy", "sklearn"),
        *("tensorflow", "tensorflow_probability", "tf_keras", "tfcompat", "tqdm"),
    )
)
_OF_WRAPT = ("FunctionWrapper", "BoundFunctionWrapper")


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether `function` can't be rewritten, or needn't be: it is made already, a constructor, or something in C."""
    return (
        is_marked(function)
        or isinstance(function, functools._lru_cache_wrapper)
        or is_constructor(function)
        or type(function).__name__ in _OF_WRAPT
    )


def is_library(function: Callable[..., Any]) -> bool:
    """Whether `function` runs as it is because of where it was written, or makes its values one at a time."""
    code = function if hasattr(function, "__code__") else type(function).__call__
    if inspect.isgeneratorfunction(code) or inspect.iscoroutinefunction(code):
        return True
    if isinstance(getattr(function, "__self__", None), unittest.TestCase):
        return True
    root = _home(code).partition(".")[0]
    return root in _LIBRARIES or root in sys.stdlib_module_names


def _home(function: Any) -> str:
    """The module whose code `function` is; a wrapper may call itself by the name of what it wraps."""
    names = getattr(function, "__globals__", {})
    return names.get("__name__") or getattr(function, "__module__", None) or ""
