"""The `conftest` of Keras' tests: makes tfcompat their TensorFlow, and writes the outcome of each test to a file.

It is copied beside the tests, which import `skip_if_backend` from it: the source distribution leaves that out.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

import tfcompat

tfcompat.install_as_tensorflow()
_RANKS = {"passed": 0, "skipped": 1, "failed": 2}


def skip_if_backend(backend: str, reason: str) -> pytest.MarkDecorator:
    """A mark that skips a test if Keras runs on `backend`."""
    import keras

    return pytest.mark.skipif(keras.backend.backend() == backend, reason=reason)


def pytest_configure(config: pytest.Config) -> None:
    """Adds the mark that Keras' own `conftest` adds."""
    config.addinivalue_line("markers", "requires_trainable_backend: left out on backends without training")


class _Outcomes:
    def __init__(self) -> None:
        self._found: dict[str, tuple[str, str]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keeps the worst outcome of the phases of a test, and the last lines of its error."""
        last = self._found.get(report.nodeid, ("passed", ""))
        if _RANKS[report.outcome] >= _RANKS[last[0]]:
            lines = str(report.longrepr).splitlines()[-6:] if report.failed else []
            self._found[report.nodeid] = (report.outcome, "\n".join(lines))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Writes the outcome of a test at its end, so that those before a crash are known."""
        outcome, error = self._found[nodeid]
        with open(os.environ["KERAS_SUITE_OUTCOMES"], "a") as file:
            file.write(json.dumps([nodeid, outcome, error]) + "\n")

    def pytest_collectreport(self, report: Any) -> None:
        """Prints why a file cannot be collected."""
        if report.failed:
            print(report.longrepr)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Registers the writer of outcomes."""
    session.config.pluginmanager.register(_Outcomes())
