"""`TrackableDataStructure`: a container that depends on the trackable objects in it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.tracking.wrapping import sticky_attribute_assignment

_logger = logging.getLogger("tensorflow")


class TrackableDataStructure(Trackable):
    """A container that depends on the trackable objects in it.

    Its attributes begin with `_self_`, as those of `wrapt.ObjectProxy` must.

    Source: TF 2.21 `tf.__internal__.tracking.TrackableDataStructure`.
    """

    _self_trainable = True

    @property
    def trainable(self) -> bool:
        """Whether trainable variables in it count as such."""
        return self._self_trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._self_trainable = value

    @property
    def _values(self) -> Iterable[Any]:
        """The elements, in the order of their variables."""
        raise NotImplementedError(f"{type(self).__name__} does not define the elements that it tracks.")

    def _track_value(self, value: Any, name: str) -> Any:
        """Depends on `value`, the element `name`; returns the object to store for it."""
        return sticky_attribute_assignment(self, name, value)

    def _track_fitting_value(self, value: Any, name: str) -> Any:
        """As `_track_value`; if a checkpoint has waited for `value` with another shape, `value` stays as it is.

        TensorFlow drops the error, and programs depend on that: Keras builds an optimizer with more variables than the
        checkpoint has if its model was restored before it was built.
        """
        try:
            return self._track_value(value, name)
        except ValueError as misfit:
            _logger.warning("The element %r of a container is not restored from a checkpoint: %s", name, misfit)
            return sticky_attribute_assignment(self, name, value)

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables of the elements; none unless `trainable`."""
        return self._collected("trainable_variables", True) if self._self_trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of the elements that are not trainable; all of them unless `trainable`."""
        others = self._collected("non_trainable_variables", False)
        return others if self._self_trainable else self._collected("trainable_variables", True) + others

    def _collected(self, attribute: str, is_trainable: bool) -> list[Any]:
        found: list[Any] = []
        own: list[Any] = []
        for value in self._values:
            if isinstance(value, Trackable) and hasattr(value, attribute):
                found += getattr(value, attribute)
            elif isinstance(value, Trackable) and getattr(value, "trainable", None) is is_trainable:
                own.append(value)
        return found + own

    @property
    def weights(self) -> list[Any]:
        """All variables: the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self.weights

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
