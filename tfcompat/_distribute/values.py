"""Values that have a component for each replica, and the variables of `MirroredStrategy` on one device."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.aval import Aval
from tfcompat._distribute.stack import state, top
from tfcompat._function.functions.type_spec import type_spec_from_value
from tfcompat._ops.operator import attach
from tfcompat._state.variable import Variable, VariableAggregation


class DistributedValues:
    """A value with a component for each replica.

    Source: TF 2.21 `tf.distribute.DistributedValues`.
    """

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        raise NotImplementedError(f"{type(self).__name__}.values")

    def __repr__(self) -> str:
        return self._listed(repr)

    def __str__(self) -> str:
        return self._listed(str)

    def _listed(self, form: Any) -> str:
        lines = [f"  {replica}: {form(value)}" for replica, value in enumerate(self.values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class PerReplica(DistributedValues):
    """A value that may differ between replicas.

    Source: TF 2.21 `tf.types.experimental.distributed.PerReplica`.
    """

    # The part of the key of a call of a function, once it is known.
    _key: tuple[Any, ...] | None = None

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        return self._values

    def _entry(self) -> tuple[Any, ...]:
        """See `tfcompat._core.types.container.Composite`."""
        if self._key is None:
            values = self._values
            are_known = all(type(value) is Tensor and type(value._aval) is Aval for value in values)
            is_numeric = are_known and all(value._aval.struct is not None for value in values)
            head = (type(self), len(values), None)
            self._key = (head, *[value._aval for value in values]) if is_numeric else ()
        return self._key

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*map(type_spec_from_value, self._values))

    def _flatten_composite(self) -> list[Any]:
        return list(self._values)

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> PerReplica:
        del spec
        return cls(tuple(leaves))

    def _snapshot(self) -> NoReturn:
        """Raises ValueError: it is not a tensor."""
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, which is not "
            "supported. Try running your op or function inside a replica context by using `strategy.run`"
        )

    _as_tensor = _snapshot


class PerReplicaSpec(TypeSpec):
    """The type of a `PerReplica`: the types of its components."""

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = value_specs

    @property
    def value_type(self) -> type[PerReplica]:
        """`PerReplica`."""
        return PerReplica

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a value, has as many components, of compatible types."""
        other = spec_or_value._type_spec if isinstance(spec_or_value, PerReplica) else spec_or_value
        return isinstance(other, PerReplicaSpec) and self._all(other, "is_compatible_with")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` describes every value that this spec describes."""
        return isinstance(other, PerReplicaSpec) and self._all(other, "is_subtype_of")

    def _all(self, other: PerReplicaSpec, relation: str) -> bool:
        if len(self._value_specs) != len(other._value_specs):
            return False
        return all(getattr(one, relation)(two) for one, two in zip(self._value_specs, other._value_specs, strict=True))

    def most_specific_common_supertype(self, others: Any) -> Self | None:
        """The narrowest spec that describes the values of this spec and of `others`; None without one."""
        if not all(isinstance(other, PerReplicaSpec) for other in others):
            return None
        if any(len(other._value_specs) != len(self._value_specs) for other in others):
            return None
        columns = zip(*[other._value_specs for other in others], strict=True)
        found = [
            spec.most_specific_common_supertype(parts) for spec, parts in zip(self._value_specs, columns, strict=True)
        ]
        return None if None in found else type(self)(*found)

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    def _flatten_composite(self) -> list[Any]:
        return list(self._value_specs)

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> PerReplica:
        del spec
        return PerReplica(tuple(leaves))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerReplicaSpec) and self._value_specs == other._value_specs

    def __hash__(self) -> int:
        return hash(self._value_specs)

    def __repr__(self) -> str:
        return f"PerReplicaSpec{self._value_specs!r}"


class Mirrored(DistributedValues):
    """A value that is equal in all replicas; as an operand it is that of the first one.

    Source: TF 2.21 `tf.types.experimental.distributed.Mirrored`.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        return self._values

    def _as_tensor(self) -> Tensor:
        return convert_to_tensor(self._values[0])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Mirrored' object has no attribute {name!r}")
        return getattr(self._values[0], name)


attach(Mirrored, Mirrored._as_tensor)


class MirroredVariable(Variable, DistributedValues):
    """A variable that `tf.distribute.MirroredStrategy` makes on one device: a view of its only component.

    Source: TF 2.21, the class of variables made in `MirroredStrategy.scope`.
    """

    _is_composite = False
    _component: Variable

    @classmethod
    def of(cls, component: Variable) -> MirroredVariable:
        """The variable with the only component `component`."""
        variable = object.__new__(cls)
        # A view: one dictionary, and a new one, since Python 3.13.0 collects values that are stored in their object.
        state = dict(vars(component), _component=component)
        variable.__dict__ = component.__dict__ = state  # pyright: ignore[reportAttributeAccessIssue]
        return variable

    @property
    def values(self) -> tuple[Variable, ...]:
        """The component."""
        return (self._component,)

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the variable was made."""
        return self._distribute_strategy

    def _replace(self, value: Any) -> None:
        super()._replace(_only(value))

    def _update(self, op: Op, delta: Any) -> None:
        super()._update(op, _only(delta))

    def __bool__(self) -> bool:
        """True, whatever the value is: as a condition TensorFlow uses the object."""
        return True

    def __repr__(self) -> str:
        return self._listed(repr)

    __str__ = __repr__


def _only(value: Any) -> Any:
    """The component of a distributed value that has one; other values as they are."""
    return value.values[0] if type(value) is PerReplica and len(value.values) == 1 else value


class RefusesSums(Variable):
    """A variable that is reduced when it is read; outside of replicas, a sum takes no updates."""

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`. Raises ValueError outside of replicas for the aggregation SUM."""
        self._require_no_sum("assign_add")
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`. Raises ValueError outside of replicas for the aggregation SUM."""
        self._require_no_sum("assign_sub")
        return super().assign_sub(delta, use_locking, name, read_value)

    def _require_no_sum(self, method: str) -> None:
        """Raises ValueError if this is a sum, and `method` is called outside of replicas."""
        if self._aggregation is VariableAggregation.SUM and self._is_outside():
            raise ValueError(
                f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is set to "
                "`tf.VariableAggregation.SUM`."
            )

    def _is_outside(self) -> bool:
        """Whether the running code is outside of replicas."""
        frame = top()
        return (frame is None or frame.component is None) and not state.is_saving


class SyncOnReadVariable(RefusesSums, MirroredVariable):
    """A variable that `tf.distribute.MirroredStrategy` makes on one device, and that is reduced when it is read.

    Source: TF 2.21, the class of variables made with `synchronization=tf.VariableSynchronization.ON_READ`.
    """
