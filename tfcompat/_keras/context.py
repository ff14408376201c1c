"""The part of TensorFlow's eager context that libraries use."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

from tfcompat._core.programs.program_cache import cache
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.logical_device import reset
from tfcompat._dropin.placement import current_spec
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.mode import executing_eagerly
from tfcompat._keras.behaviour import eager_mode as _eager_mode


class Context:
    """The state of eager execution. Source: TF 2.21, `tensorflow.python.eager.context.Context`."""

    def executing_eagerly(self) -> bool:
        """Whether code runs outside of every `tf.function`."""
        return executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Lets go of all compiled programs."""
        cache.clear()

    @property
    def device_spec(self) -> DeviceSpec:
        """The device that the nearest `tf.device` has chosen."""
        return current_spec()

    def ensure_initialized(self) -> None:
        """Does nothing: there is no context to initialise."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"tensorflow.python.eager.context.context().{name} is private to TensorFlow; tf.config has the settings.",
            name=name,
        )


_context = Context()


def context() -> Context:
    """The state of eager execution."""
    return _context


def get_device_name() -> str | None:
    """The device that the nearest `tf.device` has chosen; None if none has.

    Source: TF 2.21, `get_device_name` of `tensorflow.python.eager.context`.
    """
    return current_spec().to_string() or None


def eager_mode() -> contextlib.AbstractContextManager[None]:
    """A context in which ops run outside of a function that is being traced."""
    return _eager_mode()


def reset_context() -> None:
    """Lets the program choose logical CPU devices again. Tensors and functions stay as they are."""
    reset()


def is_in_xla_context(graph: Any) -> bool:
    """Whether `graph` belongs to a function that is being traced and asks for XLA by `jit_compile=True`.

    Source: TF 2.21, `GraphOrParentsInXlaContext` of `tensorflow.python.ops.control_flow_util`.
    """
    del graph
    trace: Any = here.graph
    while isinstance(trace, Graph) and not trace.is_jit_compiled:
        trace = trace.outer
    return isinstance(trace, Graph)


def get_enclosing_xla_context() -> None:
    """None: no part of a program is marked for compilation, since all is compiled.

    Source: TF 2.21, `get_enclosing_xla_context` of `tensorflow.python.ops.control_flow_ops`.
    """


# Conditions and loops are functions, as in all of TensorFlow 2.
ENABLE_CONTROL_FLOW_V2 = True


def async_wait() -> None:
    """Does nothing: a read waits for the ops that it needs, and raises their errors."""
