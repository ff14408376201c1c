"""A process that is killed while it saves leaves a whole model, or none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import repetition
from tests.fuzz.oracle import ROOT


@pytest.mark.soak
def test_killed_processes_leave_no_half_model(tmp_path):
    rounds = repetition.count(40)
    command = [sys.executable, "-m", "tests.saved_model.killing", str(tmp_path), str(rounds), "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) > rounds // 4
