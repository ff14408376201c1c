"""The options of the model that is being loaded."""

from __future__ import annotations

import contextlib
from typing import Any


def load_context(load_options: Any) -> contextlib.AbstractContextManager[None]:
    """A context in which a model is loaded. It has no effect.

    Only parameter servers read `load_options` in it, and they are not supported.

    Source: TF 2.21 `tf.__internal__.load_context`.
    """
    del load_options
    return contextlib.nullcontext()
