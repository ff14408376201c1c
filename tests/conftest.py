"""Settings of all tests.

`import tfcompat` imports TensorFlow itself if the environment variable TFCOMPAT_SUBJECT is `tensorflow`, as in
`make oracle`.
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from tests.stack import with_room

PLUGINS = {"tfcompat": "tests.on_tfcompat", "tensorflow": "tests.on_tensorflow.plugin"}
pytest_plugins = [PLUGINS[os.environ.get("TFCOMPAT_SUBJECT", "tfcompat")]]
# A shell that runs a command in the background makes it ignore interrupts, which tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Some hundred processes import tfcompat: its code is stored, since Python compiles it in 0.7 s, and pytest's in 5 s.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Tracing creates many objects; traversing them as often as Python does by default takes a tenth of the time.
gc.set_threshold(200_000, 20, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses a case whose name contains an address: all test processes must use the same names."""
    if nameless := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"Name these cases, with tests/naming.py for instance: {nameless}")


def pytest_collection_finish() -> None:
    """Exempts permanent objects from garbage collection: modules and about twenty thousand cases."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Calls a test with room for deep calls."""
    function = pyfuncitem.obj
    pyfuncitem.obj = functools.partial(with_room, function)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = function


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Exempts objects that the tests of a file leave in caches, many in JAX's: some tests collect garbage often."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()
