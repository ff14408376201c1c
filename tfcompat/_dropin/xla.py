"""`tf.xla.experimental`: XLA compiles all programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from tfcompat._function.functions.decorator import function
from tfcompat._function.graphs.mode import executing_eagerly


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """The result of `computation` for `inputs`, compiled as one program; a single tensor is returned in a list.

    Source: TF 2.21 `tf.xla.experimental.compile`.
    """
    found = function(computation)(*inputs or ())
    return found if isinstance(found, (list, tuple, dict)) or found is None else [found]


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Generator[None]:
    """A context in a function. XLA compiles its ops and their gradients in any case, in the program of the function.

    `compile_ops` and `separate_compiled_gradients` select ops for XLA, and do not change results. Like `jit_compile` of
    `tf.function`, they have no effect.

    Raises: RuntimeError outside of functions.
    Source: TF 2.21 `tf.xla.experimental.jit_scope`.
    """
    del compile_ops, separate_compiled_gradients
    if executing_eagerly():
        raise RuntimeError("xla.experimental.jit_scope is not supported when eager execution is enabled.")
    yield
