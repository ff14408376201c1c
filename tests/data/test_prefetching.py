"""`prefetch`: elements read ahead by a thread, and its end."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import tfcompat as tf
from tests import forked
from tests.checkpoint import interrupted
from tests.data.reading import listed, outcomes
from tests.repetition import count
from tfcompat._data.nodes import prefetching
from tfcompat._data.nodes.prefetching import THREAD, Prefetch

D = tf.data.Dataset
NUMBER = tf.TensorSpec([], tf.int32)
ROOT = Path(__file__).parents[2]
TIMES = count(1000)


def numbers(limit=1000):
    return D.from_generator(lambda: iter(range(limit)), output_signature=NUMBER)


def threads():
    """The threads that read ahead."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


def no_thread_is_left():
    """Whether the threads that read ahead have ended, at the latest in a minute."""
    gc.collect()
    limit = time.monotonic() + 60
    while threads() and time.monotonic() < limit:
        time.sleep(0.01)
    return Prefetch is not None and not threads()


@pytest.mark.parametrize("size", [1, 2, 100, tf.data.AUTOTUNE, None, 0])
def test_elements_are_those_of_the_input(size):
    assert listed(D.range(1000).prefetch(size)) == [*range(1000)]
    assert listed(numbers(300).prefetch(size).batch(7).prefetch(size).unbatch()) == [*range(300)]


def test_size_is_checked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be >= 0 or set buffer_size to be -1"):
        D.range(5).prefetch(-2)


def test_errors_arrive_in_order():
    values = D.from_generator(lambda: iter([1, "a", 3]), output_signature=NUMBER)
    assert outcomes(values.prefetch(5), 5) == [1, "InvalidArgumentError", 3, "end", "end"]


def test_exit_in_a_generator_reaches_the_reader():
    assert Prefetch

    def generate():
        yield 1
        raise SystemExit(3)

    iterator = iter(D.from_generator(generate, output_signature=NUMBER).prefetch(2))
    next(iterator)
    with pytest.raises(SystemExit):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
    del iterator
    assert no_thread_is_left()


def test_no_more_is_read_than_the_buffer_holds():
    """Of a generator, whose steps can be observed."""
    taken, is_ahead = [], threading.Event()

    def generate():
        for k in range(1000):
            taken.append(k)
            if k == 1:
                is_ahead.set()
            yield k

    iterator = iter(D.from_generator(generate, output_signature=NUMBER).prefetch(5))
    assert int(next(iterator)) == 0
    assert is_ahead.wait(60)
    time.sleep(0.2)  # in which it could read all
    assert len(taken) <= 12


