"""Variables with a component for each of several replicas."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Generator, Sequence
from typing import Any, NoReturn

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.interruption import set_values
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.shape import TensorShape
from tfcompat._distribute.grouping import is_distributed, selected
from tfcompat._distribute.mark import mark, marked
from tfcompat._distribute.reduction import ReduceOp, reduce_op_for
from tfcompat._distribute.stack import Frame, entered, refuse_mixing, state, top
from tfcompat._distribute.values import DistributedValues, Mirrored
from tfcompat._ops.operator import attach
from tfcompat._state.creator import without_creators
from tfcompat._state.variable import Variable, VariableAggregation

# Changes a component by a value.
Write = Callable[[Variable, Any], Any]
_FIRST = VariableAggregation.ONLY_FIRST_REPLICA
_REDUCED = (VariableAggregation.SUM, VariableAggregation.MEAN)
# Ways to change rows of a variable of which the replicas' values have no sum or mean.
_REPLACING = ("update", "min", "max")
# Code that is traced to be saved updates the first component.
_FIRST_COMPONENT = Frame(None, None, 0, 0)
_FIELDS = ("_static_shape", "_dtype", "_name", "_constraint", "_synchronization", "_aggregation", "_trainable")
_INEXACT_MEAN = (
    "Cannot update non-float variables with tf.VariableAggregation.MEAN aggregation in replica context. Either change "
    "the variable dtype to float or update it in cross-replica context."
)


class Component(Variable):
    """The variable of one replica, of which `_container` returns the whole."""

    _container: Callable[[], Variable | None]
    _place: str

    def _whole(self) -> Variable:
        whole = self._container()
        return self if whole is None else whole

    @property
    def is_first(self) -> bool:
        """Whether it is the first component of the whole."""
        whole = self._container()
        return isinstance(whole, ReplicatedVariable) and whole._components[0] is self

    @property
    def device(self) -> str:
        """TensorFlow's name of the device of the replica."""
        return self._place


