"""TensorFlow 2.21 takes the functions for kinds of data from the package tensorboard, which may be missing there."""

from __future__ import annotations

import importlib.util
import os

if os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow" and importlib.util.find_spec("tensorboard") is None:
    collect_ignore_glob = ["test_*.py"]
