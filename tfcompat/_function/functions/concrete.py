"""`ConcreteFunction`: a decorated function for one kind of call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

import jax

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.arguments.argument_placeholder import (
    arguments_of,
    placeholders_of,
    shown_to_user,
    tensor_names,
    values_to_trace,
)
from tfcompat._function.arguments.function_type import FunctionType
from tfcompat._function.arguments.open_size import Axes
from tfcompat._function.arguments.signature import Call, Signature, entered
from tfcompat._function.arguments.trace_type import VariableSpec, types_of
from tfcompat._function.functions.open_traces import OpenTraces
from tfcompat._function.functions.pure import PureFunction
from tfcompat._function.graphs.refusal import refused_by_program
from tfcompat._function.running.body import Body, is_numeric
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.tracing import traced
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.variable import Variable

# Attributes that expose or modify TensorFlow's graphs.
_OF_GRAPHS = frozenset(
    (
        *("from_func_graph", "function_def", "graph", "inference_fn"),
        *("replace_capture_with_deferred_capture", "set_external_captures", "set_variables"),
    )
)


class Decorated(Protocol):
    """The interface of a decorated function that its concrete functions use.

    Attributes:
      signature: its parameters.
    """

    signature: Signature

    @property
    def name(self) -> str:
        """The name of the Python function."""
        ...

    def run(self, call: Call) -> Any:
        """Makes `call`."""
        ...

    def body_for(self, call: Call) -> Body:
        """The body for `call`, which is traced if necessary."""
        ...

    def traced(self, call: Call) -> ConcreteFunction:
        """The concrete function for `call`."""
        ...

    def traced_with_symbols(self, call: Call, axes: Axes | None, traces: OpenTraces) -> Body | None:
        """The body for `call` of a new trace, added to `traces`, in which the sizes of `axes` are open.

        It has symbols if the trace refuses the sizes of `call`.
        """
        ...


class ConcreteFunction(Trackable):
    """A trace of a decorated function, which is called with other values of the same types.

    Attributes:
      body: the trace.
      call: the call that it was made for, without tensors' values and without a hold on objects.
      programs: its programs in SavedModels, by whether they have gradients.

    Raises: TypeError if arguments don't fit; InvalidArgumentError for a tensor of another dtype.
    Source: TF 2.21 `tf.types.experimental.ConcreteFunction`.
    """

    def __init__(self, function: Decorated, call: Call, body: Body, specs: Any = None) -> None:
        """The trace `body` for `call`. `specs`, if given, are the arguments with specs in place of tensors."""
        self.body = body
        self.programs: dict[bool, Any] = {}
        self._function = function
        args, kwargs = placeholders_of((call.args, call.kwargs))
        self.call = Call(args, kwargs, nest.flatten((args, kwargs), expand_composites=True), call.key)
        self._specs = placeholders_of(specs) if specs is not None else (args, kwargs)

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._function.name

    @functools.cached_property
    def _types(self) -> tuple[Any, Any]:
        """The types of the positional and of the keyword arguments."""
        return types_of(self._specs)

    @functools.cached_property
    def _accepted(self) -> FunctionType:
        """The parameters."""
        return self._function.signature.typed(*self._types)

    @property
    def function_type(self) -> FunctionType:
        """The types of the arguments, of the result, and of the captured inputs."""
        captures = types_of(self.captured_inputs)
        return self._function.signature.typed(*self._types, types_of(self.structured_outputs), captures)

    @property
    def structured_input_signature(self) -> tuple[Any, Any]:
        """The positional and keyword arguments, with a named `tf.TensorSpec` in place of each tensor."""
        names = list(self._accepted.parameters)
        args, kwargs = self._types
        shown = tuple([shown_to_user(*pair) for pair in zip(names, args, strict=False)])
        return shown, {name: shown_to_user(name, kind) for name, kind in kwargs.items()}

    @property
    def structured_outputs(self) -> Any:
        """The result, with each tensor replaced by a `tf.TensorSpec` and each composite by its spec."""
        return nest.map_structure(result_spec, self.body.result)

    @property
    def output_shapes(self) -> Any:
        """The result, with each tensor replaced by its `tf.TensorShape`."""
        return nest.map_structure(lambda spec: TensorShape(spec and spec.shape), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The result, with each tensor replaced by its dtype."""
        return nest.map_structure(lambda spec: spec and spec.dtype, self.structured_outputs)

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of the tensors among the arguments."""
        leaves = nest.flatten(self.structured_input_signature, expand_composites=True)
        return [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of the tensors in the result."""
        leaves = nest.flatten(self.structured_outputs, expand_composites=True)
        return [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or assigns."""
        return self.body.stored.variables()

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def tensor_names(self) -> list[str]:
        """Unique names of the tensors among the arguments."""
        return tensor_names(
            dict(zip(self._accepted.parameters, (*self._types[0], *self._types[1].values()), strict=True))
        )

    @property
    def captured_inputs(self) -> list[Any]:
        """The variables and the tensors from outside that it reads."""
        given = [leaf for leaf in self.call.flat if isinstance(leaf, Variable)]
        captured = [source for source in self.body.sources if isinstance(source, (Variable, Tensor))]
        return [source for source in captured if not any(source is variable for variable in given)]

    def __getattr__(self, name: str) -> NoReturn:
        if name in _OF_GRAPHS:
            raise NotImplementedError(
                f"tf.types.experimental.ConcreteFunction.{name}: there are no TensorFlow graphs; use jaxpr(), "
                "stablehlo() or export() to show or save the program of the function."
            )
        raise AttributeError(f"'ConcreteFunction' object has no attribute '{name}'")

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Does nothing: traces hold the functions that they call. Raises NotImplementedError for a graph `g`."""
        del overwrite
        if g is not None:
            raise NotImplementedError("tf.types.experimental.ConcreteFunction.add_to_graph: a graph is not supported.")

    add_gradient_functions_to_graph = add_to_graph

    @functools.cached_property
    def _avals(self) -> list[Any]:
        """The avals of the arguments if all are positional numeric tensors; otherwise a list that equals no call's."""
        args, kwargs = self.call.args, self.call.kwargs
        is_plain = not kwargs and all(map(is_numeric, args))
        return [arg._aval for arg in args] if is_plain else [None]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_plain = not kwargs and [arg._aval if type(arg) is Tensor else self for arg in args] == self._avals
        if is_plain and self.body.fits:
            return self.body(args)
        try:
            bound = self._accepted.bound(args, kwargs)
        except (TypeError, ValueError) as problem:
            bound = self._flat(args, kwargs, problem)
        return self._run(entered(*bound))

    def _run(self, call: Call) -> Any:
        """The result. For other shapes than those of this trace, the function finds or makes another trace."""
        if call.key == self.call.key and self.body.fits:
            return self.body(call.flat)
        try:
            return self._function.run(call)
        except (TypeError, ValueError) as refused:
            raise refused_by_program(refused) from None

    def _flat(
        self, args: Sequence[Any], kwargs: dict[str, Any], problem: Exception
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, from a flat list of tensors given by position, or by the names of parameters and specs.

        Raises: TypeError if they don't fit. `problem` is the reason why they don't fit in their structure.
        """
        kinds = dict(zip(self._accepted.parameters, (*self._types[0], *self._types[1].values()), strict=True))
        names = tensor_names(kinds)
        given = dict(zip(names, args, strict=False)) | kwargs
        reason = _misfit(names, args, kwargs)
        values = [given.get(name) for name in names]
        if reason is None:
            reason = next((_no_tensor(k, value) for k, value in enumerate(values) if not _is_tensor(value)), None)
        if reason is not None:
            label = f"{self.name}({', '.join(names)})"
            raise TypeError(
                f"{self.function_type.refusal(problem, tuple(args), kwargs)}\n"
                f"Fallback to flat signature also failed due to: {label}{reason}"
            ) from None
        self._require_dtypes(values)
        return arguments_of(self._types, values)

    def _require_dtypes(self, values: Sequence[Any]) -> None:
        """Raises InvalidArgumentError if one of `values` has another dtype, or is a tensor in place of a variable."""
        kinds = [kind for kind in nest.flatten(self._types, expand_composites=True) if _is_tensor_type(kind)]
        for k, (kind, value) in enumerate(zip(kinds, values, strict=True)):
            if value.dtype is not kind.dtype or isinstance(kind, VariableSpec) > isinstance(value, Variable):
                raise InvalidArgumentError.of(
                    f"cannot compute {self.name} as input #{k}(zero-based) was expected to be a {kind.dtype.name} "
                    f"{'variable' if isinstance(kind, VariableSpec) else 'tensor'}, but is a {value.dtype.name} tensor."
                )

    def _pure(self, vjp_order: int) -> PureFunction:
        args, kwargs = values_to_trace((self.call.args, self.call.kwargs))
        return PureFunction(self.name, self.body, entered(args, kwargs), vjp_order)

    def to_jax(self, vjp_order: int = 1) -> PureFunction:
        """A pure JAX function of the variables' values and the arguments, which returns (result, new values).

        It can be passed to `jax.jit`, `jax.grad`, `jax.vmap` and other transformations. It represents the trace and
        doesn't change the variables: it takes and returns their values as a tuple in the order of `variables`.
        Parameters without tensors are left out. It can be differentiated backward `vjp_order` times; with 0 also
        forward, through loops whose length is computed by the program. TensorFlow has no such name.

        Raises: NotImplementedError if it draws random numbers from the global seed state, or if it takes or returns
          values that JAX arrays can't represent.
        """
        return self._deterministic(self._pure(vjp_order))

    def with_pure(self, use: Callable[[PureFunction], Any], vjp_order: int = 0) -> Any:
        """The result of `use` for the pure function (see `to_jax`), which may be random, with JAX's 64-bit types.

        Raises: NotImplementedError if the function takes or returns values that JAX arrays can't represent.
        """
        with jax.enable_x64(True):
            return use(self._pure(vjp_order))

    def _deterministic(self, pure: PureFunction) -> PureFunction:
        if pure.is_random:
            raise NotImplementedError(
                f"{self.name}: a pure function has no state, but this one draws from the global random state; "
                "use tf.random.stateless_uniform, stateless_normal, ... with the seed as an argument, or a "
                "tf.random.Generator, whose state is a variable."
            )
        return pure

    def jaxpr(self) -> Any:
        """The computation as a JAX `jaxpr`. TensorFlow has no such name.

        Its inputs are the values of `variables`, the tensors of the arguments, and the integers that a call draws, if
        any. Its outputs are the tensors of the result and the new values of the variables.
        """
        pure = self._pure(0)
        return traced(pure.evaluate, pure.structs)

    def lowered(self) -> jax.stages.Lowered:
        """The computation lowered by JAX for this platform, with the inputs of `jaxpr`. TensorFlow has no such name."""
        pure = self._pure(0)
        with postponed(), jax.enable_x64(True):
            return jitted(pure.evaluate).lower(*pure.structs)

    def stablehlo(self) -> str:
        """The computation as StableHLO before XLA optimises it. TensorFlow has no such name."""
        return self.lowered().as_text()

    def export(self, platforms: Sequence[str] | None = None, vjp_order: int = 0) -> jax.export.Exported:
        """The pure function (see `to_jax`) as a `jax.export.Exported`. TensorFlow has no such name.

        `exported.serialize(vjp_order=vjp_order)` returns bytes (it needs the package `flatbuffers`), from which
        `jax.export.deserialize` makes a function that doesn't need this package. It is compiled for `platforms` ("cpu",
        "cuda", "tpu"), by default the current one.

        Raises: NotImplementedError, as `to_jax`.
        """
        pure = self.to_jax(vjp_order)
        values, args, kwargs, _ = pure.structs
        with postponed(), jax.enable_x64(True):
            return jax.export.export(jitted(pure), platforms=platforms)(values, *args, **kwargs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The types of the arguments and the result, in a paragraph, or in one line without `verbose`.

        Source: TF 2.21 `ConcreteFunction.pretty_printed_signature`.
        """
        return repr(self.function_type) if verbose else str(self.function_type)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at 0x{id(self):X}>"


def result_spec(value: Any) -> Any:
    """The spec of `value`, a leaf of a result."""
    if hasattr(type(value), "_type_spec"):
        # As in TensorFlow, composites of libraries stay, with tensors without values.
        return value if hasattr(value._type_spec, "_to_components") else value._type_spec
    if is_composite(type(value)):
        return value._unflatten_composite(value, list(map(result_spec, value._flatten_composite())))
    return None if value is None else TensorSpec(value.shape, value.dtype)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable))


def _is_tensor_type(kind: Any) -> bool:
    return isinstance(kind, (TensorSpec, VariableSpec))


def _no_tensor(place: int, value: Any) -> str:
    return f": expected argument #{place}(zero-based) to be a Tensor; got {type(value).__name__} ({value})."


def _misfit(names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
    """The reason why `args` and `kwargs` don't fit the parameters `names`; None if they fit."""
    if len(args) > len(names):
        return f" takes {len(names)} positional arguments, got {len(args)}."
    if missing := [name for name in names[len(args) :] if name not in kwargs]:
        return f" missing required arguments: {', '.join(missing)}."
    if twice := [name for name in names[: len(args)] if name in kwargs]:
        return f" got two values for {twice[0]!r}."
    if unknown := [name for name in kwargs if name not in names]:
        return f" got unexpected keyword arguments: {', '.join(unknown)}."
    return None
