"""References to the buffers of variables, several of which may share one."""

from __future__ import annotations

import numpy as np

from tfcompat._function.running.buffer_use import BufferUse


def test_a_shared_buffer_is_unused_until_others_refer_to_it():
    use, first, second = BufferUse(), np.zeros(2), np.zeros(2)
    owners = [[first], [first], [second]]
    buffers = [first, first, second]
    del first, second
    assert not use.are_shared(buffers, 1)
    assert not use.are_shared(buffers, 1)
    assert use.are_shared(buffers, 0)
    kept = owners[2][0]
    assert use.are_shared(buffers, 1)
    del kept
    assert not use.are_shared(buffers, 1)


def test_other_variables_may_share_buffers_later():
    use, first, second = BufferUse(), np.zeros(2), np.zeros(2)
    for places in ((0, 1), (0, 0), (0, 1), (1, 1), (0, 0, 1), (0,)):
        owners = [[(first, second)[place]] for place in places]
        buffers = [owner[0] for owner in owners]
        # The names `first` and `second` refer to both.
        assert use.are_shared(buffers, 1)
        assert not use.are_shared([np.zeros(2) for _ in places], 0)
        distinct = [np.zeros(2) for _ in range(2)]
        owners = [[distinct[place]] for place in places]
        buffers = [owner[0] for owner in owners]
        del distinct
        assert not use.are_shared(buffers, 1)
