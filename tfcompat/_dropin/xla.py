"""`tf.xla.experimental`: everything is compiled by XLA."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from tfcompat._core.trace import here
from tfcompat._function.function import function


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """What `computation` returns for `inputs`, compiled as one program; a single tensor in a list.

    Source: TF 2.21 `tf.xla.experimental.compile`.
    """
    found = function(computation)(*inputs or ())
    return found if isinstance(found, (list, tuple, dict)) or found is None else [found]


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Generator[None]:
    """A context in a function whose ops XLA compiles, as it does everywhere; gradients are not kept apart.

    Raises: RuntimeError outside of functions; NotImplementedError if `compile_ops` is False or
      `separate_compiled_gradients` is True.
    Source: TF 2.21 `tf.xla.experimental.jit_scope`.
    """
    if here.graph is None:
        raise RuntimeError("xla.experimental.jit_scope is not supported when eager execution is enabled.")
    if compile_ops is False or separate_compiled_gradients:
        raise NotImplementedError("tf.xla.experimental.jit_scope: everything is compiled, in one program.")
    yield
