"""The temporary folder of a program's tests."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile


@functools.cache
def get_temp_dir() -> str:
    """A temporary folder, the same at each call, which is deleted when the program ends.

    Its name begins with the environment variable `TEST_TMPDIR`, if that is set.

    Source: TF 2.21 `tf.compat.v1.test.get_temp_dir`.
    """
    folder = tempfile.mkdtemp(prefix=os.environ.get("TEST_TMPDIR"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
