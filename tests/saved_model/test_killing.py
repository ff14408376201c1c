"""A process that is killed while it saves leaves a whole model, or none."""

from __future__ import annotations

import pytest

from tests import forked, repetition
from tests.fuzz.oracle import ROOT


@pytest.mark.soak
def test_killed_processes_leave_no_half_model(tmp_path):
    rounds = repetition.count(40)
    done = forked.run(["-m", "tests.saved_model.killing", str(tmp_path), str(rounds), "1"], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) > rounds // 4
