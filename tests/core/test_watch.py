"""The connections by which the processes of a cluster know of each other's end."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from tfcompat._core.system.processes import watch

resource = pytest.importorskip("resource", reason="limits are those of POSIX")
MANY = 1100


def pair():
    """The watches of two processes, both in this one."""
    found = {}
    with watch.listening_at("localhost:0") as listening, socket.socket() as unused:
        unused.bind(("localhost", 0))
        addresses = [f"localhost:{each.getsockname()[1]}" for each in (unused, listening)]

        def begin(index):
            found[index] = watch.Watch(["first", "second"], addresses, index, listening)

        starting = [threading.Thread(target=begin, args=(index,)) for index in (0, 1)]
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join()
    return found[0], found[1]


def test_the_end_of_a_process_is_noticed():
    first, second = pair()
    second.leave(0.0)
    for peer in list(second._peers):
        peer._connection.shutdown(socket.SHUT_RDWR)
    first.join()
    second.join()
    assert (first.lost, second.lost) == ({1: "has left"}, {0: "has ended"})


def test_a_process_with_many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * MANY:
        pytest.skip(f"the system allows {hard} files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    opened = []
    try:
        while not opened or opened[-1] < MANY:
            opened.append(os.dup(0))
        test_the_end_of_a_process_is_noticed()
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
