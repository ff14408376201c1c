"""Random numbers of TensorFlow 1. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat import v1

LOGITS = np.log(np.array([[0.2, 0.8]], np.float32))


@pytest.fixture(autouse=True)
def _unseeded_afterwards():
    yield
    tf.random.set_seed(None)


def test_arguments_have_the_order_of_the_first_version():
    tf.random.set_seed(4)
    assert v1.random.poisson([3.0, 20.0], [2], seed=3).numpy().ravel().tolist() == [2, 20, 0, 19]
    assert v1.random_poisson(3.0, [2]).numpy().tolist() == [3, 2]
    assert v1.multinomial(LOGITS, 5, seed=3).numpy().tolist() == [[1, 0, 0, 1, 1]]
    drawn = v1.random.stateless_multinomial(LOGITS, 5, (1, 2), tf.int32)
    assert drawn.dtype == tf.int32
    assert drawn.numpy().tolist() == [[1, 1, 0, 1, 1]]
