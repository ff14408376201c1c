"""Agreement of two records."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tfcompat._dropin.comparison.agreement import Tolerance, compare, compare_texts
from tfcompat._dropin.comparison.recorder import MOST_ELEMENTS, leaf_record

TOLERANCE = Tolerance()


def reason(theirs, ours, tolerance=TOLERANCE):
    pair = ({"parts": [leaf_record(each) for each in value]} for value in (theirs, ours))
    return compare(*pair, tolerance).reason


ONES = np.ones([2, 3], np.float32)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ([], []),
        ([None], [None]),
        ([1.0], [1.0 + 1e-4]),
        ([ONES], [ONES + 1e-4]),
        ([np.array([1.0, 0.0])], [np.array([1.0, 5e-4])]),
        ([np.array([np.nan, np.inf, -np.inf])], [np.array([np.nan, np.inf, -np.inf])]),
        ([np.array([0.0])], [np.array([-0.0])]),
        ([np.array([], np.float32)], [np.array([], np.float32)]),
        ([np.array([1 + 2j])], [np.array([1.0001 + 2j])]),
        ([np.array([b"a", b"\xff"], object)], [np.array([b"a", b"\xff"], object)]),
        ([object()], [object()]),
        (["words"], ["words"]),
        ([True, 3], [True, 3]),
    ],
)
def test_values_agree(theirs, ours):
    assert reason(theirs, ours) == ""


@pytest.mark.parametrize(
    ("theirs", "ours", "why"),
    [
        ([1.0], [1.01], "element 0: 1 under TensorFlow, 1.01 here"),
        ([ONES], [ONES * [1, 1, 1.1]], "dtype float32 under TensorFlow, float64 here"),
        ([ONES], [np.ones([3, 2], np.float32)], r"shape [2, 3] under TensorFlow, [3, 2] here"),
        ([np.array([1.0, 2.0])], [np.array([1.0, np.nan])], "element 1: 2 under TensorFlow, nan here"),
        ([np.array([np.inf])], [np.array([-np.inf])], "element 0: inf under TensorFlow, -inf here"),
        ([ONES, None], [ONES, ONES], "value 1: dtype None under TensorFlow, float32 here"),
        ([ONES], [ONES, ONES], "1 values under TensorFlow, 2 here"),
        ([3], [4], "other elements"),
        (["a"], ["b"], "other elements"),
        ([np.array([1 + 2j])], [np.array([1 + 3j])], "element 1: 2 under TensorFlow, 3 here"),
        ([2**63 - 1], [2**63 - 2], "other elements"),
    ],
)
def test_values_differ(theirs, ours, why):
    assert reason(theirs, ours) == why


def test_long_arrays_are_compared_by_a_part_and_by_their_size():
    long = np.random.default_rng(0).normal(size=10 * MOST_ELEMENTS).astype(np.float32)
    assert len(leaf_record(long)["elements"]) <= MOST_ELEMENTS
    assert reason([long], [long.copy()]) == ""
    other = long.copy()
    other[::10] += 1.0
    assert re.fullmatch(r"element \d+0: .*", reason([long], [other]))
    between = long.copy()
    between[1::10] += 3.0
    assert reason([long], [between])


def test_tolerance_is_that_of_the_caller():
    assert reason([1.0], [1.01], Tolerance(relative=0.1)) == ""
    assert reason([1.0], [1.01], Tolerance(absolute=0.1)) == ""


@pytest.mark.parametrize(
    ("theirs", "ours", "agree"),
    [
        ("loss 1.0000", "loss 1.0003", True),
        ("loss 1.0", "loss 1.1", False),
        ("loss 1.0", "accuracy 1.0", False),
        ("loss  9.99", "loss 10.00", True),
        ("step 3: nan", "step 3: nan", True),
        ("step 3: nan", "step 3: 0.5", False),
        ("epoch 1 took 3.21 s, 12.3 steps/s", "epoch 1 took 0.5 s, 80 steps/s", True),
        ("12ms/step loss 2.0", "3ms/step loss 2.0", True),
        ("3 samples", "4 samples", False),
        ("[1. 2. 3.]", "[1. 2. 3.]", True),
    ],
)
def test_printed_lines(theirs, ours, agree):
    assert (compare_texts(theirs, ours, Tolerance(absolute=1e-5, relative=2e-3)).reason == "") is agree
