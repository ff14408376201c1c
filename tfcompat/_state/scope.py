"""Name scopes: prefixes of the names of variables and modules, and of the tags of summaries."""

from __future__ import annotations

from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from types import TracebackType

from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.tracing.trace import here


class _Current(Inherited):
    """The current scope of this thread: empty, or with a slash at its end."""

    prefix: str = ""


_current = _Current()


class name_scope:
    """A context that adds the prefix `name` and a slash to the names of new variables and modules.

    An empty `name` removes all prefixes. A name that ends with a slash, such as the value that a scope yields, replaces
    the whole prefix. A scope may be entered again, also inside itself; a `tf.function` adds a number to the name then.

    Raises: ValueError if `name` is not a string.
    Source: TF 2.21 `tf.name_scope`.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"tf.name_scope: name for name_scope must be a string, got {name!r}.")
        self._name = name
        self._outer: list[str] = []

    @property
    def name(self) -> str:
        """The given name."""
        return self._name

    def __enter__(self) -> str:
        self._outer.append(_current.prefix)
        prefix = _prefix(self._name)
        if self._name and not self._name.endswith("/") and here.graph is not None:
            prefix = _unused(prefix, getattr(here.graph, "scopes", {}))
        _current.prefix = prefix
        return prefix

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.prefix = self._outer.pop()


@contextmanager
def traced_scope(name: str) -> Generator[None]:
    """The scope `name` in a function that is being traced, for bodies that it calls repeatedly or on conditions."""
    if here.graph is None:
        yield
        return
    with name_scope(name):
        yield


@contextmanager
def outermost_scope() -> Generator[None]:
    """A context without prefixes."""
    before, _current.prefix = _current.prefix, ""
    try:
        yield
    finally:
        _current.prefix = before


def get_current_name_scope() -> str:
    """The current scope, without a slash at its end; empty outside scopes.

    Source: TF 2.21 `tf.get_current_name_scope`.
    """
    return _current.prefix.removesuffix("/")


def scoped(name: str) -> str:
    """The name of a variable `name` in the current scope.

    Raises: ValueError if `name` is not a string.
    """
    if not isinstance(name, str):
        raise ValueError(f"tf.Variable: name must be a string, got {name!r}.")
    return _prefix(name).removesuffix("/")


def _unused(prefix: str, counts: MutableMapping[str, int]) -> str:
    """`prefix`, or the first of `prefix` with a number that is not in `counts`, to which it is added."""
    name = prefix.removesuffix("/")
    key = name.lower()
    count = counts.get(key, 0)
    counts[key] = count + 1
    if not count:
        return prefix
    while f"{key}_{count}" in counts:
        count += 1
    counts[f"{key}_{count}"] = 1
    return f"{name}_{count}/"


def _prefix(name: str) -> str:
    """The prefix of names in the scope `name` inside the current scope."""
    if not name or name.endswith("/"):
        return name
    return f"{_current.prefix}{name}/"
