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
STEP = 6 if repetition.count(10) == 10 else 127


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


def handled(function, at, handler):
    """Calls `function`, and `handler` for a signal that comes at call number `at` within."""
    calls = itertools.count()

    def count(frame, event, _):
        if event == "call" and _is_interruptible(frame) and next(calls) == at:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        sys.setprofile(count)
        return function()
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGUSR1, before)


def interrupted(iterator, at, error):
    """The elements of `iterator`, where a handler raises `error` at call number `at`; and whether it did."""
    raised, found = [], []

    def handler(*_):
        raise error

    def read():
        for element in iterator:
            found.append(int(element))

    try:
        handled(read, at, handler)
    except type(error) as seen:
        raised.append(seen)
        read()
    assert raised in ([], [error])
    return found, bool(raised)


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


@pytest.mark.parametrize("name", PIPELINES)
def test_signal_handler_saves_the_place_while_an_element_is_read(name, tmp_path):
    """No element is lost or repeated, neither in the program nor behind the place."""
    make = PIPELINES[name]
    expected = [int(x) for x in make(tmp_path)]
    for at in itertools.count(0, STEP):
        iterator, found, saved = iter(make(tmp_path)), [], []

        def save(*_, iterator=iterator, found=found, saved=saved):
            saved.append((len(found), iterator._serialize_to_tensors()))

        def read(iterator=iterator, found=found):
            for element in iterator:
                found.append(int(element))

        handled(read, at, save)
        assert found == expected
        if not saved:
            break
        ((number, place),) = saved
        other = iter(make(tmp_path))
        other._restore_from_tensors(place)
        # The element that is being handed out may count as one that was.
        assert [int(x) for x in other] in (expected[number:], expected[number + 1 :])
    assert at > 0


def test_signal_handler_cannot_save_the_place_while_a_function_with_effects_runs():
    total = tf.Variable(0, dtype=tf.int64)
    iterator, errors, found = iter(D.range(4).map(lambda x: total.assign_add(x))), [], []

    def save(*_):
        try:
            iterator._serialize_to_tensors()
        except tf.errors.FailedPreconditionError as error:
            errors.append(error.message)

    def read():
        for element in iterator:
            found.append(int(element))

    for at in range(3, 400, 9):
        if not errors:
            iterator = iter(D.range(4).map(lambda x: total.assign_add(x)))
            handled(read, at, save)
    assert errors
    assert "between two elements" in errors[0]
    assert len(found) % 4 == 0
