"""`tf.Variable`: a cell with a name, TensorFlow's operators, and methods that change parts of it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import CoreTensor, Reference, Tensor
from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import INDEX, DType, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._state.creator import Created
from tfcompat._state.handle import Handle
from tfcompat._state.own_value import serve
from tfcompat._state.part import PartedCell
from tfcompat._state.scope import scoped
from tfcompat._state.tracking.trackable import Trackable


def _infer_assigned(value: Aval, delta: Aval) -> Aval | None:
    return value if value is delta else None


_ASSIGN_ADD = Op(
    "assign_add", lambda x, y: x + y, infers=_infer_assigned, gradient=GradientRule(blocked=True, cuts=True)
)
# The name of a variable's value in a checkpoint.
SAVED = "VARIABLE_VALUE"
_ASSIGN_SUB = Op(
    "assign_sub", lambda x, y: x - y, infers=_infer_assigned, gradient=GradientRule(blocked=True, cuts=True)
)


class VariableSynchronization(enum.Enum):
    """When a distributed variable is synchronised. Source: TF 2.21 `tf.VariableSynchronization`."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How a distributed variable is aggregated. Source: TF 2.21 `tf.VariableAggregation`."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def _member(kind: type[Any], value: Any) -> Any:
    """The member of an enumeration for `value`, a member or number; the first for None. Raises ValueError otherwise."""
    try:
        return kind(0 if value is None else value)
    except ValueError:
        raise ValueError(f"tf.Variable: no {kind.__name__} is {value!r}.") from None


