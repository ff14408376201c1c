"""`tf.experimental.dtensor.DVariable`: a variable on a mesh, with a fixed layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import bfloat16, float32
from tfcompat._mesh.layout import Layout
from tfcompat._mesh.transfer import layout_or_none, relayout
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._state.variable import SAVED, Variable


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

    _is_saved_as_bf16 = False

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
        """Whether checkpoints have bfloat16 for the float32 of the variable; settable, without effect on others."""
        return self._is_saved_as_bf16

    @save_as_bf16.setter
    def save_as_bf16(self, save_as_bf16: bool) -> None:
        self._is_saved_as_bf16 = bool(save_as_bf16) and self._dtype is float32

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        value = self._snapshot()
        return {SAVED: cast(value, bfloat16) if self._is_saved_as_bf16 else value}

    def _present_tensors(self) -> dict[str, Any]:
        return self._serialize_to_tensors() if self._is_saved_as_bf16 else super()._present_tensors()

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        value = restored_tensors[SAVED]
        if self._is_saved_as_bf16 or here.graph is not None:
            self.assign(cast(value, self._dtype))
        else:
            self._overwrite(value)


def enable_save_as_bf16(variables: Sequence[Any]) -> None:
    """Saves those of `variables` that have float32 as bfloat16 from now on; they are restored from such checkpoints.

    Source: TF 2.21 `tf.experimental.dtensor.enable_save_as_bf16`.
    """
    for variable in variables:
        if isinstance(variable, DVariable):
            variable.save_as_bf16 = True
