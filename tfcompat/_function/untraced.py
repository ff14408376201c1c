"""Calls that no trace can hold, such as those whose shapes depend on data: Python runs at each of them.

Its ops are recorded as those of undecorated code, so that it still runs as few programs. As in a trace, draws of
random numbers continue from call to call, each op from where it ended.
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

    def __init__(self, function: Callable[..., Any], name: str, refusal: UntraceableError, *, creates: bool) -> None:
        """`creates` is whether the first call may create variables."""
        self._function = function
        self._refusal = refusal
        self._creates = creates
        self._streams: dict[Any, CallStream] = {}
        if settings.is_explaining:
            reason = str(refusal).strip().rsplit("\n", 1)[-1].strip()
            sys.stderr.write(f"tfcompat: {name} at {user_line()} runs its Python code at each call: {reason}\n")

    def __call__(self, call: Call) -> Any:
        """The result of `call`. Raises UntraceableError in the trace of another function, which runs untraced, too."""
        if here.graph is not None:
            raise UntraceableError(*self._refusal.args)
        creates, self._creates = self._creates, False
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


def has_values(call: Call) -> bool:
    """Whether values of tensors are part of the trace for `call`: strings, and the row lengths of ragged tensors."""
    return any(map(_is_valued, call.key))


def _is_valued(part: Any) -> bool:
    return type(part) is tuple and len(part) == 2 and type(part[0]) is Aval
