"""Restoring from files of TensorFlow 1, whose tensors have the names of variables."""

from __future__ import annotations

from typing import Any, Self

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._saved.object_view import AttachedView
from tfcompat._saved.restoration import next_uid
from tfcompat._saved.stored_values import StoredValues
from tfcompat._state.handle import acting
from tfcompat._state.variable import SAVED, Variable


class NameBasedRestoration:
    """The state of restoring variables by their names.

    Attributes:
      restore_uid: the number of this restoration.
      unused: variables that the file does not have.
    """

    def __init__(self, values: StoredValues) -> None:
        self._values = values
        self.restore_uid = next_uid()
        self.unused: list[Any] = []

    def restore_all(self, view: AttachedView) -> None:
        """Restores the variables of a view, and those that become dependencies of its objects later.

        Raises: DataLossError for corrupted files, InvalidArgumentError or ValueError for another dtype or shape; then
          every variable is as it was.
        """
        trackables = view.descendants()
        with init_scope(), self._values as values:
            names = [name for trackable in trackables if (name := self._name_for(trackable)) is not None]
            values.verify(names)
            for trackable in trackables:
                trackable._maybe_initialize_trackable()
                trackable._name_based_restores.add(self)
                self._set(trackable)

    def restore(self, trackable: Any) -> None:
        """Restores `trackable`, which has just become a dependency, and its own dependencies."""
        self.restore_all(AttachedView(trackable, []))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: copies of objects are restored from the same file."""
        return self

    def _name_for(self, trackable: Any) -> str | None:
        """The name of a variable in the file; None for other objects. Raises the errors of `restore_all`."""
        variable = acting(trackable)
        if not isinstance(variable, Variable) or variable._shared_name not in self._values.entries:
            return None
        name = variable._shared_name
        entry = self._values.entry(name)
        if entry.dtype is not variable.dtype:
            raise InvalidArgumentError.of(
                f"tensor_name = {name}; expected dtype {variable.dtype.name} does not equal original dtype "
                f"{entry.dtype.name}"
            )
        if not variable.shape.is_compatible_with(entry.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {entry.shape} when attempting to restore variable with "
                f"shape {variable.shape} and name {variable.name}."
            )
        return name

    def _set(self, trackable: Any) -> None:
        if trackable._update_uid >= self.restore_uid:
            return
        name = self._name_for(trackable)
        if name is not None:
            trackable._restore_from_tensors({SAVED: Tensor(self._values.verified(name))})
        elif isinstance(acting(trackable), Variable):
            self.unused.append(trackable)
        trackable._update_uid = self.restore_uid
