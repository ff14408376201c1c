"""`tf.xla.experimental`: XLA compiles all programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from tfcompat._core.trace import here
from tfcompat._function.decorator import function


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """The result of `computation` for `inputs`, compiled as one program; a single tensor is returned in a list.

    Source: TF 2.21 `tf.xla.experimental.compile`.
    """
    found = function(computation)(*inputs or ())
    return found if isinstance(found, (list, tuple, dict)) or found is None else [found]


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Generator[None]:
    """A context in a function whose ops XLA compiles, like all ops; gradients are not compiled separately.

    Raises: RuntimeError outside of functions; NotImplementedError if `compile_ops` is False or
      `separate_compiled_gradients` is True.
    Source: TF 2.21 `tf.xla.experimental.jit_scope`.
    """
    if here.graph is None:
        raise RuntimeError("xla.experimental.jit_scope is not supported when eager execution is enabled.")
    if compile_ops is False or separate_compiled_gradients:
        raise NotImplementedError(
            "tf.xla.experimental.jit_scope: XLA always compiles all ops of a function, in one program."
        )
    yield
