"""The reports of tfcompat on stderr for a short program while `is_explaining` is set."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs import reason
from tfcompat._core.structure import explanation
from tfcompat._core.structure.node import tree
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._function.arguments import trace_reason


def forget_structures() -> None:
    """Forgets all that was recorded, but for the programs."""
    tree.clear()
    here.trace = Trace()


def explained(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **names: Any) -> list[str]:
    """The lines that are written while `source` runs as `train.py`, beginning on its second line, with `names`."""
    for table in (explanation, reason, trace_reason):
        table.clear()
    forget_structures()
    path = folder / "train.py"
    path.write_text(source)
    monkeypatch.setattr(tf.config.settings, "is_explaining", True)
    with contextlib.redirect_stderr(io.StringIO()) as written:
        exec(compile(source, str(path), "exec"), {"tf": tf, "np": np, **names})
        tf.sync()
    return written.getvalue().replace(f"{folder}/", "").splitlines()
