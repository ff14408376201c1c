"""Has the C library keep freed memory for arrays that follow, instead of returning it to the system.

The host makes an array for each step, and the functions of datasets make one for each element. Where the system has to
provide its memory again, and to clear each page of it, this takes longer than most of the arithmetic: two attention
blocks on batches of 16 x 100 x 64 touched 2,090 new pages a step, which took a sixth of the time.
"""

from __future__ import annotations

import contextlib
import functools

import numpy as np

from tfcompat._jaxpr.postponement import postponed

# The GNU C library maps blocks of more than a threshold, at first 128 KB, one by one, and unmaps them when they are
# freed. When it has unmapped one of at most 32 MB, the threshold becomes its size, and up to twice as much free memory
# is kept at the end of the heap: see mallopt(3), M_MMAP_THRESHOLD. A block has a header.
_LARGEST = (32 << 20) - (64 << 10)


@functools.cache
def keep_freed_memory() -> None:
    """Has arrays of up to 32 MB, from now on, reuse memory of the heap, which keeps up to 64 MB of it at its end.

    Users who set `MALLOC_MMAP_THRESHOLD_` or another of these variables keep their own choice. With other C libraries
    nothing changes, nor does anything if less memory is left.
    """
    # The MemoryError of a signal handler is not meant.
    with postponed(), contextlib.suppress(MemoryError):
        np.empty(_LARGEST, np.uint8)
