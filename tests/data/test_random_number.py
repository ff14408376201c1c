"""Elements of datasets that are chosen at random, or by numbers."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)
THREE = [D.from_tensors(k).repeat() for k in range(3)]
CHOICE = D.from_tensor_slices(tf.constant([0, 1, 0, 1, 0, 1, 0], tf.int64))


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.5, 0.3, 0.2], [0, 2, 2, 1, 0, 2, 0, 2, 2, 0, 0, 1, 0, 1, 2, 0, 1, 1, 1, 0]),
        (None, [0, 2, 2, 2, 0, 2, 0, 2, 2, 0, 0, 2, 0, 1, 2, 0, 2, 1, 1, 1]),
    ],
)
def test_samples(weights, expected):
    tf.random.set_seed(1)
    sampled = D.sample_from_datasets(THREE, weights, seed=3).take(20)
    assert listed(sampled) == listed(sampled) == expected
    if weights is not None:
        assert listed(D.sample_from_datasets(THREE, tf.constant(weights), seed=3).take(20)) == expected


def test_samples_that_change():
    tf.random.set_seed(1)
    sampled = D.sample_from_datasets(THREE, [0.5, 0.3, 0.2], seed=3, rerandomize_each_iteration=True)
    assert listed(sampled.take(10)) == [0, 1, 2, 0, 0, 1, 0, 0, 1, 1]
    assert listed(sampled.take(8)) == [0, 0, 0, 2, 0, 2, 2, 0]


def test_datasets_of_weight_zero_are_left_out():
    assert D.sample_from_datasets([FIVE]) is not None
    assert repr(D.sample_from_datasets([FIVE, FIVE.take(1)], [1.0, 0.0])) == repr(FIVE)
    assert listed(D.sample_from_datasets([FIVE, FIVE], [0.0, 0.0])) == []


def test_exhausted_datasets_are_passed_over():
    tf.random.set_seed(1)
    sampled = D.sample_from_datasets([D.range(2), D.range(10, 300)], seed=2)
    found = listed(sampled)
    assert sorted(found) == [0, 1, *range(10, 300)]
    assert [k for k in found if k >= 10] == [*range(10, 300)]
    stopped = listed(D.sample_from_datasets([D.range(2), D.range(10, 300)], seed=2, stop_on_empty_dataset=True))
    assert stopped == found[: len(stopped)]
    assert len(stopped) < 20


def test_choices():
    datasets = [FIVE, D.range(10, 12)]
    assert listed(D.choose_from_datasets(datasets, CHOICE)) == [0, 10, 1, 11, 2]
    assert listed(D.choose_from_datasets(datasets, CHOICE, stop_on_empty_dataset=False)) == [0, 10, 1, 11, 2, 3]
    assert listed(tf.data.experimental.choose_from_datasets(datasets, CHOICE)) == [0, 10, 1, 11, 2, 3]
    long = D.choose_from_datasets([D.range(1000), D.range(1000, 2000)], D.range(2).repeat())
    assert listed(long) == [k // 2 + 1000 * (k % 2) for k in range(2000)]


def test_bad_elements_and_choices_are_errors_of_their_place():
    values = generated([1, "a", 3], tf.TensorSpec([], tf.int32))
    others = D.range(10, 20).batch(1).unbatch()
    found = D.choose_from_datasets([values, D.from_tensors(7).repeat()], CHOICE)
    assert outcomes(found, 6) == [1, 7, "InvalidArgumentError", 7, 3, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Selector index out of range: 1 >= 1"):
        listed(D.choose_from_datasets([others], CHOICE))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: D.sample_from_datasets([]), ValueError, "`datasets` should not be empty"),
        (lambda: D.sample_from_datasets([FIVE, FIVE], [1.0]), ValueError, "same length as `datasets`"),
        (
            lambda: D.sample_from_datasets([FIVE, FIVE], [1, 1]),
            TypeError,
            "must be either `tf.float32` or `tf.float64`",
        ),
        (lambda: D.sample_from_datasets([FIVE, D.from_tensors("a")]), TypeError, "must have compatible element specs"),
        (lambda: D.choose_from_datasets([FIVE], 5), TypeError, "should be a `tf.data.Dataset` but is"),
        (lambda: D.choose_from_datasets([FIVE], D.from_tensors(1)), TypeError, "must be scalar `tf.int64` tensors"),
        (lambda: D.choose_from_datasets([], FIVE), ValueError, "`datasets` should not be empty"),
    ],
    ids=range(7),
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()
