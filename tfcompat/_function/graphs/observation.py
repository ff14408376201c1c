"""Observation of the functions that run, by whoever shows their graphs."""

from __future__ import annotations

from tfcompat._function.graphs.stored_trace import StoredTrace


class _Observed:
    """The functions that were called since the observation began, in all threads.

    Attributes:
      traces: their traces by identity, in the order of the first calls; None while nothing is observed.
    """

    def __init__(self) -> None:
        self.traces: dict[int, StoredTrace] | None = None


observed = _Observed()
