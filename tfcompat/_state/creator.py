"""Variable creators: user functions that intercept calls of `tf.Variable`."""

from __future__ import annotations

import abc
import contextlib
import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

from tfcompat._core.system.thread_state import Inherited


class _Here(Inherited):
    """The creators of this thread, that of the innermost scope last."""

    def __init__(self) -> None:
        self.creators: list[Callable[..., Any]] = []


_here = _Here()


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Generator[None]:
    """A context in which each call of `tf.Variable` calls `variable_creator(next_creator, **kwargs)`.

    `kwargs` are the arguments of `tf.Variable` by name. The creator may change them, call `next_creator` with them, or
    return another object. The creator of the innermost scope is called first.

    Source: TF 2.21 `tf.variable_creator_scope`.
    """
    _here.creators.append(variable_creator)
    try:
        yield
    finally:
        _here.creators.pop()


def current_creators() -> tuple[Callable[..., Any], ...]:
    """The creators of the scopes that the code is in, that of the innermost scope last."""
    return tuple(_here.creators)


@contextlib.contextmanager
def without_creators() -> Generator[None]:
    """A context in which a call of `tf.Variable` calls no creators."""
    before, _here.creators = _here.creators, []
    try:
        yield
    finally:
        _here.creators = before


class Created(abc.ABCMeta):
    """The metaclass of `tf.Variable`: a call of `tf.Variable` calls the creators. Subclasses ignore creators.

    It derives from ABCMeta as TensorFlow's does, so that a class may derive from a variable and an abstract class.
    """

    # No class registers as a variable, and ABCMeta's methods take longer.
    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """The variable, or the result of the innermost creator."""
        if not _here.creators or any(isinstance(base, Created) for base in cls.__bases__):
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        make: Callable[..., Any] = super().__call__
        for creator in _here.creators:
            make = functools.partial(creator, make)
        return make(**given)


def creators() -> list[Callable[..., Any]]:
    """The creators of this thread, that of the innermost scope last."""
    return _here.creators


def creators_within(variable_creator: Callable[..., Any]) -> contextlib.AbstractContextManager[None]:
    """`variable_creator_scope(variable_creator)`, unless the code is in such a context already."""
    return contextlib.nullcontext() if variable_creator in _here.creators else variable_creator_scope(variable_creator)