class ReplicatedVariable(Variable, DistributedValues):
    """A variable with a component for each replica of a strategy.

    In a replica it is that replica's component; in `tf.distribute.StrategyExtended.update`, the component that is
    updated; elsewhere reads are those of the first component, and assignments change all components.
    """

    _is_replicated = True
    _is_composite = False
    _components: tuple[Component, ...]

    @classmethod
    def of(cls, strategy: Any, components: Sequence[Variable]) -> ReplicatedVariable:
        """The variable of `strategy` with these components."""
        variable = object.__new__(cls)
        first = vars(components[0])
        vars(variable).update({name: first[name] for name in _FIELDS}, _distribute_strategy=strategy)
        container = weakref.ref(variable)
        for number, component in enumerate(components):
            component.__class__ = Component
            vars(component).update(_container=container, _place=strategy.extended.worker_devices[number])
            if number:
                component._name = f"{components[0]._shared_name}/replica_{number}:0"
        vars(variable)["_components"] = tuple(components)
        return variable

    @property
    def values(self) -> tuple[Any, ...]:
        """The components."""
        return self._components

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the variable was made."""
        return self._distribute_strategy

    @property
    def is_distributed_variable(self) -> bool:
        """True."""
        return True

    def _frame(self) -> Frame | None:
        """The replica or the update in which the code runs; None elsewhere."""
        frame = top()
        if frame is None or frame.component is None:
            return _FIRST_COMPONENT if state.is_saving else None
        return frame

    def _current(self) -> Component:
        """The component that the variable is for the running code."""
        frames = state.frames
        return self._components[(frames[-1].component if frames else None) or 0]

    def _own(self) -> Component | None:
        """The component of the running replica, if the replica assigns it alone: most variables have no aggregation."""
        frames = state.frames  # as `top`, inlined: this runs for each assignment
        frame = frames[-1] if frames else None
        if frame is None or frame.component is None or frame.updated is not None:
            return None
        is_alone = self._aggregation is VariableAggregation.NONE and frame.strategy is self._distribute_strategy
        return self._components[frame.component] if is_alone else None

    @property
    def _held(self) -> Tensor:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._current()._held

    @property
    def _number(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        frames = state.frames  # as `_current`, inlined: tapes ask for it
        return self._components[(frames[-1].component if frames else None) or 0]._number

    @property
    def _tensor(self) -> Tensor:
        return self._current()._tensor

    @property
    def _unique_id(self) -> str:
        return self._components[0]._unique_id

    @property
    def device(self) -> str:
        """TensorFlow's name of the device of the component that is read."""
        return self._current().device

    def _read(self) -> Tensor:
        frames = state.frames  # as `_current`, inlined: this runs for each read of a variable
        return self._components[(frames[-1].component if frames else None) or 0]._read()

    _as_tensor = _read

    def _observed(self) -> Tensor:
        return self._current()._observed()

    def _entered(self) -> Tensor:
        return self._current()._entered()

    def _snapshot(self) -> Tensor:
        return self._current()._snapshot()

    def _view(self) -> Any:
        return self._current()._view()

    def _reduced(self, op: ReduceOp) -> Any:
        """Raises AssertionError for a sum: the components are meant to be equal."""
        assert op is ReduceOp.MEAN
        return self

    def set_shape(self, shape: Any) -> None:
        """Merges `shape` into the declared shape of each component. Raises ValueError if they are not compatible."""
        self._static_shape = self._static_shape.merge_with(TensorShape(shape))
        for component in self._components:
            component.set_shape(shape)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replaces the value by `value`: of each component, or in a replica as the aggregation says.

        Raises: as `tf.Variable.assign`; RuntimeError in the scope of another strategy.
        """
        del use_locking, name
        own = self._own()
        if own is not None:
            return own.assign(value, read_value=read_value)
        written = self._written(lambda component, x: component.assign(x), value)
        return written if read_value else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`, as `assign` replaces. Raises: as `tf.Variable.assign_add`, and `assign`."""
        del use_locking, name
        own = self._own()
        if own is not None:
            return own.assign_add(delta, read_value=read_value)
        written = self._written(lambda component, x: component.assign_add(x), delta)
        return written if read_value else None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`, as `assign` replaces. Raises: as `tf.Variable.assign_sub`, and `assign`."""
        del use_locking, name
        own = self._own()
        if own is not None:
            return own.assign_sub(delta, read_value=read_value)
        written = self._written(lambda component, x: component.assign_sub(x), delta)
        return written if read_value else None

    def _replace(self, value: Any) -> None:
        self.assign(value)

    def _update(self, op: Op, delta: Any) -> None:
        self._written(lambda component, x: component._update(op, x), delta)

    def _replace_by(self, compute: Callable[[Tensor], Tensor]) -> None:
        for component in self._components if self._frame() is None else (self._current(),):
            component._replace_by(compute)

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Sets the value of a checkpoint, which is that of all components, even if a replica restores the variable."""
        frame = top()
        with entered(self._distribute_strategy, None):
            super()._restore_from_tensors(restored_tensors)
        if frame is not None and frame.replica is not None:
            mark(frame.strategy.extended._spread, frame.replica._number)

    def _scatter_rows(self, mode: str, sparse_delta: Any) -> Any:
        if self._aggregation in _REDUCED and mode in _REPLACING:
            self._refuse_scatter(mode)
        return self._written(lambda component, rows: component._scatter_rows(mode, rows), sparse_delta)

    def _scatter_elements(self, mode: str, indices: Any, updates: Any) -> Any:
        if self._aggregation in _REDUCED and self._is_in_replica():
            self._refuse_scatter(f"nd_{mode}")

        def scatter(component: Variable, given: Any) -> Any:
            return component._scatter_elements(mode, *given)

        return self._written(scatter, (indices, updates))

    def _is_in_replica(self) -> bool:
        """Whether the running code is in a replica, and not in an update."""
        frame = self._frame()
        return frame is not None and frame.updated is None

    def _refuse_scatter(self, mode: str) -> NoReturn:
        """Raises NotImplementedError: the replicas' values for parts of the variable have no sum or mean."""
        raise NotImplementedError(
            f"scatter_{mode} is only supported for mirrored variable (variable created within certain "
            "`tf.distribute.Strategy` scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: "
            f"{self._aggregation}. Assign the whole variable."
        )

    def _written(self, write: Write, value: Any) -> Any:
        """The result of `write` of `value` to the components that the running code changes."""
        frame = top()
        if state.is_saving and (frame is None or frame.component is None):
            return write(self._components[0], selected(0, value))
        if frame is None or frame.strategy.is_default:
            return self._written_everywhere(write, value)
        if frame.strategy is not self._distribute_strategy:
            refuse_mixing(frame.strategy, self._distribute_strategy)
        if frame.component is None:
            return self._written_everywhere(write, value)
        if frame.updated is not None:
            return write(self._components[frame.updated], selected(frame.updated, value))
        return self._written_in_replica(frame.replica, write, value)

    def _written_everywhere(self, write: Write, value: Any) -> Any:
        """The results of `write` to each component, of its own component of `value`."""
        devices, results = self._distribute_strategy.extended._spread, []
        with _unless_all(self._components):
            for replica, component in enumerate(self._components):
                with marked(devices, replica):
                    results.append(write(component, selected(replica, value)))
        if results[0] is None or len(results) == 1:
            return results[0]
        return Mirrored(tuple(map(convert_to_tensor, results)))

    def _written_in_replica(self, replica: Any, write: Write, value: Any) -> Any:
        """The result of `write` in the running replica: of the replicas' aggregated values to all components."""
        if self._aggregation is VariableAggregation.NONE:
            return write(self._current(), value)

        def merge(strategy: Any, given: Any) -> Any:
            is_mean = self._aggregation is VariableAggregation.MEAN
            if is_mean and not self._dtype.is_floating and is_distributed(given):
                raise ValueError(_INEXACT_MEAN)
            if self._aggregation is _FIRST:
                given = strategy.experimental_local_results(given)[0]
            else:
                given = strategy.extended.reduce_to(reduce_op_for(self._aggregation), given, self)
            return self._written_everywhere(write, given)

        return replica.merge_call(merge, (value,))

    def _refused(self, wanted: str) -> NoReturn:
        raise TypeError(f"{wanted}, not {type(self).__name__!r}")

    def __int__(self) -> NoReturn:
        self._refused("int() argument must be a string, a bytes-like object or a real number")

    def __float__(self) -> NoReturn:
        self._refused("float() argument must be a string or a real number")

    def __complex__(self) -> NoReturn:
        self._refused("complex() first argument must be a string or a number")

    def __deepcopy__(self, memo: dict[int, Any]) -> ReplicatedVariable:
        with without_creators():  # in a scope they would make a variable with components of each component
            parts = [Variable.__deepcopy__(component, memo) for component in self._components]
        made = memo[id(self)] = self.of(self._distribute_strategy, parts)
        return made

    def __copy__(self) -> ReplicatedVariable:
        return self

    def __repr__(self) -> str:
        return self._listed(repr)

    __str__ = __repr__


def attach_operators(kind: type[ReplicatedVariable]) -> None:
    """Gives `kind` the operators of tensors; parts of a variable can be assigned."""
    attach(kind, kind._read)
    kind.__getitem__ = Variable.__getitem__
    kind.__bool__ = _is_object


def _is_object(self: Any) -> bool:
    """True, whatever the value of the variable is: as a condition TensorFlow uses the object."""
    del self
    return True


attach_operators(ReplicatedVariable)


class MirroredVariable(ReplicatedVariable, Mirrored):
    """A variable whose components are equal unless replicas assign different values to it.

    Source: TF 2.21, the class of variables made in `MirroredStrategy.scope`.
    """


@contextlib.contextmanager
def _unless_all(components: Sequence[Component]) -> Generator[None]:
    """A context after which `components` have their previous values if it raises an exception."""
    before = [component._held for component in components]
    try:
        yield
    except BaseException:
        if here.graph is None:
            set_values(components, before)
        raise
