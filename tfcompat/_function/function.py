"""`tf.function`: a Python function whose traces are kept, one for each kind of call."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from tfcompat._core import nest
from tfcompat._core.spec import TensorSpec
from tfcompat._function.body import traced
from tfcompat._function.concrete import ConcreteFunction
from tfcompat._function.graph import hole, tracing
from tfcompat._function.mode import mode
from tfcompat._function.retracing import Retracing
from tfcompat._function.signature import Call, Signature


class _Traces:
    """What a function remembers: its concrete functions by the keys of calls, and how often its body was traced."""

    def __init__(self) -> None:
        self.known: dict[Any, ConcreteFunction] = {}
        self.count = 0
        self.creates = True
        self.retracing = Retracing()


class Function:
    """What `tf.function` makes of a Python function.

    A call traces the function's body if it is the first of its kind (see the guide); later ones run the trace that was
    kept, as one program.

    Raises: what the body raises; TypeError if arguments don't fit; ValueError if variables are created after the first
      call.
    Source: TF 2.21 `tf.types.experimental.PolymorphicFunction`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_signature: Any,
        autograph: bool,
        features: Any,
    ) -> None:
        self.python_function = function
        self._is_converted = autograph
        self._features = features
        self._specs = input_signature
        self._instance: Any = None
        self.signature = Signature(function, input_signature, has_instance=False)
        self._traces = _Traces()
        self._of_instances: weakref.WeakKeyDictionary[Any, tuple[Signature, _Traces]] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, function, updated=())

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return getattr(self.python_function, "__name__", "function")

    @property
    def input_signature(self) -> Any:
        """As given, or None."""
        return self.signature.input_signature

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        """The function as a method: each instance has traces of its own."""
        if instance is None:
            return self
        known = self._of_instances.get(instance)
        if known is None:
            known = Signature(self.python_function, self._specs, has_instance=True), _Traces()
            self._of_instances[instance] = known
        method = object.__new__(Function)
        method.__dict__.update(self.__dict__)
        method._instance = instance
        method.signature, method._traces = known
        return method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.runs_eagerly:
            return self._python()(*args, **kwargs)
        call = self.signature.call(args, kwargs)
        traces = self._traces
        found = traces.known.get(call.key)
        if found is None:
            found = self._found(call)
        else:
            traces.retracing.called()
        return found.body(call.flat)

    def _found(self, call: Call) -> ConcreteFunction:
        """The concrete function for `call`, traced if no other thread has done it meanwhile."""
        with tracing:
            found = self._traces.known.get(call.key)
            if found is None:
                found = self._trace(call)
                self._traces.retracing.traced(self.name, self.signature.keys(call))
            return found

    def _python(self) -> Callable[..., Any]:
        function = self.python_function
        return function if self._instance is None else functools.partial(function, self._instance)

    def _weakly(self) -> Function:
        """This method without a hold on its instance, for what the instance's own traces refer to."""
        method = object.__new__(Function)
        method.__dict__.update(self.__dict__)
        method._instance = weakref.proxy(self._instance)
        return method

    def _trace(self, call: Call) -> ConcreteFunction:
        """A concrete function for `call`. One that made variables serves this call alone, as in TensorFlow."""
        traces = self._traces
        function = self._python()
        if self._is_converted:
            from tfcompat._function.autograph import converted  # loads a parser: only those who trace wait for it

            function = converted(function, self._features)
        traces.count += 1
        body = traced(function, self.name, call, self.signature.names(), creates=traces.creates)
        traces.creates = False
        if body.loses_variables:
            return self._trace(call)
        concrete = ConcreteFunction(self if self._instance is None else self._weakly(), call, body)
        if not body.created:
            traces.known[call.key] = concrete
        return concrete

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The concrete function for such arguments: tensors or `tf.TensorSpec`s in their places, other values as given.

        Raises: TypeError if they don't fit.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        args, kwargs = nest.map_structure(_standing_in, (args, kwargs), expand_composites=True)
        call = self.signature.call(args, kwargs)
        found = self._traces.known.get(call.key)
        if found is None:
            found = self._trace(call)
            if found.body.created:
                found.body.initialise()
                found = self._trace(call)
        return found

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._traces.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What the traces are for: a paragraph each, or without `verbose` a line."""
        known = self._traces.known.values()
        return "\n\n".join(concrete.pretty_printed_signature(verbose) for concrete in known)

    def __repr__(self) -> str:
        return f"<tf.function of {self.python_function!r}>"


def _standing_in(value: Any) -> Any:
    """A tensor without a value in the place of a spec."""
    if not isinstance(value, TensorSpec):
        return value
    if not value.shape.is_fully_defined():
        raise NotImplementedError(
            f"tf.function.get_concrete_function: {value!r} leaves dimensions open, and XLA's shapes are fixed; give "
            "the shape, or call the function, which traces for the shapes that it gets."
        )
    return hole(value.shape, value.dtype)


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """`func` with its traces kept: traced once for each kind of call, then run as one program.

    Everything is compiled by XLA, whatever `jit_compile` says. A call with new shapes is traced anew, also with
    `reduce_retracing` and where `input_signature` leaves dimensions open, because XLA's shapes are fixed.

    `experimental_implements` and `experimental_attributes` name the function for converters of TensorFlow's graphs, of
    which there are none here; type hints are never followed, as in TensorFlow 2.21.

    Raises: TypeError if `input_signature` is no sequence or lacks a parameter; ValueError for both `jit_compile` and
      `experimental_compile`.
    Source: TF 2.21 `tf.function`.
    """
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
    del (
        jit_compile,
        experimental_compile,
        reduce_retracing,
        experimental_implements,
        experimental_attributes,
        experimental_relax_shapes,
    )
    del experimental_follow_type_hints

    def decorate(inner: Callable[..., Any]) -> Function:
        if isinstance(inner, Function):
            inner = inner.python_function
        return Function(inner, input_signature, autograph, experimental_autograph_options)

    return decorate if func is None else decorate(func)
