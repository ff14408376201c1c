"""Which functions AutoGraph rewrites: the user's, and those of libraries written for it."""

from __future__ import annotations

import functools
import inspect
import sys
import unittest
from collections.abc import Callable
from typing import Any

from tfcompat._function.autograph.library import is_constructor, is_marked

# Their functions branch on values only or were written for JAX: nothing in them needs rewriting.
_LIBRARIES = frozenset(
    (
        *("absl", "chex", "einops", "equinox", "flax", "h5py", "ipdb", "jax", "jaxlib", "keras", "malt", "matplotlib"),
        *("ml_dtypes", "mock", "numpy", "optax", "optree", "orbax", "pandas", "PIL", "pytest", "scipy", "sklearn"),
        *("tensorflow", "tensorflow_probability", "tf_keras", "tfcompat", "tqdm"),
    )
)
_OF_WRAPT = ("FunctionWrapper", "BoundFunctionWrapper")


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether `function` can't or needn't be rewritten: it is generated, cached, wrapped, or a constructor."""
    return (
        is_marked(function)
        or isinstance(function, functools._lru_cache_wrapper)
        or is_constructor(function)
        or type(function).__name__ in _OF_WRAPT
    )


_OWN = f"{__name__.partition('.')[0]}."


def is_library(function: Callable[..., Any]) -> bool:
    """Whether `function` runs unchanged: it belongs to a library or a unit test, or is a generator or coroutine."""
    code = _code_of(function)
    if inspect.isgeneratorfunction(code) or inspect.iscoroutinefunction(code):
        return True
    if isinstance(getattr(function, "__self__", None), unittest.TestCase):
        return True
    root = _home(code).partition(".")[0]
    return root in _LIBRARIES or root in sys.stdlib_module_names


def is_own(function: Callable[..., Any]) -> bool:
    """Whether `function` belongs to tfcompat, whose code is not rewritten even if it is decorated itself."""
    return _home(_code_of(function)).startswith(_OWN)


def _code_of(function: Any) -> Any:
    return function if hasattr(function, "__code__") else type(function).__call__


def _home(function: Any) -> str:
    """The module that defines the code of `function`. A wrapper's `__module__` may be that of the wrapped function."""
    names = getattr(function, "__globals__", {})
    return names.get("__name__") or getattr(function, "__module__", None) or ""
