"""Which tests `make oracle` leaves out is found in their source, through all that they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.on_tensorflow.exemption import ALIKE, FAILS, NOT_RUN, OWN_FILES
from tests.on_tensorflow.ownership import ROOT, case_names, own_parts

SOURCE = """
import pytest
import tfcompat as tf
from tfcompat._core.system.counter import counts

LIMIT = counts.flushes

@pytest.fixture
def counted():
    with tf.counted() as happened:
        yield happened

def helper(x):
    return [x + LIMIT]

def test_public(): tf.add(1, 2)
def test_name(): tf.sync()
def test_attribute(): tf.GradientTape().explain(1, 2)
def test_fixture(counted): tf.add(1, 2)
def test_function(): helper(1)
def test_local(): from tfcompat._core.tracing import trace
def test_replaced(monkeypatch): monkeypatch.setattr("tfcompat._core.tracing.flush.flush", None)

class TestMethods:
    def shared(self): tf.config.settings
    def test_public(self): tf.config.list_physical_devices()
    def test_shared(self): self.shared()
"""
FOUND = {
    "test_public": set(),
    "test_name": {"tf.sync"},
    "test_attribute": {".explain"},
    "test_fixture": {"tf.counted"},
    "test_function": {"tfcompat._core.system.counter.counts"},
    "test_local": {"tfcompat._core.tracing.trace"},
    "test_replaced": {"tfcompat._core.tracing.flush.flush"},
    "TestMethods.test_public": set(),
    "TestMethods.test_shared": {"tf.config.settings"},
}


def test_every_test_of_a_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "test_source.py"
    path.write_text(SOURCE)
    assert [*case_names(path)] == [*FOUND]


@pytest.mark.parametrize("name", FOUND)
def test_what_a_test_uses_is_followed(name: str, tmp_path: Path) -> None:
    path = tmp_path / "test_source.py"
    path.write_text(SOURCE)
    assert own_parts(path, name) == FOUND[name]


def test_listed_names_are_those_of_tests() -> None:
    for name in (
        *(name for table in (FAILS, NOT_RUN) for names in table.values() for name in names),
        *ALIKE,
        *OWN_FILES,
    ):
        path, _, test = name.partition("[")[0].partition("::")
        assert not test or test.replace("::", ".") in case_names(ROOT / path), name
        assert (ROOT / path).exists(), name
