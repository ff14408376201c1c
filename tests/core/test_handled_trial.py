"""The exception of a signal handler is not a result of a trial: it reaches the program, and the trial is made again."""

from __future__ import annotations

import functools
import itertools
import signal

import numpy as np
import pytest

import tfcompat as tf
from tests.checkpoint import Checkpoint
from tests.daily import thorough
from tests.repetition import count
from tfcompat._core.system.location import is_raised_by_handler, is_raised_by_user

# Every how many checkpoints a handler raises: a prime, so that a loop is interrupted at different places.
STRIDE = 41 if count(10) == 10 else 151


class Late(Exception):
    pass


def late(*_):
    raise Late


class Handler:
    def __call__(self, *_):
        raise Late

    def method(self, *_):
        tf.constant("text") + tf.constant(1)


@pytest.fixture
def handled():
    """Installs the handler that it is called with."""
    before = signal.getsignal(signal.SIGUSR1)
    yield lambda handler: signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGUSR1, before)


def raised(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    "handler",
    [late, Handler(), Handler().method, functools.partial(late, 1), functools.partial(Handler(), 1)],
    ids=["function", "object", "method", "partial", "partial_object"],
)
def test_exceptions_of_handlers_are_known(handled, handler):
    handled(handler)
    error = raised(lambda: signal.raise_signal(signal.SIGUSR1))
    assert is_raised_by_handler(error)
    assert is_raised_by_user(error)


def test_exceptions_of_ops_and_of_called_functions_are_not_those_of_handlers(handled):
    handled(late)
    error = raised(Handler().method)
    assert not is_raised_by_handler(error)
    assert not is_raised_by_user(error)

    def other():
        raise Late

    assert not is_raised_by_handler(raised(other))
    # The default of a signal is a member of an enumeration.
    assert not is_raised_by_handler(raised(lambda: signal.Handlers(7)))


def batches():
    return tf.stack(list(tf.data.Dataset.range(6).map(lambda i: i * i).batch(2)))


def open_sizes():
    function = tf.function(lambda x: tf.reshape(x, [-1, 2]) * 2.0, input_signature=[tf.TensorSpec([None, None])])
    return function(tf.ones([4, 3]))


def strings():
    words = tf.data.Dataset.from_tensor_slices(["a b", "c d e"])
    long = words.map(lambda s: tf.cond(tf.strings.length(s) > 3, lambda: tf.strings.upper(s), lambda: s))
    return tf.stack(list(long))


def without_errors():
    numbers = tf.data.Dataset.range(6).map(lambda i: tf.debugging.check_numerics(1.0 / tf.cast(i - 2, tf.float32), ""))
    return tf.stack(list(numbers.ignore_errors()))


@pytest.mark.soak
@pytest.mark.parametrize("function", [batches, open_sizes, *map(thorough, (strings, without_errors))])
def test_exceptions_of_handlers_reach_the_program(handled, function):
    expected = [function().numpy() for _ in range(2)][1]
    handled(late)
    swallowed = []
    for number in itertools.count(0, STRIDE):
        place = Checkpoint(number, lambda: signal.raise_signal(signal.SIGUSR1))
        try:
            with place:
                function()
            if not place.is_reached:
                break
            swallowed.append(number)
        except Late:
            pass
    assert number > 10 * STRIDE
    assert swallowed == []
    np.testing.assert_array_equal(function().numpy(), expected)


@pytest.mark.soak
def test_assignments_of_handlers_are_made_wherever_they_come_into_a_first_call(handled):
    """While the function is traced its ops belong to it, in TensorFlow too."""
    own, number = tf.Variable(0.0), tf.Variable(1.0)

    def first():
        @tf.function
        def function(x):
            number.assign(x * 2.0)
            return x + number

        return float(function(tf.constant(3.0)))

    assert first() == 9.0
    handled(lambda *_: own.assign_add(1.0))
    for number_of_place in itertools.count(0, STRIDE // 10):
        place = Checkpoint(number_of_place, lambda: signal.raise_signal(signal.SIGUSR1))
        own.assign(0.0)
        with place:
            assert first() == 9.0
        assert float(own) == place.is_reached
        if not place.is_reached:
            break
