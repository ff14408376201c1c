"""Assertions of TensorFlow 1 report the data passed to them."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat.compat import v1

HOLD = {
    "assert_equal": (1, 1),
    "assert_none_equal": (1, 2),
    "assert_greater": (2, 1),
    "assert_greater_equal": (1, 1),
    "assert_less": (1, 2),
    "assert_less_equal": (1, 1),
    "assert_near": (1.0, 1.0 + 1e-7),
    "assert_positive": (1,),
    "assert_non_negative": (0,),
    "assert_negative": (-1,),
    "assert_non_positive": (0,),
    "assert_rank": ([1], 1),
    "assert_rank_at_least": ([1], 1),
    "assert_rank_in": ([1], [1, 2]),
}
FAIL = {
    "assert_equal": (1, 2),
    "assert_none_equal": (1, 1),
    "assert_greater": (1, 1),
    "assert_greater_equal": (0, 1),
    "assert_less": (1, 1),
    "assert_less_equal": (2, 1),
    "assert_near": (1.0, 2.0),
    "assert_positive": (0,),
    "assert_non_negative": (-1,),
    "assert_negative": (0,),
    "assert_non_positive": (1,),
}


@pytest.mark.parametrize("name", HOLD)
def test_assertion_holds(name):
    assert getattr(v1, name)(*HOLD[name], data=["shown"], message="message") is None
    assert getattr(v1.debugging, name) is getattr(v1, name)


@pytest.mark.parametrize("name", FAIL)
def test_failure_tells_message_and_data(name):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"message\nhello\n\[3\]"):
        getattr(v1, name)(*FAIL[name], data=["hello", tf.constant([3])], message="message")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("assert_rank", ([1], 2)), ("assert_rank_at_least", ([1], 2)), ("assert_rank_in", ([1], [2, 3]))],
)
def test_ranks_are_values(name, arguments):
    with pytest.raises(ValueError, match="shown"):
        getattr(v1, name)(*arguments, data=["shown"])


def test_types_and_scalars():
    v1.assert_integer(1)
    v1.assert_type(tf.constant(1), tf.int32)
    v1.assert_scalar(1)
    with pytest.raises(TypeError):
        v1.assert_integer(1.5)
    with pytest.raises(TypeError):
        v1.assert_type(tf.constant(1), tf.float32)
    with pytest.raises(ValueError, match="message"):
        v1.assert_scalar([1], message="message")
