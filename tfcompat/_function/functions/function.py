"""`tf.function`: a Python function whose traces are cached, one for each kind of call."""

from __future__ import annotations

import functools
import types
import weakref
from collections import ChainMap
from collections.abc import Callable, Hashable
from typing import Any, NoReturn

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import (
    CreationError,
    FindsSizeError,
    HostLoopError,
    UnexpectedValueError,
    UnmetError,
    UntraceableError,
)
from tfcompat._core.system.location import is_raised_by_user
from tfcompat._core.system.lock import binding
from tfcompat._core.tracing.known_size import for_known_sizes
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._function.arguments.element import OtherOrder, Reading, Reads
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.arguments.function_spec import FunctionSpec, spec_of
from tfcompat._function.arguments.function_type import FunctionType
from tfcompat._function.arguments.mutation import unchanging
from tfcompat._function.arguments.open_size import Axes, OpenSizes
from tfcompat._function.arguments.retracing import retracing_of
from tfcompat._function.arguments.signature import Call, Signature, entered
from tfcompat._function.arguments.trace_reason import report_trace
from tfcompat._function.block.refused_block import REFUSALS
from tfcompat._function.control.whole_part import as_part
from tfcompat._function.functions.compiler_ir import compiler_ir_of
from tfcompat._function.functions.concrete import ConcreteFunction
from tfcompat._function.functions.function_traces import FunctionTraces, Method
from tfcompat._function.functions.late_autograph import autograph
from tfcompat._function.functions.open_function import OpenFunction
from tfcompat._function.functions.open_traces import OpenTraces
from tfcompat._function.functions.requested import listed, requested, shown, without_symbols
from tfcompat._function.functions.room import Room
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.mode import mode
from tfcompat._function.graphs.refusal import refuse_reading, refused_by_call, refused_by_program, returned
from tfcompat._function.graphs.untraced import UntracedBody, UntracedCode, kind_of, run_untraced, stream_key, values_of
from tfcompat._function.running.body import Body, traced
from tfcompat._function.running.bounded_body import may_run, require_alone, runs_alone
from tfcompat._function.running.draws import streams_of
from tfcompat._function.sizes.bounded_graph import BoundedGraph
from tfcompat._function.sizes.part_graph import PartGraph
from tfcompat._state.tracking.trackable import SaveType, Trackable


