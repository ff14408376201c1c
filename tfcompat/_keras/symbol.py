"""The public names of functions: saved models of Keras 2 name the functions that they call."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tfcompat._keras.export import exported_name, exported_object

_ROOT = __name__.partition(".")[0]
_V1 = "compat.v1"
# Of several names of a function, TensorFlow prefers one in the first of these namespaces; the others come between.
_FIRST, _LAST = ("math", "nn", "signal", "random", "io", ""), ("linalg", "image", "dtypes")
# TensorFlow's choices that do not follow from this order.
_USUAL = frozenset(
    (
        *("debugging.assert_equal", "debugging.assert_greater", "debugging.assert_less", "debugging.assert_rank"),
        *("dtypes.as_dtype", "dtypes.complex", "dtypes.saturate_cast", "linalg.eig", "linalg.eigvals"),
        *("linalg.matmul", "math.truediv", "strings.as_string"),
    )
)
_OF_NETWORKS = frozenset(("math.log_softmax", "math.softmax", "math.softsign", "nn.space_to_batch"))
_LATE = frozenset(("keras", "raw_ops", "initializers", "losses", "metrics", "optimizers"))


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The public name of a function or class, without `tf.`; None without one.

    Names that only version 1 has begin with `compat.v1.` if `add_prefix_to_v1_names`.

    Source: TF 2.21, `get_canonical_name_for_symbol` of `tensorflow.python.util.tf_export`.
    """
    found = exported_name(symbol, api_name, add_prefix_to_v1_names)
    if found is not None or api_name != "tensorflow":
        return found
    try:
        found = _names().get(symbol) or _names().get(_innermost(symbol))
    except TypeError:
        return None
    if found is None or add_prefix_to_v1_names:
        return found
    return found.removeprefix(f"{_V1}.")


def get_symbol_from_name(name: str) -> Any:
    """The object with the public name `name`, without `tf.`; None without one.

    Source: TF 2.21, `get_symbol_from_name` of `tensorflow.python.util.tf_export`.
    """
    found = exported_object(name)
    if found is not None:
        return found
    target: Any = sys.modules[_ROOT]
    for part in name.split("."):
        target = getattr(target, part, None)
    return target


@functools.cache
def _names() -> dict[Any, str]:
    """The usual name of each public function and class."""
    found: dict[Any, str] = {}
    operators = importlib.import_module(f"{_ROOT}.__operators__")
    for name, value in (*_listed(operators, "__operators__"), *_listed(sys.modules[_ROOT], "")):
        for each in {value, _innermost(value)}:
            if each not in found or _rank(name) < _rank(found[each]):
                found[each] = name
    return found


def _innermost(function: Any) -> Any:
    """The function in the wrappers of `function`, by which a part of it is recognised."""
    return inspect.unwrap(function) if inspect.isfunction(function) else function


def _rank(name: str) -> tuple[int, int, str]:
    namespace = name.rpartition(".")[0]
    if name in _USUAL:
        place = -1
    elif name in _OF_NETWORKS:
        place = len(_FIRST)
    elif namespace in _FIRST:
        place = _FIRST.index(namespace)
    else:
        place = len(_FIRST) + (namespace in _LAST) + 2 * namespace.startswith(_V1)
    return place, name.count("."), name


def _listed(module: ModuleType, path: str) -> Iterator[tuple[str, Any]]:
    """The functions and classes in the public namespaces, except those of Keras and of kernels, by name."""
    for name in module.__all__:
        if name in _LATE and not path:
            continue
        full = f"{path}.{name}" if path else name
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            if value.__name__ == f"{_ROOT}.{full}":
                yield from _listed(importlib.import_module(value.__name__), full)
        elif callable(value):
            yield full, value
