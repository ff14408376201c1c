"""Cases of AutoGraph: small functions with what TensorFlow 2.21 gives or raises for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tfcompat as tf
from tfcompat import autograph


class Case:
    """A function, its arguments, and its result."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], gives: Any) -> None:
        self.function = function
        self.args = args
        self.gives = gives

    def __str__(self) -> str:
        return f"{self.function.__name__}({', '.join(map(str, self.args))})"

    def tensors(self) -> list[Any]:
        """The arguments: numbers and lists as tensors, the rest as it is."""
        return [tf.constant(arg) if type(arg) in (int, float, list) else arg for arg in self.args]

    def in_function(self) -> Any:
        """The result of the function as a `tf.function`."""
        return tf.function(self.function)(*self.tensors())

    def on_values(self) -> Any:
        """The result of the rewritten function outside of a `tf.function`."""
        return autograph.to_graph(self.function)(*self.tensors())

    def check(self, found: Any) -> None:
        """Fails unless `found` is what TensorFlow gives."""
        assert _is_same(_plain(found), self.gives), f"{_plain(found)} instead of {self.gives}"


class Cases(list[Case]):
    """Cases, each declared above its function: `@case(3.0, gives=9.0)`."""

    def __call__(self, *args: Any, gives: Any = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.append(Case(function, args, gives))
            return function

        return declare


def _plain(found: Any) -> Any:
    """`found` as Python values."""
    return tf.nest.map_structure(lambda leaf: leaf.numpy().tolist() if isinstance(leaf, tf.Tensor) else leaf, found)


def _is_same(found: Any, wanted: Any) -> bool:
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(_is_same, found, wanted))
    return math.isclose(found, wanted, rel_tol=1e-6) if isinstance(wanted, float) else found == wanted


class Refusal(Case):
    """A function and the error that it raises.

    Attributes:
      error, says: the class, and a part of the message.
      is_located: whether the message names the line.
    """

    def __init__(
        self, function: Callable[..., Any], arg: Any, error: type[Exception], says: str, *, is_located: bool
    ) -> None:
        super().__init__(function, (arg,), None)
        self.error = error
        self.says = says
        self.is_located = is_located


class Refusals(list[Refusal]):
    """Refusals, each declared above its function: `@case(3.0, ValueError, "the message")`."""

    def __call__(
        self, arg: Any, error: type[Exception], says: str, *, is_located: bool = True
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.append(Refusal(function, arg, error, says, is_located=is_located))
            return function

        return declare