class Function(Trackable):
    """A decorated Python function, made by `tf.function`.

    The first call of each kind (see the guide) traces the function's body. Later calls run the cached trace as one
    program.

    Raises: the exceptions of the body; TypeError if arguments don't fit; ValueError if variables are created after the
      first call.
    Source: TF 2.21 `tf.types.experimental.PolymorphicFunction`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_signature: Any,
        autograph: bool,
        features: Any,
        jit_compile: bool | None,
        reduces_retracing: bool,
    ) -> None:
        self.python_function = function
        self._is_converted = autograph
        self._features = features
        self._is_jit_compiled = jit_compile
        self._reduces_retracing = reduces_retracing
        self._specs = input_signature
        self._instance: Any = None
        self.signature = Signature(function, input_signature, has_instance=False)
        self._traces = FunctionTraces(retracing_of(function))
        self._methods: weakref.WeakKeyDictionary[Any, Method] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, function, updated=())
        vars(self).update(getattr(function, "__dict__", {}) | vars(self))
        vars(self)["__signature__"] = self.signature.python  # `inspect.getfullargspec` does not follow `__wrapped__`

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return getattr(self.python_function, "__name__", "function")

    @property
    def input_signature(self) -> Any:
        """As given, or None."""
        return self.signature.input_signature

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with the types that the input signature gives them."""
        return self.signature.type

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The function as a method. Each instance has its own traces; a composite is an argument instead."""
        if instance is None:
            return self
        if is_composite(type(instance)) and getattr(instance, "_type_spec", None) is not None:
            return types.MethodType(self, instance)
        known = self._methods.get(instance)
        if known is None:
            signature = Signature(self.python_function, self._specs, has_instance=True)
            method = Method(signature, retracing_of(self.python_function))
            with binding:
                known = self._methods.setdefault(instance, method)
        method = known.alive()
        if method is None:
            method = self._with_instance(instance)
            method.signature, method._traces, known.alive = known.signature, known.traces, weakref.ref(method)
            vars(method)["__signature__"] = known.signature.python
        return method

    def _with_instance(self, instance: Any) -> Function:
        """This function as the method of `instance`."""
        method = object.__new__(Function)
        method.__dict__.update(self.__dict__)
        method._instance = instance
        return method

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the Python function and the options, without the traces."""
        if self._instance is not None:
            return getattr, (self._instance, self.name)
        function = self.python_function
        options = (self._specs, self._is_converted, self._features, self._is_jit_compiled, self._reduces_retracing)
        return Function, (function, *options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if mode.runs_eagerly:
            return self.undecorated()(*args, **kwargs)
        try:
            return self.answer(self.signature.call(args, kwargs))
        except (*REFUSALS, UntraceableError) as refusal:
            is_within = isinstance(here.graph, BoundedGraph | PartGraph) and isinstance(refusal, FindsSizeError)
            if not is_within and (element_trace() is None or is_raised_by_user(refused_by_program(refusal))):
                raise
        return self._in_outer_function(args, kwargs)

    def _in_outer_function(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call that has no trace of its own: its ops become those of the function around it."""
        args, kwargs = self.signature.bound(args, kwargs)

        def converted(value: Any) -> Any:
            return value if value is None or isinstance(value, Elemental) else returned(self.name, value)

        return nest.map_structure(converted, self._converted()(*args, **kwargs), expand_composites=True)

    def answer(self, call: Call) -> Any:
        """The result of `call`, whose trace may be known."""
        found = self._traces.trace_for(call.key)
        if found is None or not may_run(found.body):
            return self.run(call)
        self._traces.retracing.called()
        try:
            return found.body(call.flat)
        except UnexpectedValueError as surprised:
            return self._run_again(call, surprised)

    def _run_again(self, call: Call, surprised: UnexpectedValueError) -> Any:
        """The result of `call`, for which no program is fit: Python runs, and takes the answers of Python functions."""
        with surprised.answers.in_use():
            return self._run_as(self._untraced(call, surprised, call), call)

    def run(self, call: Call) -> Any:
        """The result of `call`, which is traced if it has no trace and can have one."""
        traces, reads = self._traces, self._traces.reads.get(call.key)
        kind = kind_of(call) if traces.untraced else None
        known = traces.untraced.get(kind)
        if known is None or (here.graph is None and (reads is not None or self._recurs(known, call, kind))):
            count = traces.count
            try:
                result = self._read_and_run(call, reads, known)
                if known is not None and known.may_expect:
                    traces.count = count  # in TensorFlow the first call has the only trace
                return result
            except CreationError:
                if here.graph is not None:
                    raise
                return self._run_once(call)
            except UntraceableError as refused:
                if here.graph is not None:
                    raise
                if known is not None and known.may_expect:
                    traces.count = count
                if isinstance(refused, UnexpectedValueError):
                    return self._run_again(call, refused)
                known = self._untraced(call, refused, call)
        if not traces.creates or here.graph is not None:
            return self._run_as(known, call)
        # As while a function is traced first, one thread makes the variables. A call that fails may be made again.
        with traces.lock:
            result = self._run_as(known, call, creates=traces.creates)
            traces.creates = False
            return result

    def _run_as(self, known: UntracedBody, call: Call, *, creates: bool = False) -> Any:
        """The result of `call`, whose kind has the body `known`."""
        result = known(self._converted(), call, creates=creates, key=self._stream_key(call))
        self._traces.expectations.note_lengths(call.key, known.lengths)
        if known.answer_shapes:
            self._traces.expectations.note_shapes(call.key)
        return result

    def _recurs(self, known: UntracedBody, call: Call, kind: Hashable) -> bool:
        """Whether `call`, whose `kind` has the body `known`, is to be traced all the same."""
        traces = self._traces
        if traces.recur(kind, values_of(call)) or self._has_room(call):
            return True
        if not (known.may_expect and known.has_ended and runs_alone()):
            return False
        return traces.recurs(call.key)

    def _has_room(self, call: Call) -> bool:
        """Whether a trace with room serves `call`, or may do so."""
        return runs_alone() and self._traces.rooms.may_serve(call, self._axes(call))

    def _stream_key(self, call: Call) -> Hashable:
        """A key of calls that continue the random streams of each other: TensorFlow has one trace for them."""
        if self.signature.is_open and call.axes is None:
            return None
        return self._traces.stream_key(call, is_widening=self._reduces_retracing)

    def _run_once(self, call: Call) -> Any:
        """The result of `call`, which runs untraced: in a trace, a part of the function would create a variable."""
        with self._traces.lock:
            code = UntracedCode(_of_loop, compiles_all=False)
            result = run_untraced(code, self._converted(), call, creates=self._traces.creates)
            self._traces.creates = self._traces.creates and not code.has_created
            self._traces.go_on(self._stream_key(call), code.drawn())
            return result

    def _read_and_run(self, call: Call, reads: Reads | None, known: UntracedBody | None) -> Any:
        """The result of the trace for `call`, after reading the elements of iterators that it takes.

        `reads` is how earlier traces for such calls read them, `known` what runs such calls untraced; or None.
        """
        traces = self._traces
        reading = Reading(call, reads)
        if reads is None and any(isinstance(leaf, Elemental) and not leaf.is_source for leaf in call.flat):
            traces.count += 1  # TensorFlow traces it
            refuse_reading("a dataset that is an argument")
        while True:
            if not reading.read():
                reading.require_late()
                reading.give_back()
                ended = HostLoopError(f"{self.name} asks for an element of an iterator that has ended")
                return UntracedBody(self.name, ended, _of_loop)(self._converted(), call, creates=traces.creates)
            found = reading.body()
            if found is not None and may_run(found[0]):
                traces.retracing.called()
                body, flat = found
                return reading.answer(body, flat)
            whole = reading.call()
            try:
                if known is not None:
                    self._follow(known, call, whole, is_reordered=reading.is_reordered)
                concrete = self._known_or_traced(whole)
            except OtherOrder as other:
                if other.reading is not reading:
                    raise
                reading.reorder(other.order)
                continue
            except BaseException as failed:
                reading.give_back()
                is_lasting = not isinstance(failed, CreationError)
                if isinstance(failed, UntraceableError) and is_lasting and here.graph is None:
                    self._untraced(call, failed, whole)
                    if runs_alone():
                        traces.expectations.note(whole.key, is_given_up=not isinstance(failed, UnmetError))
                raise
            body = concrete.body
            if reading.reads.order:
                reading.keep(body)
                traces.reads[call.key] = reading.reads
            result = reading.answer(body, whole.flat)
            if body.draws_again:
                body.draws_again = False
                body.restart()
            return result

    def _follow(self, known: UntracedBody, call: Call, whole: Call, *, is_reordered: bool) -> None:
        """Prepares for a trace for `whole`, which is `call` with its elements; calls ran as `known` so far.

        Raises UnmetError if such elements have not recurred, unless the order `is_reordered` of those that have.
        """
        is_first = whole.key != call.key and not is_reordered and not self._has_room(whole)
        if known.may_expect and is_first and not self._traces.recurs(whole.key):
            raise UnmetError(f"{self.name} takes elements whose shapes have not recurred")
        self._traces.go_on(self._stream_key(whole), known.drawn(self._stream_key(call)))

    def _known_or_traced(self, call: Call) -> ConcreteFunction:
        """The cached trace for `call`, or a new one."""
        found = self._traces.trace_for(call.key)
        if found is not None and may_run(found.body):
            return found
        if found is not None and (here.graph is not None or found.body.is_wasteful):
            require_alone(self.name, found.body)
        if here.graph is None:
            self._traces.require_few_values(kind_of(call), values_of(call))
        return self._found(call, is_called=True)

    def body_for(self, call: Call) -> Body:
        """The body for `call`, which is traced if necessary. Raises UntraceableError if it can't be."""
        return self._known_or_traced(call).body

    def _untraced(self, call: Call, refusal: UntraceableError, whole: Call) -> UntracedBody:
        """The body that runs calls such as `call` untraced, as tracing `whole`, with its elements, raised `refusal`."""
        traces, kind = self._traces, kind_of(call)
        found = traces.untraced.get(kind)
        if found is None:
            streams = ChainMap(
                {self._stream_key(call): traces.streams.get(self._stream_key(whole), [])}, traces.streams
            )
            body = UntracedBody(self.name, refusal, _of_loop, streams)
            found = traces.untraced.setdefault(kind, body)
        return found

    def _converted(self) -> Callable[..., Any]:
        """The Python function, rewritten by AutoGraph if that is switched on. It refuses changes of its arguments."""
        function = self.undecorated()
        if self._is_converted:
            function = autograph().converted(function, self._features)
        return unchanging(function, getattr(self, "__qualname__", self.name), self.signature.python)

    def _found(self, call: Call, *, is_called: bool = False) -> ConcreteFunction:
        """The cached trace for `call`, or a new one. Of several threads that need it, only one traces.

        A thread that is already tracing doesn't wait for the lock: its owner may be waiting for this thread's trace.
        """
        lock = self._traces.lock
        is_mine = lock.acquire(blocking=here.graph is None)
        try:
            found = self._traces.trace_for(call.key)
            if found is None or not may_run(found.body):
                is_first = stream_key(call) not in self._traces.streams
                found = self._traced_for(call, is_called=is_called)
                if found.body.has_created and (here.graph is None or not found.body.created):
                    draws_again = found.body.initialise(call.flat if is_called else None)
                    found = self._trace(call, is_called=is_called)
                    found.body.draws_again = draws_again
                has_known_sizes = call.axes is None and not (self._reduces_retracing or self.signature.is_open)
                if is_called and is_first and has_known_sizes and here.graph is None:
                    self._traces.retracing.traced(self.name, self.signature.keys(call))
            return found
        finally:
            if is_mine:
                lock.release()

    def _traced_for(self, call: Call, *, is_called: bool) -> ConcreteFunction:
        """As `_trace`. Where sizes are open, TensorFlow finds those that don't fit when the trace runs."""
        try:
            return self._trace(call, is_called=is_called)
        except (TypeError, ValueError) as refused:
            if not self.signature.is_open:
                raise
            raise refused_by_call(refused) from None

    def traced(self, call: Call) -> ConcreteFunction:
        """The trace for `call`, after all its variables have been created."""
        found = self._found(call)
        if found.body.created:
            found.body.initialise(None)
            found = self._trace(call)
        if found.body.finds_sizes:
            raise FindsSizeError(f"{self.name} finds sizes, which only its calls can do")
        return found

    def _lifted(self, function: Callable[..., Any]) -> Function:
        """`function`, which calls this one, decorated with the same options."""
        return Function(function, None, False, None, self._is_jit_compiled, self._reduces_retracing)

    def undecorated(self) -> Callable[..., Any]:
        """The Python function; a bound method if this is one."""
        function = self.python_function
        return function if self._instance is None else types.MethodType(function, self._instance)

    def _weakly(self) -> Function:
        """This method with a weak reference to its instance, for traces that the instance owns."""
        if self._instance is None or isinstance(self._instance, weakref.ProxyTypes):
            return self
        return self._with_instance(weakref.proxy(self._instance))

    def _trace(self, call: Call, *, is_called: bool = False) -> ConcreteFunction:
        """A new concrete function for `call`. One that created variables is not cached, as in TensorFlow.

        If it `is_called`, outside of tapes and of other functions, its program may find sizes itself.
        """
        traces, count = self._traces, self._traces.count
        try:
            copied = self._open_body(call)
            if copied is None and is_called and runs_alone():
                copied = traces.rooms.body(call)
            body = copied
            if body is None:
                with for_known_sizes(are_open=self.signature.is_open or call.axes is not None):
                    body = self._bounded_body(call) if is_called and runs_alone() else self._recorded_body(call)
                traces.opened.refuse((kind_of(call), values_of(call)))
        except UntraceableError:
            traces.count += 1  # TensorFlow traces it
            raise
        finally:
            if settings.is_explaining and traces.count > count:
                earlier = [concrete.call for concrete in traces.known.values()]
                is_refused = bool(traces.untraced)
                report_trace(self.undecorated(), self.signature, call, earlier, count, is_refused=is_refused)
        traces.creates = False
        if body.loses_variables:
            return self._trace(call, is_called=is_called)
        key, has_open_sizes = self._stream_key(call), self.signature.is_open or call.axes is not None
        is_shared = values_of(call) or body.stored.is_replaceable or self._reduces_retracing or key in traces.streams
        if has_open_sizes or (is_shared and not body.has_created):
            traces.go_on(key, streams_of(body.stored))
        concrete = ConcreteFunction(self._weakly(), call, body)
        if not body.has_created:
            traces.known[call.key] = concrete
            for key in traces.copies.add(call.key, body) if copied is not None else ():
                traces.known.pop(key, None)
        return concrete

    def _bounded_body(self, call: Call) -> Body:
        """A new body for `call`, whose program may find sizes, and expects values and shapes of earlier calls."""
        traces = self._traces
        earlier = traces.earlier(call, self._stream_key(call))
        return traces.rooms.bounded(self.name, call, self._axes(call), earlier, self._body, creates=traces.creates)

    def _recorded_body(self, call: Call) -> Body:
        """A new body for `call` under a tape or in another function; a part of it may find sizes."""
        try:
            return self._body(call)
        except FindsSizeError:
            if here.graph is not None:
                raise
        return self._body(call, is_part=True)

    def _body(
        self,
        call: Call,
        sizes: OpenSizes | None = None,
        graph: Graph | None = None,
        room: Room | None = None,
        *,
        is_part: bool = False,
    ) -> Body:
        """A new body for `call`, recorded in `graph` if given; for `sizes` and `room` see `body.traced`.

        If it `is_part`, it is one op (see `whole_part.py`).
        """
        traces, names = self._traces, self.signature.names()
        graph = graph or Graph(self.name, creates=traces.creates)
        graph.is_jit_compiled = bool(self._is_jit_compiled)
        options: dict[str, Any] = {"creates": traces.creates, "sizes": sizes, "graph": graph, "room": room}
        function = as_part(self.name, self._converted()) if is_part else self._converted()
        body = traced(function, self.name, call, names, **options)
        traces.count += 1
        return body

    def _open_body(self, call: Call) -> Body | None:
        """The body for `call` of a trace that serves many sizes; None if it can't have one."""
        # A trace holds the values of strings, and the rows of ragged tensors.
        kind = (kind_of(call), values_of(call))
        opened = self._traces.opened
        return opened.body(kind, call.flat) or self._body_with_symbols(call, self._axes(call), opened)

    def _axes(self, call: Call) -> Axes | None:
        """The axes of the leaves of `call` whose sizes share a trace in TensorFlow."""
        return self._traces.opened.axes(call, self.signature, reduces_retracing=self._reduces_retracing)

    def _body_with_symbols(
        self, call: Call, axes: Axes | None, traces: OpenTraces, *, is_sample: bool = False
    ) -> Body | None:
        """The body for `call` of a new trace in which the sizes of `axes` are open; None if it can't be traced."""
        if axes is None or not any(axes):
            return None
        kind = (kind_of(call), values_of(call))
        return traces.traced(kind, call.flat, axes, lambda sizes: self._body(call, sizes), are_samples=is_sample)

    def traced_with_symbols(self, call: Call, axes: Axes | None, traces: OpenTraces) -> Body | None:
        """As `_body_with_symbols`, after all variables have been created; the sizes of `call` are samples."""
        with self._traces.lock:
            body = self._body_with_symbols(call, axes, traces, is_sample=True)
            if body is not None and body.has_created:
                body.initialise(None)
                self._traces.creates = False
                body = self._body_with_symbols(call, axes, traces, is_sample=True)
            return body

    def restart(self) -> None:
        """Makes the next call draw random numbers as the first one."""
        for concrete in self._traces.known.values():
            concrete.body.restart()
        for body in self._traces.untraced.values():
            body.restart()

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The concrete function for such arguments: tensors, `tf.TensorSpec`s in place of tensors, and other values.

        Raises: TypeError if they don't fit.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        return self._requested(entered(*self.signature.signed(*self.signature.bound(args, kwargs))))

    def _requested(self, asked: Call) -> ConcreteFunction:
        """The concrete function for `asked`, whose arguments may be specs."""
        asked = without_symbols(asked)
        if not any(isinstance(leaf, TypeSpec) for leaf in asked.flat):
            return requested(self, self._weakly(), asked)
        found = self._traces.asked.get(asked.key)
        if found is None:
            found = self._traces.asked[asked.key] = requested(self, self._weakly(), asked)
        return found

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that it has, one for each signature."""
        return listed(
            self._traces.asked, self._traces.known, lambda trace: shown(trace, self._weakly(), self._requested)
        )

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        """The traces that are saved with a model; a function with an input signature is traced for it."""
        if self.input_signature is not None:
            return [self.get_concrete_function()]
        return self._list_all_concrete_functions()

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """In a SavedModel, its traces."""
        del kwargs
        if save_type == SaveType.CHECKPOINT:
            return {}
        return {f"trace_{k}": trace for k, trace in enumerate(self._list_all_concrete_functions_for_serialization())}

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError: variables that a function creates are initialised at once."""
        del args, kwargs
        raise NotImplementedError(
            "tf.types.experimental.PolymorphicFunction.get_initialization_function: variables that a function creates "
            "are initialised when get_concrete_function or the first call returns; remove this call."
        )

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters, their defaults, and the options."""
        return spec_of(self.signature.python, self.function_type, self.input_signature, self._is_jit_compiled)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function of `(stage="hlo")` that returns XLA's representation of a call with such arguments or specs.

        Raises: ValueError if the function isn't marked with `jit_compile=True`, or if specs leave dimensions open.
        """
        if not self._is_jit_compiled:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        concrete = self.get_concrete_function(*args, **kwargs)
        if isinstance(concrete, OpenFunction):
            raise ValueError(f"Only support static input shape but got inputs = {concrete.inputs}")
        return compiler_ir_of(concrete)

    def _decorate(self, decorator: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the Python function by `decorator` of it, as libraries do.

        Raises: ValueError if it was traced before.
        """
        if self._traces.count:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self.python_function = decorator(self.python_function)
        self.signature = Signature(self.python_function, self._specs, has_instance=False)

    def experimental_get_tracing_count(self) -> int:
        """The number of times that the Python function was traced."""
        return self._traces.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of the traces, one paragraph each, or one line each without `verbose`."""
        found = list(self._traces.known.values())
        if self.signature.is_open and (found or self._traces.asked):
            found = [self.get_concrete_function()]
        return ("\n\n" if verbose else "\n").join(concrete.pretty_printed_signature(verbose) for concrete in found)

    def __repr__(self) -> str:
        return f"<tf.function of {self.python_function!r}>"


def _of_loop(body: Callable[..., Any]) -> Function:
    """The function of the body of a loop, which is rewritten already. Its traces leave sizes open that change."""
    return Function(body, None, False, None, None, True)
