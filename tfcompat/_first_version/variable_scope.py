"""Variable scopes: prefixes and defaults for `get_variable`, which creates a new variable at every eager call."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.types.dtype import as_dtype, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._first_version.initializer import GlorotUniform
from tfcompat._ops.array.creation import zeros
from tfcompat._state.scope import name_scope as _name_scope
from tfcompat._state.variable import Variable, VariableAggregation, VariableSynchronization


class ReuseMode(enum.Enum):
    """Whether `get_variable` shares variables of the same name; in eager mode it never does."""

    AUTO_REUSE = 1


AUTO_REUSE = ReuseMode.AUTO_REUSE


def _require_default(**given: Any) -> None:
    for argument, value in given.items():
        if value is not None:
            raise NotImplementedError(f"tf.compat.v1.get_variable: {argument} is not supported; leave it out.")


class VariableScope:
    """A prefix for names, and default arguments of `get_variable`.

    Source: TF 2.21 `tf.compat.v1.VariableScope`.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
    ) -> None:
        _require_default(partitioner=partitioner, custom_getter=custom_getter)
        _require_default(regularizer=regularizer)
        self.reuse = reuse
        self.name = name
        self.initializer = initializer
        self.original_name_scope = name_scope
        self.dtype = dtype
        self.use_resource = True if use_resource is None else use_resource
        self.constraint = constraint
        self.caching_device = caching_device
        self.made: dict[str, int] = {}

    def reuse_variables(self) -> None:
        """Requests that variables be shared. Source: TF 2.21 `tf.compat.v1.VariableScope.reuse_variables`."""
        self.reuse = True

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets where the values of variables are cached: a program reads each variable once, so it changes nothing.

        Source: TF 2.21 `tf.compat.v1.VariableScope.set_caching_device`.
        """
        self.caching_device = caching_device

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer. Source: TF 2.21 `tf.compat.v1.VariableScope.set_initializer`."""
        self.initializer = initializer


class _Current(Inherited):
    def __init__(self) -> None:
        self.scope = VariableScope(False)


_current = _Current()


def get_variable_scope() -> VariableScope:
    """The open scope.

    Source: TF 2.21 `tf.compat.v1.get_variable_scope`.
    """
    return _current.scope


class variable_scope:
    """A context in which `get_variable` adds a prefix to names, and has these default arguments.

    In eager mode no variable is shared, whatever the value of `reuse`.

    Raises: NotImplementedError for regularizer, caching_device, partitioner and custom_getter.
    Source: TF 2.21 `tf.compat.v1.variable_scope`.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        del values, reuse
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        _require_default(regularizer=regularizer, caching_device=caching_device)
        _require_default(partitioner=partitioner, custom_getter=custom_getter)
        self._asked = name_or_scope
        self._default = default_name
        properties = {
            "initializer": initializer,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._properties: dict[str, Any] = properties
        self._opens_names = auxiliary_name_scope
        self._entered: list[tuple[VariableScope, _name_scope | None]] = []

    def __enter__(self) -> VariableScope:
        outer = _current.scope
        last = self._last_name(outer)
        names = _name_scope(last) if self._opens_names and last else None
        prefix = names.__enter__() if names is not None else outer.original_name_scope
        inherited = self._asked if isinstance(self._asked, VariableScope) else outer
        properties = {
            key: getattr(inherited, key) if value is None else value for key, value in self._properties.items()
        }
        full = inherited.name if isinstance(self._asked, VariableScope) else f"{outer.name}/{last}".lstrip("/")
        _current.scope = VariableScope(AUTO_REUSE, full, name_scope=prefix, **properties)
        self._entered.append((outer, names))
        return _current.scope

    def __exit__(self, *raised: Any) -> None:
        _current.scope, names = self._entered.pop()
        if names is not None:
            names.__exit__(*raised)

    def _last_name(self, outer: VariableScope) -> str:
        """The name that this scope adds: a default name gets a number if it is already in use."""
        if isinstance(self._asked, VariableScope):
            return self._asked.name.rpartition("/")[2]
        if self._asked is not None:
            return self._asked
        assert self._default is not None
        count = outer.made[self._default] = outer.made.get(self._default, -1) + 1
        return f"{self._default}_{count}" if count else self._default


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """A new variable called `name` within the open variable scopes; as in TensorFlow's eager mode, none is shared.

    `collections` and `use_resource` have no effect.

    Shapes: `shape`, or that of an `initializer` that is a value.
    Dtypes: `dtype`, else that of an `initializer` that is a value, else that of the scope.
    Raises: ValueError without `shape` and value; NotImplementedError for regularizer, caching_device, partitioner,
      custom_getter and validate_shape=False.
    Source: TF 2.21 `tf.compat.v1.get_variable`.
    """
    del collections, use_resource
    _require_default(regularizer=regularizer, caching_device=caching_device)
    _require_default(partitioner=partitioner, custom_getter=custom_getter)
    if not validate_shape:
        raise NotImplementedError("tf.compat.v1.get_variable: validate_shape=False is not supported; leave it out.")
    scope = _current.scope
    value = _first_value(name, shape, dtype, scope.initializer if initializer is None else initializer, scope.dtype)
    with _name_scope(""):
        return Variable(
            value,
            trainable=trainable,
            name=f"{scope.name}/{name}" if scope.name else name,
            constraint=scope.constraint if constraint is None else constraint,
            synchronization=synchronization,
            aggregation=aggregation,
        )


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """As `get_variable`, but never trainable, whatever the value of `trainable`.

    Source: TF 2.21 `tf.compat.v1.get_local_variable`.
    """
    del trainable
    return get_variable(
        *(name, shape, dtype, initializer, regularizer, False, collections, caching_device, partitioner),
        *(validate_shape, use_resource, custom_getter, constraint, synchronization, aggregation),
    )


class name_scope(_name_scope):
    """`tf.name_scope` called `name`, or else `default_name`; `values` has no effect.

    Source: TF 2.21 `tf.compat.v1.name_scope`.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        del values
        super().__init__((default_name or "") if name is None else name)


def _first_value(name: str, shape: Any, dtype: Any, initializer: Any, default: Any) -> Any:
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return convert_to_tensor(initializer, dtype)
    if shape is None:
        raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
    wanted = as_dtype(default if dtype is None else dtype)
    dims = TensorShape(shape)
    if initializer is None:
        return GlorotUniform()(dims, wanted) if wanted.is_floating else zeros(dims, wanted)
    made = initializer() if isinstance(initializer, type) else initializer
    return made(dims, dtype=wanted)
