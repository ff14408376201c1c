"""The handle of a variable, an argument of kernels."""

from __future__ import annotations

from typing import Any

from tfcompat._core.types.dtype import DType, resource
from tfcompat._core.types.shape import TensorShape


class Handle:
    """The type of `tf.Variable.handle`: a scalar of dtype `tf.resource` that stands for the variable in `tf.raw_ops`.

    Attributes:
      variable: the variable.
    """

    dtype: DType = resource
    shape = TensorShape([])

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    @property
    def _distributed_container(self) -> Any:
        """Returns the variable of which this one is a component. Raises AttributeError for other variables."""
        whole = self.variable._whole()
        if whole is self.variable:
            raise AttributeError("'Handle' object has no attribute '_distributed_container'")
        return lambda: whole

    @property
    def device(self) -> str:
        """TensorFlow's name of the device that holds the variable."""
        return self.variable.device

    def __repr__(self) -> str:
        return f"<handle of {self.variable.name!r}>"


def acts_as_variable(value: Any) -> bool:
    """Whether `value` acts as a variable, as Keras' variables do."""
    return hasattr(type(value), "_should_act_as_resource_variable")


def acting(value: Any) -> Any:
    """The variable that `value` acts as, if it does; else `value`."""
    return value.handle.variable if acts_as_variable(value) else value


def variable_of(name: str, handle: Any) -> Any:
    """The variable of `handle`. Raises ValueError, naming the kernel `name`, for other values."""
    if not isinstance(handle, Handle):
        raise ValueError(f"tf.raw_ops.{name}: a variable's `handle` is expected, got {handle!r}.")
    return handle.variable
