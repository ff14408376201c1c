"""Running a program, and access to files next to it: `tf.compat.v1.app` and `tf.compat.v1.resource_loader`."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Exits the program with the result of `main` for the arguments; by default the program's own `main`.

    absl, if installed, parses the program's flags first.

    Source: TF 2.21 `tf.compat.v1.app.run`.
    """
    function: Any = main or vars(sys.modules["__main__"])["main"]
    if importlib.util.find_spec("absl") is not None:
        importlib.import_module("absl.app").run(function, argv=argv)
    sys.exit(function(sys.argv if argv is None else argv))


def get_data_files_path() -> str:
    """The folder of the file that calls this function.

    Source: TF 2.21 `tf.compat.v1.resource_loader.get_data_files_path`.
    """
    return os.path.dirname(sys._getframe(1).f_code.co_filename)


def get_path_to_datafile(path: str) -> str:
    """`path` in the folder of the file that calls this function.

    Source: TF 2.21 `tf.compat.v1.resource_loader.get_path_to_datafile`.
    """
    return os.path.join(os.path.dirname(sys._getframe(1).f_code.co_filename), path)
