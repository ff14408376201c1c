"""Name scopes: the prefix that the names of variables and modules get."""

from __future__ import annotations

import threading
from types import TracebackType


class _Current(threading.local):
    """The scope open in this thread: empty, or with a slash at its end."""

    prefix: str = ""


_current = _Current()


class name_scope:
    """A context in which `name` and a slash stand before the names of variables and modules that are created.

    An empty `name` goes back to the top; one that ends with a slash, as a scope yields it, is taken as the whole
    prefix. A scope may be entered again, also inside itself.

    Raises: ValueError if `name` is no string.
    Source: TF 2.21 `tf.name_scope`.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"tf.name_scope: name for name_scope must be a string, got {name!r}.")
        self._name = name
        self._outer: list[str] = []

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def __enter__(self) -> str:
        self._outer.append(_current.prefix)
        _current.prefix = _prefix(self._name)
        return _current.prefix

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.prefix = self._outer.pop()


def get_current_name_scope() -> str:
    """The scope that is open, without a slash at its end; empty outside of any.

    Source: TF 2.21 `tf.get_current_name_scope`.
    """
    return _current.prefix.removesuffix("/")


def scoped(name: str) -> str:
    """`name` within the scopes that are open, as a variable is called there.

    Raises: ValueError if `name` is no string.
    """
    if not isinstance(name, str):
        raise ValueError(f"tf.Variable: name must be a string, got {name!r}.")
    return _prefix(name).removesuffix("/")


def _prefix(name: str) -> str:
    """What stands before names in the scope `name` within the open one."""
    if not name or name.endswith("/"):
        return name
    return f"{_current.prefix}{name}/"
