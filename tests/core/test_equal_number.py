"""Programs with many numbers read one of equal numbers for all, and are compiled again once these differ."""

from __future__ import annotations

import math
import signal
import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs import program
from tfcompat._core.programs.equal_number import equal_numbers
from tfcompat._core.system.config import settings

COUNT = 90


def total(x, numbers):
    for k, number in enumerate(numbers):
        x = x + tf.square(x - number) if k % 2 else x * number
    return x


def expected(x, numbers):
    x = np.asarray(x, np.float64)
    for k, number in enumerate(numbers):
        x = x + np.square(x - number) if k % 2 else x * number
    return x


def numbers(first, second=None):
    """Numbers that take two values in turns."""
    return [0.5 * first if k % 2 else (first if second is None else second) / 1e3 for k in range(COUNT)]


def runs(given, times=3):
    """The result of `total` in a new structure of its own, run several times; and the programs compiled."""
    before = tf.counters().compiles
    x = tf.Variable([0.25, 0.75], dtype=tf.float64)
    for _ in range(times):
        found = total(x, given).numpy()
    return found, tf.counters().compiles - before


def test_numbers_that_change_together_need_no_new_program():
    given = numbers(1.0)
    found, _ = runs(given)
    np.testing.assert_allclose(found, expected([0.25, 0.75], given), rtol=1e-12)
    for first, second in ((2.0, None), (1.5, 7.0), (0.5, 3.0)):
        given = numbers(first, second)
        found, compiled = runs(given)
        np.testing.assert_allclose(found, expected([0.25, 0.75], given), rtol=1e-12)
        assert compiled == 0


def test_numbers_that_were_equal_by_chance_differ_later(monkeypatch, capsys):
    monkeypatch.setattr(settings, "is_explaining", True)

    def scaled(x, scales):
        for scale in scales:
            x = tf.sin(x) * scale
        return x

    x = tf.constant([1.0, 2.0], tf.float64)
    found, compiled = [], []
    for different in range(6):  # each run of several steps has one more number of its own
        scales = [1.25 + (k < different) * (k + 1) / 100 for k in range(80)]
        before = tf.counters().compiles
        for _ in range(3):
            found.append(scaled(x, scales).numpy())
        compiled.append(tf.counters().compiles - before)
        wanted = np.array([1.0, 2.0])
        for scale in scales:
            wanted = np.sin(wanted) * scale
        np.testing.assert_allclose(found[-1], wanted, rtol=1e-12)
    # Compiled, compiled again twice, and once more for any numbers.
    assert compiled == [1, 1, 1, 1, 0, 0]
    assert capsys.readouterr().err.count("numbers that were equal differ") == 3


def test_zeros_with_signs_and_nan_are_told_apart():
    def divided(x, divisors):
        return tf.stack([x / divisor for divisor in divisors])

    x = tf.constant(1.0)
    for last in (0.0, -0.0, math.nan, 0.0):
        divisors = [0.0] * 70 + [last]
        for _ in range(3):
            found = divided(x, divisors).numpy()
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(found, np.divide(np.float32(1), np.array(divisors, np.float32)))


def test_integers_too():
    def shifted(x, steps):
        for step in steps:
            x = tf.bitwise.bitwise_xor(x, tf.constant(2)) + step
        return x

    for last in (1, 2, 1, 3):
        steps = [1] * 70 + [last]
        x = 5
        for step in steps:
            x = (x ^ 2) + step
        for _ in range(3):
            assert shifted(tf.constant(5), steps).numpy() == x


def test_variables_are_updated_as_often_as_they_are_assigned():
    """A program that takes the variables' buffers is compiled again in the middle of a loop."""
    variables = [tf.Variable(np.full((64, 64), k, np.float32)) for k in range(24)]
    wanted = [np.full((64, 64), k, np.float32) for k in range(24)]
    for step in range(12):
        rate = 0.25 if step < 6 else 0.125  # 0.25 was also the constant below
        before = tf.counters().compiles
        for k, variable in enumerate(variables):
            variable.assign_sub(rate * (variable * 0.5 + 0.25) + 0.75)
            wanted[k] = wanted[k] - (np.float32(rate) * (wanted[k] * np.float32(0.5) + np.float32(0.25)) + 0.75)
        variables[0].numpy()
        if step > 4:
            assert tf.counters().compiles - before == (step == 6)
    for variable, value in zip(variables, wanted):
        np.testing.assert_allclose(variable.numpy(), value, rtol=1e-5)


@pytest.fixture
def interrupted(monkeypatch):
    """For each first call of a compiled function with arguments of other classes, whether a handler can run in it."""
    handled, found = [], []
    before = signal.signal(signal.SIGUSR1, lambda *_: handled.append(True))
    jitted = program.jitted

    def watched(*args, **options):
        run, known = jitted(*args, **options), set()

        def call(*args):
            kinds = tuple(map(type, args))
            if kinds not in known:
                known.add(kinds)
                count = len(handled)
                signal.raise_signal(signal.SIGUSR1)
                found.append(len(handled) > count)
            return run(*args)

        return call

    monkeypatch.setattr(program, "jitted", watched)
    yield found
    signal.signal(signal.SIGUSR1, before)


def test_no_handler_runs_in_the_first_calls_of_a_program_that_is_compiled_again(interrupted):
    """JAX runs Python code in them, and the buffers of variables are gone before the results are stored."""
    variables = [tf.Variable(np.full((64, 64), k, np.float32)) for k in range(24)]
    for step in range(14):
        rate = 0.25 if step < 7 else 0.125  # numbers that don't change become an array of JAX
        for variable in variables:
            variable.assign_sub(rate * (variable * 0.5 + 0.25) + 0.75)
        variables[0].numpy()
    assert len(interrupted) == 4
    assert not any(interrupted)


def test_threads_with_other_numbers_share_the_structure():
    errors = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(25):
            given = numbers(float(rng.integers(1, 4)), float(rng.integers(1, 4)))
            if rng.integers(2):
                given[-1] = float(seed)
            found, _ = runs(given, times=1)
            if not np.allclose(found, expected([0.25, 0.75], given), rtol=1e-12):
                errors.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.parametrize("count", [0, 10])
def test_few_equal_numbers_are_read_one_by_one(count):
    assert equal_numbers([np.ones(count), np.arange(100)], None) is None


def test_equal_numbers_only_become_fewer():
    first = equal_numbers([np.ones(200), np.repeat([3, 4], 50)], None)
    assert first.are_in([np.full(200, 2.0), np.zeros(100, int)])
    assert not first.are_in([np.arange(200.0), np.zeros(100, int)])
    second = equal_numbers([np.repeat([1.0, 2.0], 100), np.zeros(100, int)], first)
    assert second.are_in([np.repeat([1.0, 2.0], 100), np.repeat([3, 4], 50)])
    assert not second.are_in([np.ones(200), np.arange(100)])
    third = equal_numbers([np.ones(200), np.repeat([1, 2, 3, 4], 25)], second)
    assert not third.are_in([np.repeat([1.0, 2.0, 3.0, 4.0], 50), np.zeros(100, int)])
    assert equal_numbers([np.ones(200), np.zeros(100, int)], third) is None
