"""Samples the activity of the main thread, a few hundred times a second."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter

from tfcompat._dropin.report.phase import Moment, moment

# Seconds between two samples: an interval costs the program less than a hundredth of its time.
_INTERVAL = 0.005


class Sampler:
    """The seconds that the main thread spends in each activity at each line of the program.

    Attributes:
      seconds: the seconds of each moment, as sampled.
    """

    def __init__(self) -> None:
        self.seconds: Counter[Moment] = Counter()
        self._main = threading.main_thread().ident
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="tfcompat-report", daemon=True)

    def start(self) -> None:
        """Begins to sample."""
        self._thread.start()

    def stop(self) -> None:
        """Ends sampling, and waits for the last sample."""
        self._stopped.set()
        self._thread.join()

    def _sample(self) -> None:
        before = time.perf_counter()
        while not self._stopped.wait(_INTERVAL):
            frame = sys._current_frames().get(self._main or 0)
            now = time.perf_counter()
            if frame is not None:
                self.seconds[moment(frame)] += now - before  # pyright: ignore[reportArgumentType]
            before = now
            del frame
