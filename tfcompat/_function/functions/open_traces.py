"""The traces of one function that serve many sizes, and the kinds of calls that have none."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfcompat._core.operation.sampling import sampled
from tfcompat._core.structure.check_outcome import raise_failed_checks
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import InvalidArgumentError, SeveralSizesError
from tfcompat._core.system.location import is_raised_by_user, user_line
from tfcompat._core.types.aval import Aval
from tfcompat._function.arguments.open_size import Axes, OpenSizes, axes_of_specs, joined_axes
from tfcompat._function.arguments.signature import Call, Signature
from tfcompat._function.functions.open_body import OpenBody
from tfcompat._function.graphs.untraced import kind_of, values_of
from tfcompat._function.running.body import Body
from tfcompat._function.running.initialisation import initialise
from tfcompat._jaxpr.comparison import Denied, among, can_watch, denied
from tfcompat._jaxpr.postponement import postponed

# The largest number of traces with symbols for calls of one kind: which sizes are equal may differ between them.
_MOST = 8


def differing_axes(known: dict[Hashable, Any], kind: Hashable, flat: Sequence[Any]) -> Axes:
    """The axes whose sizes have differed between calls of `kind`, also in that with the leaves `flat`.

    `known` has, by kinds, what earlier calls have left.
    """
    avals = [value._aval if type(value) is Tensor else None for value in flat]
    first = known.setdefault(kind, [(aval, set()) for aval in avals])
    for (earlier, axes), aval in zip(first, avals, strict=True):
        if type(earlier) is Aval and type(aval) is Aval:
            axes.update(k for k, pair in enumerate(zip(earlier.shape, aval.shape, strict=True)) if pair[0] != pair[1])
    return tuple([tuple(sorted(axes)) for _, axes in first])


class OpenTraces:
    """The traces with symbols, by the kinds of calls (see `kind_of`)."""

    def __init__(self) -> None:
        self._bodies: defaultdict[Hashable, list[OpenBody]] = defaultdict(list)
        self._refused: set[Hashable] = set()
        self._reasons: dict[Hashable, Exception | None] = {}
        self._attempted: set[Hashable] = set()
        self._first: dict[Hashable, list[Any]] = {}

    def body(self, kind: Hashable, flat: Sequence[Any]) -> Body | None:
        """The body of an existing trace for a call of `kind` with the leaves `flat`; None if no trace serves it."""
        for known in self._bodies[kind]:
            if known.serves(flat) and (body := known.at(flat)) is not None:
                return body
        return None

    def shown(self, kind: Hashable) -> Body | None:
        """The body with symbols that was traced last for calls of `kind`."""
        bodies = self._bodies[kind]
        return bodies[0].body if bodies else None

    def axes(self, call: Call, signature: Signature, *, reduces_retracing: bool) -> Axes | None:
        """The axes of the leaves of `call` whose sizes share a trace in TensorFlow."""
        axes: Axes | None = None
        if signature.is_open:
            axes = axes_of_specs(signature.signed(call.args, call.kwargs), call.flat)
        elif reduces_retracing:
            axes = differing_axes(self._first, (kind_of(call), values_of(call)), call.flat)
        return axes if call.axes is None else joined_axes(axes, call.axes)

    def traced(
        self,
        kind: Hashable,
        flat: Sequence[Any],
        axes: Axes,
        trace: Callable[[OpenSizes], Body],
        *,
        are_samples: bool = False,
    ) -> Body | None:
        """The body that a new trace, made by `trace`, has for a call of `kind`; None if it can't have symbols.

        Open sizes are those of `axes`. If the leaves `are_samples`, the trace need not accept their sizes: its body
        then has symbols.
        """
        if kind in self._refused or len(self._bodies[kind]) >= _MOST or not can_watch():
            return None
        # Errors of earlier programs are raised here, not in a trace that may be given up.
        raise_failed_checks()
        # Sizes of inner axes may have to agree with sizes that are known, such as those of weights.
        leading = tuple([(0,) if 0 in each else () for each in axes])
        refusals: list[Exception] = []
        for opened_axes in dict.fromkeys((axes, leading)):
            sizes = OpenSizes(flat, opened_axes)
            if not sizes.symbols or (kind, sizes.pattern) in self._attempted:
                continue
            try:
                with denied(within_ops=False) as compared, sampled(sizes.made, sizes.values(flat) or {}):
                    body = trace(sizes)
            except Exception as refusal:  # library code that needs to know a size may raise any error
                if is_raised_by_user(refusal) or isinstance(refusal, SeveralSizesError):
                    raise
                self._attempted.add((kind, sizes.pattern))
                refusals.append(refusal)
                continue
            if not body.has_created:
                self._attempted.add((kind, sizes.pattern))
            found = self._served(kind, flat, body, sizes, among(compared, sizes.symbols), refusals, are_samples)
            if found is not None:
                return found
            # The trace that follows finds the variables made.
            initialise(body.stored, flat, sizes.values(flat))
        self._reasons[kind] = refusals[0] if refusals else None
        return None

    def _served(
        self,
        kind: Hashable,
        flat: Sequence[Any],
        body: Body,
        sizes: OpenSizes,
        compared: Sequence[Denied],
        refusals: list[Exception],
        are_samples: bool,
    ) -> Body | None:
        """The copy of a new trace for the call; None if the trace does not serve it, perhaps for one of `refusals`."""
        with postponed():  # the exception of a signal handler says nothing about sizes
            try:
                opened = OpenBody(body, sizes, compared)
                is_serving = opened.serves(flat)
                found = _accepted(opened, flat, are_samples) if is_serving else None
            except Exception as refusal:  # as in `traced`
                refusals.append(refusal)
                return None
        if found is None and is_serving:
            refusals.append(ValueError("a step has another shape than was inferred with symbols"))
        elif not body.has_created:
            self._bodies[kind].insert(0, opened)
        return found

    def refuse(self, kind: Hashable) -> None:
        """Notes that a call of `kind` has got a trace of its own, and why it had no trace with symbols."""
        refusal = self._reasons.pop(kind, None)
        if refusal is None:
            return
        self._refused.add(kind)
        if settings.is_explaining:
            reason = str(refusal).strip().splitlines()
            sys.stderr.write(
                f"tfcompat: at {user_line()} each shape is traced: {reason[-1].strip() if reason else refusal!r}\n"
            )


def _accepted(opened: OpenBody, flat: Sequence[Any], are_samples: bool) -> Body | None:
    """The copy of `opened` for the leaves `flat`; the body with symbols if these are samples that an op refuses."""
    try:
        return opened.at(flat)
    except InvalidArgumentError:
        if not are_samples:
            raise
        return opened.body
