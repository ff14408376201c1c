"""A process that is killed while it saves leaves the checkpoint before."""

from __future__ import annotations

import pytest

from tests import forked, repetition
from tests.fuzz.oracle import ROOT


@pytest.mark.soak
def test_killed_processes_leave_a_checkpoint(tmp_path):
    rounds = repetition.count(300)
    done = forked.run(["-m", "tests.saved.killing", str(tmp_path), str(rounds), "1"], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    # Each process has saved at least one checkpoint more, unless it was killed in its first save.
    assert all(int(number) >= rounds // 3 - 1 for number in done.stdout.split())
