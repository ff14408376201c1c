"""Plugin that runs the tests on TensorFlow 2.21, under the name of tfcompat: their promises are TensorFlow's.

A test whose source uses names of tfcompat's own is skipped. A test that TensorFlow fails is listed in
`exemption.py` with the reason; a test that is listed and passes fails the run. The words of errors are tfcompat's own:
here only the class of an error is compared.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.on_tensorflow import stand_in
from tests.on_tensorflow.exemption import ALIKE, FAILS, NOT_RUN, OWN_FILES
from tests.on_tensorflow.ownership import ROOT, is_own_throughout, own_parts

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what TensorFlow's own modules do while they are imported
    stand_in.install()

FAILING = {name: reason for reason, names in FAILS.items() for name in names}
LEFT_OUT = {name: reason for reason, names in NOT_RUN.items() for name in names}
WORDED_RAISES = pytest.raises
REFUSAL = "tfcompat refuses what TensorFlow does"


def raises(*args: Any, match: object = None, **options: Any) -> Any:
    """`pytest.raises`, whatever the message says."""
    del match
    return WORDED_RAISES(*args, **options)


def pytest_configure(config: pytest.Config) -> None:
    """Lets TensorFlow's own code warn, and compares the classes of errors only."""
    config.addinivalue_line("filterwarnings", r"ignore:::tensorflow\.")
    config.addinivalue_line("filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword")
    pytest.raises = raises


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out a file of which every test is tfcompat's own: it may need JAX to be imported."""
    if not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    name = collection_path.relative_to(ROOT).as_posix()
    return True if name in OWN_FILES or is_own_throughout(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skips tests of tfcompat's own names, and expects TensorFlow to fail the listed tests."""
    for item in items:
        test = item.nodeid.partition("[")[0].partition("::")[2]
        own = own_parts(item.path, test.replace("::", "."))
        if own:
            item.add_marker(pytest.mark.skip(reason=f"tfcompat's own: {', '.join(sorted(own))}"))
        for name in names_of(item) & LEFT_OUT.keys():
            item.add_marker(pytest.mark.skip(reason=LEFT_OUT[name]))
        for name in names_of(item) & FAILING.keys():
            is_strict = not names_of(item) & ALIKE
            item.add_marker(pytest.mark.xfail(reason=FAILING[name], strict=is_strict))
    if not any("::" in argument for argument in config.args):
        refuse_stale_names(items)


def names_of(item: pytest.Item) -> set[str]:
    """The names by which a test may be listed: its file, the test, the case."""
    test = item.nodeid.partition("[")[0]
    return {test.partition("::")[0], test, item.nodeid}


def pytest_collection_finish() -> None:
    """Lets absent names raise from now on."""
    stand_in.AbsentName.is_usable = False


def refuse_stale_names(items: list[pytest.Item]) -> None:
    """Raises if the lists name a test that its file does not have."""
    names = {name for item in items for name in names_of(item)}
    if stale := [name for name in (*FAILING, *LEFT_OUT) if name.partition("::")[0] in names and name not in names]:
        raise pytest.UsageError(f"tests/on_tensorflow/exemption.py lists tests that do not exist: {stale}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Any:
    """Expects TensorFlow to do what tfcompat refuses with NotImplementedError."""
    report = yield
    said = str(call.excinfo.value) if call.excinfo and call.excinfo.errisinstance(pytest.fail.Exception) else ""
    if said.startswith("DID NOT RAISE") and "NotImplementedError" in said:
        report.outcome, report.wasxfail = "skipped", REFUSAL
    return report