class Clock:
    """Takes the place of the module `time`; between two looks at it `seconds` pass, whatever the machine's speed."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._now = 0.0

    def perf_counter(self):
        self._now += self._seconds
        return self._now


@pytest.fixture
def each_read_takes(monkeypatch):
    """A function that sets the seconds that each read without a thread appears to take."""
    return lambda seconds: monkeypatch.setattr(prefetching, "time", Clock(seconds))


def read_and_threads(dataset, number):
    """The first `number` elements, and how many new threads read ahead after each of them."""
    before, iterator = set(threads()), iter(dataset)
    return zip(*[(next(iterator).numpy(), len(set(threads()) - before)) for _ in range(number)], strict=True)


def test_elements_that_take_little_time_are_read_without_a_thread(each_read_takes):
    # Blocks of more than 50 elements take less than the handing over of their elements would.
    each_read_takes(2.5e-3)
    elements, running = read_and_threads(D.range(3000).map(lambda x: x + 1).batch(10).unbatch().prefetch(1), 3000)
    assert elements == tuple(range(1, 3001))
    assert not any(running)


def test_thread_starts_when_elements_take_long(each_read_takes):
    each_read_takes(15e-3)
    elements, running = read_and_threads(D.range(10_000).map(lambda x: x + 1).prefetch(2), 60)
    assert elements == tuple(range(1, 61))
    assert running[:2] == (0, 0)
    assert running[20:] == (1,) * 40
    assert list(running) == sorted(running)


def test_thread_starts_by_the_clock_of_the_machine():
    dataset = D.range(3_000).map(lambda x: tf.reduce_mean(tf.sin(tf.fill([1_000_000], tf.cast(x, tf.float32)))))
    before, elements = set(threads()), []
    for element in dataset.prefetch(2):
        elements.append(float(element))
        if set(threads()) - before:
            break
    assert 1 < len(elements) < 3_000
    assert elements[:2] == [0.0, pytest.approx(math.sin(1.0), rel=1e-4)]


def test_only_element_is_read_without_a_thread(each_read_takes):
    each_read_takes(1.0)
    elements, running = read_and_threads(D.range(1).map(lambda x: x + 1).prefetch(1), 1)
    assert (elements, running) == ((1,), (0,))


def test_elements_with_effects_are_read_by_a_thread_from_the_beginning():
    _, running = read_and_threads(numbers(5).prefetch(1), 1)
    assert running == (1,)


@pytest.mark.parametrize("read", [1, 3, 20])
def test_place_is_saved_before_and_after_the_thread_starts(read, tmp_path, each_read_takes):
    each_read_takes(15e-3)
    dataset = D.range(50).map(lambda x: tf.sin(tf.cast(x, tf.float32))).prefetch(3)
    first, second = iter(dataset), iter(dataset)
    for _ in range(read):
        next(first)
    path = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "place"))
    tf.train.Checkpoint(iterator=second).read(path)
    assert [float(x) for x in second] == pytest.approx([float(x) for x in first], rel=1e-5)


def test_place_holds_the_element_that_the_thread_reads(tmp_path, monkeypatch):
    """However long it takes."""
    monkeypatch.setattr(prefetching, "_PATIENCE", 0.0)
    is_reading, is_stopped = threading.Event(), threading.Event()
    stop = prefetching._Queue.stop

    def read(x):
        if x == 1:
            is_reading.set()
            assert is_stopped.wait(60)
        return x

    def stopped(queue):
        stop(queue)
        is_stopped.set()

    monkeypatch.setattr(prefetching._Queue, "stop", stopped)
    dataset = D.range(4).map(lambda x: tf.numpy_function(read, [x], tf.int64)).prefetch(1)
    first, second = iter(dataset), iter(dataset)
    assert int(next(first)) == 0
    assert is_reading.wait(60)
    path = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "place"))
    tf.train.Checkpoint(iterator=second).read(path)
    assert [[int(x) for x in each] for each in (first, second)] == [[1, 2, 3], [1, 2, 3]]


def test_refused_save_of_a_generator_does_not_wait_for_it(tmp_path):
    is_saved = threading.Event()

    def generate():
        for k in range(4):
            assert k != 1 or is_saved.wait(60)
            yield k

    iterator = iter(D.from_generator(generate, output_signature=NUMBER).prefetch(1))
    assert int(next(iterator)) == 0
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "place"))
    is_saved.set()
    assert [int(x) for x in iterator] == [1, 2, 3]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs POSIX signals")
def test_interrupt_while_the_thread_starts_loses_no_element(monkeypatch):
    start, before = threading.Thread.start, signal.getsignal(signal.SIGALRM)

    def interrupted(thread):
        start(thread)
        signal.raise_signal(signal.SIGALRM)

    def interrupt(*_):
        monkeypatch.undo()
        raise KeyError

    iterator = iter(numbers(5).prefetch(2))
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyError):
            next(iterator)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert [int(x) for x in iterator] == [0, 1, 2, 3, 4]


def test_interrupt_of_a_reader_loses_at_most_the_element_that_it_hits():
    """Of a generator, which cannot begin again."""
    iterator, found, places = iter(()), [], 0

    def prepare():
        nonlocal iterator
        iterator = iter(numbers(3).prefetch(1))
        found.clear()

    def read():
        found.extend(map(int, iterator))

    for is_raised in interrupted(read, 5, prepare):
        assert is_raised
        places += 1
        read()
        assert len(found) >= 2
        assert found == sorted(set(found) & {0, 1, 2})
    assert places > 20


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
def test_handler_reads_to_the_end_while_the_program_waits_for_an_element():
    is_needed, found = threading.Event(), []

    def generate():
        yield 0
        assert is_needed.wait(60)
        yield 1

    def read(*_):
        is_needed.set()
        found.extend(int(x) for x in iterator)

    iterator = iter(D.from_generator(generate, output_signature=NUMBER).prefetch(1))
    assert int(next(iterator)) == 0
    before = signal.signal(signal.SIGALRM, read)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(StopIteration):
            next(iterator)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found == [1]


def test_reading_overlaps_the_work_of_the_reader():
    begun = [threading.Event() for _ in range(10)]

    def numbers():
        for k in range(10):
            begun[k].set()
            yield k

    for k in D.from_generator(numbers, output_signature=NUMBER).prefetch(2).as_numpy_iterator():
        # While the reader works on one element, the next is read.
        assert begun[min(k + 1, 9)].wait(60)


@pytest.mark.soak
class TestNoThreadIsLeft:
    """After the end, and wherever the reader leaves."""

    def test_after_the_end(self):
        assert Prefetch
        for _ in range(TIMES):
            listed(D.range(100).batch(3).prefetch(2))
        assert no_thread_is_left()

    @pytest.mark.parametrize("read", [*[pytest.param(read, marks=pytest.mark.thorough) for read in (0, 1)], 3])
    def test_after_a_loop_that_is_broken_off(self, read):
        assert Prefetch
        for _ in range(TIMES):
            for place, _ in enumerate(numbers().prefetch(2).batch(2).prefetch(3)):
                if place >= read:
                    break
        assert no_thread_is_left()

    def test_after_an_exception(self):
        assert Prefetch

        def read():
            for x in D.range(1000).repeat().prefetch(4):
                {}[int(x)]

        for _ in range(TIMES):
            with pytest.raises(KeyError):
                read()
        assert no_thread_is_left()

    def test_after_an_interrupt(self):
        assert Prefetch

        def interrupting():
            yield 1
            os.kill(os.getpid(), signal.SIGINT)
            # Python misses a signal that comes just before it waits for a lock, until the lock is released.
            time.sleep(0.1)
            yield 2

        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                for _ in D.from_generator(interrupting, output_signature=NUMBER).prefetch(1):
                    pass
        assert no_thread_is_left()

    def test_after_repetitions_and_zips(self):
        assert Prefetch
        for _ in range(TIMES // 10):
            inner = D.range(10).prefetch(2)
            listed(D.zip(inner.repeat(3), inner.concatenate(inner)).prefetch(1).take(5))
        assert no_thread_is_left()

    @pytest.mark.parametrize("ending", ["", "raise SystemExit(0)", "iterator = None"])
    def test_at_the_end_of_the_process(self, ending):
        assert Prefetch
        code = (
            "import tfcompat as tf\n"
            "dataset = tf.data.Dataset.range(1000).repeat().prefetch(4).batch(2).prefetch(2)\n"
            f"iterator = iter(dataset)\nprint(next(iterator).numpy().tolist())\n{ending}"
        )
        done = forked.run(["-c", code], timeout=300)
        assert (done.returncode, done.stdout, done.stderr) == (0, "[0, 1]\n", "")


def test_memory_of_a_dropped_iterator_is_freed():
    assert Prefetch

    class Marker:
        alive = 0

        def __init__(self):
            Marker.alive += 1

        def __del__(self):
            Marker.alive -= 1

    def generate():
        marker = Marker()
        yield from range(100)
        del marker

    iterator = iter(D.from_generator(generate, output_signature=NUMBER).prefetch(2))
    next(iterator)
    assert Marker.alive == 1
    del iterator
    assert no_thread_is_left()
    assert Marker.alive == 0
