"""Python imports this module at the start of a child process of `python -m tfcompat`; it prepares the alias.

tfcompat itself is imported at the first import of TensorFlow or Keras, so that other child processes start as fast as
without it. Another module of the same name on the path, which this one hides, is run too.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(_FOLDER)))


class _Waiting(importlib.abc.MetaPathFinder):
    """Installs the alias when TensorFlow, or a library that imports it, is first imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the module after the alias is installed; None for a module of another package."""
        del path, target
        if fullname.partition(".")[0] not in ("tensorflow", "keras"):
            return None
        sys.meta_path.remove(self)
        if importlib.util.find_spec("tfcompat") is None:
            sys.path.append(_ROOT)
        importlib.import_module("tfcompat._dropin.alias").install_as_tensorflow()
        return importlib.util.find_spec(fullname)


def _run_hidden() -> None:
    """Runs the next module `sitecustomize` on the path."""
    others = [folder for folder in sys.path if os.path.abspath(folder) != _FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


# An interpreter of another environment, perhaps with TensorFlow, is left alone.
if os.environ.get("TFCOMPAT_ALIAS") == sys.prefix:
    sys.meta_path.insert(0, _Waiting())
_run_hidden()
