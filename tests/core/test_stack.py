"""Deep calls in a loop map no memory where there is room for them."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor

from tests.stack import with_room

TIMES = 100


def shallow():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def deep(depth):
    """The number of pages that a loop of calls at that depth gets from the system."""
    if depth:
        return deep(depth - 1)
    start = shallow()
    for _ in range(TIMES):
        shallow()
    return shallow() - start


def most(call):
    """The largest number at any depth that a piece may have, in a thread with a stack of its own."""
    with ThreadPoolExecutor() as thread:
        return max(thread.map(call, range(200)))


def test_a_loop_across_the_end_of_a_piece_maps_memory_without_room():
    assert most(deep) >= TIMES
    assert most(lambda depth: with_room(deep, depth)) < TIMES


def test_arguments_may_have_any_name():
    assert with_room(dict, function=1, args=2) == {"function": 1, "args": 2}
