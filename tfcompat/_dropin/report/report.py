"""Watches a program and writes a report when it ends."""

from __future__ import annotations

import atexit
import os
import sys
import time

from tfcompat._core.system import shortfall
from tfcompat._core.system.counter import counters
from tfcompat._core.tracing.trace import sync
from tfcompat._dropin.report.compilation import Compilations
from tfcompat._dropin.report.page import text_of
from tfcompat._dropin.report.sampler import Sampler


class Report:
    """A report on the process, from its making to the end of the process.

    Attributes:
      path: the file that it is written to; standard error if it is empty.
    """

    def __init__(self, program: str, path: str = "") -> None:
        self.path = path
        self._program = program
        self._began = time.perf_counter()
        self._process = os.getpid()
        self._sampler = Sampler()
        self._compilations = Compilations()

    def begin(self) -> None:
        """Begins to watch; the report is written at exit."""
        self._compilations.listen()
        self._sampler.start()
        atexit.register(self._end)

    def _end(self) -> None:
        # A fork has the same exit functions, but not the thread that samples.
        if os.getpid() != self._process:
            return
        try:
            sync()
        finally:
            self._sampler.stop()
            total = time.perf_counter() - self._began
            text = text_of(
                self._program,
                total,
                self._sampler.seconds,
                self._compilations.lines,
                counters(),
                shortfall.noted(),
            )
            sys.stdout.flush()
            if self.path:
                with open(self.path, "w", encoding="utf-8") as file:
                    file.write(text)
            else:
                sys.stderr.write(text)
