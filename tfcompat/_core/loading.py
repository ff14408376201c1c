"""Rest for the garbage collector while the package is loaded.

What is loaded stays. To look for garbage among it, and among all that JAX has loaded, takes some 60 ms, a third of the
time that everything else takes here.
"""

from __future__ import annotations

import gc

_was_enabled = gc.isenabled()
gc.disable()


def finish() -> None:
    """Lets the collector work again, if it did before."""
    if _was_enabled:
        gc.enable()
