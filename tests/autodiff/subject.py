"""The `tf` under test: tfcompat, or under `make oracle` TensorFlow itself."""

from __future__ import annotations

import importlib

import tfcompat as tf

__all__ = ["forget_warnings", "tf"]


def forget_warnings() -> None:
    """Lets every warning be logged again."""
    if tf.__name__ == "tensorflow":
        importlib.import_module("tensorflow.python.platform.tf_logging")._log_counter_per_token.clear()
    else:
        importlib.import_module(f"{tf.__name__}._autodiff.warning").clear()
