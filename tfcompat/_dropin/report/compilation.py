"""The programs that JAX compiles, by the line of the program that causes it: listeners to JAX's events."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import jax

from tfcompat._dropin.report.phase import moment

_COMPILED = "/jax/core/compile/backend_compile_duration"
_PARTS = frozenset(
    ("/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/jaxpr_to_mlir_module_duration", _COMPILED)
)
_FOUND = "/jax/compilation_cache/cache_hits"


@dataclass
class Compiled:
    """Programs compiled at a line: their number, that of programs loaded from the cache among them, and the seconds."""

    programs: int = 0
    loaded: int = 0
    seconds: float = 0.0


class Compilations:
    """The compilations since `listen`.

    Attributes:
      lines: those at each line of the program.
    """

    def __init__(self) -> None:
        self.lines: dict[str, Compiled] = {}

    def listen(self) -> None:
        """Begins to listen to JAX, until the process ends."""
        jax.monitoring.register_event_duration_secs_listener(self._timed)
        jax.monitoring.register_event_listener(self._happened)

    def _timed(self, event: str, duration_secs: float, **_: Any) -> None:
        if event in _PARTS:
            here = self._here()
            here.seconds += duration_secs
            here.programs += event == _COMPILED

    def _happened(self, event: str, **_: Any) -> None:
        if event == _FOUND:
            self._here().loaded += 1

    def _here(self) -> Compiled:
        return self.lines.setdefault(moment(sys._getframe(1)).line, Compiled())
