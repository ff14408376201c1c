"""The tests in `eight` run in a process with eight simulated devices; all others have one device."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import forked

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "eight"
# TensorFlow reads one dataset on a mesh in a process, and initializes the system before everything else.
IS_TENSORFLOW = os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow"
RUNS = sorted(FOLDER.glob("test_[!s]*.py")) if IS_TENSORFLOW else [FOLDER]
# Seconds. Programs that wait for each other never end.
LIMIT = 1200


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_on_eight_devices(path):
    ran = forked.run(
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
        cwd=ROOT,
        environment=os.environ | {"TFCOMPAT_TEST_DEVICES": "8"},
        timeout=LIMIT,
    )
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
