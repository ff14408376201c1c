"""`tf.experimental.dtensor.DVariable`: a variable on a mesh, with a fixed layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.trace import here
from tfcompat._mesh.layout import Layout
from tfcompat._mesh.transfer import layout_or_none, relayout
from tfcompat._state.variable import Variable

_AS_BFLOAT16 = (
    "tf.experimental.dtensor: checkpoints have the dtype of the variable; save a copy, tf.Variable(tf.cast(variable, "
    "tf.bfloat16))."
)


class DVariable(Variable):
    """A variable whose values have the layout of the first one.

    Args:
      initial_value: the first value, or a function that returns it; on a mesh, unless `layout` is given.
      dtype: the dtype of the variable.
      layout: the layout, by default that of `initial_value`.
      args, kwargs: as for `tf.Variable`.

    Raises: InvalidArgumentError if `initial_value` has another layout, or neither has one.
    Source: TF 2.21 `tf.experimental.dtensor.DVariable`.
    """

    def __init__(
        self, initial_value: Any, *args: Any, dtype: Any = None, layout: Layout | None = None, **kwargs: Any
    ) -> None:
        if here.graph is not None:
            raise NotImplementedError("tf.experimental.dtensor.DVariable: make variables outside of tf.function.")
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, dtype)
        known = layout_or_none(tensor)
        if known is None and layout is None:
            raise InvalidArgumentError.of("Neither layout nor DTensor initial value are provided.")
        if known is not None and layout not in (None, known):
            raise InvalidArgumentError.of(
                f"Conflicting layout are provided for initial value layout ({known}) and variable ({layout})."
            )
        if known is None and layout is not None:
            tensor, known = relayout(tensor, layout), layout
        assert known is not None
        super().__init__(tensor, *args, dtype=dtype, **kwargs)
        self.layout = known
        self._put(known._sharding())

    @property
    def save_as_bf16(self) -> bool:
        """False: checkpoints have the dtype of the variable."""
        return False

    @save_as_bf16.setter
    def save_as_bf16(self, save_as_bf16: bool) -> None:
        if save_as_bf16:
            raise NotImplementedError(_AS_BFLOAT16)


def enable_save_as_bf16(variables: Sequence[Any]) -> NoReturn:
    """Raises NotImplementedError. Source: TF 2.21 `tf.experimental.dtensor.enable_save_as_bf16`."""
    del variables
    raise NotImplementedError(_AS_BFLOAT16)
