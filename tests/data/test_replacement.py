"""Files that replace others as a whole."""

from __future__ import annotations

import gc
import signal

import pytest

from tests.checkpoint import interrupted
from tfcompat._data.format.replacement import replace

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")


@pytest.mark.filterwarnings("error")
def test_an_interrupt_leaves_the_old_file_or_the_new_one(tmp_path):
    path, found, interrupts = tmp_path / "state", set(), 0
    for is_raised in interrupted(lambda: replace(str(path), b"new"), 1, lambda: path.write_bytes(b"old")):
        gc.collect()  # warns of files that are open
        assert [each.name for each in tmp_path.iterdir()] == ["state"]
        found.add(path.read_bytes())
        interrupts += is_raised
    assert interrupts > 5
    assert found == {b"old", b"new"}


def test_a_file_that_cannot_be_replaced(tmp_path):
    (tmp_path / "state").mkdir()
    with pytest.raises(IsADirectoryError):
        replace(str(tmp_path / "state"), b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
