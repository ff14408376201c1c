"""Seeds that libraries derive from others, as in `tensorflow.python.ops.distributions.util`."""

from __future__ import annotations

import hashlib

_BITS = 0x7FFFFFFF


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """The seed that follows from `seed` and the text `salt`, below 2**31; None for None.

    Source: TF 2.21, `tensorflow.python.ops.distributions.util.gen_new_seed`.
    """
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & _BITS
