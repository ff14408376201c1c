"""Exceptions of signal handlers while elements are read: no further element is lost, and the exception stays itself."""

from __future__ import annotations

import inspect
import itertools
import signal
import sys

import numpy as np
import pytest

import tfcompat as tf
from tests import repetition

D = tf.data.Dataset
COUNT = 30
# The distance of the interrupted calls: the calls for each element are alike.
STEP = 610 // repetition.count(100)


class Late(Exception):
    pass


def records(folder):
    path = str(folder / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for k in range(COUNT):
            writer.write(str(k).encode())
    return D.list_files(path).flat_map(tf.data.TFRecordDataset).map(lambda text: tf.strings.to_number(text, tf.int64))


PIPELINES = {
    "map": lambda _: D.range(COUNT).map(lambda x: x + 0),
    "batch": lambda _: D.range(COUNT).batch(4).map(lambda x: x + 0).unbatch(),
    "filter": lambda _: D.range(2 * COUNT).filter(lambda x: x % 2 == 0).map(lambda x: x // 2),
    "scan": lambda _: D.range(COUNT).scan(np.int64(0), lambda state, x: (state + 1, state + 0 * x)),
    "shuffle": lambda _: D.range(COUNT).shuffle(8, seed=3).repeat(2),
    "zip": lambda _: D.zip(D.range(COUNT).map(lambda x: x + 1), D.range(COUNT).batch(2).unbatch()).map(tf.maximum),
    "records": records,
}


def _is_interruptible(frame):
    """Whether `frame` is one of tfcompat. Python drops exceptions in destructors, and in generators that it closes."""
    if "tfcompat" not in frame.f_code.co_filename or frame.f_code.co_flags & inspect.CO_GENERATOR:
        return False
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is None


def interrupted(iterator, at, error):
    """The elements of `iterator`, where a handler raises `error` at call number `at`; and whether it did."""
    calls, raised, found = itertools.count(), [], []

    def handler(*_):
        raise error

    def count(frame, event, _):
        if event == "call" and _is_interruptible(frame) and next(calls) == at:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        while True:
            try:
                if not raised:
                    sys.setprofile(count)
                element = next(iterator, None)
            except type(error) as seen:
                raised.append(seen)
                continue
            finally:
                sys.setprofile(None)
            if element is None:
                assert raised in ([], [error])
                return found, bool(raised)
            found.append(int(element))
    finally:
        signal.signal(signal.SIGUSR1, before)


def one_missing(found, expected):
    """Whether `found` is `expected`, perhaps without one element."""
    first = next((k for k, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), len(found))
    return found in (expected, expected[:first] + expected[first + 1 :])


@pytest.mark.parametrize(
    ("name", "error"),
    [*[(name, Late()) for name in PIPELINES], ("map", ValueError()), ("records", TimeoutError())],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_an_interrupt_loses_at_most_the_element_that_is_handed_out(name, error, tmp_path):
    make = PIPELINES[name]
    expected = [int(x) for x in make(tmp_path)]
    dataset, was_raised = make(tmp_path), True
    for at in itertools.count(0, STEP):
        if name == "shuffle":
            dataset = make(tmp_path)  # another iteration would have another order
        found, was_raised = interrupted(iter(dataset), at, error)
        assert one_missing(found, expected)
        if not was_raised:
            break
    assert at > 0


def test_an_iterator_that_continues_at_a_saved_place_is_read_again_from_there(tmp_path):
    dataset = D.range(COUNT).shuffle(8, seed=3).map(lambda x: x + 0)
    iterator = iter(dataset)
    first = [int(next(iterator)) for _ in range(5)]
    path = tf.train.Checkpoint(place=iterator).write(str(tmp_path / "place"))
    rest = [int(x) for x in iterator]
    assert sorted(first + rest) == list(range(COUNT))
    for at in range(0, 400, STEP):
        iterator = iter(dataset)
        tf.train.Checkpoint(place=iterator).read(path)
        found, _ = interrupted(iterator, at, Late())
        assert one_missing(found, rest)
