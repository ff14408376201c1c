"""The random draws of a trace: the places in the streams of numbers at which its calls continue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._random.seed import CallStream
from tfcompat._state.position import Position


def streams_of(stored: StoredTrace) -> list[Any]:
    """The streams and the stream positions of `stored`, in the order of its leaves."""
    return [
        source.stream if isinstance(source, Drawn) else source
        for source in stored.sources
        if isinstance(source, (Drawn, Position))
    ]


def go_on(streams: Sequence[Any], earlier: Sequence[Any]) -> list[Any]:
    """Makes `streams` continue those of a trace for other sizes, `earlier`; returns the streams of both traces."""
    streams, earlier = seeded(streams), seeded(earlier)
    for stream, first in zip(streams, earlier, strict=False):
        if type(stream) is type(first) or (isinstance(stream, Position) and type(first) is CallStream):
            stream.go_on_with(first)
    return [*earlier, *streams[len(earlier) :]]


def seeded(streams: Sequence[Any]) -> list[Any]:
    """Those of `streams` that seeds determine."""
    return [stream for stream in streams if isinstance(stream, Position) or stream.is_seeded]
