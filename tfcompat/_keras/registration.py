"""Functions of Keras that TensorFlow needs, and that Keras registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
_registered: dict[Any, Any] = {}


def _registrar(name: str, purpose: str) -> Callable[[Function], None]:
    def register(func: Function) -> None:
        _registered[name] = func

    register.__name__ = register.__qualname__ = f"register_{name}_function"
    register.__doc__ = f"""Registers Keras' function that {purpose}.

    Source: TF 2.21 `tf.__internal__.register_{name}_function`.
    """
    return register


# Without graphs and sessions nothing here calls these functions.
register_call_context_function = _registrar("call_context", "returns the layer that is being called")
register_clear_session_function = _registrar("clear_session", "forgets its graph and session")
register_get_session_function = _registrar("get_session", "returns its session")
register_load_model_function = _registrar("load_model", "loads a model")


def register_session_provider(session_provider: Function) -> None:
    """Registers Keras' function that returns its session, for checkpoints in graphs.

    Source: TF 2.21 `tf.__internal__.tracking.register_session_provider`.
    """
    _registered.setdefault("session_provider", session_provider)


def register_loss_scale_wrapper(optimizer_cls: type, wrapper_fn: Any, wrapper_cls: type | None = None) -> None:
    """Registers how Keras wraps an optimizer of the class `optimizer_cls` to scale the loss.

    Source: TF 2.21 `tf.__internal__.mixed_precision.register_loss_scale_wrapper`.
    """
    _registered["loss_scale", optimizer_cls] = (wrapper_fn, wrapper_cls or wrapper_fn)


def registered(name: Any) -> Any:
    """The function that was registered under `name`; None without one."""
    return _registered.get(name)
