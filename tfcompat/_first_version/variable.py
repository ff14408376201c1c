"""`tf.compat.v1.Variable`: makes a `tf.Variable` from TensorFlow 1's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._state import variable
from tfcompat._state.variable import VariableAggregation, VariableSynchronization


class Variable(variable.Variable):
    """A `tf.Variable`. `collections` and `use_resource` have no effect; the shape is that of the value.

    As in TensorFlow's eager programs, variables are not instances of this class.

    Raises: as `tf.Variable`.
    Source: TF 2.21 `tf.compat.v1.Variable`.
    """

    def __new__(  # pyright: ignore[reportInconsistentConstructor]  # it makes another class's
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
    ) -> Any:
        """Creates the variable."""
        del collections, expected_shape, use_resource
        lifts = experimental_enable_variable_lifting is not False
        return variable.Variable(
            *(initial_value, trainable, validate_shape, caching_device, name, variable_def, dtype, import_scope),
            *(constraint, synchronization, aggregation, shape, lifts),
        )
