"""The `tf` under test: tfcompat, or what the environment variable TFCOMPAT_SUBJECT names.

TensorFlow itself must pass every file here but those that say that they are tfcompat's own.
"""

from __future__ import annotations

import importlib
import os

tf = importlib.import_module(os.environ.get("TFCOMPAT_SUBJECT", "tfcompat"))


def forget_warnings() -> None:
    """Lets every warning be logged again."""
    if tf.__name__ == "tfcompat":
        importlib.import_module("tfcompat._autodiff.warning").clear()
    else:
        importlib.import_module("tensorflow.python.platform.tf_logging")._log_counter_per_token.clear()
