"""Values that have a component for each replica, of which there is one, and the variables of `MirroredStrategy`."""

from __future__ import annotations

from typing import Any

from tfcompat._state.variable import Variable


class DistributedValues:
    """A value with a component for each replica.

    Source: TF 2.21 `tf.distribute.DistributedValues`.
    """

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        raise NotImplementedError(f"{type(self).__name__}.values")


class PerReplica(DistributedValues):
    """A value that may differ between replicas.

    Source: TF 2.21 `tf.types.experimental.distributed.PerReplica`.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        return self._values

    def _flatten_composite(self) -> list[Any]:
        return list(self._values)

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> PerReplica:
        del spec
        return cls(tuple(leaves))

    def __repr__(self) -> str:
        lines = [f"  {replica}: {value!r}" for replica, value in enumerate(self._values)]
        return "\n".join(["PerReplica:{", ",\n".join(lines), "}"])


class MirroredVariable(Variable, DistributedValues):
    """A variable that `tf.distribute.MirroredStrategy` makes: a view of its only component.

    Source: TF 2.21, the class of variables made in `MirroredStrategy.scope`.
    """

    _component: Variable

    @classmethod
    def of(cls, component: Variable) -> MirroredVariable:
        """The variable with the only component `component`."""
        variable = object.__new__(cls)
        variable.__dict__ = component.__dict__  # pyright: ignore[reportAttributeAccessIssue]  # a view
        vars(component)["_component"] = component
        return variable

    @property
    def values(self) -> tuple[Variable, ...]:
        """The component."""
        return (self._component,)

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the variable was made."""
        return self._distribute_strategy

    def __repr__(self) -> str:
        return f"{type(self).__name__}:{{\n  0: {self._component!r}\n}}"

    __str__ = __repr__


class SyncOnReadVariable(MirroredVariable):
    """A variable that `tf.distribute.MirroredStrategy` makes, and whose components are reduced when it is read.

    Source: TF 2.21, the class of variables made with `synchronization=tf.VariableSynchronization.ON_READ`.
    """
