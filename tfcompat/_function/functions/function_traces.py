"""The cached traces of a `tf.function`."""

from __future__ import annotations

import functools
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfcompat._core.system.error import UntraceableError
from tfcompat._core.types.aval import Aval
from tfcompat._function.arguments.element import Reads
from tfcompat._function.arguments.retracing import Retracing
from tfcompat._function.arguments.signature import Call, Signature
from tfcompat._function.arguments.widening import Widening
from tfcompat._function.functions.concrete import ConcreteFunction
from tfcompat._function.functions.copies import Copies
from tfcompat._function.functions.open_traces import OpenTraces
from tfcompat._function.functions.room import Rooms
from tfcompat._function.graphs.untraced import UntracedBody, kind_of, stream_key
from tfcompat._function.running.draws import go_on
from tfcompat._function.sizes.bounded_graph import Earlier
from tfcompat._function.sizes.expected_value import Expectations

# A function is traced for that many values of a string argument, or partitions of a ragged one: for the first ones at
# once, for others at their second occurrence. The number of values that are remembered for this is bounded.
_MOST_VALUES, _AT_ONCE = 8, 2
_MOST_MET = 64
# For that many shapes of the variables that a trace captures, earlier traces are kept.
_MOST_SHAPES = 8


class FunctionTraces:
    """The cached traces of a function.

    Attributes:
      known: the traces, by the keys of calls.
      asked: the concrete functions requested with specs.
      retracing: counts its recent calls.
      count: how often the body was traced.
      creates: whether the next trace may create variables.
      rooms: the traces that find sizes and serve some sizes of arguments.
      opened: the traces that serve many sizes; `copies`: those of `known` that are copies of one.
      untraced: by kinds of calls, the bodies for calls that can't be traced.
      streams: the random streams that traces for other sizes or values continue, by the kinds of calls.
      widening: which calls have one trace in TensorFlow, if retracing is reduced.
      expectations: which calls are traced for the values that decide their shapes.
      reads: by the keys of calls, how their traces read elements of iterators.
      lifted: for strategies, the functions that run it in their replicas.
      lock: held by the thread that traces.
    """

    def __init__(self, retracing: Retracing) -> None:
        self.known: dict[Any, ConcreteFunction] = {}
        self.asked: dict[Any, ConcreteFunction] = {}
        self.untraced: dict[Any, UntracedBody] = {}
        self.count = 0
        self.creates = True
        self.retracing = retracing
        self.opened = OpenTraces()
        self.rooms = Rooms()
        self.copies = Copies()
        self.streams: dict[Hashable, list[Any]] = {}
        self.widening = Widening()
        self.expectations = Expectations()
        self.reads: dict[Any, Reads] = {}
        self.lifted: dict[Any, Any] = {}
        self.lock = threading.RLock()
        # By kinds of calls, the values that have traces of their own, and others that have occurred.
        self._traced: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        self._met: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        # By the keys of calls, traces for other shapes of the variables that they capture.
        self._earlier: defaultdict[Hashable, list[ConcreteFunction]] = defaultdict(list)

    def earlier(self, call: Call, stream: Hashable) -> Earlier:
        """The experience of calls before `call`; `stream` is the key of its random streams."""
        streams = self.streams.get(stream, ())
        untraced = self.untraced.get(kind_of(call if call.elements is None else call.elements.call))
        shapes = None if untraced is None else untraced.answer_shapes
        is_met = functools.partial(self.expectations.is_met, call.key)
        return Earlier(is_met, self.expectations.lengths(call.key), shapes, streams)

    def recurs(self, key: Hashable) -> bool:
        """Whether a call with this `key`, whose kind runs Python code, is to be traced since such calls recur."""
        self.count += self.expectations.is_new(key)  # TensorFlow traces it
        return self.expectations.recurs(key)

    def stream_key(self, call: Call, *, is_widening: bool) -> Hashable:
        """A key of calls that share a trace in TensorFlow, where new traces leave more sizes open if `is_widening`."""
        if is_widening and call.axes is None:
            kind, avals = kind_of(call), [part for part in call.key if type(part) is Aval]
            place = self.widening.place(kind, avals)
            if place:
                return kind, place
        return stream_key(call)

    def go_on(self, key: Hashable, streams: Sequence[Any]) -> None:
        """Makes `streams` continue the random streams with this `key`: TensorFlow has one trace for their calls."""
        self.streams[key] = go_on(streams, self.streams.get(key, []))

    def trace_for(self, key: Any) -> ConcreteFunction | None:
        """The trace for calls with this key and for the present shapes of the variables that it captures, or None."""
        found = self.known.get(key)
        if found is None or found.body.fits:
            return found
        earlier = self._earlier[key]
        if found not in earlier:
            earlier.append(found)
        fitting = next((trace for trace in earlier if trace.body.fits), None)
        if fitting is None:
            del self.known[key], earlier[:-_MOST_SHAPES]
        else:
            self.known[key] = fitting
        return fitting

    def require_few_values(self, kind: Hashable, values: tuple[Any, ...]) -> None:
        """Raises UntraceableError if the `values` of calls of `kind` vary too much to trace each of them."""
        if not values or values in self._traced[kind]:
            return
        if len(self._traced[kind]) >= _AT_ONCE and not self.recur(kind, values):
            raise UntraceableError("its strings, or the row lengths of its ragged tensors, vary from call to call")
        self._traced[kind].add(values)

    def recur(self, kind: Hashable, values: tuple[Any, ...]) -> bool:
        """Whether these `values` have occurred in calls of `kind` before, and are to have a trace."""
        if not values:
            return False
        met = self._met[kind]
        if values in met:
            return len(self._traced[kind]) < _MOST_VALUES
        if len(met) < _MOST_MET:
            met.add(values)
        return False


class Method:
    """The cached state of a function that is a method, for one instance.

    Attributes:
      alive: returns the bound method that was made last; None if it no longer exists.
    """

    def __init__(self, signature: Signature, retracing: Retracing) -> None:
        self.signature = signature
        self.traces = FunctionTraces(retracing)
        self.alive: Callable[[], Any] = lambda: None
