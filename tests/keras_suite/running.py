"""Runs one file of Keras' tests in a process of its own, and keeps the outcomes as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.keras_suite.comparison import normalised
from tests.on_tfcompat import FLAGS

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build" / "keras_suite"
Outcomes = dict[str, tuple[str, str]]


def kept(file: str) -> Outcomes | None:
    """The outcomes of the last run of `file`, by test: passed, skipped or failed, and the end of the error."""
    path = _path(file)
    return json.loads(path.read_text())["tests"] if path.exists() else None


def run(root: Path, file: str, limit: float) -> str:
    """Runs `file` for at most `limit` seconds, keeps the outcomes, and returns a line about them."""
    path = _path(file)
    lines = path.with_suffix(".lines")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines.unlink(missing_ok=True)
    environment = os.environ | {
        "KERAS_BACKEND": "tensorflow",
        "KERAS_SUITE_OUTCOMES": str(lines),
        "PYTHONPATH": str(ROOT),
        "TFCOMPAT_COMPILATION_CACHE": "0",
        "XLA_FLAGS": FLAGS["cheap"],
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", file]
    began = time.perf_counter()
    with open(path.with_suffix(".log"), "w") as log:
        try:
            status = subprocess.run(
                command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT, timeout=limit
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    seconds = round(time.perf_counter() - began, 1)
    rows = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    tests: Outcomes = {normalised(test): (outcome, error) for test, outcome, error in rows}
    path.write_text(json.dumps({"status": status, "seconds": seconds, "tests": tests}, indent=0))
    lines.unlink(missing_ok=True)
    counts = {kind: sum(outcome == kind for outcome, _ in tests.values()) for kind in ("passed", "skipped", "failed")}
    ended = {-1: ", stopped at the limit"}.get(status, "" if status in (0, 1) else f", ended with status {status}")
    return f"{file}: {counts}, {seconds:.0f} s{ended}"


def _path(file: str) -> Path:
    return FOLDER / "outcomes" / (file.replace("/", ".").removesuffix(".py") + ".json")
