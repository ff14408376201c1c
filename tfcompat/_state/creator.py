"""Who makes variables: functions of users may come between `tf.Variable(...)` and the variable."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any


class _Here(threading.local):
    """The functions that this thread asks, the one of the innermost scope last."""

    def __init__(self) -> None:
        self.creators: list[Callable[..., Any]] = []


_here = _Here()


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Generator[None]:
    """A context in which `variable_creator(next_creator, **kwargs)` is asked for each `tf.Variable`.

    It may change the arguments, which are those of `tf.Variable` by name, call `next_creator` with them, or return
    something else. That of the innermost scope is asked first.

    Source: TF 2.21 `tf.variable_creator_scope`.
    """
    _here.creators.append(variable_creator)
    try:
        yield
    finally:
        _here.creators.pop()


class Created(type):
    """The class of `tf.Variable` itself: a call asks the functions of the scopes. Subclasses are made as they are."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """The variable, or what a function returns in its place."""
        if not _here.creators or cls.__bases__[0].__class__ is Created:
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        make: Callable[..., Any] = super().__call__
        for creator in _here.creators:
            make = functools.partial(creator, make)
        return make(**given)
