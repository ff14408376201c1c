"""Records what TensorFlow makes of files of images and sound, and of damaged copies of them."""

from __future__ import annotations

import base64
from typing import Any

import tensorflow as tf

from tests.data.format import call, mutation


def record() -> dict[str, dict]:
    """The files of the last record with TensorFlow's answers to the calls of today."""
    return {kind: _of_kind(kind, old) for kind, old in mutation.recorded().items()}


def _of_kind(kind: str, old: dict[str, Any]) -> dict[str, Any]:
    answers = {name: call.answers(tf, base64.b64decode(text)) for name, text in old["files"].items()}
    outcomes = "".join(mutation.outcome(tf, kind, number) for number in range(mutation.COPIES))
    return {"files": old["files"], "seeds": old["seeds"], "answers": answers, "outcomes": outcomes}
