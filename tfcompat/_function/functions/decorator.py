"""The decorator `tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._function.arguments.attribute import ALTERNATIVE, require_known
from tfcompat._function.functions.function import Function


class Alternative(Function):
    """A function with an attribute for the device that it is meant for: another one is called, and computes the same.

    Libraries ask for its concrete function to add it to TensorFlow's graph, whose optimizer may choose it by device.
    """

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, which is traced only when it is called."""
        del args, kwargs
        return self

    def add_to_graph(self) -> None:
        """Does nothing: XLA compiles the function that is called."""

    add_gradient_functions_to_graph = add_to_graph


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """`func` with cached traces: it is traced once for each kind of call, then run as one program.

    XLA compiles every function, whatever the value of `jit_compile` (or `experimental_compile`, its old name). A call
    with new shapes is traced again; with `reduce_retracing` (or `experimental_relax_shapes`), or if `input_signature`
    leaves dimensions open, one trace serves nearly all sizes (the guide lists the exceptions). The Python code runs at
    each call if no program can hold it, as in one that reads files, or if values that must be known while it is
    traced, strings and the row lengths of ragged tensors, are others at nearly every call.

    `experimental_implements` and `experimental_attributes` are hints for converters of TensorFlow graphs and have no
    effect. Type hints are never followed, as in TensorFlow 2.21.

    Raises: TypeError if `func` is not callable, or if `input_signature` is not a sequence of specs or doesn't fit the
      parameters; ValueError for both `jit_compile` and `experimental_compile`, or for attributes that TensorFlow
      doesn't know.
    Source: TF 2.21 `tf.function`.
    """
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
    require_known(experimental_attributes)
    is_alternative = ALTERNATIVE in dict(experimental_attributes or {})
    reduces_retracing = bool(reduce_retracing or experimental_relax_shapes)
    del experimental_implements, experimental_follow_type_hints
    compiles = experimental_compile if jit_compile is None else jit_compile

    def decorate(inner: Any) -> Function:
        if isinstance(inner, Function):
            inner = inner.undecorated()
        if not callable(inner):
            raise TypeError(f"{inner!r} is not a callable object")
        kind = Alternative if is_alternative else Function
        return kind(inner, input_signature, autograph, experimental_autograph_options, compiles, reduces_retracing)

    return decorate if func is None else decorate(func)
