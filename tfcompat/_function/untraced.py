"""Calls that no trace can hold, such as those whose shapes depend on data: Python runs at each of them.

Ops are recorded as in undecorated code, so a call still runs few programs. As in a trace, random draws continue from
call to call, each op where its last draw ended.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any

from tfcompat._core import nest
from tfcompat._core.aval import Aval
from tfcompat._core.config import settings
from tfcompat._core.error import UntraceableError
from tfcompat._core.location import user_line
from tfcompat._core.trace import here
from tfcompat._function.refusal import refuse_creation, returned
from tfcompat._function.signature import Call
from tfcompat._random.seed import CallStream


class UntracedBody:
    """The body of a function for calls that cannot be traced; tracing has raised `refusal`."""

    def __init__(self, function: Callable[..., Any], name: str, refusal: UntraceableError) -> None:
        self._function = function
        self._refusal = refusal
        self._streams: dict[Any, CallStream] = {}
        if settings.is_explaining:
            reason = str(refusal).strip().rsplit("\n", 1)[-1].strip()
            sys.stderr.write(f"tfcompat: {name} at {user_line()} runs its Python code at each call: {reason}\n")

    def __call__(self, call: Call, *, creates: bool = False) -> Any:
        """The result of `call`, which may create variables if `creates`.

        Raises UntraceableError in the trace of another function, which then runs untraced, too.
        """
        if here.graph is not None:
            raise UntraceableError(*self._refusal.args)
        outer, here.untraced = here.untraced, _UntracedCall(self._streams, creates)
        try:
            result = self._function(*call.args, **call.kwargs)
        finally:
            here.untraced = outer
        return nest.map_structure(
            lambda value: None if value is None else returned(self._function, value), result, expand_composites=True
        )


class _UntracedCall:
    """One call. Its k-th random draw continues the stream of the k-th draw of the call before."""

    def __init__(self, streams: dict[Any, CallStream], creates: bool) -> None:
        self._streams = streams
        self._creates = creates
        self._drawn = 0
        self._unseeded = 0

    def draw(self, seed: Any, blocks: int) -> tuple[int, int, int]:
        """The key and the two halves of the counter for a draw of `blocks` blocks by an op with `seed`."""
        place = (self._drawn, seed)
        self._drawn += 1
        stream = self._streams.get(place)
        if stream is None:
            stream = self._streams[place] = CallStream(seed, blocks, self._unseeded)
        self._unseeded += seed is None
        return stream.reserved(blocks)

    def create(self) -> None:
        """Registers that a variable is created. Raises ValueError if none may be."""
        if not self._creates:
            refuse_creation()


def kind_of(call: Call) -> Hashable:
    """A key of calls of which all or none can be traced: the dtypes and ranks of tensors, and the other arguments."""
    avals = [part[0] if _is_valued(part) else part for part in call.key]
    return tuple([(aval.dtype, aval.ndim) if type(aval) is Aval else aval for aval in avals])


def values_of(call: Call) -> tuple[Any, ...]:
    """The values that are part of the trace for `call`: strings, and the row lengths of ragged tensors."""
    return tuple(filter(_is_valued, call.key))


def _is_valued(part: Any) -> bool:
    return type(part) is tuple and len(part) == 2 and type(part[0]) is Aval
