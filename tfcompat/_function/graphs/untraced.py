"""Calls that no trace can hold, such as those whose shapes depend on data: Python runs at each of them.

Ops are recorded as in undecorated code, so a call still runs few programs. As in a trace, random draws continue from
call to call, each op where its last draw ended.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType
from typing import Any

from tfcompat._core.system import shortfall
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import FindsSizeError, HostLoopError, UnmetError, UntraceableError
from tfcompat._core.system.location import user_line
from tfcompat._core.system.lock import binding
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval
from tfcompat._function.arguments.signature import Call
from tfcompat._function.graphs.answers import AnswerShapes
from tfcompat._function.graphs.graph import is_symbolic
from tfcompat._function.graphs.refusal import out_of_scope, refuse_creation, returned
from tfcompat._random.seed import CallStream

Decorate = Callable[[Callable[..., Any]], Any]
_NONE: Mapping[Hashable, Sequence[Any]] = {}


@contextmanager
def eager() -> Generator[None]:
    """A context whose code runs eagerly: it is not part of a function that runs untraced around it."""
    outer = here.untraced, here.answers
    here.untraced = here.answers = None
    try:
        yield
    finally:
        here.untraced, here.answers = outer


class Parts:
    """The parts of a statement of control flow that runs as Python: bodies of loops, and branches.

    Each is a graph of its own in TensorFlow, so in code that runs repeatedly without a trace it has random streams of
    its own.
    """

    def __init__(self) -> None:
        self._call = here.untraced
        self._number = 0 if self._call is None else self._call.statement()

    def part(self, name: str) -> AbstractContextManager[None]:
        """A context for the part `name`."""
        return nullcontext() if self._call is None else self._call.part(self._number, name)


class UntracedCode:
    """The random streams and the loops of code that runs repeatedly without a trace.

    Attributes:
      compiles_all: whether the bodies of all loops over tensors are compiled, not only of those over datasets.
      decorate: makes a function with traces, of the body of a loop.
      has_created: whether it has created a variable.
      lengths: for each loop of the last run, the sizes of the arrays of dynamic size that it has enlarged.
      answer_shapes: the shapes of what Python functions have returned to it.
    """

    def __init__(
        self, decorate: Decorate, *, compiles_all: bool, earlier: Mapping[Hashable, Sequence[Any]] = _NONE
    ) -> None:
        """Draws continue those streams of `earlier`, which has them by their keys, that have the same seeds."""
        self.compiles_all = compiles_all
        self.decorate = decorate
        self.has_created = False
        self.lengths: list[list[int]] = []
        self.answer_shapes = AnswerShapes()
        self._streams: dict[Hashable, dict[Any, CallStream]] = {}
        self._known = earlier
        # Those of `earlier` that no draw continues yet.
        self._earlier: dict[Hashable, list[CallStream]] = {}
        self._loops: dict[CodeType, Any] = {}

    def loop(self, body: Any, make: Callable[[], Any]) -> Any:
        """The object that `make` has returned for the loop with the function `body`."""
        found = self._loops.get(body.__code__)
        if found is None:
            found = self._loops[body.__code__] = make()
        return found

    def stream(self, key: Hashable, place: Hashable, seed: Any, blocks: int, number: int) -> CallStream:
        """The stream of the draw at `place` in calls with `key`; for the other arguments see `CallStream`."""
        found = self._streams.get(key, {}).get(place)
        if found is not None:
            return found
        with binding:  # another thread may make it at the same time
            streams = self._streams.setdefault(key, {})
            if place not in streams:
                if not streams:
                    known = [each for each in self._known.get(key, ()) if isinstance(each, CallStream)]
                    self._earlier[key] = [each for each in known if each.is_seeded]
                made = CallStream(seed, blocks, number)
                first = next((each for each in self._earlier[key] if each.seeds == made.seeds), None)
                if first is not None:
                    made.go_on_with(first)
                    self._earlier[key].remove(first)
                streams[place] = made
            return streams[place]

    def drawn(self, key: Hashable = None) -> list[CallStream]:
        """The streams of calls with `key`, in the order of their first draws."""
        return list(self._streams.get(key, {}).values())

    def restart(self) -> None:
        """Makes the next call draw random numbers as the first one."""
        self._streams.clear()

    @contextmanager
    def running(self, *, creates: bool, key: Hashable = None) -> Generator[None]:
        """A context in which the code runs. `creates` is whether it may create variables.

        Calls with different `key`s draw from streams of their own.
        """
        outer = here.untraced
        here.untraced = _UntracedCall(self, creates, key, outer)
        self.lengths = []
        try:
            yield
        finally:
            here.untraced = outer


def run_untraced(
    code: UntracedCode, function: Callable[..., Any], call: Call, *, creates: bool, key: Hashable = None
) -> Any:
    """The result of `call` of `function`, whose Python code runs as `code`.

    It may create variables if `creates`. For `key` see `UntracedCode.running`.
    """

    def tensor_of(value: Any) -> Any:
        if value is None:
            return None
        found = returned(function, value)
        if is_symbolic(found):  # of the body of a loop
            out_of_scope(found)
        return found

    with code.running(creates=creates, key=key):
        result = function(*call.args, **call.kwargs)
        return nest.map_structure(tensor_of, result, expand_composites=True)


class UntracedBody:
    """The calls of one kind of a function that cannot be traced; tracing has raised `refusal`.

    Attributes:
      may_expect: whether a trace may hold calls that bring the values again which decide their shapes.
      has_ended: whether a call has, so that its random streams are known.
    """

    def __init__(
        self,
        name: str,
        refusal: UntraceableError,
        decorate: Decorate,
        earlier: Mapping[Hashable, Sequence[Any]] = _NONE,
    ) -> None:
        """For `decorate` and `earlier` see `UntracedCode`."""
        # Without its traceback, which holds the arguments.
        self._refusal = type(refusal), refusal.args
        self._code = UntracedCode(decorate, compiles_all=isinstance(refusal, HostLoopError), earlier=earlier)
        # The variables that the refused trace has made. Code that makes others in their place would do so at each call.
        self._made = refusal.created
        reason = str(refusal).strip().rsplit("\n", 1)[-1].strip()
        self._name, self._has_run, self.has_ended = name, False, False
        self.may_expect = isinstance(refusal, FindsSizeError)
        which = "calls that do not bring the values of earlier ones" if self.may_expect else "each call"
        self._report = f"runs its Python code at {which}: {reason}"
        if not isinstance(refusal, UnmetError):
            self._note()

    def _note(self) -> None:
        """Reports, once, that its calls run Python code."""
        report, self._report = self._report, None
        if report is None:
            return
        shortfall.note(f"{self._name} {report}")
        if settings.is_explaining:
            sys.stderr.write(f"tfcompat: {self._name} at {user_line()} {report}\n")

    def __call__(self, function: Callable[..., Any], call: Call, *, creates: bool = False, key: Hashable = None) -> Any:
        """The result of `call` of `function`, which may create variables if `creates`.

        For `key` see `UntracedCode.running`.

        Raises UntraceableError in the trace of another function, which then runs untraced, too; ValueError if it
        replaces variables that were created before.
        """
        if here.graph is not None:
            kind, args = self._refusal
            raise kind(*args)
        if self._has_run:
            self._note()
        self._has_run = True
        result = run_untraced(self._code, function, call, creates=creates, key=key)
        self.has_ended = True
        if creates and self._made and self._code.has_created:
            gc.collect()  # exceptions hold their frames in circles
            if any(made() is None for made in self._made):
                refuse_creation()
        return result

    def drawn(self, key: Hashable) -> list[CallStream]:
        """The random streams of its calls with `key`, in the order of their first draws."""
        return self._code.drawn(key)

    @property
    def lengths(self) -> list[list[int]]:
        """See `UntracedCode`."""
        return self._code.lengths

    @property
    def answer_shapes(self) -> AnswerShapes:
        """See `UntracedCode`."""
        return self._code.answer_shapes

    def restart(self) -> None:
        """Makes the next call draw random numbers as the first one."""
        self._code.restart()


class _Place:
    """A place in a call: in the `path` of the parts of statements around it, after some draws and statements.

    Attributes:
      drawn, unseeded, statements: the numbers of random draws, of those without a seed, and of statements before it.
    """

    __slots__ = ("drawn", "path", "statements", "unseeded")

    def __init__(self, path: tuple[Any, ...]) -> None:
        self.path = path
        self.drawn = self.unseeded = self.statements = 0


class _UntracedCall:
    """One call. Its k-th random draw continues the stream of the k-th draw of the call before.

    In the body of a loop, or in a branch, the k-th draw continues that of the iteration before.

    Attributes:
      code: what runs.
      creates: whether it may create variables.
      outer: the call of other code that makes this one, or None.
    """

    def __init__(self, code: UntracedCode, creates: bool, key: Hashable, outer: _UntracedCall | None) -> None:
        self.code = code
        self.outer = outer
        self._key = key
        self.creates = creates
        self._place = _Place(())

    def draw(self, seed: Any, blocks: int) -> tuple[int, int, int]:
        """The key and the two halves of the counter for a draw of `blocks` blocks by an op with `seed`."""
        place = self._place
        stream = self.code.stream(self._key, (place.path, place.drawn, seed), seed, blocks, place.unseeded)
        place.drawn += 1
        place.unseeded += seed is None
        return stream.reserved(blocks)

    def statement(self) -> int:
        """The number of a statement with parts, which begins."""
        self._place.statements += 1
        return self._place.statements

    def note_lengths(self, lengths: list[int]) -> None:
        """Takes the sizes of the arrays of dynamic size that a loop has enlarged, unless it is in another statement."""
        if lengths and not self._place.path:
            self.code.lengths.append(lengths)

    @contextmanager
    def part(self, statement: int, name: str) -> Generator[None]:
        """A context for the part `name` of a statement."""
        outer, self._place = self._place, _Place((*self._place.path, statement, name))
        try:
            yield
        finally:
            self._place = outer

    def create(self) -> None:
        """Registers that a variable is created. Raises ValueError if none may be."""
        if not self.creates:
            refuse_creation()
        self.code.has_created = True


def kind_of(call: Call) -> Hashable:
    """A key of calls of which all or none can be traced: the dtypes and ranks of tensors, and the other arguments."""
    return tuple([(part.dtype, part.ndim) if type(part) is Aval else part for part in _without_values(call)])


def stream_key(call: Call) -> Hashable:
    """A key of calls for which TensorFlow has one trace, so that its random streams continue from one to the next.

    That trace serves all strings. It also serves all row lengths, for which all sizes are left out of the key, as they
    are where sizes are open.
    """
    if call.axes is not None or any(part[0].struct is not None for part in values_of(call)):
        return kind_of(call)
    return _without_values(call)


def _without_values(call: Call) -> tuple[Any, ...]:
    return tuple([part[0] if _is_valued(part) else part for part in call.key])


def values_of(call: Call) -> tuple[Any, ...]:
    """The values that are part of the trace for `call`: strings, and the row lengths of ragged tensors."""
    return tuple(filter(_is_valued, call.key))


def _is_valued(part: Any) -> bool:
    return type(part) is tuple and len(part) == 2 and type(part[0]) is Aval
