"""Decorators of libraries for deprecated functions, which change nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any


def unchanged(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """A decorator that returns its argument: warnings of a library's own deprecations are left out.

    Source: TF 2.21, `deprecated`, `deprecated_args`, `deprecated_arg_values` and `deprecated_endpoints` of
      `tensorflow.python.util.deprecation`.
    """
    del args, kwargs
    return lambda decorated: decorated


def alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """`func_or_class`, which has the old name `deprecated_name`, and the new one `name`.

    Source: TF 2.21, `deprecated_alias` of `tensorflow.python.util.deprecation`.
    """
    del deprecated_name, name, warn_once
    return func_or_class


def argument(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has a new and an old name, of which one is None.

    Raises: ValueError if both are given.
    Source: TF 2.21, `deprecated_argument_lookup` of `tensorflow.python.util.deprecation`.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


@contextlib.contextmanager
def silence() -> Generator[None]:
    """A context without warnings of deprecations.

    Source: TF 2.21, `silence` of `tensorflow.python.util.deprecation`.
    """
    yield
