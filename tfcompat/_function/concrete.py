"""`ConcreteFunction`: a decorated function for one kind of call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax

from tfcompat._core import nest
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._function.pure import PureFunction
from tfcompat._state.variable import Variable

if TYPE_CHECKING:
    from tfcompat._function.body import Body
    from tfcompat._function.function import Function
    from tfcompat._function.signature import Call


class ConcreteFunction:
    """A trace of a decorated function, called with tensors in the places of those that it was made for.

    Attributes:
      body: the trace.

    Raises: TypeError if arguments are missing or too many; InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.types.experimental.ConcreteFunction`.
    """

    def __init__(self, function: Function, call: Call, body: Body) -> None:
        self.body = body
        self._function = function
        self._call = call

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._function.name

    @property
    def structured_input_signature(self) -> tuple[Any, Any]:
        """The arguments by position and by keyword, a `tf.TensorSpec` in the place of each tensor."""
        return nest.map_structure(_spec, (self._call.args, self._call.kwargs), expand_composites=True)

    @property
    def structured_outputs(self) -> Any:
        """The result, a `tf.TensorSpec` in the place of each tensor."""
        return nest.map_structure(_spec, self.body.result, expand_composites=True)

    @property
    def inputs(self) -> list[TensorSpec]:
        """The tensors among the arguments."""
        return [_spec(value) for value in self._call.flat if type(value) is Tensor]

    @property
    def outputs(self) -> list[TensorSpec]:
        """The tensors of the result."""
        return [leaf for leaf in nest.flatten(self.structured_outputs) if isinstance(leaf, TensorSpec)]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or assigns."""
        return self.body.variables()

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def captured_inputs(self) -> list[Any]:
        """The variables and the tensors from outside that it reads."""
        return self.body.captured()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names = self._function.signature.places(len(self._call.args))
        known = dict(zip(names, self._call.args, strict=True)) | self._call.kwargs
        given = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(names) or set(given) - set(known):
            raise TypeError(
                f"{self.name}: expected at most {list(known)}, got {len(args)} arguments and {sorted(kwargs)}."
            )
        values = {name: self._value(name, like, given) for name, like in known.items()}
        flat = nest.flatten(list(values.values()), expand_composites=True)
        wanted = nest.flatten(list(known.values()), expand_composites=True)
        for value, like in zip(flat, wanted, strict=True):
            if type(like) is Tensor and value.dtype is not like.dtype:
                raise InvalidArgumentError.of(
                    f"cannot compute {self.name}: a {like.dtype.name} tensor is expected, got a {value.dtype.name} one."
                )
        if all(v._aval is w._aval for v, w in zip(flat, wanted, strict=True) if type(w) is Tensor):
            return self.body(flat)
        # Another shape than that of the trace: the function finds or makes the trace for it.
        rest = {name: values[name] for name in self._call.kwargs}
        return self._function(*[values[name] for name in names], **rest)

    def to_jax(self, vjp_order: int = 1) -> PureFunction:
        """The pure JAX function of it: from the variables' values, and the arguments, to (result, new values).

        `jax.jit`, `jax.grad`, `jax.vmap` and the like take it. It stands for what was traced and doesn't touch the
        variables, whose values it takes and answers as a tuple in the order of `variables`. Parameters without tensors
        are left out. It can be differentiated backward `vjp_order` times; with 0 also forward, through loops whose
        length only the program knows. TensorFlow has no such name.

        Raises: NotImplementedError if it draws random numbers from the state of the seeds, or if it takes or returns
          what JAX has no arrays for.
        """
        pure = PureFunction(self.name, self.body, self._call, vjp_order)
        if pure.is_random:
            raise NotImplementedError(
                f"{self.name}: a pure function has no state, and this one draws random numbers from that of the seeds; "
                "use tf.random.stateless_uniform, stateless_normal, ... with the seed as an argument, or a "
                "tf.random.Generator, whose state is a variable."
            )
        return pure

    def jaxpr(self) -> Any:
        """What it computes as a `jaxpr` of JAX. TensorFlow has no such name.

        Takes the values of `variables`, the arguments' tensors, and the integers that a call draws, if it draws any;
        answers the result's tensors, and the variables' new values.
        """
        pure = PureFunction(self.name, self.body, self._call, 0)
        with jax.enable_x64(True):
            return jax.make_jaxpr(pure.evaluate)(*pure.structs)

    def stablehlo(self) -> str:
        """What it computes as StableHLO, before XLA optimises it; as `jaxpr`. TensorFlow has no such name."""
        pure = PureFunction(self.name, self.body, self._call, 0)
        with jax.enable_x64(True):
            return jax.jit(pure.evaluate).lower(*pure.structs).as_text()

    def export(self, platforms: Sequence[str] | None = None, vjp_order: int = 0) -> jax.export.Exported:
        """Its pure form (see `to_jax`) as a `jax.export.Exported`. TensorFlow has no such name.

        `exported.serialize(vjp_order=vjp_order)` gives bytes (it needs the package `flatbuffers`), from which
        `jax.export.deserialize` makes a function that needs nothing of this package. It is for `platforms` ("cpu",
        "cuda", "tpu"), by default the one that runs now.

        Raises: NotImplementedError, as `to_jax`.
        """
        pure = self.to_jax(vjp_order)
        values, args, kwargs, _ = pure.structs
        with jax.enable_x64(True):
            return jax.export.export(jax.jit(pure), platforms=platforms)(values, *args, **kwargs)

    def _value(self, name: str, known: Any, given: dict[str, Any]) -> Any:
        """The argument `name`: tensors must be given, other values are those of the trace."""
        if name not in given:
            if any(isinstance(leaf, (Tensor, Variable)) for leaf in nest.flatten(known, expand_composites=True)):
                raise TypeError(f"{self.name}: missing a required argument: {name!r}.")
            return known
        value = given[name]
        if isinstance(known, Tensor) and not isinstance(value, Tensor):
            raise TypeError(f"{self.name}: expected the argument {name!r} to be a Tensor; got {type(value).__name__}.")
        nest.assert_same_structure(known, value, expand_composites=True)
        return value

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """What it takes and gives: a paragraph, or without `verbose` a line.

        Source: TF 2.21 `ConcreteFunction.pretty_printed_signature`.
        """
        names = self._function.signature.places(len(self._call.args))
        known = dict(zip(names, self._call.args, strict=True)) | self._call.kwargs
        outputs = _shown(self.structured_outputs)
        if not verbose:
            return f"({', '.join(f'{name}: {_shown(value)}' for name, value in known.items())}) -> {outputs}"
        kinds = {parameter.name: parameter.kind.name for parameter in self._function.signature.parameters()}
        inputs = [f"  {name} ({kinds.get(name, 'VAR_POSITIONAL')}): {_shown(value)}" for name, value in known.items()]
        captured = [f"  {_shown(value)}" for value in self.captured_inputs] or ["  None"]
        return "\n".join(["Input Parameters:", *inputs, "Output Type:", f"  {outputs}", "Captures:", *captured])

    def __str__(self) -> str:
        return self.pretty_printed_signature()

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at 0x{id(self):X}>"


def _spec(value: Any) -> Any:
    return TensorSpec(value.shape, value.dtype) if isinstance(value, (Tensor, Variable)) else value


def _shown(value: Any) -> str:
    """A type as TensorFlow prints it."""
    value = _spec(value)
    if isinstance(value, TensorSpec):
        return repr(value)
    if isinstance(value, dict):
        return f"Dict[{', '.join(f'[{key!r}, {_shown(part)}]' for key, part in value.items())}]"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__.capitalize()}[{', '.join(map(_shown, value))}]"
    return f"Literal[{value!r}]"