class Variable(PartedCell, Trackable, CoreTensor, metaclass=Created):
    """A tensor that can be assigned.

    Args:
      initial_value: the first value, or a function without arguments that returns it.
      trainable: whether tapes watch the variable when it is read; True by default, unless it is synchronized on read.
      validate_shape, caching_device, variable_def, import_scope: only their default is supported.
      name: `"Variable"` by default; names need not be unique.
      dtype: the dtype of the variable; by default that of the value.
      constraint: a function for optimizers to apply; assignments do not apply it.
      synchronization, aggregation: stored for distribution strategies.
      shape: may have unknown dimensions, `[None, 3]`, which later assignments may change.

    Raises: ValueError without an initial value, or if it does not fit `shape`.
    Source: TF 2.21 `tf.Variable`.
    """

    __array_priority__ = 100

    _handle: Handle | None = None
    # The strategy in whose scope it was made.
    _distribute_strategy: Any = None
    # Whether it has a component for each replica.
    _is_replicated = False
    # Whether TensorFlow's class is a composite tensor.
    _is_composite = True

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        for argument, value in (
            ("caching_device", caching_device),
            ("variable_def", variable_def),
            ("import_scope", import_scope),
        ):
            if value is not None:
                raise NotImplementedError(f"tf.Variable: {argument} is not supported; leave it out.")
        del validate_shape, experimental_enable_variable_lifting
        if initial_value is None:
            raise ValueError("tf.Variable: the `initial_value` arg must be specified, got None.")
        if constraint is not None and not callable(constraint):
            raise ValueError(f"tf.Variable: constraint must be None or a function, got {constraint!r}.")
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, dtype, name="initial_value")
        declared = tensor.shape if shape is None else TensorShape(shape)
        if not declared.is_compatible_with(tensor.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({tensor.shape}) is not compatible with "
                f"the explicitly supplied `shape` argument ({shape})."
            )
        self._constraint = constraint
        self._synchronization = _member(VariableSynchronization, synchronization)
        self._aggregation = _member(VariableAggregation, aggregation)
        is_synchronised_late = self._synchronization is VariableSynchronization.ON_READ
        self._trainable = not is_synchronised_late if trainable is None else bool(trainable)
        self._hold(tensor, declared, scoped("Variable" if name is None else name) + ":0")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "value" in vars(cls):
            serve(cls)

    def _whole(self) -> Variable:
        """The variable of which this one is a component, or else this one."""
        return self

    @property
    def _type_spec(self) -> VariableSpec:
        """The type of the variable, for libraries."""
        return VariableSpec(self.shape, self.dtype, self.trainable)

    @property
    def name(self) -> str:
        """The name with scopes and `":0"`."""
        return self._name

    @property
    def _shared_name(self) -> str:
        """The name with scopes."""
        return self._name.removesuffix(":0")

    @property
    def _unique_id(self) -> str:
        """A text that no other variable has."""
        return f"{self._shared_name}_{self._number}"

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The declared shape, perhaps with unknown dimensions."""
        return self._static_shape

    @property
    def handle(self) -> Handle:
        """The argument of `tf.raw_ops` for this variable."""
        if self._handle is None:
            self._handle = Handle(self)
        return self._handle

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._tensor._aval.ndim

    @property
    def device(self) -> str:
        """TensorFlow's name of the device that holds the value."""
        return self._tensor.device

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable when it is read."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function for optimizers to apply."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The given synchronization."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The given aggregation."""
        return self._aggregation

    @property
    def initial_value(self) -> NoReturn:
        """Raises RuntimeError, as TensorFlow does in eager mode."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def initializer(self) -> None:
        """None: variables are initialised when they are created."""
        return None

    @property
    def op(self) -> Any:
        """Raises AttributeError, as TensorFlow does in eager mode."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Raises AttributeError, as TensorFlow does in eager mode."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def create(self) -> NoReturn:
        """Raises RuntimeError, as TensorFlow does in eager mode."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        """The tensors that a checkpoint holds for the variable, by name."""
        return {SAVED: self._snapshot()}

    def _present_tensors(self) -> dict[str, Any]:
        """The variable by the name under which a checkpoint has its value."""
        return {SAVED: self}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Sets the value from the tensors of a checkpoint."""
        return self.assign(restored_tensors[SAVED])

    def eval(self, session: Any = None) -> NoReturn:
        """Raises RuntimeError, as TensorFlow does in eager mode."""
        del session
        raise RuntimeError("tf.Variable.eval: not supported when eager execution is enabled; use `numpy()`.")

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """Raises RuntimeError, as TensorFlow does in eager mode."""
        del export_scope
        raise RuntimeError("tf.Variable.to_proto: not supported when eager execution is enabled.")

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """Raises NotImplementedError, as TensorFlow does."""
        raise NotImplementedError("tf.Variable.from_proto: not supported; restore a checkpoint.")

    def initialized_value(self) -> NoReturn:
        """Raises NotImplementedError, as TensorFlow does in eager mode."""
        raise NotImplementedError("tf.Variable.initialized_value: not supported; use `read_value()`.")

    def load(self, value: Any, session: Any = None) -> None:
        """Replaces the value by `value`, like `assign`; `session` is ignored.

        Raises: as `assign`.
        Source: TF 2.21 `tf.Variable.load`.
        """
        del session
        self._replace(value)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to an integer below `limit`; returns the previous value. Reads the value.

        Shapes: a scalar variable.
        Dtypes: int32 or int64.
        Raises: OutOfRangeError if the value is not below `limit`; InvalidArgumentError for another shape or dtype.
        Source: TF 2.21 `tf.Variable.count_up_to`.
        """
        if self._dtype not in INDEX or self._tensor._aval.ndim:
            raise InvalidArgumentError.of(
                f"tf.Variable.count_up_to: must be an int32 or int64 scalar, got {self._tensor._aval!r}."
            )
        before = self._snapshot()
        if int(before) >= limit:
            raise OutOfRangeError.of(f"tf.Variable.count_up_to: Reached limit of {limit}")
        self._update(_ASSIGN_ADD, 1)
        return before

    def get_shape(self) -> TensorShape:
        """The declared shape."""
        return self._static_shape

    def set_shape(self, shape: Any) -> None:
        """Merges `shape` into the declared shape: unknown dimensions become known.

        Raises: ValueError if it is not compatible with the declared shape.
        Source: TF 2.21 `tf.Variable.set_shape`.
        """
        self._static_shape = self._static_shape.merge_with(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A true boolean tensor."""
        del name
        return Tensor(np.asarray(True))

    def ref(self) -> Reference:
        """A hashable reference to this variable."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The same as `ref()`, under its name in TensorFlow 2.0."""
        return Reference(self)

    def numpy(self) -> Any:
        """The value as a new NumPy array, or scalar. Raises NotImplementedError while a function is traced."""
        self._require_value()
        return self._observed().numpy()

    def _require_value(self) -> None:
        if here.graph is not None:
            raise NotImplementedError(
                f"numpy() is only available when eager execution is enabled: while a tf.function is traced, variable "
                f"'{self._name}' has no value. Use it as a tensor, tf.print it, or read it outside of the function."
            )

    def value(self) -> Tensor:
        """The current value, which later assignments do not change."""
        return self._snapshot()

    def read_value(self) -> Tensor:
        """The current value, which later assignments do not change."""
        return self._snapshot()

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Replaces the value by `value`; returns a view of the variable, or None without `read_value`.

        Shapes: that of the variable.
        Dtypes: that of the variable; a Python or NumPy value is converted.
        Raises: ValueError if the shape or dtype of `value` doesn't fit.
        Source: TF 2.21 `tf.Variable.assign`.
        """
        del use_locking, name
        self._replace(value)
        return self._view() if read_value else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Adds `delta`; returns as `assign`.

        Shapes: exactly that of the variable.
        Dtypes: that of the variable.
        Raises: InvalidArgumentError for another shape, ValueError for another dtype.
        Source: TF 2.21 `tf.Variable.assign_add`.
        """
        del use_locking, name
        self._update(_ASSIGN_ADD, delta)
        return self._view() if read_value else None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Subtracts `delta`; returns as `assign`.

        Shapes: exactly that of the variable.
        Dtypes: that of the variable.
        Raises: InvalidArgumentError for another shape, ValueError for another dtype.
        Source: TF 2.21 `tf.Variable.assign_sub`.
        """
        del use_locking, name
        self._update(_ASSIGN_SUB, delta)
        return self._view() if read_value else None

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._read())

    def __bool__(self) -> bool:
        return bool(self._read())

    __nonzero__ = __bool__

    def __int__(self) -> int:
        return int(self._observed().numpy())

    def __float__(self) -> float:
        return float(self._observed().numpy())

    def __complex__(self) -> complex:
        return complex(self._observed().numpy())

    def __index__(self) -> int:
        return self._observed().__index__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._observed().__array__(dtype, copy)

    def __jax_array__(self) -> Any:
        return self._read().__jax_array__()

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __iadd__(self, value: Any) -> NoReturn:
        raise _refusal("variable", "+", "assign_add(value)", "+")

    def __isub__(self, value: Any) -> NoReturn:
        raise _refusal("variable", "-", "assign_sub(value)", "*")

    def __imul__(self, value: Any) -> NoReturn:
        raise _refusal("var", "*", "assign(var * value)", "*")

    def __itruediv__(self, value: Any) -> NoReturn:
        raise _refusal("var", "/", "assign(var / value)", "/")

    def __ipow__(self, value: Any) -> NoReturn:
        raise _refusal("var", "**", "assign(var ** value)", "**")

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        self._require_value()
        copy = memo[id(self)] = Variable(
            self._snapshot(),
            trainable=self._trainable,
            name=self._name.removesuffix(":0"),
            constraint=self._constraint,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
        )
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.numpy(), self._trainable, self._name.removesuffix(":0"), self._constraint)

    def __repr__(self) -> str:
        value = f", {self._held._shown()}" if here.graph is None else ""
        return f"<tf.Variable '{self.name}' shape={self._static_shape} dtype={self._dtype.name}{value}>"

    __str__ = __repr__


@dataclass(frozen=True, repr=False)
class VariableSpec(TypeSpec):
    """The type of a variable. Arguments that are the same variable share an `alias_id`; a single one has None."""

    shape: TensorShape
    dtype: DType = float32
    trainable: bool = True
    alias_id: int | None = None

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, "
            f"alias_id={self.alias_id})"
        )

    @property
    def value_type(self) -> type[Variable]:
        """`tf.Variable`."""
        return Variable

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value` is a variable, or the type of one, with this dtype and a shape that fits."""
        return (
            isinstance(spec_or_value, (VariableSpec, Variable))
            and self.shape.is_compatible_with(spec_or_value.shape)
            and (self.dtype, self.trainable) == (spec_or_value.dtype, spec_or_value.trainable)
        )

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self.trainable, self.alias_id)


class AssignedVariable(Variable):
    """The result of an assignment: a view with the state of its variable, except the name."""

    @property
    def name(self) -> str:
        """TensorFlow's name for the result of an assignment."""
        return "UnreadVariable"

    @property
    def op(self) -> None:
        """None, in place of the operation that assigns, since it has been called."""
        return None


def is_plain_variable(value: Any) -> bool:
    """Whether `value` is a variable that is one cell."""
    return isinstance(value, Variable) and not value._is_replicated


def _refusal(what: str, operator: str, remedy: str, other: str) -> RuntimeError:
    """TensorFlow's error for an in-place operator, such as `+=`."""
    return RuntimeError(
        f"`{what} {operator}= value` with `tf.Variable`s is not supported. Use `{what}.{remedy}` to modify the "
        f"variable, or `out = {what} {other} value` if you need to get a new output Tensor."
    )


def _restored(value: Any, trainable: bool, name: str, constraint: Callable[[Any], Any] | None) -> Variable:
    return Variable(value, trainable=trainable, name=name, constraint=constraint)


Variable._view_type = AssignedVariable
