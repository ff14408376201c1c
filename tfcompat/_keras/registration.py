"""Functions by which Keras makes its own functions known to TensorFlow.

In TensorFlow they are called for graphs and sessions, by the rewriting of graphs, and by TensorFlow Lite, which do not
exist here. So the registrations have nothing to do, and no program can observe them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def _registrar(name: str, purpose: str, reader: str) -> Callable[[Function], None]:
    def register(func: Function) -> None:
        del func

    register.__name__ = register.__qualname__ = f"register_{name}_function"
    register.__doc__ = f"""Does nothing with `func`, Keras' function that {purpose}: only {reader} call it.

    Source: TF 2.21 `tf.__internal__.register_{name}_function`.
    """
    return register


register_call_context_function = _registrar(
    "call_context", "returns the layer that is being called", "control flow in graphs"
)
register_clear_session_function = _registrar(
    "clear_session", "forgets its graph and session", "converters of TensorFlow Lite"
)
register_get_session_function = _registrar("get_session", "returns its session", "converters of TensorFlow Lite")
register_load_model_function = _registrar("load_model", "loads a model", "converters of TensorFlow Lite")


def register_session_provider(session_provider: Function) -> None:
    """Does nothing with `session_provider`, Keras' function that returns its session.

    Only checkpoints of graphs call it.

    Source: TF 2.21 `tf.__internal__.tracking.register_session_provider`.
    """
    del session_provider


def register_loss_scale_wrapper(optimizer_cls: type, wrapper_fn: Any, wrapper_cls: type | None = None) -> None:
    """Does nothing with the class by which Keras scales the losses of optimizers of the class `optimizer_cls`.

    Only `tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite` uses it, which is not supported.

    Source: TF 2.21 `tf.__internal__.mixed_precision.register_loss_scale_wrapper`.
    """
    del optimizer_cls, wrapper_fn, wrapper_cls
