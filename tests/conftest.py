"""Settings of all tests.

`import tfcompat` is TensorFlow itself where the environment variable TFCOMPAT_SUBJECT is `tensorflow`, as `make oracle`
sets it.
"""

from __future__ import annotations

import gc
import os

import pytest

PLUGINS = {"tfcompat": "tests.on_tfcompat", "tensorflow": "tests.on_tensorflow.plugin"}
pytest_plugins = [PLUGINS[os.environ.get("TFCOMPAT_SUBJECT", "tfcompat")]]
# Tracing leaves many objects behind; to walk them as often as Python does by itself is a tenth of the time.
gc.set_threshold(200_000, 20, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses a case whose name holds an address: the processes that share the tests must name them alike."""
    if nameless := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"Name these cases, with tests/naming.py for instance: {nameless}")


def pytest_collection_finish() -> None:
    """Spares the collector what lives as long as the process: modules and some twenty thousand cases."""
    gc.collect()
    gc.freeze()
