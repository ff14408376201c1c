"""Files that replace others as a whole."""

from __future__ import annotations

import contextlib
import os
import secrets

from tfcompat._jaxpr.postponement import postponed


def replace(path: str, content: bytes) -> None:
    """Writes a file as a whole, in place of the one of that name.

    Signals are handled afterwards: an interrupt must not leave a file open, or under its temporary name.

    Raises: OSError if it cannot be written.
    """
    temporary = f"{path}.tmp{secrets.randbits(64)}"
    with postponed():
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):  # it has the other name
                os.remove(temporary)
